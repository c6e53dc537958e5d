"""A user's script, run as it is until its training loop was watched for some seconds: which loader it is, and what a step takes."""

from __future__ import annotations

import linecache
import re
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any
from unittest import mock

import torch
from torch.utils.data import DataLoader, get_worker_info

from ..words import number
from ..words import translate as _
from .evidence import Evidence, of_loop
from .lines import Place, is_own, place_of
from .loop import Batches, EpochTimes

LEAST_STEPS = 3  # of a loop: fewer are a look at some batches
END = object()  # what comes after the last batch
EPOCHS = 2  # of a loop are enough, however short


class Unusable(Exception):
    """A file or function that gives no loader, said in the language that is spoken."""


class Stopped(BaseException):
    """The answer is there, so the script need not go on. No ``except Exception`` keeps it."""


@dataclass
class Watched:
    """A loop of a script's over a DataLoader: its line, whether it trains, and what took how long (`loop.loop`)."""

    place: Place | None = None
    trains: bool = False
    steps: int = 0
    seconds: float = 0.0
    said: list[Batches | EpochTimes] = field(default_factory=list)

    def __str__(self) -> str:
        text = _(
            "Watched: {place}. {n} batches in {seconds} s; what the script did in that time, it did for real."
        )
        return text.format(place=self.place, n=number(self.steps), seconds=number(self.seconds, 1))

    def added_to(self, evidence: Evidence) -> Evidence:
        """Return the evidence with the step as it was in the script, where alone it was not looked at, and with that loop's rates."""
        if evidence.troubles:
            return evidence
        evidence = replace(evidence, has_step=True, trains=self.trains)
        size = evidence.costs.batch_size
        said = [
            replace(one, samples=(size,) * len(one.waits)) if isinstance(one, Batches) else one
            for one in self.said
        ]
        seen = of_loop(said, evidence)
        costs = replace(evidence.costs, step=seen["costs"].step)
        return replace(evidence, costs=costs, **{name: seen[name] for name in ("rates", "whole", "wait")})


Answer = Callable[[DataLoader, Watched | None], Any]


def watched(file: Path, arguments: list[str], seconds: float, answer: Answer) -> Any:
    """Run a script as ``python FILE ARGUMENTS`` does; return the answer to its training loop, given while it stands there.

    That is the first loop that computes gradients, watched for so many seconds or two epochs; else the one that took most of
    the time; else the DataLoader in a variable. What it prints goes to standard error. Raises Unusable, with what to do.
    """
    module = ModuleType("__main__")
    module.__file__ = str(file)
    watch = _Watch(seconds, answer)
    sys.argv = [str(file), *arguments]
    sys.path.insert(0, str(file.resolve().parent))
    with mock.patch.dict(sys.modules, {"__main__": module}), redirect_stdout(sys.stderr), watch.watching():
        try:
            exec(compile(file.read_bytes(), str(file), "exec"), vars(module))
        except Stopped:
            pass
        except (Exception, SystemExit) as error:
            if watch.answering:  # the error is ours
                raise
            if not watch.answers and getattr(error, "code", True):
                raise Unusable(_error(file, error)) from error
        if not watch.answers:
            loops = [one for one in watch.loops.values() if one[1].steps >= LEAST_STEPS]
            longest = max(loops, key=lambda one: one[1].seconds, default=None)
            watch.take(*(longest or (_variable(file, module), None)))
    return watch.answers[0]


class _Watch:
    """The loops over DataLoaders in this process, by loader, until one of them is taken."""

    def __init__(self, seconds: float, answer: Answer) -> None:
        self.seconds, self.answer = seconds, answer
        self.loops: dict[int, tuple[DataLoader, Watched]] = {}
        self.answers: list[Any] = []
        self.answering = self._trained = False
        self._iter, self._backward = DataLoader.__iter__, torch.autograd.backward

    @contextmanager
    def watching(self) -> Iterator[None]:
        def backward(*args: Any, **options: Any) -> None:
            self._trained = True
            self._backward(*args, **options)

        def batches(loader: DataLoader) -> Iterator[Any]:
            # Experiments, and a loader within a dataset's worker, are no loops of the script's.
            own = not self.answering and get_worker_info() is None
            return self._batches(loader) if own else self._iter(loader)

        with (
            mock.patch.object(DataLoader, "__iter__", batches),
            mock.patch.object(torch.autograd, "backward", backward),
        ):
            yield

    def take(self, loader: DataLoader, loop: Watched | None) -> None:
        """Answer to this loop; what it asks for is no more watched."""
        self.answering = True
        self.answers.append(self.answer(loader, loop))
        self.answering = False

    def _batches(self, loader: DataLoader) -> Iterator[Any]:
        if self.answers:  # and a bare `except:` has kept the script from its end
            raise Stopped
        loop = self.loops.setdefault(id(loader), (loader, Watched()))[1]
        epoch = sum(isinstance(one, EpochTimes) for one in loop.said)
        began, cpu = time.perf_counter(), time.process_time()
        source: Any = self._iter(loader)
        cpu = time.process_time() - cpu
        waits: list[float] = []
        steps: list[float] = []
        ended = False
        try:
            while not (loop.trains and loop.steps >= LEAST_STEPS and loop.seconds > self.seconds):
                asked = time.perf_counter()
                if ended := (batch := next(source, END)) is END:
                    break
                came, self._trained = time.perf_counter(), False
                waits.append(came - (asked if waits else began))
                yield batch
                del batch
                steps.append(time.perf_counter() - came)
                if not loop.trains:  # a look at a batch, or a check, may have asked the same loader before
                    loop.place, loop.trains = _asking(sys._getframe(1)), self._trained
                loop.steps, loop.seconds = loop.steps + 1, loop.seconds + waits[-1] + steps[-1]
        finally:
            del source  # its workers go before anything is measured
            if steps:  # the first has what is done only once
                whole = Batches(tuple(waits[1 : len(steps)]), tuple(steps[1:]), (), epoch)
                times = EpochTimes(cpu, waits[0], len(steps), ended, 0.0, time.perf_counter() - began)
                loop.said += [whole, times]
        if loop.trains and loop.steps >= LEAST_STEPS and (not ended or epoch + 1 >= EPOCHS):
            self.take(loader, loop)
            raise Stopped


def _asking(frame: FrameType | None) -> Place | None:
    """Return the line of the user's that asks for batches, by whatever library."""
    while frame and not is_own(frame.f_code.co_filename):
        frame = frame.f_back
    return place_of(frame.f_code.co_filename, frame.f_lineno) if frame else None


def _variable(file: Path, module: ModuleType) -> DataLoader:
    found = {name: one for name, one in vars(module).items() if isinstance(one, DataLoader)}
    if len({id(one) for one in found.values()}) == 1:
        return next(iter(found.values()))
    text = _("{file}: it ended without a loop, and has several loaders. Choose one: {names}.")
    if not found:
        text = _(
            "{file}: the script ended, and no loop asked a DataLoader for batches. Name a function that returns a DataLoader: `{file}:make_loader`."
        )
    lines, names = linecache.getlines(str(file)), []
    for name in found:
        line = next((n for n, one in enumerate(lines, 1) if re.match(rf".*\b{name}\b.*=", one)), 1)
        names.append(_("`{place}` (line {line})").format(place=f"{file}:{name}", line=line))
    raise Unusable(text.format(file=file, names=", ".join(names)))


def _error(file: Path, error: BaseException) -> str:
    """Return an error of the script's, with its own last line."""
    if isinstance(error, SystemExit):
        text = _(
            "{file}: the script stopped before its first batch: {text}. Its own arguments come after `--`."
        )
        return text.format(file=file, text=error)
    own = [one for one in traceback.extract_tb(error.__traceback__) if is_own(one.filename)]
    place = place_of(own[-1].filename, own[-1].lineno or 1) if own else file
    return _("{place}: {error}: {text}").format(place=place, error=type(error).__name__, text=error)
