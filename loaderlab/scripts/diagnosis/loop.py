"""The loop as it is: what it waits for, how it starts, and what its processes take, with the loader's own arguments."""

from __future__ import annotations

import gc
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import torch

from .clock import Clock
from .clone import clone, loader_in
from .contents import samples_in

EVERY = 0.2  # seconds between two reports


@dataclass(frozen=True)
class EpochTimes:
    """One that was begun: seconds of CPU until its workers had started, in the main process and in each worker."""

    start_main: float
    first: float  # seconds on the wall until the first batch
    batches: int = 0
    ended: bool = False
    stop: float = 0.0  # seconds on the wall for stopping the workers
    seconds: float = 0.0  # on the wall, from its beginning until its workers have stopped


@dataclass(frozen=True)
class Batches:
    """Some batches, one after the other: seconds on the wall waited for each, and of its step; samples in each."""

    waits: tuple[float, ...]
    steps: tuple[float, ...]
    samples: tuple[int, ...]
    epoch: int


@dataclass(frozen=True)
class Workers:
    """The workers of a loop: what they report when they have started, and what the system says of them."""

    start_cpu: tuple[float, ...]
    threads: tuple[int, ...]


@dataclass(frozen=True)
class Tree:
    """At a moment: CPU seconds of the workers since their start, memory of their own (USS), and open files here."""

    epoch: int
    batches: int
    cpu: float
    own_bytes: int
    files: int
    ended: int = 0  # workers of an iterable dataset that have no more to give


class Reporting:
    """The user's `worker_init_fn`, and after it a note in a folder. It is pickled where workers are spawned."""

    def __init__(self, folder: str, function: Callable[[int], Any] | None) -> None:
        self.folder, self.function = folder, function

    def __call__(self, worker: int) -> None:
        if self.function:
            self.function(worker)
        note = {"cpu": time.process_time(), "threads": torch.get_num_threads()}
        Path(self.folder, f"{os.getpid()}.json").write_text(json.dumps(note))


def loop(batches: Any, step: Callable[[Any], Any] | None, seconds: float, **changes: Any) -> Iterator[Any]:
    """Go through copies of the loader for so many seconds, plus a batch; yields Batches, Tree, Workers and EpochTimes."""
    loader = loader_in(batches)
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder:
        if loader is not None:
            workers = changes.get("num_workers", loader.num_workers)
            function = changes.pop("worker_init_fn", loader.worker_init_fn)
            if workers:
                changes["worker_init_fn"] = Reporting(folder, function)
            batches = clone(batches, **changes)
        end, number = time.perf_counter() + seconds, 0
        while True:
            yield from _epoch(batches, step, end, number, Path(folder))
            number += 1
            if time.perf_counter() > end or iter(batches) is batches:
                return


def _epoch(
    batches: Any, step: Callable[[Any], Any] | None, end: float, epoch: int, folder: Path
) -> Iterator[Any]:
    clock, begin = Clock(), time.perf_counter()
    source = iter(batches)
    start, first = clock.lap().cpu, 0.0
    away = 0.0  # spent with looking and telling
    waits: list[float] = []
    steps: list[float] = []
    samples: list[int] = []
    count, ended, stop, told, looked = 0, False, 0.0, time.perf_counter(), 0.0
    while True:
        asked = time.perf_counter()
        try:
            batch = next(source)
        except StopIteration:
            ended, stop = True, time.perf_counter() - asked
            break
        came = time.perf_counter()
        if step:
            step(batch)
        done = time.perf_counter()
        count += 1
        if count == 1:
            first = came - begin
            yield from _notes(folder)
            if not epoch:  # an epoch of few batches would mostly be looked at
                yield _tree(epoch, count, source)
            away += time.perf_counter() - done
        else:
            waits.append(came - asked)
            steps.append(done - came)
            samples.append(samples_in(batch))
        if done > end:
            break
        if done - told > EVERY:
            yield Batches(tuple(waits), tuple(steps), tuple(samples), epoch)
            waits, steps, samples = [], [], []
            told = time.perf_counter()
            if told - looked > max(0.5, 0.1 * (told - begin)):
                yield _tree(epoch, count, source)
                looked = time.perf_counter()
            told = time.perf_counter()
            away += told - done
    if not ended:  # else the workers have gone
        yield _tree(epoch, count, source)
    if waits:
        yield Batches(tuple(waits), tuple(steps), tuple(samples), epoch)
    stopping = time.perf_counter()
    del source
    batch = None
    now = time.perf_counter()
    gc.collect()  # what hangs in a circle goes, too; that is our own time
    yield EpochTimes(start, first, count, ended, stop + now - stopping, now - begin - away)


def _notes(folder: Path) -> Iterator[Workers]:
    notes = []
    for file in folder.glob("*.json"):
        try:
            notes.append(json.loads(file.read_text()))
            file.unlink()
        except ValueError:  # it is being written
            continue
    if notes:
        yield Workers(tuple(n["cpu"] for n in notes), tuple(n["threads"] for n in notes))


def _tree(epoch: int, batches: int, source: Any) -> Tree:
    cpu, own, files = 0.0, 0, 0
    me = psutil.Process()
    for child in me.children(recursive=True):
        try:
            cpu += sum(child.cpu_times()[:2])
            own += child.memory_full_info().uss
        except psutil.Error:
            continue
    with suppress(psutil.Error, AttributeError):  # Windows has none
        files = me.num_fds()
    status = getattr(source, "_workers_status", None) or ()
    return Tree(epoch, batches, cpu, own, files, sum(not one for one in status))
