"""A watch over an answer that runs: its evidence, its time, its memory and what it started."""

from __future__ import annotations

import json
import os
import resource
import select
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from loaderlab.measuring import memory
from loaderlab.teaching.grading.limits import OPEN_FILES, Limits

LOOK = 0.5  # seconds between two looks at the memory of an answer and all that it started
LONG = 10.0  # seconds after which it is asked whether the machine was busy
SAMPLE = 0.4  # seconds: some periods of a container's limit
ENOUGH = 0.5  # of a core
# What an open file may hold in the kernel, in no process: the buffer of a socket. And what the name of an empty file takes.
BUFFER, NAME = 256 * 1024, 4 * 1024


@dataclass
class Running:
    """The process that runs an answer. ``places``: where it writes to memory; ``hangup``: can be read once nobody waits any more."""

    pid: int
    limits: Limits
    places: Sequence[Path]
    hangup: int
    status: int | None = None

    def ended(self) -> int | None:
        """Return the exit status (from 128 up: the signal that ended it), or None while it runs; and let go of orphans that ended."""
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.pid:
                    code = os.waitstatus_to_exitcode(found[1])
                    self.status = 128 - code if code < 0 else code
        return self.status

    def excess(self) -> str:
        """Return what there is too much of, "processes" or "memory"; "" if nothing."""
        processes = psutil.Process().children(recursive=True)
        if len(processes) > self.limits.processes + 10:  # the system has no such limit for root
            return "processes"
        used = memory.total(memory.each(processes).values())
        hidden = _in_kernel(processes) + sum(names(place) * NAME for place in self.places)
        return "memory" if (used.pss or used.uss or used.rss) + hidden > self.limits.memory else ""


def names(place: Path) -> int:
    """Return how many files there are in the file system at ``place``."""
    status = os.statvfs(place)
    return status.f_files - status.f_ffree


def received(evidence: int, running: Running, token: str) -> dict[str, Any]:
    """Wait for the line of evidence; what ended the waiting where none came."""
    data, begun = b"", time.monotonic()
    looked, ended = begun, None
    while True:
        ready = select.select([evidence, running.hangup], [], [], 0.05)[0]
        if running.hangup in ready:
            raise ConnectionError
        if ready:
            chunk = os.read(evidence, 1 << 16)
            data += chunk
            if len(data) > running.limits.evidence:
                return {"status": "evidence"}
            if data.endswith(b"\n") or not chunk:
                break
        elif ended is not None:
            break
        now = time.monotonic()  # also where something came: it may come one byte at a time
        ended = running.ended()  # and then look once more whether something came
        if now - begun > running.limits.seconds:
            return {"status": "time"}
        if now - looked > LOOK:
            looked = now
            if excess := running.excess():
                return {"status": excess}
    if data.endswith(b"\n") or not token.encode().startswith(data[: len(token)]):  # else: nothing, or cut off
        return _read(data, token)
    until = time.monotonic() + 2  # it has closed the pipe, and so will end
    while running.ended() is None and time.monotonic() < until:
        time.sleep(0.01)
    return {"status": "ended", "code": running.ended()}


def _read(data: bytes, token: str) -> dict[str, Any]:
    """Return the content of a line, if it is one of ours."""
    with suppress(ValueError, RecursionError):
        found = json.loads(data[len(token) :])
        if data.startswith(token.encode()) and isinstance(found, dict) and _is_flat(found):
            return found | {"status": "probed"}
    return {"status": "forged"}


def _is_flat(value: Any) -> bool:
    """Return whether lists and dicts are nested no deeper than any probe's: whoever reads more may run out of stack."""
    layer = [value]
    for _level in range(50):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
    return not layer


def _in_kernel(processes: Iterable[psutil.Process]) -> int:
    """Return the bytes that these processes' open files may hold where no process has them; those of an unreadable one are all."""
    total = 0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            try:
                total += process.num_fds() * BUFFER
            except psutil.AccessDenied:
                total += OPEN_FILES * BUFFER
    return total


def cpu() -> float:
    """Return the seconds of CPU that all used that this process started, and that what they started uses now."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    total = ended.ru_utime + ended.ru_stime
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])
    return total


def starved(seconds: float, cpu: float) -> bool:
    """Return whether an answer that took so long had to wait for a busy machine, so that its limits say nothing about it."""
    return seconds >= LONG and cpu < seconds / 2 and _share_of_a_core() < ENOUGH


def _share_of_a_core() -> float:
    """Return how much of a core this process gets now, when it wants all of it: neighbours and containers' limits both count."""
    begun, used = time.monotonic(), time.process_time()
    while time.monotonic() - begun < SAMPLE:
        pass
    return (time.process_time() - used) / (time.monotonic() - begun)
