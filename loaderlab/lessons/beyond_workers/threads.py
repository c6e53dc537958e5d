"""The same work by threads of one interpreter, and by processes that have one each."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from torch.utils.data import DataLoader, Dataset

from loaderlab.measuring.iterating import keeping
from loaderlab.measuring.measure import compare

TOGETHER = 8  # samples that a worker sends at once


def python_only(jpeg: bytes) -> int:
    """Return a checksum, made byte by byte: work of the interpreter, which holds its lock meanwhile."""
    total = 0
    for byte in jpeg:
        total = (31 * total + byte) % 65_521
    return total


def one_lock() -> bool:
    """Return whether this interpreter has its lock: all but the free-threaded ones have it."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def by_threads(work: Callable[[Any], Any], items: Sequence[Any], count: int) -> float:
    """Return the items/s of ``count`` threads of this process."""
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, items[:count]))  # the threads have started
        began = time.perf_counter()
        done = len(list(pool.map(work, items)))
        return done / (time.perf_counter() - began)


class _Worked(Dataset[Any]):
    """Items that were worked on; of each comes one number, so that sending costs next to nothing."""

    def __init__(self, work: Callable[[Any], Any], items: Sequence[Any]) -> None:
        self.work, self.items = work, items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> int:
        self.work(self.items[index])
        return index


def by_workers(work: Callable[[Any], Any], items: Sequence[Any], count: int) -> float:
    """Return the items/s of ``count`` workers of a loader, which have started before the clock does."""
    loader = DataLoader(_Worked(work, items), TOGETHER, num_workers=count, persistent_workers=True)
    with keeping(loader):
        list(loader)
        began = time.perf_counter()
        done = sum(len(batch) for batch in loader)
        return done / (time.perf_counter() - began)


def rates(
    works: Mapping[str, Callable[[Any], Any]],
    items: Sequence[Any],
    counts: Sequence[int],
    repeats: int = 3,
) -> Iterator[dict[str, Any]]:
    """Yield rows of items/s of each kind of work, by so many threads and by so many workers, in turns."""
    ways = {"threads": by_threads, "workers": by_workers}
    timed = {
        (name, by, count): partial(way, work, items, count)
        for name, work in works.items()
        for by, way in ways.items()
        for count in counts
    }
    for (name, by, count), found in compare(timed, repeats=repeats).items():
        row = {"work": name, "by": by, "way": f"{name}_{by}", "count": count}
        yield from (row | {"items_per_s": rate} for rate in found)
