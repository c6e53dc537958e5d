"""The loop as it is: what it waits for, how it starts, and what its processes take, with the loader's own arguments."""

from __future__ import annotations

import gc
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import resource_tracker
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from torch.utils.data._utils import worker as torch_worker

from .clock import Clock
from .clone import clone, loader_in
from .contents import Counted, samples_in
from .isolated import forks, sample_of, tell_stacks
from .pools import pools
from .spy import be_seen

EVERY, OFTEN = 0.2, 0.02  # seconds between two reports, and between two looks at the interpreter's lock


@dataclass(frozen=True)
class EpochTimes:
    """One that was begun: seconds of CPU until its workers had started, in the main process and in each worker."""

    start_main: float
    first: float  # seconds on the wall until the first batch
    batches: int = 0
    ended: bool = False
    stop: float = 0.0  # seconds on the wall for stopping the workers
    seconds: float = 0.0  # on the wall, from its beginning until its workers have stopped
    late: float = 0.0  # of those until the first batch, in which a worker waited for a core that others had


@dataclass(frozen=True)
class Batches:
    """Some batches, one after the other: seconds on the wall waited for each, and of its step; samples in each."""

    waits: tuple[float, ...]
    steps: tuple[float, ...]
    samples: tuple[int, ...]
    epoch: int


@dataclass(frozen=True)
class Workers:
    """The workers of a loop: what they report when they have started."""

    start_cpu: tuple[float, ...]
    pools: tuple[tuple[str, int], ...]  # of threads, by library, as one of them says


@dataclass(frozen=True)
class Tree:
    """At a moment: CPU seconds of the workers since their start (or of this process), memory of their own (USS), and open files here."""

    epoch: int
    batches: int
    cpu: float
    own_bytes: int
    files: int
    ended: int = 0  # workers of an iterable dataset that have no more to give
    threads: tuple[tuple[float, ...], ...] = ()  # of each worker: CPU seconds of each of its threads


@dataclass(frozen=True)
class Lock:
    """The interpreter's lock in this process: how long a thread waits for it (median), beside how many cores' work of all its threads."""

    wait: float
    cores: float


@contextmanager
def waiting() -> Iterator[list[float]]:
    """Note every 20 ms how much later than it wants a thread goes on, without its wait for a core: so long it waits for the interpreter's lock."""
    late: list[float] = []
    ended = threading.Event()

    def wait() -> None:
        at, before = time.perf_counter(), _without_core()
        while not ended.wait(OFTEN):
            lag, now = time.perf_counter() - at - OFTEN, _without_core()
            late.append(lag - (now - before))
            at, before = time.perf_counter(), now

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    try:
        yield late
    finally:
        ended.set()
        thread.join()


def _without_core(whose: Any = "thread-self") -> float:
    """Return the seconds for which a thread has waited for a core, where the system says so; of a process, its first one."""
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{whose}/schedstat").read_text().split()[1]) / 1e9
    return 0.0


def report(folder: str, function: Callable[[int], Any] | None, worker: int) -> None:
    """Do what the user's `worker_init_fn` does, and leave a note in a folder."""
    if forks():  # what is written as an error is read then
        tell_stacks()
    torch_worker.ExceptionWrapper = partial(_told, torch_worker.ExceptionWrapper)
    for one in psutil.Process().parents()[1:2]:  # the process that has the loop's in its hands
        be_seen(one.pid)
    if function:
        function(worker)
    note = {"cpu": time.process_time(), "pools": pools()}
    Path(folder, f"{os.getpid()}.json").write_text(json.dumps(note))


def _told(wrapper: type[Any], **where: str) -> Any:
    """Return what a worker sends of an error, with the sample that it was asked for."""
    made = wrapper(**where)
    made.exc_msg = sample_of(sys.exc_info()[1]) + made.exc_msg
    return made


def loop(batches: Any, step: Callable[[Any], Any] | None, seconds: float, **changes: Any) -> Iterator[Any]:
    """Go through copies of the loader for so many seconds, plus a batch; yields Batches, Tree, Workers, EpochTimes and Lock."""
    loader = loader_in(batches)
    count: Callable[[Any], int] = samples_in
    with tempfile.TemporaryDirectory(prefix="loaderlab-") as folder, waiting() as late:
        if loader is not None:
            workers = changes.get("num_workers", loader.num_workers)
            function = changes.pop("worker_init_fn", loader.worker_init_fn)
            if workers:
                changes["worker_init_fn"] = partial(report, folder, function)
            batches = clone(batches, **changes)
            # Only the sampler of the copy knows how many samples it asks for.
            copied: Any = loader_in(batches)
            name = "sampler" if copied.batch_sampler is None else "batch_sampler"
            counted = vars(copied)[name] = Counted(getattr(copied, name))
            count = counted.samples
        begin, cpu = time.perf_counter(), time.process_time()
        end, number = begin + seconds, 0
        while True:
            yield from _epoch(batches, step, end, number, Path(folder), count)
            number += 1
            if time.perf_counter() > end or iter(batches) is batches:
                taken = (time.process_time() - cpu) / (time.perf_counter() - begin)
                yield Lock(median(late or [0.0]), taken)
                return


def _epoch(
    batches: Any, step: Any, end: float, epoch: int, folder: Path, samples_of: Callable[[Any], int]
) -> Iterator[Any]:
    clock, begin = Clock(), time.perf_counter()
    delayed = sum(map(_without_core, _children()))
    source = iter(batches)
    start, first, stop, late = clock.lap().cpu, 0.0, 0.0, 0.0
    away = 0.0  # spent with looking and telling
    some: list[tuple[float, float, int]] = []  # of each batch: waited, its step, samples
    count, ended, told, looked = 0, False, time.perf_counter(), 0.0
    while True:
        asked = time.perf_counter()
        try:
            batch = next(source)
        except StopIteration:
            ended, stop = True, time.perf_counter() - asked
            break
        came = time.perf_counter()
        size = samples_of(batch)
        if step:
            step(batch)
        done = time.perf_counter()
        count += 1
        if count == 1:
            first, workers = came - begin, _children()
            late = max(0.0, sum(map(_without_core, workers)) - delayed) / max(1, len(workers))
            yield from _notes(folder)
            if not epoch:  # an epoch of few batches would mostly be looked at
                yield _tree(epoch, count, source)
            away += time.perf_counter() - done
        else:
            some.append((came - asked, done - came, size))
        if done > end:
            break
        if done - told > EVERY:
            yield from _batches(some, epoch)
            some, told = [], time.perf_counter()
            if told - looked > max(0.5, 0.1 * (told - begin)):
                yield _tree(epoch, count, source)
                looked = time.perf_counter()
            told = time.perf_counter()
            away += told - done
    if not ended:  # else the workers have gone
        yield _tree(epoch, count, source)
    yield from _batches(some, epoch)
    stopping = time.perf_counter()
    del source
    batch = None
    now = time.perf_counter()
    gc.collect()  # what hangs in a circle goes, too; that is our own time
    yield EpochTimes(start, first, count, ended, stop + now - stopping, now - begin - away, late)


def _children() -> list[int]:
    """Return the processes that this one has started, without Python's own."""
    tracker = getattr(resource_tracker._resource_tracker, "_pid", None)
    return [one.pid for one in psutil.Process().children(recursive=True) if one.pid != tracker]


def _batches(some: list[tuple[float, float, int]], epoch: int) -> Iterator[Batches]:
    if some:
        waits, steps, samples = zip(*some, strict=True)
        yield Batches(waits, steps, samples, epoch)


def _notes(folder: Path) -> Iterator[Workers]:
    notes = []
    for file in folder.glob("*.json"):
        with suppress(ValueError):  # it is being written
            notes.append(json.loads(file.read_text()))
            file.unlink()
    if notes:
        yield Workers(tuple(n["cpu"] for n in notes), tuple(notes[0]["pools"].items()))


def _tree(epoch: int, batches: int, source: Any) -> Tree:
    cpu, own, files, threads = 0.0, 0, 0, []
    me = psutil.Process()
    for pid in _children() or [me.pid]:
        with suppress(psutil.Error):
            child = psutil.Process(pid)
            cpu += sum(child.cpu_times()[:2])
            own += child.memory_full_info().uss
            threads.append(tuple(one.user_time + one.system_time for one in child.threads()))
    with suppress(psutil.Error, AttributeError):  # Windows has none
        files = me.num_fds()
    status = getattr(source, "_workers_status", None) or ()
    return Tree(epoch, batches, cpu, own, files, sum(not one for one in status), tuple(threads))
