"""The evidence: what the experiments found, as plain values, from which the findings follow."""

from __future__ import annotations

import dataclasses
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
import psutil
import torch
from torch.utils.data import BatchSampler, DataLoader, default_collate, default_convert

from .. import machine
from .clock import NOTHING, Taken
from .clone import keeps_workers, loader_in
from .contents import Contents
from .finding import Changes, Tried, name_of
from .isolated import Outcome, forks, has_device
from .kept import Kept, weighed
from .lines import LOADING, Line, files_of, line_of, threads_of
from .loop import Batches, EpochTimes, Lock, Tree, Workers
from .payload import Field
from .throughput import DEFAULT_PREFETCH, PartSeconds, WorkerSetting, period, slow_ones, starting

OBJECTS = 50_000  # a list of so many Python objects, or more, is worth a look
LARGE = 16 * 2**20  # bytes: growth below this is what any process needs to get going
SLOW_STEP, LEAST_SLOW_STEP = 3.0, 0.005  # times the median, and seconds: from here on a step is slow
STEPS_TRIED = 10  # before a slow step can be told from chance
MARGIN = 2.0  # times the first batch: so long it may take
LEAST_BEGIN = 0.1  # seconds of an epoch without a batch: less is how workers wake
# Of the CPU of a worker's busiest thread, and seconds: less is what sends, or has started.
BUSY, BUSY_SECONDS = 0.25, 0.1
LOOKS = 3  # at the memory of the workers, in a third of the time: fewer show no slope
GOES_ON = 0.5  # of the steepest slope: what grows so all the time, does not end
STOP = 0.006  # seconds for stopping a worker, where none was seen to stop
INFLATED = 1.6  # times the CPU of one thread: less is what more threads cost anywhere [fighting_threads]
# CPU seconds of a batch, to be compared; and times them, which two threads of a core may take.
LEAST_SHARED, MOST_SHARED = 0.002, 2.0
SAME_TIME = 0.9  # of the time with one thread: threads that bring more than the rest do their work
KNOWN = {  # arguments of a DataLoader, and what the evidence calls them
    "num_workers": "workers",
    "persistent_workers": "persistent",
    "prefetch_factor": "prefetch",
    "in_order": "in_order",
    "multiprocessing_context": "method",
}


@dataclass(frozen=True)
class Trouble:
    """An experiment that did not end as it should: which, after how many batches, and how."""

    experiment: str
    batches: int
    outcome: Outcome
    seconds: float = 0.0  # that it was given
    spawned: bool = False  # with workers that are spawned, batches came


@dataclass(frozen=True)
class Evidence(WorkerSetting):
    """All that the decision knows. Times in seconds, memory in bytes, rates in samples a second."""

    share: float = 1.0  # of the cores: what others left
    is_loader: bool = True
    alone: bool = True  # the parts could be looked at, each alone, in a process that is no worker
    pinned: bool = False
    method: str = "fork"
    accelerator: bool = False
    iterable: bool = False  # an IterableDataset
    has_step: bool = False
    trains: bool = False  # the step was seen to compute gradients
    own_collate: bool = False  # the user's, and not torch's
    worker_init: str | None = None  # the name of the user's `worker_init_fn`
    # The change to no workers, with what the loader has besides and a DataLoader without workers refuses.
    without_workers: Changes = (("num_workers", 0),)
    plain_sampler: bool = (
        True  # of single indices, and one that knows its dataset, as the advice for one has it
    )
    order: int = 0  # bytes that the sampler takes in this process, for the order of an epoch
    other_threads: tuple[str, ...] = ()  # of this process, by name, where experiments run in a copy of it
    contents: Contents = dataclasses.field(default_factory=Contents)
    field: Field | None = None  # of a sample: that which is larger than it need be
    costs: PartSeconds = dataclasses.field(default_factory=lambda: PartSeconds(samples=(NOTHING,)))
    one_thread: Taken | None = None  # a batch with one thread, where `costs` has more
    worker_cpu: float | None = None  # CPU seconds a batch, of all workers in the loop as it is
    threads: int = 1  # that torch uses in a worker, or any library in the main process where there is none
    busy_threads: int = 1  # that compute in a worker, whatever library has started them
    # Where there are no workers: threads that compute, how many cores they take together, and seconds that one waits for the
    # interpreter's lock.
    lock: tuple[int, float, float] = (0, 0.0, 0.0)
    threaded: str = ""  # the user's line that starts threads
    pools: tuple[tuple[str, int], ...] = ()  # of threads in a worker: libraries, and how many they may use
    lines: tuple[Line, ...] = ()  # of the user's own code, in which the time is spent
    inside: bool = (
        False  # they were seen from inside: a call that holds the interpreter's lock hides from that
    )
    receive_tensor: tuple[float, float] = (0.0, 0.0)  # send and receive, if the batch were one tensor
    # Of each epoch that was begun: without the time until its first batch; none where all are short.
    rates: tuple[float, ...] = ()
    whole: float = 0.0  # of whole epochs, the start and the end of their workers included, where it was seen
    wait: float = 0.0  # share of the loop's time
    first: float = 0.0
    slow_steps: tuple[float, float, float] = (0.0, 0.0, 0.0)  # `slow_ones`
    ended_workers: int = 0  # that had nothing more to give long before the others
    growth: int = 0  # bytes of their own that the workers took, beyond the batches under way
    growth_batches: int = 0  # while they took it
    steady: float = 0.0  # of these bytes, a batch, where it was seen that it goes on
    kept: Kept | None = None  # what stays of the samples that are read
    # Containers of many Python objects in the dataset: name, objects, bytes.
    objects: tuple[tuple[str, int, float], ...] = ()
    shm_free: int | None = None
    memory_free: int | None = None
    files_kept: int = 0  # open files that came while `growth_batches` did
    returned: str = ""  # the user's line that returns a sample
    keeping: str = ""  # that of the step that keeps something
    troubles: tuple[Trouble, ...] = ()
    tried: tuple[Tried, ...] = ()

    def changed(self, changes: dict[str, Any]) -> Evidence:
        """Return the same of a loader with other arguments."""
        return replace(self, **{KNOWN[name]: value for name, value in changes.items() if name in KNOWN})

    @property
    def in_flight(self) -> int:
        """Bytes in shared memory when the workers are as far ahead as they may, and the loop holds a batch."""
        return (self.workers * self.prefetch + 1) * self.contents.tensor_bytes if self.workers else 0

    @property
    def rate(self) -> float:
        """Samples a second of the loop as it is: while it runs, or of whole epochs where each is mostly what was made ahead."""
        return median(self.rates) if self.rates else self.whole

    @property
    def batch_seconds(self) -> float:
        """Seconds of a batch in the loop as it is; 0 where none was seen."""
        return self.costs.batch_size / self.rate if self.rate else 0.0

    @property
    def alone_cpu(self) -> float:
        """CPU seconds of a batch with one thread, by the parts alone."""
        return self.costs.load.cpu + self.costs.send if self.workers else (self.one_thread or NOTHING).cpu

    @property
    def busy_cpu(self) -> float | None:
        """The same in the loop as it is."""
        return self.worker_cpu if self.workers else self.costs.load.cpu

    @cached_property
    def fighting(self) -> bool:
        """True if more threads than cores share the work, and take far more CPU than one thread for each process."""
        several, load, one = max(self.threads, self.busy_threads), self.costs.load, self.one_thread
        if not self.workers:
            more = one is not None and load.cpu > max(INFLATED * one.cpu, 1e-3)
            return more and load.all > SAME_TIME * (one or load).all
        more = (self.worker_cpu or 0.0) > INFLATED * max(self.alone_cpu, 1e-4)
        return more and several > 1 and several * self.workers > self.cores

    @cached_property
    def as_run(self) -> PartSeconds:
        """The costs with the CPU that the workers take together: they share memory and caches, and two cores are often one."""
        costs, times = self.costs, (self.worker_cpu or 0.0) / max(self.alone_cpu, 1e-4)
        if not self.fighting:
            shared = self.workers > 1 and self.alone_cpu >= LEAST_SHARED
            times = min(times, MOST_SHARED) if shared else 1.0
        if times <= 1 or not self.workers:
            return costs
        samples, collate = (Taken(s.cpu * times, s.wait) for s in costs.samples), costs.collate
        return replace(costs, samples=tuple(samples), collate=Taken(collate.cpu * times, collate.wait))

    @cached_property
    def explained(self) -> float:
        """Seconds of a batch in the loop, as the parts explain it."""
        if not self.rates:
            return period(self.as_run, self)
        # They were measured from each epoch's first batch on.
        return period(replace(self.as_run, begin=0.0), replace(self, persistent=True))

    @property
    def expected_rate(self) -> float:
        """Samples a second of whole epochs, the start of their workers included."""
        if self.whole and (self.costs.epoch or not self.rates):
            return self.whole
        if not self.rate or not self.workers or not self.costs.epoch:
            return self.rate
        samples = self.costs.epoch * self.costs.batch_size
        return samples / (samples / self.rate + starting(self.costs, self))

    @property
    def least_step(self) -> float:
        """Seconds of a step: as it took in the loop, or alone, where that is less, as workers beside it may slow it down."""
        looped = (1 - self.wait) * self.batch_seconds
        return min(looped, self.costs.step.all or looped)

    @property
    def reach(self) -> float:
        """The most that a change of the loading can bring: all the waiting that was measured, and all starting, gone."""
        step = self.least_step
        return self.costs.batch_size / self.expected_rate / step if step else float("inf")


def facts(batches: Any) -> dict[str, Any]:
    """Return the fields that can be read off the loader and the machine without running anything."""
    loader, free, left = loader_in(batches), psutil.virtual_memory().available, machine.memory_left()
    others = (one.name for one in threading.enumerate() if one is not threading.current_thread())
    found: dict[str, Any] = {
        "cores": machine.cores(),
        "is_loader": loader is not None,
        "accelerator": has_device(),
        "other_threads": tuple(others) if forks() else (),
        "memory_free": free if left is None else min(free, left),
        "threaded": str(threads_of(files_of(batches)) or ""),
        "shm_free": shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else None,
    }
    return found if loader is None else found | _of_loader(loader)


def _of_loader(loader: DataLoader) -> dict[str, Any]:
    besides = (
        ("persistent_workers", loader.persistent_workers, False),
        ("prefetch_factor", loader.prefetch_factor not in (None, DEFAULT_PREFETCH), None),
        ("multiprocessing_context", loader.multiprocessing_context is not None, None),
        ("timeout", loader.timeout, 0),
    )
    sampler: Any = loader.sampler
    return {
        "workers": loader.num_workers,
        "prefetch": loader.prefetch_factor or DEFAULT_PREFETCH,
        "persistent": keeps_workers(loader),
        "pinned": loader.pin_memory,
        "in_order": getattr(loader, "in_order", True),
        "method": (loader.multiprocessing_context or torch.multiprocessing).get_start_method(),
        "worker_init": name_of(loader.worker_init_fn),
        "without_workers": (("num_workers", 0), *((name, value) for name, given, value in besides if given)),
        "plain_sampler": type(loader.batch_sampler) is BatchSampler and hasattr(sampler, "data_source"),
        "own_collate": loader.collate_fn not in (default_collate, default_convert),
        "iterable": isinstance(loader.dataset, torch.utils.data.IterableDataset),
        "objects": tuple(_objects(loader.dataset)),
        "returned": str(line_of(getattr(type(loader.dataset), "__getitem__", None), r"\breturn\b") or ""),
    }


def _objects(dataset: Any) -> Iterator[tuple[str, int, float]]:
    for depth in range(4):
        for name, value in getattr(dataset, "__dict__", {}).items():
            if isinstance(value, (list, dict, tuple, set, np.ndarray)) or "pandas" in type(value).__module__:
                count, size = weighed(value)
                if count >= OBJECTS:
                    yield "dataset." * depth + name, round(count), size
        dataset = getattr(dataset, "dataset", None)


def of_parts(said: Iterable[tuple[Any, ...]], before: PartSeconds) -> dict[str, Any]:
    """Return the fields that the parts alone give (`parts.parts`), on top of ``before``."""
    told: dict[str, list[Any]] = {}
    for kind, *what in said:
        told.setdefault(kind, []).append(what)
    once = ("contents", "trains", "field")
    found: dict[str, Any] = {name: told[name][-1][0] for name in once if name in told}
    costs: dict[str, Any] = {}
    for first, batch, found["order"] in told.get("sampler", ()):
        costs |= {"begin": first.all, "sampler": batch.all}
    if "contents" in found:
        costs["batch_size"] = found["contents"].samples
    if batches := told.get("batch"):
        collating = [taken for _samples, taken in batches]
        costs["samples"] = tuple(one for samples, _taken in batches for one in samples)
        costs["collate"] = Taken(*map(median, zip(*collating, strict=True)))
    for send, receive, *tensor in told.get("sent", ()):
        costs |= {"send": send, "receive": receive}
        found["receive_tensor"] = tuple(tensor)
    if steps := [taken for (taken,) in told.get("step", ())]:
        costs["step"] = Taken(*map(mean, zip(*steps, strict=True)))
        found |= {"has_step": True, "slow_steps": _slow_steps([one.all for one in steps])}
    looks = told.get("lines", [])
    found |= {"inside": looks[-1][1]} if looks else {}
    lines = tuple(line for seen, _inside in looks for line in seen)
    return found | {"costs": replace(before, **costs), "lines": lines}


def of_seen(lines: Sequence[Line], evidence: Evidence) -> dict[str, Any]:
    """Return the fields that a look at the loop gives (`activities.seen`): it shows what the parts alone may not, so its lines count."""
    seen = {phase for line in lines for phase in (LOADING if line.phase in LOADING else (line.phase,))}
    kept = [line for line in evidence.lines if line.phase not in seen]
    return {"lines": (*lines, *kept), "inside": evidence.inside and bool(kept)} if lines else {}


def _slow_steps(times: list[float]) -> tuple[float, float, float]:
    """Return the steps that take far longer than most, as `slow_ones`; nothing where they may be chance."""
    slow = slow_ones(times, max(SLOW_STEP * median(times), LEAST_SLOW_STEP))
    chance = len(times) < STEPS_TRIED or round(slow[0] * len(times)) < 2 or slow[0] > 0.5
    return (0.0, 0.0, 0.0) if chance else slow


def of_loop(said: Iterable[Any], evidence: Evidence) -> dict[str, Any]:
    """Return the fields that the loop gives (`loop.loop`)."""
    said = list(said)
    epochs = [one for one in said if isinstance(one, EpochTimes)]
    batches = [one for one in said if isinstance(one, Batches)]
    trees = [one for one in said if isinstance(one, Tree)]
    ended = [one for one in epochs if one.ended and one.batches]
    samples = [number for one in batches for number in one.samples]
    costs, found = evidence.costs, _pace(batches, evidence)
    if samples and not (evidence.is_loader and evidence.alone):  # else the parts have told it
        found["contents"] = Contents(round(median(samples)))
        costs = replace(costs, batch_size=found["contents"].samples)
    if costs.epoch is None and ended:
        costs = replace(costs, epoch=round(median(one.batches for one in ended)))
    evidence = replace(evidence, costs=costs, contents=found.get("contents", evidence.contents))
    steps = [seconds for one in batches for seconds in one.steps]
    found["whole"] = whole = rate_of_whole_epochs(epochs, costs.batch_size, evidence.persistent)
    ahead = 2 * evidence.workers * evidence.prefetch
    if whole and all(one.batches < ahead for one in epochs):
        # Most of their batches are made while the first is awaited, and show no rate: what is no step is waiting.
        working = (mean(steps) if steps else 0.0) * sum(one.batches for one in ended)
        seconds = sum(one.seconds for one in epochs if one.ended)
        found |= {"rates": (), "wait": max(0.0, 1 - working / seconds)}
    if evidence.has_step and steps and not costs.step.all:  # there was no time for the step alone
        costs = replace(costs, step=Taken(wait=mean(steps)))
    if epochs:
        found["first"] = epochs[0].first
        costs = replace(costs, **_of_epochs(epochs, evidence))
    if started := [one for one in said if isinstance(one, Workers)]:
        found |= {"threads": dict(started[0].pools)["torch"], "pools": started[0].pools}
        costs = replace(costs, start_worker=mean(cpu for one in started for cpu in one.start_cpu))
    for one in said:
        if isinstance(one, Lock) and trees and not evidence.workers:
            busy = max(_busy(threads) for tree in trees for threads in tree.threads or ((0.0,),))
            found["lock"] = (busy, one.cores, one.wait)
    return found | {"contents": evidence.contents, "costs": costs} | _of_trees(trees, evidence)


def _pace(batches: list[Batches], evidence: Evidence) -> dict[str, Any]:
    """Return the rate of each epoch, once the loop is as it stays, and the share of its time that it waits."""
    rates, waiting, whole = [], 0.0, 0.0
    for number in sorted({one.epoch for one in batches}):
        mine = [one for one in batches if one.epoch == number]
        waits = [w for one in mine for w in one.waits]
        begin = _settling(len(waits), evidence.workers, evidence.prefetch)
        waited = sum(waits[begin:])
        seconds = waited + sum([s for one in mine for s in one.steps][begin:])
        if seconds > 0:
            rates.append(sum([n for one in mine for n in one.samples][begin:]) / seconds)
            waiting, whole = waiting + waited, whole + seconds
    return {"rates": tuple(rates), "wait": waiting / whole} if rates else {}


def _settling(count: int, workers: int, prefetch: int) -> int:
    """How many of so many waits come before the loop is as it stays: what was made while the first batch was awaited.

    Whole rounds are left out (the first batch is in no wait), so that none is counted whose first batch is not.
    """
    return next((ahead - 1 for ahead in (workers * prefetch, workers) if count > 3 * ahead > 0), 0)


def _of_epochs(epochs: list[EpochTimes], evidence: Evidence) -> dict[str, Any]:
    """Return the costs of how epochs end, and how they begin, beyond the making of the first batch.

    Where workers start in each epoch, so does what they do only once; where they stay, what is left belongs to each epoch.
    """
    workers, costs = evidence.workers, evidence.costs
    stops = [one.stop for one in epochs if one.ended]
    found = {
        "start_main": median(one.start_main for one in epochs[:1] + epochs) / max(1, workers),
        "stop": min(stops) / workers if stops and workers else STOP,
    }
    later = [one.first - one.late for one in epochs[1:] if one.batches]
    known = later or (epochs[0].batches and not evidence.persistent)
    # Without workers, the parts have told it of what has indices.
    if not evidence.is_loader or not known or not (workers or evidence.iterable):
        return found
    # The first batches are made by all workers at once, and beside what others do: twice their time is no wait of its own.
    at_once = max(1.0, workers / evidence.cores)
    made = MARGIN * at_once * (costs.load.all + costs.send + costs.receive + costs.sampler)
    # The quickest: what others take of the machine makes it only longer.
    excess = min(later or [epochs[0].first - epochs[0].late]) - made
    stays = evidence.persistent or not workers
    excess -= 0.0 if stays else costs.begin
    if excess <= (LEAST_BEGIN if workers else 0.0):
        return found
    return found | ({"begin": max(costs.begin, excess)} if stays else {"restart": excess})


def _of_trees(trees: list[Tree], evidence: Evidence) -> dict[str, Any]:
    if not trees:
        return {}
    epochs = [[one for one in trees if one.epoch == number] for number in {one.epoch for one in trees}]
    looks = max(epochs, key=lambda looks: looks[-1].batches - looks[0].batches)
    first, last = looks[0], looks[-1]
    batches = last.batches - first.batches
    ahead = evidence.workers * (evidence.prefetch + 2)  # with the batch that is made and that which is sent
    under_way = ahead * evidence.contents.bytes
    filled = [one for one in looks if one.batches > ahead]  # until then, all that is ahead fills up
    growth = max(0, last.own_bytes - first.own_bytes - under_way)
    # Before the middle of an epoch, as it was watched or is long.
    middle = (evidence.costs.epoch or max(one.batches for one in trees)) / 2
    early = [one.ended for one in trees if evidence.workers < one.batches <= middle]
    found: dict[str, Any] = {
        "files_kept": last.files - first.files,
        "growth": growth,
        "growth_batches": batches,
        "steady": _steady(filled, under_way) if growth and ahead else 0.0,
        "ended_workers": max(early, default=0) if evidence.iterable else 0,
    }
    # What is ahead at the first look and at the last weighs little among so many.
    if evidence.workers and batches > 2 * evidence.workers * evidence.prefetch:
        found["worker_cpu"] = (last.cpu - first.cpu) / batches
        found["busy_threads"] = max(map(_busy, last.threads), default=1)
    return found


def _steady(looks: list[Tree], under_way: int) -> float:
    """Return the bytes a batch by which the workers grow at the end; 0 where each third of the time did not bring about as much, or little was seen.

    Buffers, arenas of an allocator and copies of objects fill up; a look may be off by all that is under way.
    """
    third = (len(looks) - 1) // 3
    if third < LOOKS:
        return 0.0
    thirds = list(pairwise([looks[0], looks[third], looks[-1 - third], looks[-1]]))
    slopes = [(b.own_bytes - a.own_bytes) / max(1, b.batches - a.batches) for a, b in thirds]
    little = min(b.own_bytes - a.own_bytes for a, b in thirds) <= under_way
    return slopes[-1] if not little and min(slopes) > GOES_ON * max(slopes) else 0.0


def _busy(threads: tuple[float, ...]) -> int:
    """Return how many of a worker's threads have computed about as much as the busiest of them: helpers that send do not."""
    return max(1, sum(seconds > max(BUSY * max(threads), BUSY_SECONDS) for seconds in threads))


def rate_of_whole_epochs(epochs: list[EpochTimes], batch_size: int, persistent: bool) -> float:
    """Return the samples a second of the epochs that were seen to their end; 0 where there was none.

    Of persistent workers the first epoch does not count: it has the only start.
    """
    ended = [one for one in epochs[persistent:] if one.ended and one.batches]
    seconds = sum(one.seconds for one in ended)
    return sum(one.batches for one in ended) * batch_size / seconds if seconds else 0.0
