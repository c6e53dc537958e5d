"""Run by ``apart`` in a child process: runs a script with a /dev/shm of its own, and cleans up after it.

Usage: confined.py probe
       confined.py own|limit MIB SECONDS SCRIPT [ARGUMENT …]

``own`` mounts a new, small tmpfs over /dev/shm in a mount namespace that ends with the last process in it, so
that the machine's own /dev/shm is not touched. ``limit`` forbids files of more than a MiB instead. The result
is one line of JSON. The standard library only: torch starts threads, and a process with threads may not make
a user namespace.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

CLONE_NEWNS, CLONE_NEWUSER = 0x20000, 0x10000000
MS_NOSUID, MS_NODEV, MS_REC, MS_PRIVATE = 2, 4, 0x4000, 1 << 18
SHM = Path("/dev/shm")
LARGEST_FILE = 2**20


def own_shm(mib: float) -> bool:
    """Mount a tmpfs of this size over /dev/shm, for this process and its children only."""
    libc = ctypes.CDLL(None, use_errno=True)
    uid, gid = os.getuid(), os.getgid()
    if libc.unshare(CLONE_NEWNS):  # only root may do without a user namespace
        if libc.unshare(CLONE_NEWNS | CLONE_NEWUSER):
            return False
        with suppress(OSError):
            Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")
    if libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None):
        return False
    options = f"size={int(mib * 1024)}k,mode=1777".encode()
    return libc.mount(b"tmpfs", b"/dev/shm", b"tmpfs", MS_NOSUID | MS_NODEV, options) == 0


def limit_files() -> bool:
    """Let no file, and so no segment, grow beyond a MiB."""
    try:
        import resource
    except ImportError:
        return False
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    return True


def confine(mode: str, mib: float) -> bool:
    try:
        return {"own": lambda: own_shm(mib), "limit": limit_files}[mode]()
    except (OSError, AttributeError, ValueError):
        return False


def run(sweep: bool, seconds: float, script: str, *arguments: str) -> dict[str, Any]:
    """Run the script for at most so long; afterwards none of its processes and none of its segments is left.

    ``sweep``: its segments are in the machine's own /dev/shm, and what it left there must be removed.
    """
    with suppress(ImportError):
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a bus error must not leave a core file
    earlier = _segments({"*"})  # of others, whose processes may have the same numbers in another container
    family: set[int] = set()
    over = threading.Event()
    process = subprocess.Popen(
        [sys.executable, script, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # what belongs to it is known by its session, and nothing else is ever ended
    )
    family.add(process.pid)
    watcher = threading.Thread(target=_watch, args=(process.pid, family, over), daemon=True)
    watcher.start()
    try:
        output, errors = process.communicate(timeout=seconds)
        status: int | None = process.returncode
    except subprocess.TimeoutExpired:
        _end(process.pid)
        output, errors = process.communicate()
        status = None
    _end(process.pid)
    over.set()
    watcher.join()
    if sweep:
        _sweep(family, earlier)
    return {"status": status, "output": output, "errors": errors}


def _watch(session: int, family: set[int], over: threading.Event) -> None:
    while not over.is_set():
        family.update(_members(session))
        over.wait(0.05)


def _members(session: int) -> list[int]:
    """Return the processes of a session."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            pid = int(path.name)
            if int((path / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                found.append(pid)
    return found


def _end(session: int) -> None:
    for pid in _members(session):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, 9)


def _sweep(family: set[int], earlier: set[Path]) -> None:
    """Remove the segments of processes that are gone: PyTorch writes the process's number into their names."""
    deadline = time.monotonic() + 1.5  # torch_shm_manager, where there is one, may do it first
    left = _left(family, earlier)
    while left and time.monotonic() < deadline:
        time.sleep(0.1)
        left &= _left(family, earlier)
    for segment in left:
        with suppress(OSError):
            segment.unlink()


def _left(family: set[int], earlier: set[Path]) -> set[Path]:
    """Segments of these processes, and empty ones of processes that are gone: they may have ended unseen."""
    return (_segments(family) | set(filter(_abandoned, _segments({"*"})))) - earlier


def _abandoned(segment: Path) -> bool:
    with suppress(OSError, ValueError, IndexError):
        status, pid = segment.stat(), int(segment.name.split("_")[1])
        return status.st_size == 0 and status.st_uid == os.getuid() and not Path(f"/proc/{pid}").exists()
    return False


def _segments(family: Iterable[int | str]) -> set[Path]:
    return {path for pid in family for path in SHM.glob(f"torch_{pid}_*")} if SHM.is_dir() else set()


def main(mode: str, *rest: str) -> None:
    if mode == "probe":
        print(json.dumps({"own": confine("own", 1)}))
        return
    mib, seconds, script, *arguments = rest
    if not confine(mode, float(mib)):
        print(json.dumps({"confined": False}))
        return
    print(json.dumps({"confined": True} | run(mode != "own", float(seconds), script, *arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
