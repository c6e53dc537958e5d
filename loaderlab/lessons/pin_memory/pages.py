"""Pages, seen from Python: faults of this process, and memory that nobody has touched."""

from __future__ import annotations

import mmap
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

import psutil
import torch
from torch.utils.data import DataLoader

from loaderlab.data import ZerosDataset
from loaderlab.measuring.iterating import iterating

BATCH = 8 * 2**20  # bytes of a batch from a worker: two of them fit into a container's usual /dev/shm


def page_faults() -> int:
    """Page faults of this process so far that needed no disk (on Windows: all page faults)."""
    try:
        import resource
    except ImportError:  # Windows has no such module
        return psutil.Process().memory_info().num_page_faults
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


def fresh(nbytes: int) -> torch.Tensor:
    """Memory straight from the operating system, none of which has been touched; no allocator in between."""
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    return torch.frombuffer(mmap.mmap(-1, nbytes, **private), dtype=torch.uint8)


def from_a_worker(nbytes: int) -> Iterator[torch.Tensor]:
    """Yield batches of ``BATCH`` bytes, ``nbytes`` in all, that one worker has made; nobody here has read them yet."""
    loader = DataLoader(
        ZerosDataset(nbytes // 2**20, 2**20), BATCH // 2**20, num_workers=1, prefetch_factor=1, timeout=60
    )
    with iterating(loader) as batches:
        yield from (batch.view(-1) for batch in batches)


def faults_and_rate(copy: Callable[[], object], nbytes: int) -> tuple[int, float]:
    """Return page faults, and GB/s, of one copy of so many bytes."""
    before, started = page_faults(), time.perf_counter()
    copy()
    seconds = time.perf_counter() - started
    return page_faults() - before, nbytes / seconds / 1e9


def first_reads(batches: Iterator[torch.Tensor], into: torch.Tensor) -> tuple[int, float]:
    """Return page faults, and GB/s, of copying the next ``batches`` from a worker until ``into`` is full."""
    parts = zip(into.split(BATCH), batches, strict=False)
    faults, rates = zip(
        *(faults_and_rate(partial(part.copy_, batch), BATCH) for part, batch in parts), strict=True
    )
    return sum(faults), statistics.harmonic_mean(rates)


def page_size() -> int:
    """Return the bytes of an ordinary page."""
    return mmap.PAGESIZE
