"""The lines of the user's in which the processes of a loop spend their time, by what they do: from the stacks in which they were seen."""

from __future__ import annotations

import linecache
import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from ..words import mark
from .clone import clone, loader_in
from .lines import LOADING, Line, Place, call_of, files_of, is_ours, is_own, library, packages, text_of
from .operations import MOSTLY, operation_of
from .spy import Frame, Looks, Stack, spying, visible

SCATTERED = 0.25  # of the time: where no line has as much, the lines of a function are taken together
SHOWN = 0.1  # of the time: what takes less is not shown
MOST = 3  # lines of a phase
LEAST = 0.3  # seconds, of all processes together: what was seen for less says nothing
LEAST_START = 0.2  # of a start, in all processes
WAITING = 0.5  # of the time in a line: so much of it has to be waiting before it is said for what
PULLING = re.compile(r"^\s*for .+ in |\bnext\(|\byield from\b")
DRAWING = re.compile(r"\.<locals>\.<(listcomp|genexpr|dictcomp|setcomp|lambda)>$")

# What is done where one of these lines is on the stack: phase, end of the file's name, and what stands in the line. The
# innermost counts: above what a forked worker does stand the lines of its parent. What waits, and what sends, makes no sample.
MARKS = (
    ("sample", "parts.py", r"for sample in get\b|list\(get\)"),
    ("collate", "parts.py", r"collate_fn\("),
    ("sampler", "parts.py", r"_indices in order|order = iter"),
    ("step", "parts.py", r"\bstep\("),
    ("sample", "activities.py", r"\b(next|iter)\("),
    ("step", "activities.py", r"\bstep\("),
    ("collate", "torch/utils/data/_utils/fetch.py", r"collate_fn\("),
    ("sample", "torch/utils/data/_utils/fetch.py", r""),
    ("waiting", "torch/utils/data/_utils/worker.py", r"index_queue\.get"),
    ("sending", "torch/utils/data/_utils/worker.py", r"data_queue\.put"),
    ("start", "torch/utils/data/_utils/worker.py", r"init_fn\(|create_fetcher"),
    ("sampler", "torch/utils/data/dataloader.py", r"_sampler_iter\b"),
    ("waiting", "torch/utils/data/dataloader.py", r"_data_queue\.get"),
    ("start", "torch/utils/data/dataloader.py", r"\.start\(\)"),
    ("start", "multiprocessing/spawn.py", r""),
)

# What a line may wait for: functions of libraries that it called, or what stands in it.
WAITS = (
    (mark("another process"), r"^multiprocessing/|^torch/multiprocessing/|^concurrent/futures/process"),
    (mark("the network"), r"^(socket|ssl)\.py:|^(http|urllib|urllib3|requests|httpx|aiohttp|fsspec|boto)"),
    (mark("another program"), r"^subprocess\.py:"),
    (mark("another thread"), r"^(threading|queue)\.py:|^concurrent/futures/"),
    (mark("a call of `sleep`"), r"\bsleep\("),
)


@dataclass
class _Spot:
    """Microseconds in a line of the user's, in each function of libraries that it had called, and with what it called first."""

    taken: int = 0
    computing: int = 0
    below: Counter[str] = field(default_factory=Counter)
    called: Counter[str] = field(default_factory=Counter)

    def add(self, other: _Spot) -> None:
        self.taken += other.taken
        self.computing += other.computing
        self.below.update(other.below)
        self.called.update(other.called)


# Phase, a line of the user's, whether it is in a helper, and the helper that it calls, where it stands for that.
Where = tuple[str, Frame, bool, str]


def seen(batches: Any, step: Callable[[Any], Any] | None, seconds: float, **changes: Any) -> Iterator[Line]:
    """Go through copies of the loader for so many seconds after the first batch; yields the lines, and nothing where nobody may look."""
    loader = loader_in(batches)
    made = type(batches if loader is None else loader.dataset).__name__
    if loader is not None:
        batches = clone(
            batches, worker_init_fn=partial(visible, os.getpid(), loader.worker_init_fn), **changes
        )
    starting, running, first = Looks(), Looks(), 0.0
    while not first or time.perf_counter() < first + seconds:
        with spying() as looks:
            if looks is None:
                return
            source = iter(batches)
            batch = next(source, None)
        starting.add(looks)
        first = first or time.perf_counter()
        with spying() as looks:
            while batch is not None and time.perf_counter() < first + seconds:
                if step:
                    step(batch)
                batch = next(source, None)
        running.add(looks or Looks())
        del source
        if hasattr(batches, "__next__"):
            break
    yield from lines_of(running, made, LEAST)
    yield from lines_of(starting, made, LEAST_START, start=True)


def phase_of(stack: Stack) -> tuple[str, Stack]:
    """Return what is done, "" where it is nothing of a loader's, and what was called to do it."""
    phase, after = "", 0
    for number, frame in enumerate(stack, 1):
        for name, file, text in MARKS:
            if _is(frame.file, file) and re.search(text, _written(frame)):
                phase, after = name, number
                break
    if not phase and _in_thread(stack):
        return "sample", stack
    return phase, stack[after:]


def lines_of(looks: Looks, made: str, least: float = 0, start: bool = False) -> tuple[Line, ...]:
    """Return the user's lines of each phase that was seen for so many seconds, those with most of its time first.

    ``made``: the name of the dataset's class; ``start``: what was seen until a first batch came is one phase.
    """
    parts = ((*LOADING, "sampler", "start"),) if start else (LOADING, ("sampler",), ("step",))
    return tuple(one for phases in parts for one in _lines(looks, made, least, phases, start))


def _lines(looks: Looks, made: str, least: float, phases: tuple[str, ...], start: bool) -> list[Line]:
    """Return the lines of these phases, or of all of them together as one."""
    spots: dict[tuple[str, Stack], _Spot] = defaultdict(_Spot)
    threads = any(_in_thread(stack) for _pid, stack in looks.taken)
    for (pid, stack), taken in looks.taken.items():
        phase, below = phase_of(stack)
        computing = looks.computing[pid, stack]
        if _in_thread(stack) or (threads and not any(is_own(one.file) for one in below)):
            taken = min(taken, computing)  # what waits there holds up nobody, or for threads
        if phase in phases and taken:
            calls, called, functions = _calls(phase, below, made)
            names = Counter({_named(one): taken for one in functions})
            spots["start" if start else phase, calls].add(
                _Spot(taken, computing, names, Counter({called: taken}))
            )
    whole = sum(spot.taken for spot in spots.values())
    helpers: dict[tuple[str, ...], Counter[int]] = defaultdict(Counter)
    for (_phase, calls), spot in spots.items():
        for frame in calls[1:]:
            helpers[frame[::2]][frame.line] += spot.taken
    little = {
        n for n, of in helpers.items() if max(of.values()) < min(SCATTERED * whole, MOSTLY * of.total())
    }
    found: dict[Where, _Spot] = defaultdict(_Spot)
    for (phase, calls), spot in spots.items():
        name = ""
        # The line that calls a helper stands for it where no line of the helper takes much, nor most of its time.
        while len(calls) > 1 and calls[-1][::2] in little:
            calls, name = calls[:-1], calls[-1].function
        found[phase, calls[-1], len(calls) > 1, name].add(spot)
    if found and max(spot.taken for spot in found.values()) < SCATTERED * whole:
        found = _by_function(found)
    most = sorted(found.items(), key=lambda one: -one[1].taken)[:MOST]
    shown = [one for one in most if one[1].taken >= SHOWN * whole and whole >= 1e6 * least]
    return [_line(*key, spot, spot.taken / whole) for key, spot in shown]


def _by_function(spots: dict[Where, _Spot]) -> dict[Where, _Spot]:
    """Return the spots of each function as one, at the line with most of its time."""
    first: dict[tuple[str, str, str], Where] = {}
    found: dict[Where, _Spot] = defaultdict(_Spot)
    for key, spot in sorted(spots.items(), key=lambda one: -one[1].taken):
        phase, frame, *_rest = key
        found[first.setdefault((phase, frame.file, frame.function), key)].add(spot)
    return found


def _line(phase: str, frame: Frame, helper: bool, name: str, spot: _Spot, share: float) -> Line:
    most = next((one for one, taken in spot.called.items() if taken > MOSTLY * spot.taken), "")
    called = (name or most).removesuffix(".__init__").rpartition(".")[2]
    text = text_of(frame.file, frame.line, called) if is_own(frame.file) else frame.function
    source = "".join(linecache.getlines(frame.file))
    operation = operation_of(text, spot.below, spot.taken, packages(frame.file), source)
    waits = ""
    if spot.computing < (1 - WAITING) * spot.taken:
        names = [text, *(one for one, taken in spot.below.items() if taken >= MOSTLY * spot.taken)]
        waits = next((what for what, pattern in WAITS if any(re.search(pattern, one) for one in names)), "")
    return Line(phase, *frame, text, share, operation, helper, waits)


def _calls(phase: str, below: Stack, made: str) -> tuple[Stack, str, Stack]:
    """Return the user's lines, from the outermost on, what the last one called, and the functions of libraries that ran for it."""
    own = [number for number, frame in enumerate(below) if is_own(frame.file)]
    functions = tuple(
        one for one in below[own[-1] + 1 if own else 0 :] if not is_ours(one.file) and one.file[0] != "<"
    )
    if not own:
        frame = _asking(phase, functions, made)
        return (frame,), frame.function, functions
    calls: list[Frame] = []
    for number in own:
        frame = below[number]._replace(function=DRAWING.sub("", below[number].function))
        if calls and calls[-1][::2] == frame[::2]:  # a comprehension in it
            calls.pop()
        calls.append(frame)
    return tuple(calls), functions[0].function if functions else "", functions


def _asking(phase: str, functions: Stack, made: str) -> Frame:
    """Return the user's line that asks a library for what it does: by a call of one of its functions, but of none that itself waits
    for what another one gives it, as each of a pipeline's does; by the making of the dataset; or of the loader."""
    root = _root(functions[0]) if functions else ""
    asked = [one for one in reversed(functions) if _root(one) == root and not PULLING.search(_written(one))]
    names = [
        part.strip("_") for one in asked for part in reversed(one.function.split(".")) if part[:2] != "__"
    ]
    for name in (*names, *([made] if phase == "sample" else []), "DataLoader"):
        if place := _called(name):
            return Frame(place.file, place.line, name)
    return functions[0] if functions else Frame(phase, 0, phase)


@cache
def _called(name: str) -> Place | None:
    return call_of(name, files_of()) if name else None


def _root(frame: Frame) -> str:
    return (library(frame.file) or frame.file).partition("/")[0]


def _named(frame: Frame) -> str:
    """Return the name of a function of a library: ``PIL/ImageFile.py:ImageFile.load``."""
    return f"{library(frame.file) or Path(frame.file).name}:{frame.function}"


def _written(frame: Frame) -> str:
    return linecache.getline(frame.file, frame.line)


@cache
def _is(file: str, name: str) -> bool:
    return Path(file).as_posix().endswith(f"/{name}") and ("/" in name or is_ours(file))


def _in_thread(stack: Stack) -> bool:
    """Return whether a thread of the user's runs there, beside the one that asked for a sample."""
    files = {one.file for one in stack}
    return (
        stack[0].function == "Thread._bootstrap" and not any(map(is_ours, files)) and any(map(is_own, files))
    )
