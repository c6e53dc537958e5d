"""Honest timing of a data loader: the clock starts before ``next``, the first batches stand apart.

Four habits are built in. The wait is measured from *before* the batch is asked for, because a clock
started after the batch has arrived measures nothing. Rates divide by what was really delivered, not by
what was asked for. They begin after one batch of every worker has come: while the loop waits for the
first batch, the other workers load theirs, and counting those as loaded afterwards flatters the loader. Where there is a
step, its first call counts in no rate: it may compile, load kernels, or choose among algorithms.
Alternatives are repeated in turns, each turn in an order of its own (B A C, C B A, …), so that a slow minute of a shared
machine falls on all of them, and what one leaves in the caches on each.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.iterating import iterating
from loaderlab.measuring.patience import saying

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

WORTH_SAYING = 2  # seconds of silence
REPEATS = "LOADERLAB_REPEATS"  # environment variable, where nobody looks at the figures: no more repeats than so many, and no warm-up

T = TypeVar("T")


@dataclass(frozen=True)
class Spread:
    """The median of ``n`` repeats, with the lowest and the highest of them (same unit)."""

    median: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """Summarise repeats; raises ``statistics.StatisticsError`` when there are none."""
        kept = sorted(values)
        return cls(statistics.median(kept), kept[0], kept[-1], len(kept))


@dataclass
class Epoch:
    """One pass over a loader: seconds waited and computed, and samples, each with one entry per delivered batch.

    The first ``apart`` batches count neither for the rate nor for the share: one for each worker, and at least two where there
    is a step, so that its first call falls before the first arrival that counts. Where a pass ``finished``,
    a device had done all that was ordered when the counted time began, and again when it ended.
    """

    waits: list[float] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    apart: int = 1
    finished: bool = False

    @property
    def batches(self) -> int:
        """Number of batches that the loader really delivered."""
        return len(self.waits)

    @property
    def first(self) -> float:
        """Seconds until the first batch: starting the workers and loading one batch."""
        return self.waits[0] if self.waits else 0.0

    @property
    def seconds(self) -> float:
        """Seconds of the whole pass, the first batches included."""
        return sum(self.waits) + sum(self.steps)

    @property
    def samples_per_second(self) -> float:
        """Throughput from the arrival of the last batch set apart to that of the last one; 0 where none is left.

        Arrival to arrival, so that the step after the last batch, which no batch follows, does not count. Where the pass
        finished, it does: what is ordered in the last step is all that the device still has to do.
        """
        waits, steps = self._counted()
        samples = self.samples[self.apart - 1 :] if self.finished else self.samples[self.apart :]
        return sum(samples) / (sum(waits) + sum(steps)) if waits else 0.0

    @property
    def wait_share(self) -> float:
        """Share of that time, 0 to 1, in which the loop waited for data. Where the pass finished, a device may have worked meanwhile."""
        waits, steps = self._counted()
        return sum(waits) / (sum(waits) + sum(steps)) if waits else 0.0

    def _counted(self) -> tuple[list[float], list[float]]:
        """Return the waits and the steps that count."""
        steps = self.steps[self.apart - 1 :]
        return self.waits[self.apart :], steps if self.finished else steps[:-1]


def samples_in(batch: Any) -> int:
    """Return the number of samples in a batch: the length of its first field, or of the batch itself."""
    if isinstance(batch, Mapping):
        batch = next(iter(batch.values()))
    elif isinstance(batch, tuple | list) and batch and hasattr(batch[0], "__len__"):
        batch = batch[0]
    return len(batch) if hasattr(batch, "__len__") and getattr(batch, "ndim", 1) != 0 else 1


def epoch(
    loader: Iterable[Any],
    step: Callable[[Any], Any] | None = None,
    batches: int | None = None,
    finish: Callable[[], Any] | None = None,
) -> Epoch:
    """Run one pass over ``loader``, splitting the time into waiting for data and computing.

    ``step(batch)`` is the work between two batches. A GPU goes on with it when the call has returned: then let ``finish`` be
    ``torch.cuda.synchronize``, which is called when the first batch that counts has arrived, and after the last step. The rate is
    then right, and what is hidden behind the device's work stays hidden. For a share per step ``step`` itself must end with a
    synchronisation, which takes that overlap away. ``batches`` stops early. Workers are gone when this returns or raises,
    unless the loader keeps them (``persistent_workers=True``).
    """
    least = 1 if step is None else 2
    run = Epoch(apart=max(least, getattr(loader, "num_workers", 0)), finished=finish is not None)
    last = batches if finish is None or batches is not None else _length(loader)
    clock = time.perf_counter
    before = clock()
    with iterating(loader, keep=getattr(loader, "persistent_workers", False)) as iterator:
        while batches is None or run.batches < batches:
            try:
                batch = next(iterator)
            except StopIteration:
                break
            if finish is not None and run.batches == run.apart - 1:
                finish()
            arrived = clock()
            if step is not None:
                step(batch)
            # Before the next batch is asked for: where there is none, the workers end, and that is no part of the epoch.
            if finish is not None and run.batches + 1 == last:
                finish()
            done = clock()
            run.waits.append(arrived - before)
            run.steps.append(done - arrived)
            run.samples.append(samples_in(batch))
            before = clock()
        # A loader that did not say how long it is, or was wrong.
        if finish is not None and run.batches and run.batches != last:
            finish()
            run.steps[-1] += clock() - before
    return run


def held(loader: Iterable[Any], batches: int = 32) -> Iterator[Any]:
    """Yield the first ``batches`` of ``loader``, held in memory, again and again: what a loop reaches with them is its limit.

    Several, since the time of a step may depend on its batch. They never end: say how many an epoch is to take.
    """
    with iterating(loader, keep=getattr(loader, "persistent_workers", False)) as iterator:
        kept = list(itertools.islice(iterator, batches))
    yield from itertools.cycle(kept)


def _length(loader: Iterable[Any]) -> int | None:
    """Return the number of batches that the loader promises, or None."""
    try:
        return len(loader)  # type: ignore[arg-type]
    except TypeError:  # a DataLoader has the method, and its Dataset may have none
        return None


_WARMUP = 8  # samples: the first ones of a new process cost more
_TOGETHER = 120.0  # seconds at most until all processes are there: one that is spawned imports torch


class _PlainLoop:
    """Item ``i``, made by worker ``i`` of ``processes``: samples/s of its plain loop, which begins when all are ready."""

    def __init__(self, dataset: Any, processes: int, seconds: float) -> None:
        self.dataset, self.processes, self.seconds = dataset, processes, seconds
        self.ready = multiprocessing.Barrier(processes)

    def __len__(self) -> int:
        return self.processes

    def __getitem__(self, process: int) -> float:
        indices = itertools.cycle(range(process % len(self.dataset), len(self.dataset), self.processes))
        for index in itertools.islice(indices, _WARMUP):
            self.dataset[index]
        self.ready.wait(_TOGETHER)
        done, started = 0, time.perf_counter()
        while time.perf_counter() < started + self.seconds:
            self.dataset[next(indices)]
            done += 1
        return done / (time.perf_counter() - started)


def plain_loops(dataset: Any, processes: int, seconds: float = 0.3) -> DataLoader[float]:
    """Return a loader whose pass yields samples/s of each of so many workers that go through a map-style ``dataset`` at once and send none.

    Their sum is what they reach if the loader itself costs nothing: each has the one thread of a worker, they share the
    cores as workers do, and neither collate nor send. All stop after ``seconds``, so that none waits for the slowest. The
    workers stay for the next pass (:func:`~loaderlab.measuring.iterating.keeping`).
    """
    from torch.utils.data import DataLoader

    loop: Any = _PlainLoop(dataset, processes, seconds)
    return DataLoader(loop, batch_size=None, num_workers=processes, persistent_workers=True)


def compare(variants: Mapping[Any, Callable[[], T]], repeats: int = 3, warmup: int = 0) -> dict[Any, list[T]]:
    """Call the variants in turns, ``repeats`` times each, and return what they returned, by name.

    Each turn has another order, the same ones whenever it is called. ``warmup`` rounds come first and are thrown away. In a
    benchmark a variant that fails is left out from then on. After the first round the notebook says how long the others take,
    where that is worth saying. Where the environment variable REPEATS is set, there are no more repeats than that, and no warm-up.
    """
    if REPEATS in os.environ:
        repeats, warmup = min(repeats, int(os.environ[REPEATS])), 0
    results: dict[Any, list[T]] = {name: [] for name in variants}
    left, orders = list(variants), Random(0)
    with ExitStack() as stack:
        stack.enter_context(_old_objects_set_aside())
        started = time.perf_counter()
        for turn in range(-warmup, repeats):
            gc.collect()
            for name in orders.sample(left, len(left)):
                left.remove(name)  # until it has returned
                with attempt(*(name if isinstance(name, tuple) else (name,))):
                    result = variants[name]()
                    left.append(name)
                    if turn >= 0:
                        results[name].append(result)
            more = (repeats - 1 - turn) * (time.perf_counter() - started)
            if turn == -warmup and more > WORTH_SAYING:
                words = _("Measuring in turns, for about {seconds} s more.")
                stack.enter_context(saying(words.format(seconds=number(more))))
    return results


@contextmanager
def _old_objects_set_aside() -> Iterator[None]:
    """Let no collection of garbage look at what there is already: in a notebook that takes 0.1 s, and empties the caches for what comes next."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def spreads(rows: Iterable[Mapping[str, Any]], x: str, y: str) -> dict[Any, Spread]:
    """Summarise the repeats in benchmark rows: the spread of column ``y`` for every value of column ``x``."""
    values: dict[Any, list[float]] = {}
    for row in rows:
        if x in row and y in row:
            values.setdefault(row[x], []).append(row[y])
    return {key: Spread.of(group) for key, group in values.items()}
