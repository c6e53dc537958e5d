"""The memory of a loader over an epoch: the main process, its workers, and their copies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

PAGE = 4096
HEADER = 49  # bytes that a string takes besides its characters, ASCII ones (since Python 3.12: 41)
MIB, GIB = 2**20, 2**30
MAIN, FORKED, SPAWNED = 250 * MIB, 10 * MIB, 150 * MIB  # what each process needs anyhow; torch is most of it


@dataclass(frozen=True)
class Load:
    """A Dataset of ``items`` samples of ``item_bytes`` each, and who reads it in which way.

    ``container``: "list", "ndarray", "tensor", "memmap" or "lazy memmap"; ``order``: "shuffled" or "in order";
    ``start_method``: "fork" or "spawn". ``ranks`` of this host share the epoch, each with the Dataset and ``workers``
    of its own.
    """

    items: int
    item_bytes: int
    container: str = "list"
    workers: int = 0
    order: str = "shuffled"
    start_method: str = "fork"
    batch_size: int = 64
    ranks: int = 1

    @property
    def object_bytes(self) -> int:
        """The bytes of one sample as an object of its own; memory is handed out in pieces of 16 bytes."""
        return -(-(self.item_bytes + HEADER) // 16) * 16

    @property
    def data(self) -> int:
        """Bytes of the container of one rank, with all that is in it."""
        if self.container == "list":
            return self.items * (self.object_bytes + 8)  # the list itself has a pointer for each
        return self.items * self.item_bytes

    @property
    def own(self) -> int:
        """The bytes that the processes need without any data."""
        return self.ranks * (MAIN + self.workers * (FORKED if self.start_method == "fork" else SPAWNED))

    def copies(self, done: float = 1.0) -> float:
        """Return the bytes that all workers together have copied when the share ``done`` of the epoch is over."""
        readers = self.ranks * self.workers
        if not readers:
            return 0.0
        if self.start_method == "spawn":
            return float(readers * self.data) if self.container in ("list", "ndarray", "memmap") else 0.0
        return readers * self._touched(done) if self.container == "list" else 0.0

    def _touched(self, done: float) -> float:
        """Return the bytes of the pages that one worker writes reference counts to."""
        share = done / (self.ranks * self.workers)
        on_a_page = PAGE / self.object_bytes
        if on_a_page <= 1:  # only the page with the count is copied, not the rest of a large object
            return self.items * share * PAGE
        pages = self.items * self.object_bytes
        if self.order == "shuffled":
            return pages * (1 - (1 - share) ** on_a_page)
        own = on_a_page / self.ranks  # ranks are dealt samples in turn, so each has its part of every page
        batches_on_a_page = min(own, 1 + (own - 1) / self.batch_size)
        return pages * done * min(1.0, batches_on_a_page / self.workers)

    def total(self, done: float = 1.0, ram: float = math.inf) -> float:
        """Return the bytes of the whole process tree; of a file that is mapped, the pages that have been read.

        Of these the system keeps as many as ``ram`` has room for.
        """
        if self.mapped:
            return self.own + min(self._mapped(done), max(0.0, ram - self.own))
        return self.own + self.ranks * self.data + self.copies(done)

    @property
    def mapped(self) -> bool:
        """True if the samples are read from a file that is mapped, and not from copies of it."""
        by_value = self.start_method == "spawn" and self.workers and self.container == "memmap"
        return self.container in ("memmap", "lazy memmap") and not by_value

    def _mapped(self, done: float) -> int:
        """Return the bytes of the pages of the file that have been read by anybody."""
        if self.order == "in order":
            return math.ceil(self.data * done)
        return math.ceil(self.data * (1 - (1 - done) ** max(1.0, PAGE / self.item_bytes)))


def workers_times(
    workers: Iterable[int], items: int = 100_000, item_bytes: int = 64
) -> Iterator[dict[str, object]]:
    """Yield the copies of the workers in an epoch, in times the data, for the settings that the lesson measures."""
    for number in workers:
        for container, order in (("list", "in order"), ("list", "shuffled"), ("ndarray", "shuffled")):
            load = Load(items, item_bytes, container, number, order=order, batch_size=1000)
            reading = f"{container.replace('nd', '')}_{order.replace(' ', '_')}"
            yield {"reading": reading, "num_workers": number, "workers_times": load.copies() / load.data}
