"""The evidence: what the experiments found, as plain values, from which the findings follow."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean, median
from typing import Any

import psutil
import torch
from torch.utils.data import BatchSampler, default_collate, default_convert

from .. import machine
from .clock import NOTHING, Taken
from .clone import keeps_workers, loader_in
from .contents import Contents
from .finding import name_of
from .isolated import Outcome, forks, has_device
from .lines import Line
from .loop import Batches, EpochTimes, Tree, Workers
from .throughput import PartSeconds, WorkerSetting

OBJECTS = 50_000  # a list of so many Python objects, or more, is worth a look
DEFAULT_PREFETCH = 2  # of torch
SLOW_STEP, LEAST_SLOW_STEP = 3.0, 0.005  # times the median, and seconds: from here on a step is slow
STEPS_TRIED = 10  # before a slow step can be told from chance
MARGIN = 2.0  # times the first batch: so long it may take
LEAST_BEGIN = 0.1  # seconds of an epoch without a batch: less is how processes wake
STOP = 0.006  # seconds for stopping a worker, where none was seen to stop


@dataclass(frozen=True)
class Trouble:
    """An experiment that did not end as it should: which, after how many batches, and how."""

    experiment: str
    batches: int
    outcome: Outcome
    seconds: float = 0.0  # that it was given


@dataclass(frozen=True)
class Evidence:
    """All that the decision knows. Times in seconds, memory in bytes, rates in samples a second."""

    cores: int = 1
    share: float = 1.0  # of the cores: what others left
    is_loader: bool = True
    alone: bool = True  # the parts could be looked at, each alone, in a process that is no worker
    workers: int = 0
    prefetch: int = DEFAULT_PREFETCH
    persistent: bool = False
    pinned: bool = False
    in_order: bool = True
    method: str = "fork"
    accelerator: bool = False
    iterable: bool = False  # an IterableDataset
    has_step: bool = False
    trains: bool = False  # the step was seen to compute gradients
    own_collate: bool = False  # the user's, and not torch's
    worker_init: str | None = None  # the name of the user's `worker_init_fn`
    own_timeout: bool = False  # the user gave a `timeout`
    # A sampler of single indices that knows its dataset, as the advice for one has it.
    plain_sampler: bool = True
    own_context: bool = False  # the user gave a `multiprocessing_context`
    opencv: bool = False  # it is imported here
    other_threads: tuple[str, ...] = ()  # of this process, by name, where experiments run in a copy of it
    contents: Contents = field(default_factory=Contents)
    costs: PartSeconds = field(default_factory=lambda: PartSeconds(samples=(NOTHING,)))
    one_thread: Taken | None = None  # a batch with one thread, where `costs` has more
    worker_cpu: float | None = None  # CPU seconds a batch, of all workers in the loop as it is
    threads: int = 1  # that torch uses in a worker, or in the main process where there is none
    transforms: tuple[tuple[str, Taken], ...] = ()  # for a batch
    lines: tuple[Line, ...] = ()  # of the user's own code, in which the parts spend their time
    receive_tensor: tuple[float, float] = (0.0, 0.0)  # send and receive, if the batch were one tensor
    # Of each epoch that was begun: without the time until its first batch; none where all are short.
    rates: tuple[float, ...] = ()
    whole: float = 0.0  # of whole epochs, the start and the end of their workers included, where it was seen
    wait: float = 0.0  # share of the loop's time
    first: float = 0.0
    # Share of the steps, of their time, and seconds of one.
    slow_steps: tuple[float, float, float] = (0.0, 0.0, 0.0)
    ended_workers: int = 0  # that had nothing more to give long before the others
    growth: int = 0  # bytes of their own that the workers took while they worked
    growth_late: int = 0  # of them, in the second half of these batches
    growth_batches: int = 0
    objects: tuple[tuple[str, int], ...] = ()  # containers of many Python objects in the dataset
    shm_free: int | None = None
    memory_free: int | None = None
    files: int = 0
    troubles: tuple[Trouble, ...] = field(default=())

    @property
    def setting(self) -> WorkerSetting:
        """The loader as it is."""
        return WorkerSetting(self.workers, self.cores, self.prefetch, self.persistent, self.in_order)

    @property
    def without_workers(self) -> tuple[tuple[str, Any], ...]:
        """The change to no workers, with what the loader has besides and a DataLoader without workers refuses."""
        given: list[tuple[str, Any]] = [("num_workers", 0)]
        if self.persistent:
            given.append(("persistent_workers", False))
        if self.prefetch != DEFAULT_PREFETCH:
            given.append(("prefetch_factor", None))
        if self.own_context:
            given.append(("multiprocessing_context", None))
        if self.own_timeout:
            given.append(("timeout", 0))
        return tuple(given)

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


def facts(batches: Any) -> dict[str, Any]:
    """Return the fields that can be read off the loader and the machine without running anything."""
    loader = loader_in(batches)
    found: dict[str, Any] = {
        "cores": machine.cores(),
        "is_loader": loader is not None,
        "accelerator": has_device(),
        "opencv": "cv2" in sys.modules,
        "other_threads": _other_threads() if forks() else (),
        "memory_free": _memory_free(),
        "shm_free": shutil.disk_usage("/dev/shm").free if Path("/dev/shm").is_dir() else None,
    }
    if loader is not None:
        context = loader.multiprocessing_context or torch.multiprocessing
        found |= {
            "workers": loader.num_workers,
            "prefetch": loader.prefetch_factor or DEFAULT_PREFETCH,
            "persistent": keeps_workers(loader),
            "pinned": loader.pin_memory,
            "in_order": getattr(loader, "in_order", True),
            "method": context.get_start_method(),
            "worker_init": name_of(loader.worker_init_fn),
            "own_context": loader.multiprocessing_context is not None,
            "own_timeout": bool(loader.timeout),
            "plain_sampler": type(loader.batch_sampler) is BatchSampler
            and hasattr(loader.sampler, "data_source"),
            "own_collate": loader.collate_fn not in (default_collate, default_convert),
            "iterable": isinstance(loader.dataset, torch.utils.data.IterableDataset),
            "objects": tuple(_objects(loader.dataset)),
        }
    return found


def _other_threads() -> tuple[str, ...]:
    return tuple(one.name for one in threading.enumerate() if one is not threading.current_thread())


def _memory_free() -> int:
    """Return the memory that this process and others may still take: the machine's, or its container's where that is less."""
    free, left = psutil.virtual_memory().available, machine.memory_left()
    return free if left is None else min(free, left)


def _objects(dataset: Any) -> Iterable[tuple[str, int]]:
    for depth in range(4):
        for name, value in getattr(dataset, "__dict__", {}).items():
            if isinstance(value, (list, dict, tuple, set)) and len(value) >= OBJECTS:
                yield "dataset." * depth + name, len(value)
        dataset = getattr(dataset, "dataset", None)


def of_parts(said: Iterable[tuple[Any, ...]], before: PartSeconds) -> dict[str, Any]:
    """Return the fields that the parts alone give (`parts.parts`), on top of ``before``."""
    found: dict[str, Any] = {}
    samples: list[Taken] = []
    collating: list[Taken] = []
    steps: list[Taken] = []
    costs: dict[str, Any] = {}
    transforms: dict[str, Taken] = {}
    lines: list[Line] = []
    for kind, *what in said:
        if kind == "sampler":
            costs["begin"], costs["sampler"] = what[0].all, what[1].all
        elif kind == "contents":
            found["contents"] = what[0]
            costs["batch_size"] = what[0].samples
        elif kind == "batch":
            samples += what[0]
            collating.append(what[1])
        elif kind == "transforms":
            transforms = what[0]
        elif kind == "lines":
            lines += what[0]
        elif kind == "step":
            steps.append(what[0])
        elif kind == "trains":
            found["trains"] = what[0]
        elif kind == "sent":
            costs["send"], costs["receive"] = what[:2]
            found["receive_tensor"] = tuple(what[2:])
    if samples:
        costs |= {"samples": tuple(samples), "collate": _median(collating)}
        # The transforms ran in every sample, the warm-up included.
        count = len(samples) + found["contents"].samples
        found["transforms"] = tuple(
            (name, taken.times(found["contents"].samples / count)) for name, taken in transforms.items()
        )
    if steps:
        costs["step"] = _mean(steps)
        found |= {"has_step": True, "slow_steps": _slow_steps([one.all for one in steps])}
    found["costs"] = replace(before, **costs)
    found["lines"] = tuple(lines)
    return found


def _median(several: list[Taken]) -> Taken:
    return Taken(*(median(each) for each in zip(*several, strict=True)))


def _mean(several: list[Taken]) -> Taken:
    return Taken(*(mean(each) for each in zip(*several, strict=True)))


def _slow_steps(times: list[float]) -> tuple[float, float, float]:
    """Return the share of steps that take far longer than most, their share of the time, and how long one takes on average."""
    slow = [t for t in times if t > max(SLOW_STEP * median(times), LEAST_SLOW_STEP)]
    if len(times) < STEPS_TRIED or len(slow) < 2 or len(slow) > len(times) / 2:
        return 0.0, 0.0, 0.0
    return len(slow) / len(times), sum(slow) / sum(times), mean(slow)


def of_loop(said: Iterable[Any], evidence: Evidence) -> dict[str, Any]:
    """Return the fields that the loop gives (`loop.loop`)."""
    said = list(said)
    epochs = [one for one in said if isinstance(one, EpochTimes)]
    batches = [one for one in said if isinstance(one, Batches)]
    ended = [one.batches for one in epochs if one.ended and one.batches]
    seen = [samples for one in batches for samples in one.samples]
    if seen and not (evidence.is_loader and evidence.alone):  # else the parts have told it
        size = round(median(seen))
        evidence = replace(evidence, contents=Contents(size), costs=replace(evidence.costs, batch_size=size))
    if evidence.costs.epoch is None and ended:
        evidence = replace(evidence, costs=replace(evidence.costs, epoch=round(median(ended))))
    of_epochs, starting = _of_epochs(epochs, evidence)
    of_workers, begun = _of_workers([one for one in said if isinstance(one, Workers)])
    of_batches, stepping = _of_batches(batches, evidence)
    if of_epochs["whole"] and all(_made_ahead(one.batches, evidence) for one in epochs):
        of_batches |= _of_short_epochs(epochs, batches)
    found = (
        of_epochs | of_workers | of_batches | _of_trees([t for t in said if isinstance(t, Tree)], evidence)
    )
    costs = replace(evidence.costs, **starting, **begun, **stepping)
    return found | {"contents": evidence.contents, "costs": costs}


def _of_epochs(epochs: list[EpochTimes], evidence: Evidence) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the evidence, and of its costs."""
    found: dict[str, Any] = {
        "whole": rate_of_whole_epochs(epochs, evidence.costs.batch_size, evidence.persistent)
    }
    if not epochs:
        return found, {}
    workers = max(1, evidence.workers)
    stops = [one.stop for one in epochs if one.ended]
    costs: dict[str, Any] = {
        "start_main": median(one.start_main for one in epochs[:1] + epochs) / workers,
        "stop": min(stops) / workers if stops and evidence.workers else STOP,
    }
    return found | {"first": epochs[0].first}, costs | _beginning(epochs, evidence)


def _beginning(epochs: list[EpochTimes], evidence: Evidence) -> dict[str, float]:
    """Return the costs of how an epoch begins, beyond the making of its first batch.

    Where workers start in each epoch, so does what they do only once; where they stay, what is left belongs to each epoch.
    """
    later = [one.first for one in epochs[1:] if one.batches]
    if (
        not evidence.is_loader
        or not evidence.workers
        or not (later or (epochs[0].batches and not evidence.persistent))
    ):
        return {}
    # The quickest: what others take of the machine makes it only longer.
    first = min(later or [epochs[0].first])
    known = evidence.costs
    # The first batches are made by all workers at once, and beside what others do: twice their time is no wait of its own.
    at_once = max(1.0, evidence.workers / evidence.cores)
    excess = first - MARGIN * at_once * (known.load.all + known.send + known.receive + known.sampler)
    if evidence.persistent:
        return {"begin": max(known.begin, excess)} if excess > LEAST_BEGIN else {}
    excess -= known.begin
    return {"restart": excess} if excess > LEAST_BEGIN else {}


def _of_workers(started: list[Workers]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the evidence, and of its costs."""
    if not started:
        return {}, {}
    cpu = mean(cpu for one in started for cpu in one.start_cpu)
    return {"threads": max(t for one in started for t in one.threads)}, {"start_worker": cpu}


def _of_batches(batches: list[Batches], evidence: Evidence) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of the evidence, and of its costs."""
    found: dict[str, Any] = {}
    rates, waiting, working = [], 0.0, 0.0
    for number in sorted({one.epoch for one in batches}):
        mine = [one for one in batches if one.epoch == number]
        waits = [w for one in mine for w in one.waits]
        steps = [s for one in mine for s in one.steps]
        samples = [n for one in mine for n in one.samples]
        begin = _settling(len(waits), evidence.workers, evidence.prefetch)
        seconds = sum(waits[begin:]) + sum(steps[begin:])
        if seconds > 0:
            rates.append(sum(samples[begin:]) / seconds)
            waiting, working = waiting + sum(waits[begin:]), working + sum(steps[begin:])
    if rates:
        found |= {"rates": tuple(rates), "wait": waiting / (waiting + working)}
    steps = [seconds for one in batches for seconds in one.steps]
    alone = bool(evidence.costs.step.all)
    # Where there was no time for the step alone, what it took in the loop.
    return found, {"step": Taken(wait=mean(steps))} if evidence.has_step and steps and not alone else {}


def _made_ahead(batches: int, evidence: Evidence) -> bool:
    """Return whether most of the batches of such an epoch are made while the first is awaited: they show no rate."""
    return batches < 2 * evidence.workers * evidence.prefetch


def _of_short_epochs(epochs: list[EpochTimes], batches: list[Batches]) -> dict[str, Any]:
    """Fields of the evidence from whole epochs: what is no step is waiting."""
    ended = [one for one in epochs if one.ended]
    steps = [seconds for one in batches for seconds in one.steps]
    working = (mean(steps) if steps else 0.0) * sum(one.batches for one in ended)
    return {"rates": (), "wait": max(0.0, 1 - working / sum(one.seconds for one in ended))}


def _of_trees(trees: list[Tree], evidence: Evidence) -> dict[str, Any]:
    if not trees:
        return {}
    looks = _longest(trees)
    first, middle, last = looks[0], looks[len(looks) // 2], looks[-1]
    batches = last.batches - first.batches
    found: dict[str, Any] = {
        "files": max(one.files for one in trees),
        "growth": max(0, last.own_bytes - first.own_bytes),
        "growth_late": max(0, last.own_bytes - middle.own_bytes),
        "growth_batches": batches,
        "ended_workers": _ended_early(trees, evidence),
    }
    # What is ahead at the first look and at the last weighs little among so many.
    if evidence.workers and batches > 2 * evidence.workers * evidence.prefetch:
        found["worker_cpu"] = (last.cpu - first.cpu) / batches
    return found


def _ended_early(trees: list[Tree], evidence: Evidence) -> int:
    """Return the workers of an iterable dataset that had ended before the middle of an epoch, as it was watched or is long."""
    if not evidence.iterable:
        return 0
    most = max(one.batches for one in trees)
    middle = (evidence.costs.epoch or most) / 2
    return max((one.ended for one in trees if evidence.workers < one.batches <= middle), default=0)


def _settling(count: int, workers: int, prefetch: int) -> int:
    """How many of so many waits come before the loop is as it stays: what was made while the first batch was awaited.

    Whole rounds are left out (the first batch is in no wait), so that none is counted whose first batch is not.
    """
    for ahead in (workers * prefetch, workers):
        if count > 3 * ahead > 0:
            return ahead - 1
    return 0


def rate_of_whole_epochs(epochs: list[EpochTimes], batch_size: int, persistent: bool) -> float:
    """Return the samples a second of the epochs that were seen to their end; 0 where there was none.

    Of persistent workers the first epoch does not count: it has the only start.
    """
    ended = [one for one in epochs[persistent:] if one.ended and one.batches]
    seconds = sum(one.seconds for one in ended)
    return sum(one.batches for one in ended) * batch_size / seconds if seconds else 0.0


def _longest(trees: list[Tree]) -> list[Tree]:
    """Return the looks at the workers in the epoch that was watched for longest."""
    spans: dict[int, list[Tree]] = {}
    for tree in trees:
        spans.setdefault(tree.epoch, []).append(tree)
    return max(spans.values(), key=lambda looks: looks[-1].batches - looks[0].batches)
