"""Memory that does not mislead: PSS and USS of a process tree, bytes in shared memory.

RSS counts a shared page once per process, so the sum over workers can be several times the truth. PSS
divides each shared page among its users; USS counts only what would be freed if the process ended.
Source: proc_pid_smaps_rollup(5).
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil

SHM = Path("/dev/shm")


def family(pid: int | None = None) -> list[psutil.Process]:
    """The process (default: this one) and all its living descendants."""
    parent = psutil.Process(pid or os.getpid())
    return [parent, *parent.children(recursive=True)]


def tree_bytes(kind: str = "pss", pid: int | None = None) -> int:
    """Bytes of ``kind`` ("rss", "uss", or "pss" on Linux) summed over a process and its descendants.

    A process that ends while it is being read counts as zero.
    """
    total = 0
    for process in family(pid):
        try:
            total += getattr(process.memory_full_info(), kind)
        except psutil.NoSuchProcess:
            continue
    return total


def shm_bytes() -> int | None:
    """Bytes in use on /dev/shm (by every program of this machine), or None where there is no such file system.

    Unlinked segments count too: PyTorch unlinks a batch's segment as soon as the receiver has opened it.
    """
    if not SHM.is_dir():
        return None
    status = os.statvfs(SHM)
    return (status.f_blocks - status.f_bfree) * status.f_frsize
