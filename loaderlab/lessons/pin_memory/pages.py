"""Pages, seen from Python: faults of this process, and what a core, or the pin thread, reaches with memory from a worker."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from unittest.mock import patch

import psutil
import torch
from torch.utils.data import DataLoader

from loaderlab.data import ZerosDataset
from loaderlab.measuring.iterating import iterating
from loaderlab.measuring.pinning import pin_thread

BATCH = 8 * 2**20  # bytes of a batch from a worker: two of them fit into a container's usual /dev/shm


def page_faults() -> int:
    """Page faults of this process so far that needed no disk (on Windows: all page faults)."""
    try:
        import resource
    except ImportError:  # Windows has no such module
        return psutil.Process().memory_info().num_page_faults
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def from_a_worker(nbytes: int, pin_memory: bool = False) -> Iterator[torch.Tensor]:
    """Yield batches of ``BATCH`` bytes, ``nbytes`` in all, that one worker has made; only a pin thread has read them here."""
    loader = DataLoader(
        ZerosDataset(nbytes // 2**20, 2**20),
        BATCH // 2**20,
        num_workers=1,
        prefetch_factor=1,
        timeout=60,
        pin_memory=pin_memory,
    )
    with iterating(loader) as batches:
        yield from (batch.view(-1) for batch in batches)


def faults_and_rate(copy: Callable[[], object], nbytes: int) -> tuple[int, float]:
    """Return page faults, and GB/s, of one copy of so many bytes."""
    before, started = page_faults(), time.perf_counter()
    copy()
    seconds = time.perf_counter() - started
    return page_faults() - before, nbytes / seconds / 1e9


def second_copy(source: torch.Tensor, into: torch.Tensor) -> tuple[int, float]:
    """Return page faults, and GB/s, of copying ``source`` into memory that has just been touched.

    Once a worker was forked, the next write to each page faults again: the two processes shared it.
    """
    into.copy_(source)
    return faults_and_rate(partial(into.copy_, source), into.numel())


def first_reads(into: torch.Tensor) -> tuple[int, float]:
    """Return page faults, and GB/s, of copying batches from a worker until ``into`` is full."""
    batches = from_a_worker(into.numel() + BATCH)
    next(batches)
    into.fill_(0)  # the worker is forked: what is written to now has its pages
    parts = zip(into.split(BATCH), batches, strict=True)
    faults, rates = zip(
        *(faults_and_rate(partial(part.copy_, batch), BATCH) for part, batch in parts), strict=True
    )
    return sum(faults), statistics.harmonic_mean(rates)


def pin_thread_turns(into: torch.Tensor) -> tuple[int, float]:
    """Return page faults, and GB/s of its own time on a core, of PyTorch's pin thread, for as many batches as fill ``into``.

    All that it does for a batch counts: fetching, mapping, copying, unmapping, freeing. It copies into ``into``, as it does into
    pinned blocks that are used again.
    """
    begun: list[
        tuple[int, float]
    ] = []  # one for each batch; the first, with the thread's start, does not count

    def pin(batch: torch.Tensor, device: object = None) -> torch.Tensor:
        begun.append((page_faults(), time.thread_time()))
        return into[:BATCH].copy_(batch.view(-1))

    turns = into.numel() // BATCH
    with pin_thread(), patch.object(torch.Tensor, "pin_memory", pin):
        for _batch in from_a_worker((turns + 2) * BATCH, pin_memory=True):
            pass
    (faults, seconds), (last_faults, last_seconds) = begun[1], begun[-1]
    return last_faults - faults, turns * BATCH / (last_seconds - seconds) / 1e9
