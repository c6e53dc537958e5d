"""A setting of the model run for real: a DataLoader, a Dataset that burns processor time, a step that sleeps.

The result is a :class:`~loaderlab.model.pipeline.Timeline`, so that it can be drawn and counted as the model's is.
Everything here is at the top level of a module, which is why it works under every start method.
"""

from __future__ import annotations

import hashlib
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset, default_collate, get_worker_info

from loaderlab.measuring.iterating import iterating
from loaderlab.measuring.machine import usable_cores
from loaderlab.model.pipeline import MAIN, Delivery, Request, Setting, Span, Timeline, load_times

MIB = 1 << 20
_BLOCK = bytes(1 << 15)
# Where the clock of one thread's processor time is coarse (Windows: 16 ms), elapsed time has to do.
_FINE = time.get_clock_info("thread_time").resolution <= 1e-3
_spent = time.thread_time if _FINE else time.perf_counter

_started = 0.0  # in a worker: when it was ready for its first batch


def burn(milliseconds: float) -> None:
    """Spend processor time, and not merely elapsed time, as decoding does; the GIL is free meanwhile."""
    end = _spent() + milliseconds / 1000
    while _spent() < end:
        hashlib.sha256(_BLOCK).digest()


class Burner(Dataset[tuple[int, int, float, float, float, torch.Tensor]]):
    """Batch `i` costs the processor time that the model gives it, and carries as many bytes, and the stamps of its loading."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.loads = load_times(setting)
        self.sample = torch.zeros(int(setting.batch_mib * MIB), dtype=torch.uint8)

    def __len__(self) -> int:
        return len(self.loads)

    def __getitem__(self, index: int) -> tuple[int, int, float, float, float, torch.Tensor]:
        """Batch, worker (-1: main process), when the worker was ready, began and ended, in s, and the bytes."""
        begin, spent = time.perf_counter(), _spent()
        info = get_worker_info()
        worker = info.id if info else -1
        # In a worker into shared memory, as of any Dataset; part of its load time.
        joined = default_collate([self.sample])
        burn(self.setting.work(worker, self.loads[index]) - 1000 * (_spent() - spent))
        return index, worker, _started, begin, time.perf_counter(), joined


class _Stamped:
    """A sampler of 0 … n-1 that notes when the DataLoader takes each index to send it to a worker."""

    def __init__(self, n: int) -> None:
        self.n = n
        self.times: list[float] = []

    def __iter__(self) -> Iterator[int]:
        for index in range(self.n):
            self.times.append(time.perf_counter())
            yield index

    def __len__(self) -> int:
        return self.n


def _as_is(sample: Any) -> Any:
    return sample


def _begin_worker(cpus: set[int] | None, _worker: int) -> None:
    global _started
    if cpus:
        os.sched_setaffinity(0, cpus)
    _started = time.perf_counter()


@contextmanager
def _on_cores(count: int) -> Iterator[set[int] | None]:
    """Keep this thread, and the processes it starts, on `count` cores where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield None
        return
    before = os.sched_getaffinity(0)
    cpus = set(sorted(before)[:count])
    os.sched_setaffinity(0, cpus)
    try:
        yield cpus
    finally:
        os.sched_setaffinity(0, before)


def rehearse(setting: Setting) -> Timeline:
    """Run `setting` for real and return what happened.

    Uses this platform's start method and at most the cores that this process has; the timeline's setting says
    how many. `start_ms` and `costs` are then what they are here. Takes about as long as the model says.
    """
    setting = replace(setting, cores=min(setting.cores, max(1, int(usable_cores()))))
    run = _Run(setting)
    with warnings.catch_warnings(), _on_cores(setting.cores) as cpus:
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        workers = setting.num_workers
        loader: DataLoader[Any] = DataLoader(
            Burner(setting),
            batch_size=None,
            sampler=run.stamps,
            collate_fn=_as_is,
            num_workers=workers,
            worker_init_fn=partial(_begin_worker, cpus),
            prefetch_factor=setting.prefetch_factor if workers else None,
            persistent_workers=setting.persistent_workers and workers > 0,
            in_order=setting.in_order,
        )
        for epoch in range(setting.epochs):
            run.epoch(epoch, loader)
    return run.timeline()


class _Run:
    """The loop, and the stamps it collects."""

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.stamps = _Stamped(setting.batches)
        self.zero = time.perf_counter()
        self.spans: list[Span] = []
        self.requests: list[Request] = []
        self.deliveries: list[Delivery] = []
        self.epochs: list[tuple[float, float]] = []

    def ms(self, stamp: float) -> float:
        return 1000 * (stamp - self.zero)

    def now(self) -> float:
        return self.ms(time.perf_counter())

    def timeline(self) -> Timeline:
        return Timeline(
            self.setting, tuple(self.spans), tuple(self.requests), tuple(self.deliveries), tuple(self.epochs)
        )

    def epoch(self, epoch: int, loader: DataLoader[Any]) -> None:
        setting = self.setting
        worker_of: dict[int, int] = {}
        started_at: dict[int, float] = {}
        self.stamps.times.clear()
        began = self.now()
        keep = setting.persistent_workers and epoch < setting.epochs - 1
        with iterating(loader, keep) as batches:
            launched = asked = self.now()
            for batch, worker, started, load_begin, load_end, _bytes in batches:
                ready = self.now()
                time.sleep(setting.step_ms / 1000)
                done = self.now()
                worker_of[batch] = worker
                started_at[worker] = self.ms(started)
                self.deliveries.append(
                    Delivery(epoch, batch, worker if setting.num_workers else None, asked, ready, done)
                )
                row = worker if setting.num_workers else MAIN
                self.spans.append(Span(row, "load", self.ms(load_begin), self.ms(load_end), epoch, batch))
                asked = self.now()
            ended = self.now()
        self.epochs.append((began, ended))
        if not setting.num_workers:
            return
        if epoch == 0 or not setting.persistent_workers:
            self.spans.append(Span(MAIN, "launch", began, launched, epoch))
            self.spans += [Span(w, "start", began, ready, epoch) for w, ready in started_at.items()]
        if not setting.persistent_workers:
            self.spans.append(Span(MAIN, "stop", asked, ended, epoch))
        self.requests += [
            Request(self.ms(stamp), epoch, batch, worker_of[batch])
            for batch, stamp in enumerate(self.stamps.times)
        ]
