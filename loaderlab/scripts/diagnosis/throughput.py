"""The throughput of a loader with other arguments: a small model of a DataLoader, fed with the seconds of its parts.

The course's own model (`loaderlab/model/pipeline.py`) has milliseconds, as its sliders do; this one is fed by clocks.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle, islice
from statistics import mean

from .clock import NOTHING, Taken

BATCHES = 400  # as many are played through


@dataclass(frozen=True)
class PartSeconds:
    """Seconds that the parts of a loader take, each alone. ``samples``: each of those that were tried; all else for a batch, or
    for a worker.
    """

    samples: tuple[Taken, ...]
    batch_size: int = 1
    collate: Taken = NOTHING
    send: float = 0.0  # CPU of the worker
    receive: float = 0.0  # CPU of the main process
    sampler: float = 0.0
    step: Taken = NOTHING
    start_main: float = 0.0  # for each worker, CPU of the main process
    start_worker: float = 0.0  # CPU of the worker
    stop: float = 0.0  # for each worker
    begin: float = 0.0  # of each epoch, until its first batch can be begun: a sampler that draws, a buffer that is filled
    restart: float = 0.0  # of an epoch whose workers start, as measured, until the first batch: with what they do only once
    epoch: int | None = None  # batches in an epoch, where known

    @cached_property
    def load(self) -> Taken:
        """A batch on average, sending not included."""
        count = max(1, len(self.samples))
        whole = Taken(*(sum(each) / count for each in zip(*self.samples, strict=True)))
        return whole.times(self.batch_size).plus(self.collate)

    @cached_property
    def loads(self) -> list[float]:
        """Seconds in which a worker makes and sends a batch, for `BATCHES` of them, of the samples in the order in which
        they came: how far the slow ones are from each other decides how long the others wait for them."""
        rest, average = self.collate.all + self.send, self.load.all + self.send
        flow = cycle([s.all for s in self.samples])
        played = [sum(islice(flow, self.batch_size)) + rest for _ in range(BATCHES)]
        scale = average / (mean(played) or 1.0)  # together they take what the samples took
        return [scale * load for load in played]


@dataclass(frozen=True)
class WorkerSetting:
    """The setting of workers: the arguments of the loader that the model knows, and the cores that they may use."""

    workers: int
    cores: float
    prefetch: int = 2
    persistent: bool = False
    in_order: bool = True


def period(costs: PartSeconds, setting: WorkerSetting) -> float:
    """Return the seconds a batch, the start of the workers, and the wait for the first batch, shared among the batches of an epoch.

    No queue or core can do more than its time allows: neither can the workers, the main process, nor all cores together.
    """
    if not setting.workers:
        alone = max(costs.load.all + costs.sampler + costs.step.all, computing(costs, setting))
        return alone + costs.begin / (costs.epoch or float("inf"))
    played = max(_played(costs, setting), computing(costs, setting))
    return played + starting(costs, setting) / (costs.epoch or float("inf"))


def computing(costs: PartSeconds, setting: WorkerSetting) -> float:
    """Return the seconds a batch that all cores together compute."""
    sending = costs.send + costs.receive if setting.workers else 0.0
    return (costs.load.cpu + sending + costs.sampler + costs.step.cpu) / setting.cores


def starting(costs: PartSeconds, setting: WorkerSetting) -> float:
    """Return the seconds for which an epoch waits until its first batch can be begun, and while its workers stop."""
    if setting.persistent or not setting.workers:
        return costs.begin
    at_once = min(setting.workers, max(1.0, setting.cores))
    started = setting.workers * (costs.start_main + costs.start_worker / at_once)
    return costs.begin + max(started, costs.restart) + setting.workers * costs.stop


def _played(costs: PartSeconds, setting: WorkerSetting) -> float:
    main, step = costs.receive + costs.sampler, costs.step.all
    free = [0.0] * setting.workers  # when each worker can begin another batch
    flying: list[tuple[float, float, int]] = []  # a heap: what comes first, when it is ready, whose it is
    endless = costs.epoch is None or costs.epoch > BATCHES
    given, count = 0, BATCHES if endless else costs.epoch or 1

    def ask(now: float, worker: int) -> None:
        nonlocal given
        if endless or given < count:
            free[worker] = max(free[worker], now) + costs.loads[given % BATCHES]
            heapq.heappush(flying, (given if setting.in_order else free[worker], free[worker], worker))
            given += 1

    # More are never seen in so few batches.
    for _ in range(min(setting.prefetch, 1 + count // setting.workers)):
        for worker in range(setting.workers):
            ask(0.0, worker)
    now, settled = 0.0, 0.0
    for done in range(count):
        _order, ready, worker = heapq.heappop(flying)
        now = max(now, ready) + main
        ask(now, worker)
        now += step
        if done == BATCHES // 4:
            settled = now
    if not endless:
        return now / count
    later = (now - settled) / (BATCHES - 1 - BATCHES // 4)
    return later if costs.epoch is None else (now + (costs.epoch - BATCHES) * later) / costs.epoch
