"""Memory that does not mislead: bytes in shared memory, and what processes take, looked at from outside."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

SHM = Path("/dev/shm")
PROC = Path("/proc")


def shm_bytes() -> int | None:
    """Return the bytes in use on /dev/shm (by every program of this machine), or None where there is no such file system.

    Unlinked segments count too: PyTorch unlinks a batch's segment as soon as the receiver has opened it.
    """
    if not SHM.is_dir():
        return None
    status = os.statvfs(SHM)
    return (status.f_blocks - status.f_bfree) * status.f_frsize


@dataclass(frozen=True)
class Use:
    """Bytes of one process, or of several together; None where the system does not tell.

    ``rss``: every page that the process can reach, whoever else can; ``uss``: the pages that only it can
    reach; ``pss``: those, and of each shared page its part (a page shared by four counts as a quarter).
    ``anonymous``: of those that only it can reach, the pages that belong to no file and to no shared memory, so what it
    made or copied itself; only where it was asked for.
    """

    rss: int
    pss: int | None
    uss: int | None
    anonymous: int | None = None


def of(pid: int, *, anonymous: bool = False) -> Use:
    """Return the memory that a process takes now. Raises ``psutil.NoSuchProcess`` where there is none, or no longer.

    Linux tells in ``/proc/<pid>/smaps_rollup`` (since 4.14); elsewhere psutil asks the system: macOS and
    Windows have USS and no PSS. A process of another user tells RSS only. ``anonymous`` takes some milliseconds, since
    the rollup does not tell it: its line ``Anonymous`` counts pages that are shared with a parent, too.
    """
    with suppress(OSError, ValueError, KeyError):
        use = _rollup((PROC / str(pid) / "smaps_rollup").read_text())
        return replace(use, anonymous=_private_anonymous(pid)) if anonymous else use
    process = psutil.Process(pid)
    with suppress(psutil.AccessDenied, NotImplementedError, AttributeError):
        full = process.memory_full_info()
        return Use(full.rss, getattr(full, "pss", None), full.uss)
    return Use(process.memory_info().rss, None, None)


def _kib(text: str) -> dict[str, int]:
    """Return what a mapping, or the rollup of all, says in KiB."""
    fields = {
        name: value.split() for name, colon, value in (line.partition(":") for line in text.splitlines())
    }
    return {name: int(words[0]) for name, words in fields.items() if words[1:] == ["kB"]}


def _rollup(text: str) -> Use:
    kib = _kib(text)
    private = kib["Private_Clean"] + kib["Private_Dirty"] + kib.get("Private_Hugetlb", 0)
    return Use(1024 * kib["Rss"], 1024 * kib["Pss"], 1024 * private)


def _private_anonymous(pid: int) -> int:
    """Return the bytes that are both private and anonymous: of a mapping, at most the smaller of the two.

    A mapping is of a file, or not; in one of a file those pages are anonymous that were written to, and they are dirty.
    """
    mappings = map(_kib, (PROC / str(pid) / "smaps").read_text().split("\nVmFlags:"))
    return 1024 * sum(
        min(kib["Anonymous"], kib["Private_Dirty"] + kib["Private_Clean"]) for kib in mappings if kib
    )


def tree(pid: int | None = None, itself: bool = True, *, anonymous: bool = False) -> dict[int, Use]:
    """Return the memory of a process (by default this one) and of all its descendants, by process number.

    ``itself=False`` leaves the process itself out. Those that end meanwhile are missing.
    """
    top = psutil.Process(pid)
    return each([*([top] if itself else []), *top.children(recursive=True)], anonymous=anonymous)


def each(processes: Iterable[psutil.Process], *, anonymous: bool = False) -> dict[int, Use]:
    """Return the memory that these processes take, by process number; those that ended are missing."""
    found = {}
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            found[process.pid] = of(process.pid, anonymous=anonymous)
    return found


def total(uses: Iterable[Use]) -> Use:
    """Return the sums; what is unknown of one of them (None) is unknown of all."""
    uses = list(uses)

    def add(values: list[int | None]) -> int | None:
        known = [value for value in values if value is not None]
        return sum(known) if len(known) == len(values) else None

    return Use(
        sum(u.rss for u in uses),
        add([u.pss for u in uses]),
        add([u.uss for u in uses]),
        add([u.anonymous for u in uses]),
    )
