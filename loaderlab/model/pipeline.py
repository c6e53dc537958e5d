"""A discrete-event model of a DataLoader and its consumer: a setting in, a timeline out.

The model follows ``torch.utils.data.dataloader._MultiProcessingDataLoaderIter`` step by step:

- the main process launches the workers one after the other, then asks for ``prefetch_factor`` batches
  per worker, round-robin;
- it asks for one batch more each time it *yields* one, so a consumer that stalls stops the workers;
- each worker loads the batches of its own queue in the order in which they came;
- with ``in_order`` a batch that arrives early waits for the ones before it, without it the first batch
  to arrive is yielded, and a worker that already owes ``prefetch_factor`` batches is passed over;
- without ``persistent_workers`` every epoch launches its workers and stops them at its end.

Loading is work for the processor: the processes that load share ``cores`` fairly. The step occupies the
device, and the consumer waits for it. Times are in milliseconds everywhere in this module.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import cycle
from statistics import NormalDist
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

MAIN = "main"


@dataclass(frozen=True)
class Costs:
    """The times of the machinery itself, in ms. The defaults are typical; `tools/prediction.py` measures them."""

    launch_ms: float = 10.0  # the main process launching one worker
    stop_ms: float = 6.0  # the main process stopping one worker
    send_ms: float = 0.2  # a worker taking an index and sending a batch
    receive_ms: float = 0.2  # the main process receiving a batch and asking for another
    # Mapping and freeing each MiB of its shared memory; a pin thread would do that instead.
    receive_ms_per_mib: float = 0.3


@dataclass(frozen=True)
class Setting:
    """The arguments of a DataLoader, what its Dataset and its consumer take, and the machine."""

    num_workers: int = 2
    prefetch_factor: int = 2
    load_ms: float = 20.0  # processor time to load one batch, on average
    spread: float = 0.0  # coefficient of variation of the load times, 0 … 1
    step_ms: float = 10.0
    cores: int = 2
    in_order: bool = True
    persistent_workers: bool = False
    start_ms: float = 25.0  # processor time for one worker to start
    batches: int = 24  # per epoch
    epochs: int = 2
    batch_mib: float = 0.0  # what the main process receives of a worker for each batch
    slow_factor: float = 1.0  # worker 0 takes this many times longer than the others
    costs: Costs = Costs()

    def __post_init__(self) -> None:
        least = {"num_workers": 0, "prefetch_factor": 1, "cores": 1, "batches": 1, "epochs": 1}
        for name, low in least.items():
            if getattr(self, name) < low:
                text = _("{name} is {value}, but the smallest possible value is {low}.")
                raise LabError(text.format(name=name, value=getattr(self, name), low=low))

    @property
    def receive_ms(self) -> float:
        """Time in ms that the main process takes to receive a batch from a worker."""
        return self.costs.receive_ms + self.batch_mib * self.costs.receive_ms_per_mib

    def work(self, worker: int, load_ms: float) -> float:
        """Processor time in ms that `worker` needs for a batch of `load_ms`."""
        return load_ms * (self.slow_factor if worker == 0 and self.num_workers else 1.0)


def load_times(setting: Setting) -> list[float]:
    """Return the load time of each batch of an epoch, in ms: the same for the model and for a real run.

    Log-normal with mean `load_ms` and coefficient of variation `spread`: one value per quantile, in a fixed
    shuffled order, so that a short epoch already has the mean and the spread that were asked for.
    """
    if not setting.spread:
        return [setting.load_ms] * setting.batches
    sigma = math.sqrt(math.log(1 + setting.spread**2))
    quantile = NormalDist(0.0, sigma).inv_cdf
    times = [math.exp(quantile((i + 0.5) / setting.batches)) for i in range(setting.batches)]
    random.Random(4).shuffle(times)
    scale = setting.load_ms * len(times) / sum(times)
    return [scale * t for t in times]


@dataclass(frozen=True)
class Span:
    """The work of one row from `start` to `end`: "launch" or "stop" (main), "start" (a worker), "load"."""

    row: int | str  # a worker's number, or MAIN
    kind: str
    start: float
    end: float
    epoch: int
    batch: int | None = None


@dataclass(frozen=True)
class Request:
    """The main process asks a worker for a batch."""

    time: float
    epoch: int
    batch: int
    worker: int


@dataclass(frozen=True)
class Delivery:
    """A batch in the loop: asked for, there, and its step done."""

    epoch: int
    batch: int
    worker: int | None  # None: loaded in the main process
    asked: float
    ready: float
    done: float


@dataclass(frozen=True)
class Timeline:
    """The events of a run, simulated or measured; times in ms from the start of the first epoch."""

    setting: Setting
    spans: tuple[Span, ...]
    requests: tuple[Request, ...]
    deliveries: tuple[Delivery, ...]
    epochs: tuple[tuple[float, float], ...]  # start and end of each, workers stopped where they are

    @cached_property
    def queue(self) -> list[tuple[float, int]]:
        """Loaded batches that are not yet in the loop: (time, level from then on)."""
        changes = [(s.end, 1) for s in self.spans if s.kind == "load" and s.row != MAIN]
        changes += [(d.ready, -1) for d in self.deliveries if d.worker is not None]
        level, levels = 0, []
        for time, change in sorted(changes):
            level += change
            levels.append((time, level))
        return levels

    @property
    def total_ms(self) -> float:
        return self.epochs[-1][1] - self.epochs[0][0]

    @cached_property
    def first_ms(self) -> list[float]:
        """The time from the start of each epoch to its first batch, in ms."""
        first = {d.epoch: d.ready for d in reversed(self.deliveries)}
        return [first[i] - start for i, (start, _end) in enumerate(self.epochs)]

    @cached_property
    def _steady(self) -> tuple[float, float, int]:
        """Length, wait (ms) and batches of the stretches where start and end of an epoch do not show.

        Left out of each epoch: the first round, in which all workers begin at once, and the end, from where
        nothing is left to ask for; at most a third each, in whole rounds, because batches come in rounds.
        """
        length = wait = 0.0
        count = 0
        workers = max(1, self.setting.num_workers)
        for epoch in range(len(self.epochs)):
            batches = [d for d in self.deliveries if d.epoch == epoch]
            third = len(batches) // 3
            ending = min(workers * self.setting.prefetch_factor, max(third // workers, 1) * workers, third)
            first, last = min(workers, third), len(batches) - ending
            length += batches[last - 1].done - (batches[first - 1].done if first else batches[0].asked)
            wait += sum(d.ready - d.asked for d in batches[first:last])
            count += last - first
        return length, wait, count

    @property
    def ms_per_batch(self) -> float:
        """Time per batch once the pipeline runs."""
        length, _wait, count = self._steady
        return length / count

    @property
    def wait_share(self) -> float:
        """Share of its time that the device waits for a batch once the pipeline runs, 0 … 1."""
        length, wait, _count = self._steady
        return wait / length if length else 0.0

    @property
    def batches_per_second(self) -> float:
        return 1000 / self.ms_per_batch


def rounds(setting: Setting, least: int = 24) -> Setting:
    """Return the same setting with enough batches per epoch to see it run steadily: whole rounds, at least four."""
    workers = max(1, setting.num_workers)
    return replace(setting, batches=workers * max(4, math.ceil(least / workers)))


@lru_cache(maxsize=128)
def simulate(setting: Setting) -> Timeline:
    """Run the model. Takes a few ms; the same setting always gives the same timeline."""
    return _Model(setting).run()


def long_run(setting: Setting) -> Timeline:
    """Return one epoch so long that its rates depend neither on its ends nor on a few slow batches."""
    ahead = setting.num_workers * setting.prefetch_factor
    return simulate(rounds(replace(setting, epochs=1), least=96 + 2 * ahead))


@lru_cache(maxsize=256)
def enough_workers(setting: Setting, most: int = 16, tolerance: float = 0.02) -> tuple[int, Timeline]:
    """Return the fewest workers whose pace is within `tolerance` of the best pace, and how they do in a long epoch.

    The pace is compared and not the wait share, because a short step waits nearly always, however fast the
    loader is. No loader is faster than receiving and the step, or than all cores together: near that, the search ends.
    """
    bound = max(setting.receive_ms + setting.step_ms, setting.load_ms / setting.cores)
    runs: list[Timeline] = []
    for n in range(most + 1):
        runs.append(long_run(replace(setting, num_workers=n)))
        if runs[-1].ms_per_batch <= bound * (1 + tolerance):
            break
    limit = min(run.ms_per_batch for run in runs) * (1 + tolerance)
    return next((n, run) for n, run in enumerate(runs) if run.ms_per_batch <= limit)


class _Processor:
    """`cores` shared fairly: every job advances at the same rate, so one clock of work done serves all."""

    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.now = self.clock = 0.0
        self.rate = 1.0
        self.jobs: list[tuple[float, int, Any]] = []  # the clock at which each is done, order, what it is
        self.count = 0

    def advance(self, time: float) -> None:
        if self.jobs:
            self.clock += (time - self.now) * self.rate
        self.now = time

    def add(self, work: float, what: Any) -> None:
        self.count += 1
        heapq.heappush(self.jobs, (self.clock + work, self.count, what))
        self.rate = min(1.0, self.cores / len(self.jobs))

    def next_end(self) -> float:
        if not self.jobs:
            return math.inf
        return self.now + max(0.0, self.jobs[0][0] - self.clock) / self.rate

    def finish(self) -> Any:
        what = heapq.heappop(self.jobs)[2]
        self.rate = min(1.0, self.cores / max(1, len(self.jobs)))
        return what


class _Model:
    """The main process written as the loop it is; `_until` lets the workers go on while it waits."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.loads = load_times(setting)
        self.processor = _Processor(setting.cores)
        self.spans: list[Span] = []
        self.requests: list[Request] = []
        self.deliveries: list[Delivery] = []
        self.epochs: list[tuple[float, float]] = []
        self.epoch = 0
        self.arrived: deque[tuple[int, int]] = deque()  # (batch, worker), in the result queue
        self._launch_state()

    @property
    def now(self) -> float:
        return self.processor.now

    def _launch_state(self) -> None:
        n = self.setting.num_workers
        self.tasks: list[deque[int]] = [deque() for _w in range(n)]
        self.idle = [False] * n  # started, and without a task
        self.began = [0.0] * n

    def run(self) -> Timeline:
        while self.epoch < self.setting.epochs:
            start = self.now
            if self.setting.num_workers:
                self._epoch_with_workers()
            else:
                self._epoch_in_main()
            self.epochs.append((start, self.now))
            self.epoch += 1
        return Timeline(
            self.setting, tuple(self.spans), tuple(self.requests), tuple(self.deliveries), tuple(self.epochs)
        )

    def _epoch_in_main(self) -> None:
        for batch, load in enumerate(self.loads):
            asked = self.now
            ready = asked + load
            self.spans.append(Span(MAIN, "load", asked, ready, self.epoch, batch))
            self._until(ready + self.setting.step_ms)
            self.deliveries.append(Delivery(self.epoch, batch, None, asked, ready, self.now))

    def _epoch_with_workers(self) -> None:
        setting = self.setting
        if self.epoch == 0 or not setting.persistent_workers:
            self._launch()
        self.sent = self.expected = 0
        self.turn = cycle(range(setting.num_workers))
        self.owed = [0] * setting.num_workers
        self.early: dict[int, int] = {}  # batch -> worker: came before its turn
        for _slot in range(setting.prefetch_factor * setting.num_workers):
            self._request()
        for _batch in range(setting.batches):
            asked = self.now
            batch, worker = self._receive()
            ready = self.now
            self.owed[worker] -= 1
            self._request()
            self._until(ready + setting.step_ms)
            self.deliveries.append(Delivery(self.epoch, batch, worker, asked, ready, self.now))
        if not setting.persistent_workers:
            begin = self.now
            while self.processor.jobs:  # a worker that is still starting is waited for
                self._next_work()
            self._until(self.now + setting.num_workers * setting.costs.stop_ms)
            self.spans.append(Span(MAIN, "stop", begin, self.now, self.epoch))
            self._launch_state()

    def _launch(self) -> None:
        begin = self.now
        for worker in range(self.setting.num_workers):
            self.processor.add(self.setting.costs.launch_ms, ("launched", worker))
            while self._next_work() != ("launched", worker):
                pass
            self.began[worker] = self.now
            self.processor.add(self.setting.start_ms, ("started", worker))
        self.spans.append(Span(MAIN, "launch", begin, self.now, self.epoch))

    def _request(self) -> None:
        """Send the next index, as `_try_put_index` does."""
        if self.sent == self.setting.batches:
            return
        worker = next(self.turn)
        while not self.setting.in_order and self.owed[worker] >= self.setting.prefetch_factor:
            worker = next(self.turn)
        self.requests.append(Request(self.now, self.epoch, self.sent, worker))
        self.tasks[worker].append(self.sent)
        self.owed[worker] += 1
        self.sent += 1
        if self.idle[worker]:
            self._begin(worker)

    def _receive(self) -> tuple[int, int]:
        """Return the next batch for the loop, as `_next_data` chooses it."""
        while True:
            if self.expected in self.early:
                batch = self.expected
                self.expected += 1
                return batch, self.early.pop(batch)
            while not self.arrived:
                self._next_work()
            self._until(self.now + self.setting.receive_ms)
            batch, worker = self.arrived.popleft()
            if not self.setting.in_order:
                return batch, worker
            self.early[batch] = worker

    def _begin(self, worker: int) -> None:
        """Let a worker take its next task, or wait for one."""
        self.idle[worker] = not self.tasks[worker]
        if not self.idle[worker]:
            batch = self.tasks[worker].popleft()
            self.began[worker] = self.now
            work = self.setting.work(worker, self.loads[batch]) + self.setting.costs.send_ms
            self.processor.add(work, ("loaded", worker, batch))

    def _until(self, time: float) -> None:
        while self.processor.next_end() <= time:
            self._next_work()
        self.processor.advance(time)

    def _next_work(self) -> Any:
        """Go on to the next moment at which a process finishes what it was doing."""
        self.processor.advance(self.processor.next_end())
        what = self.processor.finish()
        match what:
            case ("started", worker):
                self.spans.append(Span(worker, "start", self.began[worker], self.now, self.epoch))
                self._begin(worker)
            case ("loaded", worker, batch):
                self.spans.append(Span(worker, "load", self.began[worker], self.now, self.epoch, batch))
                self.arrived.append((batch, worker))
                self._begin(worker)
        return what
