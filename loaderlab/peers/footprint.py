"""The memory that a tree of processes takes, with the batches that wait in shared memory for someone to read them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def footprint(pids: Iterable[int]) -> int | None:
    """Return the bytes of these processes: their shares of all but shared memory (PSS), and each segment of that once.

    A batch that a worker has sent, and nobody has read yet, is in no process's PSS, while memory that stays mapped is. So PSS
    alone would say less of a loader that maps each batch anew. None where the system does not tell.
    """
    private = 0
    shared: dict[int, int] = {}
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
            kib = {name: int(rest.split()[0]) for name, rest in (line.split(":") for line in lines)}
            private += 1024 * (kib["Pss"] - kib["Pss_Shmem"])
            shared |= segments(pid)
    return private + sum(shared.values()) if private else None


def segments(pid: int) -> dict[int, int]:
    """Return the bytes of each segment of /dev/shm that a process has open or mapped, by its number."""
    found = {}
    for folder in ("fd", "map_files"):
        with suppress(OSError):
            for link in Path(f"/proc/{pid}/{folder}").iterdir():
                with suppress(OSError):
                    if os.readlink(link).startswith("/dev/shm/"):
                        status = link.stat()
                        found[status.st_ino] = 512 * status.st_blocks
    return found
