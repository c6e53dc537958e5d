"""The throughput of a loader with other arguments: a small model of a DataLoader, fed with the seconds of its parts.

It chooses what is tried, and explains the loop. The course's own model (`loaderlab/model/pipeline.py`) plays the queue batch
by batch, and has milliseconds, as its sliders do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import mean
from typing import Any

from .clock import NOTHING, Taken

DEFAULT_PREFETCH = 2  # of torch


@dataclass(frozen=True)
class PartSeconds:
    """Seconds that the parts of a loader take, each alone: each of the ``samples`` that were tried, all else for a batch, or a worker."""

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
    def sample(self) -> Taken:
        """One on average."""
        count = max(1, len(self.samples))
        return Taken(*(sum(each) / count for each in zip(*self.samples, strict=True)))

    @cached_property
    def load(self) -> Taken:
        """A batch on average, sending not included."""
        return self.sample.times(self.batch_size).plus(self.collate)

    def scaled(self, share: float, *names: str) -> PartSeconds:
        """Return the same, with so much of some parts left."""
        return replace(self, **{name: _scaled(getattr(self, name), share) for name in names})


def _scaled(part: Any, share: float) -> Any:
    if isinstance(part, float):
        return part * share
    return part.times(share) if isinstance(part, Taken) else tuple(one.times(share) for one in part)


@dataclass(frozen=True)
class WorkerSetting:
    """The setting of workers: the arguments of the loader that the model knows, and the cores that they may use."""

    workers: int = 0
    cores: float = 1
    prefetch: int = DEFAULT_PREFETCH
    persistent: bool = False
    in_order: bool = True


def period(costs: PartSeconds, setting: WorkerSetting) -> float:
    """Return the seconds a batch, the start of the workers, and the wait for the first batch, shared among the batches of an epoch.

    No queue or core can do more than its time allows: neither can the workers, the main process, nor all cores together.
    """
    epoch = costs.epoch or math.inf
    begin, main = starting(costs, setting) / epoch, costs.sampler + costs.step.all
    if not setting.workers:
        return max(costs.load.all + main, computing(costs, setting)) + begin
    made = costs.load.all + costs.send
    rounds = math.ceil(costs.epoch / setting.workers) / costs.epoch if costs.epoch else 1 / setting.workers
    loop = costs.receive + main + made / epoch
    return max(rounds * made, loop, computing(costs, setting), _in_order(costs, setting)) + begin


def _in_order(costs: PartSeconds, setting: WorkerSetting) -> float:
    """Return the seconds a batch in which the slowest of those under way is waited for, where it holds up all others."""
    if not setting.in_order:
        return 0.0
    ahead = setting.workers * setting.prefetch
    ahead = min(ahead, costs.epoch or ahead)
    times, size = [one.all for one in costs.samples], max(1, costs.batch_size)
    loads = [sum(times[at : at + size]) for at in range(0, len(times), size)]
    slowest = mean(max(loads[at : at + ahead]) for at in range(0, len(loads), ahead))
    return (slowest + costs.collate.all + costs.send) / ahead


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


def slow_ones(times: list[float], middle: float) -> tuple[float, float, float]:
    """Return those that take longer than so much: their share of all, of the time, and how long one takes on average."""
    slow = [t for t in times if t > middle]
    return (len(slow) / len(times), sum(slow) / sum(times), mean(slow)) if slow else (0.0, 0.0, 0.0)
