"""Batches in shared memory that is used again and again.

Fresh shared memory has to be made, cleared and mapped by the system, page by page, in the worker and in the main process:
for images that are quick to decode that is a tenth of all time. Here each worker has a few slots of its own, and uses one
again only when nothing in the main process refers to its last batch any more. A caller who keeps batches keeps their
slots; when none is free, the batch goes into fresh memory as always.

No lock is needed: only the worker marks a slot as taken, and only the main process marks it as free.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Sampler

_RINGS: weakref.WeakValueDictionary[int, Ring] = weakref.WeakValueDictionary()
_numbers = itertools.count()


@dataclass
class Request:
    """What the main process asks a worker for: which samples of which epoch."""

    epoch: int
    indices: list[int]

    def __len__(self) -> int:
        return len(self.indices)


@dataclass
class Parcel:
    """What a worker sends back when the images are in a slot: the slot, and the labels."""

    ring: int
    slot: int
    labels: np.ndarray

    def opened(self) -> tuple[torch.Tensor, torch.Tensor]:
        return _RINGS[self.ring].opened(self.slot, len(self.labels)), torch.from_numpy(self.labels)

    def pin_memory(self, device: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Called by the loader's pinning thread: a pinned copy. The slot is free again at once."""
        images, labels = self.opened()
        return images.pin_memory(), labels.pin_memory()


def shared(*shape: int) -> torch.Tensor:
    """A uint8 tensor in shared memory, which takes no room before it is written to."""
    # As torch's own default_collate does it, and the only way to get shared memory that nothing is copied into.
    storage = torch.UntypedStorage._new_shared(int(np.prod(shape)), device="cpu")
    return torch.empty(0, dtype=torch.uint8).set_(storage).view(shape)


class Ring:
    """So many slots for each worker, in shared memory, and which of them are taken."""

    def __init__(self, workers: int, each: int, batch: tuple[int, int, int, int]) -> None:
        self.number, self.each = next(_numbers), each
        self.memory = shared(workers * each, *batch)
        self.taken = torch.zeros(workers * each, dtype=torch.uint8).share_memory_()
        self.held: set[int] = set()  # in the main process: what the caller has
        _RINGS[self.number] = self

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"held": set()}

    def take(self, worker: int) -> int:
        """In a worker: a slot of its own that is free, or -1. The first ones first, so that few are ever touched."""
        mine = slice(worker * self.each, (worker + 1) * self.each)
        for slot, taken in enumerate(self.taken[mine].tolist(), mine.start):
            if not taken:
                self.taken[slot] = 1
                return slot
        return -1

    def opened(self, slot: int, count: int) -> torch.Tensor:
        """In the main process: the batch in a slot, which is free again when the last view of this tensor has gone."""
        self.held.add(slot)
        array = self.memory[slot, :count].numpy()[:]
        # A tensor from numpy holds this very array until its storage goes, whatever views there are of it.
        weakref.finalize(array, self._release, slot).atexit = False
        return torch.from_numpy(array).permute(0, 3, 1, 2)

    def _release(self, slot: int) -> None:
        self.held.discard(slot)
        self.taken[slot] = 0

    def new_epoch(self) -> None:
        """Batches that never came (the last epoch was broken off) are forgotten; the workers have stopped by now."""
        for slot in set(range(len(self.taken))) - self.held:
            self.taken[slot] = 0


class Requests(Sampler[Request]):
    """Batches of a sampler as requests. The epoch travels with each, so persistent workers always know it."""

    def __init__(self, sampler: Any, batch_size: int, drop_last: bool = False) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last
        self.ring: Ring | None = None

    def set_epoch(self, epoch: int) -> None:
        """The next epoch is this one; without it, each is the one after the last."""
        self.sampler.set_epoch(epoch)

    def __len__(self) -> int:
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def __iter__(self) -> Iterator[Request]:
        if self.ring:
            self.ring.new_epoch()
        epoch, indices = self.sampler.epoch, iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield Request(epoch, batch)


class RingLoader(DataLoader):
    """A DataLoader whose workers fill the slots of a ring."""

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        return _opened(super().__iter__())


def _opened(messages: Iterable[Any]) -> Iterator[Any]:
    for message in messages:
        yield message.opened() if isinstance(message, Parcel) else message
        del message
