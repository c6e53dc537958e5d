"""The parts alone, in one process: the sampler, a sample and its transforms, collating, the step, and sending a batch."""

from __future__ import annotations

import copy
import gc
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import cycle, islice
from typing import Any
from unittest import mock

import psutil
import torch
from torch.utils.data import DataLoader, IterableDataset
from torch.utils.data._utils import worker as torch_worker

from ..words import translate as _
from .clock import Clock, Taken
from .clone import as_it_is, clone, loader_in
from .contents import Contents
from .isolated import forks
from .lines import Watch

Step = Callable[[Any], Any]
KEPT = 3  # batches that are kept for the step and for sending
WATCHED = 0.1  # of the time for the parts: in it is looked at where they spend it, and nothing is measured
MANY_TENSORS = 20  # in a batch: each is a file and a message
SOME_BATCHES = 5  # that a sampler is asked for at least
LOOKED_AT_STEP, LOOKED_AT_SAMPLER = 0.05, 0.01  # of the same


def parts(batches: Any, step: Step | None, seconds: float, threads: int) -> Iterator[tuple[Any, ...]]:
    """Yield ("sampler", seconds until the first indices of an epoch, seconds a batch), then for each batch ("batch", the samples' times, collating), once
    ("contents", …), then ("step", …) for each, once ("trains", whether it computed gradients), and at last ("sent", by the
    worker, in the main process, a tensor of the same size in the main process), seconds of CPU a batch.

    Beside them ("lines", …), which say in which lines of the user's the time is spent (`lines.Watch`).

    ``threads``: how many torch may use for a batch, as in a worker (1) or in the main process. The step has as many as ever.
    """
    own = torch.get_num_threads()
    loader = loader_in(clone(batches))
    assert loader is not None
    if not isinstance(loader.dataset, IterableDataset):
        yield "sampler", *_sampler(loader, 0.05 * seconds)
        with Watch() as watch:
            watch.phase = "sampler"
            _sampler(loader, LOOKED_AT_SAMPLER * seconds)
        yield "lines", watch.lines()
    with _as_worker(loader, threads):
        kept = yield from _loading(loader, (0.45 if step else 0.6) * seconds, WATCHED * seconds)
    if not kept:
        return
    if step:
        torch.set_num_threads(own)
        yield from _stepping(step, kept, 0.15 * seconds, LOOKED_AT_STEP * seconds)
    yield ("sending",)
    tensor = torch.zeros(
        max(1, Contents.of(kept[0]).tensor_bytes + Contents.of(kept[0]).other_bytes), dtype=torch.uint8
    )
    worker, main = _sent(kept[0], 0.15 * seconds)
    yield "sent", worker, main, *_sent(tensor, 0.1 * seconds)


@contextmanager
def _as_worker(loader: DataLoader, threads: int) -> Iterator[None]:
    """Let this process be the only worker of the loader, where it has workers: some datasets can be read in no other.

    What the user's `worker_init_fn` does stays: in a copy of the process it is called, and else not.
    """
    if not loader.num_workers:
        torch.set_num_threads(threads)
        yield
        return
    before = torch_worker._worker_info
    torch_worker._worker_info = torch_worker.WorkerInfo(
        id=0, num_workers=1, seed=torch.initial_seed(), dataset=loader.dataset
    )
    try:
        if loader.worker_init_fn is not None and forks():
            loader.worker_init_fn(0)
        torch.set_num_threads(threads)
        yield
    finally:
        torch_worker._worker_info = before


def _loading(
    loader: DataLoader, seconds: float, watched: float
) -> Generator[tuple[Any, ...], None, list[Any]]:
    """Batches made for so many seconds, then as many more with a watch; returns some of them."""
    kept: list[Any] = []
    timed = _timed_transforms(loader.dataset)
    # The first batch warms up: what is seen of it counts only where there is no time for another.
    warm, later, told = Watch(), Watch(), False
    end = time.perf_counter() + seconds
    with ExitStack() as watching:
        watching.enter_context(warm)
        watch = [warm]
        for number, (batch, sample, times, collating) in enumerate(_made(loader, end + watched, watch)):
            if not number:
                yield "contents", Contents.of(batch, len(times), sample)
                watching.close()
            if not told and (number or time.perf_counter() > end):
                yield "batch", times, collating
            if len(kept) < KEPT:
                kept.append(batch)
            if not told and time.perf_counter() > end:
                told = True
                yield "transforms", {name: one.taken for name, one in timed.items()}
                watch[0] = watching.enter_context(later)
    if kept:
        if not told:  # the epoch was short
            yield "transforms", {name: one.taken for name, one in timed.items()}
            with later:
                deque(_made(loader, time.perf_counter() + watched, [later]), maxlen=0)
        yield "lines", (later if later.looks else warm).lines()
    return kept


def _stepping(step: Step, kept: list[Any], seconds: float, watched: float) -> Iterator[tuple[Any, ...]]:
    clock, end = Clock(), time.perf_counter() + seconds
    with mock.patch.object(torch.autograd, "backward", wraps=torch.autograd.backward) as backward:
        if callable(step(kept[0])):
            raise TypeError(
                _("a step was expected that trains with a batch, and this one returns a function.")
            )
    yield "trains", backward.called
    for batch in cycle(kept):
        clock.lap()
        step(batch)
        yield "step", clock.lap()
        if time.perf_counter() > end:
            break
    end = time.perf_counter() + watched
    with Watch() as watch:
        watch.phase = "step"
        for batch in cycle(kept):
            step(batch)
            if time.perf_counter() > end:
                break
    yield "lines", watch.lines()


def _sampler(loader: DataLoader, seconds: float) -> tuple[Taken, Taken]:
    """Return the seconds until an epoch's first indices, and those that it takes to be told the indices of a batch."""
    clock, first, count, end = Clock(), Taken(), 0, time.perf_counter() + seconds
    # Held by a name, so that to forget what it has drawn, which may take long, is in no batch.
    order = iter(loader.batch_sampler if loader.batch_sampler is not None else loader.sampler)
    for _indices in order:
        if not count:
            first = clock.lap()
        count += 1
        # More than one, so that drawing the order is not taken for a batch.
        if time.perf_counter() > end and count > SOME_BATCHES:
            break
    return first, clock.lap().times(1 / (count - 1)) if count > 1 else first


def _made(
    loader: DataLoader, end: float, watch: list[Watch]
) -> Iterator[tuple[Any, Any, list[Taken], Taken]]:
    """Batches made as a worker makes them, each with a sample of it, piece by piece, until the time is over; at least one.

    The last watch is told which piece.
    """
    clock = Clock()
    own = clock.own()
    for get, count in _requests(loader):
        watch[-1].phase = "sample"
        clock.lap()
        times, samples = [], []
        # What is noted for each sample would make the garbage collector run, within a sample and for long.
        collected = gc.isenabled()
        gc.disable()
        try:
            for sample in get:
                taken = clock.lap().without(own)
                samples.append(sample)
                times.append(taken)
        finally:
            if collected:
                gc.enable()
        if not samples:
            return
        watch[-1].phase = "collate"
        if loader.batch_sampler is None and loader.batch_size is None:
            batch = loader.collate_fn(samples[0])
        elif count is not None:  # all samples came together, by `__getitems__`
            samples, times = samples[0], [times[0].times(1 / max(1, count))] * count
            batch = loader.collate_fn(samples)
        else:
            batch = loader.collate_fn(samples)
        taken = clock.lap().without(own)
        watch[-1].phase = ""
        yield batch, samples[0], times, taken
        if time.perf_counter() > end:
            return


def _requests(loader: DataLoader) -> Iterator[tuple[Iterable[Any], int | None]]:
    """For each batch: what gives its samples, one by one; and their number, if they come together."""
    dataset: Any = loader.dataset
    if isinstance(dataset, IterableDataset):
        samples = iter(dataset)
        while True:
            yield islice(samples, loader.batch_size or 1), None
    elif loader.batch_sampler is None:
        for index in loader.sampler:
            yield (dataset[i] for i in (index,)), None
    else:
        for indices in loader.batch_sampler:
            if getattr(dataset, "__getitems__", None):
                yield (dataset.__getitems__(i) for i in (indices,)), len(indices)
            else:
                yield (dataset[i] for i in indices), None


class _Timed:
    """A transform, and what its calls have taken so far."""

    def __init__(self, transform: Any) -> None:
        self.transform, self.taken = transform, Taken()
        self._clock: Clock | None = None

    def __call__(self, *args: Any, **options: Any) -> Any:
        self._clock = self._clock or Clock()  # of the thread that calls
        self._clock.lap()
        try:
            return self.transform(*args, **options)
        finally:
            self.taken = self.taken.plus(self._clock.lap())


def _timed_transforms(dataset: Any) -> dict[str, _Timed]:
    """Put a clock around each transform of a `Compose`-like transform. Only in a copy of the process (`isolated`)."""
    timed: dict[str, _Timed] = {}
    if not forks():
        return timed
    for _depth in range(5):
        for name in ("transform", "transforms", "tf", "augment"):
            composed = getattr(dataset, name, None)
            steps = getattr(composed, "transforms", None)
            if isinstance(steps, list) and steps:
                for number, step in enumerate(steps):
                    label = getattr(step, "__name__", type(step).__name__)
                    timed[label if label not in timed else f"{label} {number}"] = steps[number] = _Timed(step)
                return timed
        dataset = getattr(dataset, "dataset", None)
    return timed


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
    begin, copies = time.thread_time(), 0
    while copies < 3:
        copy.deepcopy(batch)
        copies += 1
    made = (time.thread_time() - begin) / copies
    # The soonest there, where it does no harm; elsewhere as the system starts its processes.
    method = "fork" if sys.platform == "linux" else None
    one = DataLoader(
        _Same(batch), batch_size=None, collate_fn=as_it_is, num_workers=1, multiprocessing_context=method
    )
    source = iter(one)
    next(source)
    me = psutil.Process()
    before = {child.pid: child.cpu_times() for child in me.children()}
    clock, count = Clock(), 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or count < 3:
        next(source)
        count += 1
    taken = clock.lap().times(1 / count)
    main = taken.cpu
    worker = 0.0
    for child in me.children():
        if child.pid in before:
            now, then = child.cpu_times(), before[child.pid]
            worker += now.user + now.system - then.user - then.system
    worker /= count + 1
    # Many small tensors are handed over one by one, and both sides wait for each other meanwhile.
    waiting = taken.wait - worker if Contents.of(batch).tensors > MANY_TENSORS else 0.0
    return max(0.0, worker - made), main + max(0.0, waiting)
