"""The limits of one answer: seconds, memory, files, processes; the grader's own end of it, too."""

from __future__ import annotations

from dataclasses import dataclass

from loaderlab.exercises.probing import Probe

GIB = 1024**3
OPEN_FILES = 4096  # of a process
DEFINING = 20.0  # seconds that the cell itself may take, before anything is asked of it
# Seconds for what other cells define, and once more for what stands below a part that took too long.
HELPING = 8.0
_GRACE = 5.0


@dataclass(frozen=True)
class Limits:
    """The limits of one answer: seconds of clock and of CPU; bytes of memory, files and evidence; processes (threads count)."""

    seconds: float
    memory: int = 4 * GIB
    file: int = GIB // 4
    room: int = GIB
    evidence: int = 8 * 1024**2
    processes: int = 200

    @staticmethod
    def of(probe: Probe) -> Limits:
        """Those of an answer that is probed so."""
        return Limits(seconds=2 * HELPING + DEFINING + probe.seconds + _GRACE)

    @property
    def patience(self) -> float:
        """Seconds after which whatever should have stopped the answer has been stopped itself."""
        return 2 * self.seconds + 30
