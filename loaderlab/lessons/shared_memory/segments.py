"""The segments that this process and its workers really have in /dev/shm: open or mapped, counted once each.

Other programs use /dev/shm, too, so its fill level says little about one loader. Linux only.
"""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

import psutil

SEGMENT = re.compile(r"/dev/shm/torch_\S*")


def present() -> bool:
    """Return whether this system shows which segments a process has open."""
    return Path("/proc/self/fd").is_dir() and Path("/dev/shm").is_dir()


def mine() -> dict[int, int]:
    """Return the bytes of every segment of PyTorch that this process or one of its descendants has open, by inode."""
    found: dict[int, int] = {}
    if not present():
        return found
    me = psutil.Process()
    for process in [me, *me.children(recursive=True)]:
        with suppress(OSError, psutil.Error):
            found |= _mapped(process.pid) | _open(process.pid)
    return found


def _open(pid: int) -> dict[int, int]:
    found = {}
    for descriptor in os.scandir(f"/proc/{pid}/fd"):
        with suppress(OSError):
            if SEGMENT.match(os.readlink(descriptor.path)):
                status = os.stat(descriptor.path)
                found[status.st_ino] = status.st_blocks * 512
    return found


def _mapped(pid: int) -> dict[int, int]:
    found: dict[int, int] = {}
    for line in Path(f"/proc/{pid}/maps").read_text().splitlines():
        fields = line.split(maxsplit=5)
        if len(fields) == 6 and SEGMENT.match(fields[5]):
            start, end = (int(edge, 16) for edge in fields[0].split("-"))
            found[int(fields[4])] = found.get(int(fields[4]), 0) + end - start
    return found


def kib(expected: int) -> int:
    """Return the KiB of all segments, once there are ``expected`` of them."""
    return sum(settled(expected).values()) // 1024


def settled(expected: int | None = None, seconds: float = 30.0) -> dict[int, int]:
    """Return the segments once their number is ``expected``, or any, and stays so for a moment, or what there is after so long."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = mine()
        if expected is None or len(found) == expected:
            time.sleep(0.15)
            again = mine()
            if again.keys() == found.keys():
                return again
        time.sleep(0.02)
    return mine()
