"""Bubblewrap, which sets a slot apart: processes of its own, no network, Python and the system read-only, and nothing else.

https://github.com/containers/bubblewrap
"""

from __future__ import annotations

import errno
import os
import platform
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

SCRATCH, SHARED = Path("/scratch"), Path("/dev/shm")  # what an answer may write to
KIT = Path("/kit")
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix", "/sys")
# systemd's list of numbers keeps these free: https://systemd.io/UIDS-GIDS
_STRANGERS = range(60706, 61184)
_NEW_USERS = 0x10000000

# What no answer needs: new user namespaces (all rights in them: tmpfs without limits), memory that is not counted
# because it is in no process, or outlives them all, keys of whoever grades, and a look into other processes. By machine:
# the name of the architecture in a filter; the number of clone; those of clone3 (its flags cannot be seen; clone is tried
# next), unshare, setns, memfd_create, shmget, msgget, semget, mq_open, add_key, request_key, keyctl, memfd_secret, ptrace,
# process_vm_readv, process_vm_writev, pidfd_getfd.
_CALLS = {
    "x86_64": (0xC000003E, 56, (435, 272, 308, 319, 29, 68, 64, 240, 248, 249, 250, 447, 101, 310, 311, 438)),
    "aarch64": (0xC00000B7, 220, (435, 97, 268, 279, 194, 186, 190, 180, 217, 218, 219, 447, 117, 270, 271, 438)),
}  # fmt: skip


def command(kit: Path, hidden: Path, room: int, calls: int) -> list[str]:
    """Return the command that runs what is appended to it; there it is process 1, which no other can stop or end.

    ``kit`` is shown as ``KIT``; ``hidden`` is not, even where it lies in a folder that is shown; ``room``: the bytes that
    files may take, in ``SCRATCH`` and in ``SHARED`` each; ``calls``: an open file with a filter of system calls.
    """
    words = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--as-pid-1"]
    if not is_any_user():
        words += ["--unshare-user", "--uid", str(os.geteuid() or _STRANGERS[0])]
    words += ["--seccomp", str(calls), "--proc", "/proc", "--dev", "/dev"]
    for place in (SHARED, SCRATCH):
        words += ["--perms", "1777", "--size", str(room), "--tmpfs", str(place)]
    words += ["--remount-ro", "/dev"]
    shown = _shown()
    if not any(path.is_relative_to("/tmp") for path in shown):
        words += ["--symlink", str(SCRATCH), "/tmp"]
    for path in shown:  # the folders that bubblewrap makes for it by itself are closed to other users
        words += ["--dir", str(path.parent), "--ro-bind", str(path), str(path)]
    for link in filter(os.path.islink, _SYSTEM):  # /bin -> usr/bin
        words += ["--symlink", os.readlink(link), link]
    if any(hidden.is_relative_to(path) for path in shown):
        words += ["--tmpfs", str(hidden), "--remount-ro", str(hidden)]
    return [*words, "--ro-bind", str(kit), str(KIT), "--remount-ro", "/"]


def filter_of_calls() -> bytes:
    """Return a program for seccomp that forbids the calls that no answer needs; one that forbids none where we do not know their numbers."""
    load, equal, from_up, any_bit, say = 0x20, 0x15, 0x35, 0x45, 0x06  # of the language of filters
    go_on = (say, 0, 0, 0x7FFF0000)
    if platform.machine() not in _CALLS or sys.maxsize < 2**32:
        return struct.pack("HBBI", *go_on)
    machine, clone, calls = _CALLS[platform.machine()]
    rest = len(calls) + 3  # instructions from the first of the calls to the last line, "no"
    program = [
        (load, 0, 0, 4),  # the architecture: another one has other numbers
        (equal, 0, rest + 3, machine),
        (load, 0, 0, 0),  # the number of the call
        (from_up, rest + 1, 0, 1 << 30),  # x32
        *((equal, rest - n, 0, call) for n, call in enumerate(calls)),
        (equal, 0, 2, clone),
        (load, 0, 0, 16),  # its flags
        (any_bit, 1, 0, _NEW_USERS),
        go_on,
        (say, 0, 0, 0x00050000 | errno.ENOSYS),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in program)


def is_any_user() -> bool:
    """Return whether this process is root, and can become any user: not so in a namespace that has one user only."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return False
    ranges = Path("/proc/self/uid_map").read_text().split()
    return sum(map(int, ranges[2::3])) > _STRANGERS.stop


def stranger(number: int) -> int:
    """Return a user that no program runs as, and that hardly another grader takes for the slot with this ``number``."""
    return _STRANGERS[(os.getpid() + number) % len(_STRANGERS)]


def can_read_python() -> bool:
    """Return whether any user can read this Python and what is installed in it."""
    places = [Path(os.__file__).parent, *map(Path, (sys.executable, sys.prefix, sys.base_prefix))]
    return all(
        folder.stat().st_mode & 1
        for place in places
        for folder in (place.resolve(), *place.resolve().parents)
    )


def _shown() -> list[Path]:
    """Folders that the answer needs, without those that lie in another one of them."""
    found: list[Path] = []
    for path in sorted(set(_wanted()), key=lambda path: len(path.parts)):
        if not any(path.is_relative_to(other) for other in found):
            found.append(path)
    return found


def _wanted() -> Iterator[Path]:
    """Of what Python imports from, not the checkout that this file lies in: there are the solutions, too."""
    checkout = Path(__file__).resolve().parents[3]
    for place in (sys.prefix, sys.base_prefix, *filter(None, sys.path)):
        path = Path(place)
        if path.is_dir() and not (path.resolve() == checkout and (path / "pyproject.toml").exists()):
            yield path
            yield path.resolve()
    yield from (Path(path) for path in _SYSTEM if os.path.isdir(path) and not os.path.islink(path))
