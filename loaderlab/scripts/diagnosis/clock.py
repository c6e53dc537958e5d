"""The time that a piece of work took: computing, waiting for something, and waiting for a core, told apart."""

from __future__ import annotations

import os
import time
from statistics import median
from typing import NamedTuple

import psutil


class Taken(NamedTuple):
    """Seconds. Time in which a core was wanted and others had it is in none, so that a busy machine changes little."""

    cpu: float = 0.0  # of all threads of this process
    wait: float = 0.0  # for a disk, a network, a sleep or a device
    beside: float = 0.0  # of ``cpu``, in which several threads computed at the same time

    @property
    def all(self) -> float:
        """The seconds that it would have taken on the clock, with a core for each of its threads."""
        return self.cpu + self.wait - self.beside

    def plus(self, other: Taken) -> Taken:
        return Taken(self.cpu + other.cpu, self.wait + other.wait, self.beside + other.beside)

    def without(self, cpu: float) -> Taken:
        """Return the time without so many seconds of CPU."""
        return Taken(max(0.0, self.cpu - cpu), self.wait, self.beside)

    def times(self, factor: float) -> Taken:
        return Taken(self.cpu * factor, self.wait * factor, self.beside * factor)


NOTHING = Taken()


class Clock:
    """A clock for the thread that makes it: `lap` returns the time taken since the last lap."""

    def __init__(self) -> None:
        try:
            self._queue: int | None = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:  # no Linux, or a sandbox: a wait for a core counts as a wait
            self._queue = None
        self._at = self._now()

    def lap(self) -> Taken:
        before, self._at = self._at, self._now()
        wall, cpu, thread, queued = (now - then for now, then in zip(self._at, before, strict=True))
        # While other threads of this process compute, this one waits for them and not for a disk.
        elapsed = max(thread, wall - queued)
        return Taken(cpu, max(0.0, elapsed - max(cpu, thread)), max(0.0, cpu - elapsed))

    def own(self) -> float:
        """CPU seconds that a lap takes by itself, which is as much as a small sample does."""
        return median(self.lap().cpu for _ in range(50))

    def _now(self) -> tuple[float, float, float, float]:
        queued = int(os.pread(self._queue, 99, 0).split()[1]) / 1e9 if self._queue is not None else 0.0
        return time.perf_counter(), time.process_time(), time.thread_time(), queued

    def __del__(self) -> None:
        if self._queue is not None:
            os.close(self._queue)


class Others:
    """A meter of the share of its cores that this process and its children could have had: what others left."""

    def __init__(self) -> None:
        self.uncounted = 0.0  # CPU seconds of our own that the system has lost sight of
        self._at = self._now()

    def share(self) -> float:
        """Return the share until now."""
        wall, busy, own = (now - then for now, then in zip(self._now(), self._at, strict=True))
        own += self.uncounted
        return min(1.0, max(0.0, 1 - (busy - own) / (wall * (psutil.cpu_count() or 1)))) if wall > 0 else 1.0

    @staticmethod
    def _now() -> tuple[float, float, float]:
        every = psutil.cpu_times()
        busy, own, me = 0.0, 0.0, psutil.Process()
        if os.name == "posix":
            busy = every.user + every.nice + every.system + getattr(every, "steal", 0.0)
        for process in [me, *me.children(recursive=True)]:
            try:  # with the children that it has waited for
                own += sum(process.cpu_times()[:4])
            except psutil.Error:
                continue
        return time.perf_counter(), busy, own
