"""Batches in shared memory that is used again and again.

Fresh shared memory has to be made, cleared and mapped by the system, page by page, in the worker and in the main process:
for images that are quick to decode that is a tenth of all time. Here each slot belongs to a worker, which uses it
again only when nothing in the main process refers to its last batch any more. A caller who keeps batches keeps their
slots; when none is free, the batch goes into fresh memory as always.

Workers take turns, and so does what they need: as many slots as batches are asked of them, and one more for the worker
whose batch the caller has. So a slot that is free again goes on to the next worker.

No lock is needed: only its worker marks a slot as taken, and only the main process gives it to another and, after that,
marks it as free.
"""

from __future__ import annotations

import copy
import itertools
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import torch
from torch.utils.data import DataLoader, Sampler

from .distributed_sampler import EvenSampler
from .images import left_out
from .machine import deaf, frozen
from .words import translate as _

_RINGS: weakref.WeakValueDictionary[int, Ring] = weakref.WeakValueDictionary()
_numbers = itertools.count()

LOOKS, PAUSE = 5, 0.0002  # s: how often a worker looks for a free slot, and how long it waits in between


@dataclass
class Request:
    """A request of the main process to a worker: which samples of which epoch."""

    epoch: int
    indices: list[int]

    def __len__(self) -> int:
        return len(self.indices)


@dataclass
class Batch:
    """A batch that a worker sends back in memory that is not used again; ``problems`` says what was left out, and why."""

    images: torch.Tensor
    labels: torch.Tensor
    problems: list[str]

    @property
    def hollow(self) -> bool:
        """True for a batch that stands for one that the training has had: all its images are the same byte."""
        return 0 in self.images.stride()

    def opened(self) -> tuple[torch.Tensor, torch.Tensor]:
        return self.images, self.labels

    def pin_memory(self, device: Any = None) -> Self:
        """Return a pinned copy, for the loader's pinning thread; of a batch that is dropped anyway, itself."""
        if self.hollow:
            return self
        return replace(self, images=self.images.pin_memory(), labels=self.labels.pin_memory())


@dataclass
class Parcel:
    """The parcel that a worker sends back when the images are in a slot: the slot, the labels, and what was left out."""

    ring: int
    slot: int
    labels: np.ndarray
    problems: list[str]

    def opened(self) -> tuple[torch.Tensor, torch.Tensor]:
        return _RINGS[self.ring].opened(self.slot, len(self.labels)), torch.from_numpy(self.labels)

    def pin_memory(self, device: Any = None) -> Batch:
        """Return a pinned copy, for the loader's pinning thread. The slot is free again at once."""
        return Batch(*self.opened(), self.problems).pin_memory()


def shared(*shape: int) -> torch.Tensor:
    """Return a uint8 tensor in shared memory, whose room newer versions of torch take at once, and older ones as it is written."""
    # As torch's own default_collate does it, and the only way to get shared memory that nothing is copied into.
    storage = torch.UntypedStorage._new_shared(int(np.prod(shape)), device="cpu")
    return torch.empty(0, dtype=torch.uint8).set_(storage).view(shape)


class Ring:
    """A ring of so many slots in shared memory: whose each of them is, and which are taken."""

    def __init__(self, workers: int, slots: int, batch: Sequence[int]) -> None:
        self.number, self.workers = next(_numbers), workers
        self.memory = shared(slots, *batch)
        self.owners = self._dealt().share_memory_()
        self.taken = torch.zeros(slots, dtype=torch.uint8).share_memory_()
        self.held: set[int] = set()  # in the main process: what the caller has
        _RINGS[self.number] = self

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"held": set()}

    def _dealt(self) -> torch.Tensor:
        """Return the worker of each slot at the beginning."""
        return torch.arange(len(self.memory)) % self.workers

    def take(self, worker: int) -> int:
        """Take, in a worker, a slot of its own that is free, or return -1. The first ones first, so that few are ever touched."""
        for _look in range(LOOKS):
            for slot, (owner, taken) in enumerate(
                zip(self.owners.tolist(), self.taken.tolist(), strict=True)
            ):
                if owner == worker and not taken:
                    self.taken[slot] = 1
                    return slot
            # The main process asks for a batch a moment before its caller lets the last one go.
            time.sleep(PAUSE)
        return -1

    def opened(self, slot: int, count: int) -> torch.Tensor:
        """Return, in the main process, the batch in a slot, which is free again when the last view of this tensor has gone."""
        self.held.add(slot)
        array = self.memory[slot, :count].numpy()[:]
        # A tensor from numpy holds this very array until its storage goes, whatever views there are of it.
        weakref.finalize(array, self._release, slot).atexit = False
        return torch.from_numpy(array).permute(0, 3, 1, 2)

    def _release(self, slot: int) -> None:
        self.held.discard(slot)
        self.owners[slot] = (self.owners[slot] + 1) % self.workers
        self.taken[slot] = 0

    def begin_anew(self) -> None:
        """Forget batches that never came (they are not wanted any more), and deal anew; the workers have stopped by now."""
        for slot, owner in enumerate(self._dealt().tolist()):
            if slot not in self.held:
                self.owners[slot], self.taken[slot] = owner, 0


class Requests(Sampler[Request]):
    """Batches of a sampler as requests. The epoch travels with each, so persistent workers always know it.

    To go through them moves nothing: the loader says when the last batch of an epoch has come. For its workers
    (`without_end`), the epochs follow one another, so that the first batches of the next one are made while the last of this
    one are used. An evaluation, which shows each sample once, ends with its epoch.
    """

    def __init__(self, sampler: EvenSampler, batch_size: int, drop_last: bool = False) -> None:
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last
        self.ring: Ring | None = None
        self.follow = sampler.uneven != "once"
        self._without_end = False

    def set_epoch(self, epoch: int) -> None:
        """Make this the next epoch; without a call, each is the one after the last that was seen to its end."""
        self.sampler.set_epoch(epoch)

    def resume_at(self, steps: int, ranks: int | None = None) -> None:
        """Continue where training stands after so many steps in all; ``ranks``: how many there were until now."""
        self.sampler.resume_at(steps, self.batch_size, self.drop_last, ranks)

    def _count(self, samples: int) -> int:
        return samples // self.batch_size if self.drop_last else -(-samples // self.batch_size)

    def __len__(self) -> int:
        """Return batches of this rank in the next epoch: after `resume_at` what is `left`, else those of the whole."""
        return self._count(len(self.sampler))

    @property
    def left(self) -> int:
        """Batches of this rank that the next loop gives."""
        return self._count(self.sampler.left)

    @property
    def place(self) -> tuple[int, int]:
        """The place where the next epoch begins: its number, and how many of its samples were seen already."""
        return self.sampler.epoch, self.sampler.done

    @contextmanager
    def without_end(self) -> Iterator[None]:
        """Let loops over the requests that begin in the block go on with the next epoch after each."""
        self._without_end = True
        try:
            yield
        finally:
            self._without_end = False

    def __iter__(self) -> Iterator[Request]:
        return self._for_workers(copy.copy(self.sampler)) if self._without_end else self._epoch(self.sampler)

    def _epoch(self, sampler: EvenSampler) -> Iterator[Request]:
        epoch, indices = sampler.epoch, sampler.indices()
        for first in range(0, self._count(len(indices)) * self.batch_size, self.batch_size):
            yield Request(epoch, indices[first : first + self.batch_size])

    def _for_workers(self, sampler: EvenSampler) -> Iterator[Request]:
        if self.ring:
            self.ring.begin_anew()
        yield from self._epoch(sampler)
        sampler.set_epoch(sampler.epoch + 1)
        while self.follow and self._count(len(sampler)):
            yield from self._epoch(sampler)
            sampler.set_epoch(sampler.epoch + 1)


def superseded() -> RuntimeError:
    """Return the error for a loop whose workers another loop over the same loader has taken over."""
    return RuntimeError(_("Another loop over this loader has begun, and its workers work for that one."))


class RingLoader(DataLoader):
    """A DataLoader whose workers fill the slots of a ring: so many in all, of this shape.

    ``on_batch`` may make something else of images and labels. ``left_out`` counts the images so far that could not be decoded; each is named on standard error.

    What the workers made ahead over the end of an epoch comes at once when the next one begins where they went on, and is dropped
    where another one is set (`Requests.set_epoch`, `Requests.resume_at`, `load_state_dict`).
    """

    def __init__(
        self,
        dataset: Any,
        requests: Requests,
        slots: int,
        shape: Sequence[int],
        on_batch: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(dataset, batch_sampler=requests, **options)
        self.left_out, self.on_batch = 0, on_batch
        self._ring = (self.num_workers, slots, shape) if self.num_workers else None
        self._loops = 0  # that have begun
        # Messages that go on with the next epoch, by the place at which they do; one at most.
        self._ahead: dict[tuple[int, int], Iterator[Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_ahead": {}}  # a copy begins by itself

    def __iter__(self) -> Iterator[Any]:
        requests = self.batch_sampler
        if self._ring:  # made now, so that a loader that is not used yet takes no room
            with suppress(RuntimeError):  # little shared memory: do without
                requests.ring = self.dataset.ring = Ring(*self._ring)
            self._ring = None
        turn, place, last = requests.sampler.begin(), requests.place, requests.left
        messages = self._ahead.pop(place, None)
        self._ahead.clear()
        if messages is None:
            with deaf(), frozen(), requests.without_end():
                messages = super().__iter__()
        self._loops += 1
        return self._opened(messages, self._loops, turn, place[0], last)

    def _opened(
        self, messages: Iterator[Any], loop: int, turn: object, epoch: int, last: int
    ) -> Iterator[Any]:
        requests = self.batch_sampler
        if not last:
            self._finish(messages, turn, epoch)
        for number in range(1, last + 1):
            if self.num_workers and self._loops != loop:
                raise superseded()
            message = next(messages)
            for problem in message.problems:
                left_out(problem)
            self.left_out += len(message.problems)
            made = []
            if len(message.labels):
                made = [self.on_batch(*message.opened()) if self.on_batch else message.opened()]
            del message
            # What raises in `on_batch` has not come. And before it is handed out: not everyone asks for one more.
            if number == last:
                self._finish(messages, turn, epoch)
            else:
                requests.sampler.advance(turn, number * requests.batch_size)
            if made:
                yield made.pop()  # so that its memory is free as soon as the caller lets it go

    def state_dict(self) -> dict[str, Any]:
        """Return where the latest loop over this loader stands, by the batches that it gave, and not by those made ahead."""
        return self.batch_sampler.sampler.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue there, with the ranks and the batch size of today. Raises ValueError for a state of other samples."""
        self.batch_sampler.sampler.load_state_dict(state)

    def _finish(self, messages: Iterator[Any], turn: object, epoch: int) -> None:
        self.batch_sampler.sampler.finish(turn)
        if self.batch_sampler.follow:
            self._ahead[epoch + 1, 0] = messages
