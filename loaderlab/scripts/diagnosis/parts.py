"""The parts alone, in one process: the sampler, a sample, collating, the step, and sending a batch."""

from __future__ import annotations

import copy
import gc
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, cycle, islice
from typing import Any
from unittest import mock

import psutil
import torch
from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data._utils import worker as torch_worker

from .. import machine
from ..words import translate as _
from .activities import lines_of
from .clock import Clock, Taken
from .clone import as_it_is, clone, loader_in
from .contents import Contents, asked_for, samples_in
from .isolated import forks
from .payload import Field, birthplace, heaviest
from .pools import limited
from .spy import looking

Step = Callable[[Any], Any]
KEPT = 3  # batches that are kept for the step and for sending
WATCHED = 0.1  # of the time for the parts: in it is looked at where they spend it, and nothing is measured
SMALL = 20  # times what a look at the clock takes: the samples of a batch that take less are clocked together
MANY_TENSORS = 20  # in a batch: each is a file and a message
SOME_BATCHES = 5  # that a sampler is asked for at least
LOOKED_AT_STEP, LOOKED_AT_SAMPLER = 0.05, 0.01  # of the same


def parts(batches: Any, step: Step | None, seconds: float, threads: int) -> Iterator[tuple[Any, ...]]:
    """Yield ("sampler", until the first indices of an epoch, of a batch, bytes of the order); for each batch ("batch", its samples' times, collating); ("contents", …) and
    ("field", the one that is larger than it need be); ("step", …) for each, ("trains", whether it computed gradients); ("lines", …, whether
    seen from inside); and at last ("sent", by the worker, in the main process, the same of a tensor of that size), CPU seconds a batch.

    ``threads``: how many any library may use for a batch, as torch in a worker (1), or in the main process. The step has as many as ever.
    """
    own, loader = torch.get_num_threads(), loader_in(clone(batches))
    assert loader is not None
    if not isinstance(loader.dataset, IterableDataset):
        yield "sampler", *_sampler(clone(loader), 0.05 * seconds)
    with as_worker(loader, threads):
        kept = yield from _loading(loader, (0.45 if step else 0.6) * seconds, WATCHED * seconds)
    if not kept:
        return
    if step:
        torch.set_num_threads(own)
        yield from _stepping(step, kept, 0.15 * seconds, LOOKED_AT_STEP * seconds)
    if forks() and (field := _field(loader, kept[0])):
        yield "field", field
    yield ("sending",)
    tensor = torch.zeros(max(1, Contents.of(kept[0]).bytes), dtype=torch.uint8)
    yield "sent", *_sent(kept[0], 0.15 * seconds), *_sent(tensor, 0.1 * seconds)


def _for(seconds: float, things: Iterable[Any], least: int = 1) -> Iterator[Any]:
    """Yield these for so many seconds, and so many at least."""
    end = time.perf_counter() + seconds
    for count, one in enumerate(things, 1):
        yield one
        if time.perf_counter() > end and count >= least:
            return


@contextmanager
def as_worker(loader: DataLoader, threads: int) -> Iterator[None]:
    """Let this process be the only worker of the loader, where it has workers: some datasets can be read in no other.
    Each worker has as many threads as there are cores for it, in whatever library: what it takes more in the loop is the others'.

    What the user's `worker_init_fn` does stays: in a copy of the process it is called, and else not.
    """
    if not loader.num_workers:
        with limited(threads):
            yield
        return
    me = torch_worker.WorkerInfo(id=0, num_workers=1, seed=torch.initial_seed(), dataset=loader.dataset)
    with mock.patch.object(torch_worker, "_worker_info", me):
        if loader.worker_init_fn is not None and forks():
            loader.worker_init_fn(0)
        with limited(max(1, int(machine.cores() / loader.num_workers))):
            torch.set_num_threads(threads)
            yield


def _loading(
    loader: DataLoader, seconds: float, watched: float
) -> Generator[tuple[Any, ...], None, list[Any]]:
    """Batches made for so many seconds, then more that are looked at; returns some of them."""
    kept: list[Any] = []
    begin, made = time.perf_counter(), piecewise(loader)
    for batch, sample, times, collating in _for(seconds, made):
        if not kept:  # it warms up, and counts only where there is no time for another
            yield "contents", Contents.of(batch, len(times), sample)
            warm = time.perf_counter() - begin
        if kept or warm > seconds:
            yield "batch", times, collating
        kept += [batch][: KEPT - len(kept)]
    if kept and warm < watched + seconds:
        with looking() as looks:
            if not isinstance(loader.dataset, IterableDataset):
                _sampler(loader, LOOKED_AT_SAMPLER / WATCHED * watched)
            deque(_for(watched, chain(made, piecewise(loader))), 0)
        yield "lines", lines_of(looks, type(loader.dataset).__name__), looks.inside
    return kept


def _field(loader: DataLoader, batch: Any) -> Field | None:
    """Return the field of a sample of which most bytes could be spared, with the line that makes it: a sample's, or the batch's."""
    if (found := heaviest(batch)) is None:
        return None
    ways = (lambda: next(iter(next(_requests(loader))[0])), lambda: next(piecewise(loader))[0])
    for way in ways:
        with suppress(Exception):  # the loop will tell
            if made := birthplace(way, found.path, found.why == "storage"):
                return replace(found, made=made)
    return found


def _stepping(step: Step, kept: list[Any], seconds: float, watched: float) -> Iterator[tuple[Any, ...]]:
    clock = Clock()
    with mock.patch.object(torch.autograd, "backward", wraps=torch.autograd.backward) as backward:
        if callable(step(kept[0])):
            raise TypeError(
                _("a step was expected that trains with a batch, and this one returns a function.")
            )
    yield "trains", backward.called
    for batch in _for(seconds, cycle(kept)):
        clock.lap()
        step(batch)
        yield "step", clock.lap()
    with looking() as looks:
        for batch in _for(watched, cycle(kept)):
            step(batch)
    yield "lines", lines_of(looks, ""), looks.inside


def _sampler(loader: DataLoader, seconds: float) -> tuple[Taken, Taken, int]:
    """Return the seconds until an epoch's first indices, those until the indices of a batch, and the bytes taken for the order meanwhile."""
    memory = psutil.Process().memory_info
    before = held = memory().rss
    clock, first, count = Clock(), Taken(), 0
    # Held by a name, so that to forget what it has drawn, which may take long, is in no batch.
    order = iter(loader.batch_sampler if loader.batch_sampler is not None else loader.sampler)
    # More than one, so that drawing the order is not taken for a batch.
    for _indices in _for(seconds, order, SOME_BATCHES):
        if not count:
            first, held = clock.lap(), memory().rss
            clock.lap()
        count += 1
    return first, clock.lap().times(1 / (count - 1)) if count > 1 else first, held - before


def piecewise(loader: DataLoader) -> Iterator[tuple[Any, Any, list[Taken], Taken]]:
    """Batches made as a worker makes them, each with a sample of it, piece by piece."""
    clock = Clock()
    own, small = clock.own(), False
    for get, count in _requests(loader):
        clock.lap()
        times, samples = [], []
        # What is noted for each sample would make the garbage collector run, within a sample and for long.
        collected = gc.isenabled()
        gc.disable()
        try:
            if small:  # the clock would take longer than a sample
                samples = list(get)
                times = [clock.lap().without(own).times(1 / max(1, len(samples)))] * len(samples)
            else:
                for sample in get:
                    times.append(clock.lap().without(own))
                    samples.append(sample)
        finally:
            if collected:
                gc.enable()
        if not samples:
            return
        small = sum(one.all for one in times) < SMALL * own * len(times)
        if loader.batch_sampler is None and loader.batch_size is None:
            batch = loader.collate_fn(samples[0])
            count = count or samples_in(batch)  # all that are in it came together
            times = [times[0].times(1 / count)] * count
        else:
            if count is not None:  # all samples came together, by `__getitems__`
                samples, times = samples[0], [times[0].times(1 / max(1, count))] * count
            batch = loader.collate_fn(samples)
        taken = clock.lap().without(own)
        yield batch, samples[0], times, taken


def _requests(loader: DataLoader) -> Iterator[tuple[Iterable[Any], int | None]]:
    """For each batch: what gives its samples, one by one; and their number, if they come together."""
    dataset: Any = loader.dataset
    if isinstance(dataset, IterableDataset):
        samples = iter(dataset)
        while True:
            yield islice(samples, loader.batch_size or 1), None
    elif loader.batch_sampler is None:
        for index in loader.sampler:
            yield (dataset[idx] for idx in (index,)), asked_for(index)
    else:
        for indices in loader.batch_sampler:
            if getattr(dataset, "__getitems__", None):
                yield (dataset.__getitems__(i) for i in (indices,)), len(indices)
            else:
                yield (dataset[idx] for idx in indices), None


class _Same(torch.utils.data.Dataset):
    """The same batch, over and over, as a new one each time."""

    def __init__(self, batch: Any) -> None:
        self.batch = batch

    def __len__(self) -> int:
        return 1_000_000

    def __getitem__(self, index: int) -> Any:
        return copy.deepcopy(self.batch)


def _sent(batch: Any, seconds: float) -> tuple[float, float]:
    """CPU seconds that a worker, and the main process, take for sending such a batch; making it is not counted."""
    begin = time.thread_time()
    for _copy in range(3):
        copy.deepcopy(batch)
    made = (time.thread_time() - begin) / 3
    # The soonest there, where it does no harm; elsewhere as the system starts its processes.
    context = "fork" if sys.platform == "linux" else None
    same, options = _Same(batch), {"num_workers": 1, "multiprocessing_context": context}
    source = iter(DataLoader(same, batch_size=None, collate_fn=as_it_is, **options))
    next(source)
    clock, before = Clock(), _cpu_of_children()
    count = sum(1 for _batch in _for(seconds, source, 3))
    taken = clock.lap().times(1 / count)
    worker = sum(cpu - before.get(pid, cpu) for pid, cpu in _cpu_of_children().items()) / (count + 1)
    # Many small tensors are handed over one by one, and both sides wait for each other meanwhile.
    waiting = taken.wait - worker if Contents.of(batch).tensors > MANY_TENSORS else 0.0
    return max(0.0, worker - made), taken.cpu + max(0.0, waiting)


def _cpu_of_children() -> dict[int, float]:
    return {child.pid: sum(child.cpu_times()[:2]) for child in psutil.Process().children()}
