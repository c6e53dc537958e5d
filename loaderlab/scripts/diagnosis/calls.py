"""The work of an iterable's workers, counted: the calls that leave from each line of the user's, and what is made and thrown away."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from types import FrameType
from typing import Any

import numpy as np
from torch.utils.data import DataLoader

from .clone import told
from .lines import is_own

MOST = 400  # batches that are counted
REPEATED = 1.5  # times the calls for a sample that one worker needs: so many are made in each worker
WORTH = 0.25  # of the time: less is thrown away by a filter that has to look at something
ENOUGH = 24  # samples for which each batch needs as many yes as the others: no chance
MANY = 8  # batches, of which the first half is left out

Line = tuple[str, int]


def _seconds() -> defaultdict[Line, float]:
    return defaultdict(float)


@dataclass
class Work:
    """The work of a worker until it had sent so many samples, by line of the user's: calls from it, and their own seconds.

    By a function's first line: how often it said yes or no, and the seconds from a no until it was asked again.
    """

    worker: int = 0
    samples: int = 0
    whole: float = 0.0
    calls: Counter[Line] = field(default_factory=Counter)
    seconds: defaultdict[Line, float] = field(default_factory=_seconds)
    yes: Counter[Line] = field(default_factory=Counter)
    no: Counter[Line] = field(default_factory=Counter)
    refused: defaultdict[Line, float] = field(default_factory=_seconds)


class _Counting:
    """A count of what a worker does, while it runs."""

    def __init__(self) -> None:
        self.work, self._begun = Work(), 0.0
        self._open: list[
            list[Any]
        ] = []  # a call's line, when it began, and the seconds that calls within it took
        self._asked: dict[Line, float] = {}

    def begin(self) -> None:
        self._begun = time.perf_counter()
        sys.setprofile(self._event)

    def collate(self, samples: list[Any]) -> Work:
        self.work.samples += len(samples)
        self.work.whole = time.perf_counter() - self._begun
        return self.work

    def _event(self, frame: FrameType, event: str, result: Any) -> None:
        now, code = time.perf_counter(), frame.f_code
        if is_own(code.co_filename) and event in ("call", "return"):
            asked = code.co_filename, code.co_firstlineno
            if event == "call" and asked in self._asked:
                self.work.refused[asked] += now - self._asked.pop(asked)
            elif event == "return" and isinstance(result, (bool, np.bool_)):
                (self.work.yes if result else self.work.no)[asked] += 1
                if not result:
                    self._asked[asked] = now
        caller = frame if event.startswith("c_") else frame.f_back
        if caller is None or not is_own(caller.f_code.co_filename):
            return
        if event in ("call", "c_call"):
            line = caller.f_code.co_filename, caller.f_lineno
            self.work.calls[line] += 1
            self._open.append([line, now, 0.0])
        elif self._open:
            line, begun, inner = self._open.pop()
            self.work.seconds[line] += now - begun - inner
            if self._open:
                self._open[-1][2] += now - begun


def work(loader: DataLoader, workers: int) -> Iterator[Work]:
    """Go through a copy of the loader with so many workers; after each batch, yield what its worker has done until then."""
    counting = _Counting()
    made = told(loader, counting.collate, counting.begin, num_workers=workers, prefetch_factor=1)
    for number, (worker, done) in enumerate(DataLoader.__iter__(made)):
        done.worker = worker
        yield done
        if number >= MOST:
            return


def repeated(several: list[Work], alone: list[Work]) -> tuple[float, Line] | None:
    """Return how many times the calls of one worker several need for a sample, and from which line most of their time goes; None if
    they need no more."""
    last = _last(several)
    samples = sum(each.samples for each in last)
    if not samples or not alone:
        return None
    one, seconds = alone[-1], _of_all(last)
    calls = sum((each.calls for each in last), Counter[Line]())
    needed = {line: one.calls[line] * samples / one.samples for line in calls if one.calls[line]}
    times = {line: calls[line] / count for line, count in needed.items() if calls[line] >= REPEATED * count}
    wasted = sum(seconds[line] * (1 - 1 / factor) for line, factor in times.items())
    if not times or wasted < WORTH * sum(each.whole for each in last):
        return None
    line = max(times, key=lambda each: seconds[each])
    return times[line], line


def thrown_away(several: list[Work]) -> tuple[float, float, Line] | None:
    """Return how many samples are made for each that comes, the share of the time that those take that do not, and the line of the
    function that refuses them: of which each batch needs the same number of yes, as it would not of a coin; None if nothing does."""
    # Without the last, which may be what is left at the end, and those at first, where a buffer may fill.
    known = [[one for one in several if one.worker == each][:-1] for each in {one.worker for one in several}]
    known = [mine[len(mine) // 2 :] if len(mine) > MANY else mine for mine in known]
    spans = [(mine[0], mine[-1]) for mine in known if mine]
    whole = sum(last.whole - first.whole for first, last in spans)
    for line in {line: None for each in several for line in each.yes}:
        pairs = (pair for mine in known for pair in pairwise(mine))
        needed = {(b.yes[line] - a.yes[line]) / (b.samples - a.samples) for a, b in pairs}
        yes = sum(last.yes[line] - first.yes[line] for first, last in spans)
        no = sum(last.no[line] - first.no[line] for first, last in spans)
        seconds = sum(last.refused[line] - first.refused[line] for first, last in spans)
        if len(needed) == 1 and ENOUGH < yes <= no and seconds > WORTH * whole:
            return (yes + no) / yes, seconds / whole, line
    return None


def most_time(several: list[Work]) -> Line | None:
    """Return the line of the user's in whose calls the workers spend most of their time."""
    seconds = _of_all(_last(several))
    return max(seconds, key=lambda line: seconds[line], default=None)


def _last(several: list[Work]) -> list[Work]:
    return list({each.worker: each for each in several}.values())


def _of_all(last: list[Work]) -> dict[Line, float]:
    return {line: sum(each.seconds.get(line, 0.0) for each in last) for one in last for line in one.calls}
