"""The load of other programs on the processor, so that a measurement can say when it was disturbed."""

from __future__ import annotations

import os
import time

import psutil

from loaderlab.measuring.machine import usable_cores


class Others:
    """A meter of the cores that other programs keep busy from now on.

    The scripts have a class of their own for it (`scripts/diagnosis/clock.py`), since they stand alone.
    """

    def __init__(self) -> None:
        self._at = self._now()

    def cores(self) -> float:
        """Return how many of this process's cores other programs kept busy on average; 0 where that is unknown."""
        time_, busy, own = (now - then for now, then in zip(self._now(), self._at, strict=True))
        return max(0.0, (busy - own) / time_) if time_ else 0.0

    def share(self) -> float:
        """Return the share of its cores that this process and its children could have had: all that others left."""
        return max(0.0, 1 - self.cores() / self._count()) * min(1.0, usable_cores() / self._count())

    def free(self) -> float:
        """Return the share of what this process may use that others left: all of it where a quota takes no more than they leave."""
        return min(1.0, max(0.0, self._count() - self.cores()) / usable_cores())

    @staticmethod
    def _count() -> int:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Elapsed time, busy time of these cores, and what of it this process and its children had, in s."""
        try:
            return time.perf_counter(), Others._busy(), Others._own()
        except (AttributeError, OSError, psutil.Error):  # a system, or a sandbox, that does not tell
            return time.perf_counter(), 0.0, 0.0

    @staticmethod
    def _busy() -> float:
        cores = psutil.cpu_times(percpu=True)
        mine = [cores[cpu] for cpu in os.sched_getaffinity(0) if cpu < len(cores)]
        return sum(cpu.user + cpu.nice + cpu.system + cpu.steal for cpu in mine)

    @staticmethod
    def _own() -> float:
        own, me = 0.0, psutil.Process()
        for process in [me, *me.children(recursive=True)]:
            try:  # with the children that it has waited for
                own += sum(process.cpu_times()[:4])
            except psutil.Error:
                continue
        return own
