"""Batches in shared memory that is used again and again.

Fresh shared memory has to be made, cleared and mapped by the system, page by page, in the worker and in the main process:
for images that are quick to decode that is a tenth of all time. Here the main process says with each request into which
slot the batch goes, and gives a slot out again only when nothing refers to its last batch any more. A caller who keeps
batches keeps their slots; when none is free, the batch goes into fresh memory as always.
"""

from __future__ import annotations

import itertools
import weakref
from collections import deque
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
    """What the main process asks a worker for: which samples of which epoch, and where to put them (-1: anywhere)."""

    epoch: int
    indices: list[int]
    slot: int = -1

    def __len__(self) -> int:
        return len(self.indices)


@dataclass
class Parcel:
    """What a worker sends back when the images are in a slot: the slot, and the labels."""

    ring: int
    slot: int
    labels: np.ndarray

    def opened(self) -> tuple[torch.Tensor, torch.Tensor]:
        return _RINGS[self.ring].taken(self.slot, len(self.labels)), torch.from_numpy(self.labels)

    def pin_memory(self, device: Any = None) -> tuple[torch.Tensor, torch.Tensor]:
        """Called by the loader's pinning thread: a pinned copy. The slot is free again at once."""
        images, labels = self.opened()
        return images.pin_memory(), labels.pin_memory()


class Ring:
    """So many slots in shared memory, and which of them are free; the main process keeps account."""

    def __init__(self, slots: int, batch: tuple[int, int, int, int]) -> None:
        self.number = next(_numbers)
        self.memory = torch.empty((slots, *batch), dtype=torch.uint8).share_memory_()
        self.free: deque[int] = deque(range(slots))
        self.asked: set[int] = set()
        _RINGS[self.number] = self

    def __getstate__(self) -> dict[str, Any]:
        return {"number": self.number, "memory": self.memory}  # a worker needs no more

    def new_epoch(self) -> None:
        """What was asked for and never came (the last epoch was broken off) is free; the workers have stopped by now."""
        self.free.extend(self.asked)
        self.asked.clear()

    def give(self) -> int:
        """A free slot, or -1."""
        try:
            slot = self.free.pop()  # the one used last: its memory may still be in the cache
        except IndexError:
            return -1
        self.asked.add(slot)
        return slot

    def taken(self, slot: int, count: int) -> torch.Tensor:
        """The batch in a slot, as a tensor [count, 3, size, size]. The slot is free when the last view of it has gone."""
        self.asked.discard(slot)
        array = self.memory[slot, :count].numpy()[:]
        # A tensor from numpy holds this very array until its storage goes, whatever views there are of it.
        weakref.finalize(array, self.free.append, slot).atexit = False
        return torch.from_numpy(array).permute(0, 3, 1, 2)


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
                yield Request(epoch, batch, self.ring.give() if self.ring else -1)


class RingLoader(DataLoader):
    """A DataLoader whose workers fill the slots of a ring."""

    def __iter__(self) -> Iterator[Any]:  # type: ignore[override]
        return _opened(super().__iter__())


def _opened(messages: Iterable[Any]) -> Iterator[Any]:
    for message in messages:
        yield message.opened() if isinstance(message, Parcel) else message
        del message
