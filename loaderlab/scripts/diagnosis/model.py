"""What a loader would deliver with other arguments: a small model of a DataLoader, fed with what its parts take."""

from __future__ import annotations

import random
from dataclasses import dataclass
from statistics import mean

from .clock import Taken

BATCHES = 400  # as many are played through


@dataclass(frozen=True)
class Costs:
    """Seconds. ``samples``: what each of the samples that were tried took; all else for a batch, or for a worker."""

    samples: tuple[Taken, ...]
    batch_size: int = 1
    collate: Taken = Taken()
    send: float = 0.0  # CPU of the worker
    receive: float = 0.0  # CPU of the main process
    sampler: float = 0.0
    step: Taken = Taken()
    start_main: float = 0.0  # for each worker, CPU of the main process
    start_worker: float = 0.0  # CPU of the worker
    stop: float = 0.0  # for each worker
    epoch: int | None = None  # batches in an epoch, where known

    @property
    def load(self) -> Taken:
        """A batch on average, sending not included."""
        count = max(1, len(self.samples))
        whole = Taken(sum(s.cpu for s in self.samples) / count, sum(s.wait for s in self.samples) / count)
        return whole.times(self.batch_size).plus(self.collate)


@dataclass(frozen=True)
class Setting:
    """The arguments of the loader that the model knows, and the cores that it may use."""

    workers: int
    cores: float
    prefetch: int = 2
    persistent: bool = False
    in_order: bool = True


def period(costs: Costs, setting: Setting) -> float:
    """Seconds a batch, the start of the workers shared among the batches of an epoch.

    No queue or core can do more than its time allows: neither can the workers, the main process, nor all cores together.
    """
    if not setting.workers:
        return costs.load.all + costs.sampler + costs.step.all
    played = _played(costs, setting)
    main = costs.receive + costs.sampler
    cores = (costs.load.cpu + costs.send + main + costs.step.cpu) / setting.cores
    return max(played, cores) + starting(costs, setting) / (costs.epoch or float("inf"))


def starting(costs: Costs, setting: Setting) -> float:
    """Seconds for which an epoch waits while its workers start, and stop."""
    if setting.persistent or not setting.workers:
        return 0.0
    at_once = min(setting.workers, max(1.0, setting.cores))
    return setting.workers * (costs.start_main + costs.start_worker / at_once + costs.stop)


def _played(costs: Costs, setting: Setting) -> float:
    draw = random.Random(0)
    slow = {id(s) for s in costs.samples if s.all > 10 * costs.load.all / costs.batch_size}
    even = [costs.load.all + costs.send]
    if slow or len(costs.samples) > 1:
        collate = costs.collate.all + costs.send
        even = [
            sum(s.all for s in draw.choices(costs.samples, k=costs.batch_size)) + collate
            for _ in range(BATCHES)
        ]
        scale = (costs.load.all + costs.send) / mean(even)  # the average is to be that of the samples
        even = [load * scale for load in even]
    else:
        even *= BATCHES
    main, step = costs.receive + costs.sampler, costs.step.all
    free = [0.0] * setting.workers  # when each worker can begin another batch
    flying: list[tuple[float, int, int]] = []  # when it is ready, which batch, whose
    given = 0

    def ask(now: float, worker: int) -> None:
        nonlocal given
        free[worker] = max(free[worker], now) + even[given % BATCHES]
        flying.append((free[worker], given, worker))
        given += 1

    for _ in range(setting.prefetch):
        for worker in range(setting.workers):
            ask(0.0, worker)
    now, half = 0.0, 0.0
    for done in range(BATCHES):
        chosen = min(flying, key=lambda f: f[1] if setting.in_order else f[0])
        flying.remove(chosen)
        now = max(now, chosen[0]) + main
        ask(now, chosen[2])
        now += step
        if done == BATCHES // 4:
            half = now
    return (now - half) / (BATCHES - 1 - BATCHES // 4)
