"""Memory that does not mislead: bytes in shared memory, where a loader's tensors travel."""

from __future__ import annotations

import os
from pathlib import Path

SHM = Path("/dev/shm")


def shm_bytes() -> int | None:
    """Bytes in use on /dev/shm (by every program of this machine), or None where there is no such file system.

    Unlinked segments count too: PyTorch unlinks a batch's segment as soon as the receiver has opened it.
    """
    if not SHM.is_dir():
        return None
    status = os.statvfs(SHM)
    return (status.f_blocks - status.f_bfree) * status.f_frsize
