"""The plan of an epoch over shards: which worker of which rank reads which samples, and in which order they come.

It follows from the seed, the epoch and the setting alone, so every rank knows that of all ranks, and from the steps that were
made what is left of an epoch.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import torch

from .epochs import expect
from .ring import Batch
from .shards import Shards, library

Pieces = list[tuple[int, np.ndarray]]  # shards, and the numbers of the samples that are read of each


class Setting(NamedTuple):
    """The setting with which an epoch, or a part of it, is read: samples in a batch and in each worker's buffer, and the workers of each rank."""

    batch_size: int
    buffer: int
    workers: tuple[int, ...]


@dataclass(frozen=True)
class Plan:
    """An epoch, or, where ``left`` has the numbers of the samples that are still to come, the rest of one.

    In a whole epoch each rank, and each of its workers, has shards of its own. The rest of one may lie in few shards: it is
    cut into parts of one length, in the order of the shards, so a shard in which one ends is read by two.
    """

    shards: Shards
    seed: int
    epoch: int
    shuffle: bool
    uneven: str
    drop_last: bool
    left: np.ndarray | None = None

    def pieces(self, setting: Setting, rank: int) -> list[Pieces]:
        """Return the pieces of each worker of a rank."""
        count = setting.workers[rank]
        if self.left is None:
            mine = self.shards.dealt(self.seed, self.epoch, len(setting.workers), self.shuffle)[rank]
            return [[(k, self.shards.numbers(k)) for k in mine[w::count]] for w in range(count)]
        first, last = self._bounds(setting, rank)
        mine_left = self.left.take(np.arange(first, last), mode="wrap")
        return [self._by_shard(part) for part in np.array_split(mine_left, count)]

    def _bounds(self, setting: Setting, rank: int) -> tuple[int, int]:
        """Return where a rank's part of what is left begins and ends; those of the last ranks may go on with the beginning."""
        total, ranks = len(self.left if self.left is not None else ()), len(setting.workers)
        if self.uneven == "once":
            return rank * total // ranks, (rank + 1) * total // ranks
        each = total // ranks if self.uneven == "drop" else -(-total // ranks)
        return rank * each, (rank + 1) * each

    def _by_shard(self, numbers: np.ndarray) -> Pieces:
        """Return the samples with these numbers by their shards, neighbours of one shard together."""
        if not len(numbers):
            return []
        shard = numbers % len(self.shards.names)
        parts = np.split(numbers, np.flatnonzero(np.diff(shard)) + 1)
        return [(int(part[0] % len(self.shards.names)), part) for part in parts]

    def again(self, setting: Setting, rank: int) -> np.ndarray:
        """Return the numbers of samples of the rest of an epoch that this rank gives although another one does."""
        if self.left is None:
            return np.empty(0, np.int64)
        first, last = self._bounds(setting, rank)
        return self.left.take(np.arange(max(first, len(self.left)), last), mode="wrap")

    def sizes(self, setting: Setting, rank: int) -> list[int]:
        """Return how many samples each batch of a rank has: all ranks as many batches, but for an evaluation."""
        if self.left is None:
            plan = self.shards.dealt(self.seed, self.epoch, len(setting.workers), self.shuffle)
            due = self.shards.due(plan, rank, self.uneven)
        else:
            first, last = self._bounds(setting, rank)
            due = last - first
        whole, rest = divmod(due, setting.batch_size)
        return [setting.batch_size] * whole + [rest] * (rest > 0 and not self.drop_last)

    def mixed(self, samples: Iterable[Any], worker: int, buffer: int) -> Iterator[Any]:
        """Yield a worker's samples as its buffer gives them."""
        if not self.shuffle or buffer < 2:
            return iter(samples)
        seed = int(np.random.default_rng([self.seed, self.epoch, worker]).integers(2**31))
        mix = library().shuffle(buffer, initial=buffer, seed=seed)
        mixed: Iterator[Any] = mix(iter(samples))
        return mixed

    def given(self, setting: Setting, rank: int, steps: int) -> np.ndarray:
        """Return which samples the first so many batches of a rank have: 0 for the first one of the first worker, counted on
        through its stream, then through the other workers', and from there on where the shards begin again.
        """
        lengths = [sum(len(numbers) for _k, numbers in pieces) for pieces in self.pieces(setting, rank)]
        messages = _messages(lengths, setting.batch_size, again=self.uneven != "once")
        batches = itertools.islice(evened(messages, self.sizes(setting, rank)), steps)
        return np.concatenate([np.empty(0, np.int64), *(batch.numbers for batch in batches)])

    def ahead(self, setting: Setting, rank: int, steps: int) -> list[list[int]]:
        """Return how many samples at the beginning of each worker's stream these batches have, for each time through the shards.

        Of a worker's last batch, which is divided among others, all are decoded again.
        """
        if not steps:
            return []
        lengths = [sum(len(numbers) for _k, numbers in pieces) for pieces in self.pieces(setting, rank)]
        given, found = self.given(setting, rank, steps), []
        for first in range(0, int(given.max()) + 1, sum(lengths)):
            ends = first + np.cumsum([0, *lengths])
            had = np.diff(np.searchsorted(np.sort(given), ends)).tolist()
            found.append(
                [
                    n if n == length else n - n % setting.batch_size
                    for n, length in zip(had, lengths, strict=True)
                ]
            )
        return found

    def rest(self, setting: Setting, steps: int) -> Plan:
        """Return what is left after so many steps of all ranks. Raises ValueError where there are not so many."""
        seen = np.zeros(sum(self.shards.samples), dtype=bool)
        for rank in range(len(setting.workers)):
            self.check(setting, steps, rank)
            order = [
                number
                for worker, pieces in enumerate(self.pieces(setting, rank))
                for number in self.mixed(_numbers(pieces), worker, setting.buffer)
            ]
            if order:
                seen[np.array(order)[self.given(setting, rank, steps) % len(order)]] = True
        left = self.left
        if left is None:
            (order_of_shards,) = self.shards.dealt(self.seed, self.epoch, 1, self.shuffle)
            left = np.concatenate([self.shards.numbers(k) for k in order_of_shards])
        return replace(self, left=left[~seen[left]])

    def check(self, setting: Setting, steps: int, rank: int) -> None:
        """Raise ValueError where an epoch, or its rest, has fewer steps; an evaluation's ranks may differ by some."""
        if self.uneven != "once":
            expect(steps, len(self.sizes(setting, rank)), len(setting.workers), setting.batch_size)


def _numbers(pieces: Pieces) -> Iterator[int]:
    return itertools.chain.from_iterable(numbers.tolist() for _k, numbers in pieces)


def _messages(lengths: list[int], batch_size: int, again: bool) -> Iterator[Numbered]:
    """Yield the batches of workers with so many samples each, as a DataLoader does, one of each in turn; the numbers are places."""
    offsets = np.cumsum([0, *lengths]).tolist()
    for base in itertools.count(0, offsets[-1]):
        for first in range(0, max(lengths), batch_size):
            for offset, length in zip(offsets, lengths, strict=False):
                if first < length:
                    places = np.arange(first, min(first + batch_size, length)) + base + offset
                    nothing = torch.empty(len(places), 0)
                    yield Numbered(nothing, nothing, [], places)
        if not again or not offsets[-1]:
            return


@dataclass
class Numbered(Batch):
    """A batch that says which samples it has."""

    numbers: np.ndarray


def evened(messages: Iterator[Numbered], sizes: Sequence[int]) -> Iterator[Numbered]:
    """Yield batches of these sizes, one after another; where there are no more messages, a shorter one, and then the end.

    What is shorter waits for others like it. One that has its size overtakes these and goes straight on, and nothing of it is
    copied, as long as all that waits still comes: where the shards have begun again, its samples have come already.
    """
    rest: list[Numbered] = []
    due = sum(sizes)
    for size in sizes:
        due -= size
        while (waiting := sum(len(batch.numbers) for batch in rest)) < size and (
            batch := next(messages, None)
        ):
            if len(batch.numbers) == size and waiting <= due:
                break
            rest.append(batch)
        else:
            if not waiting:
                return
            batch, rest = _cut(rest, size)
        yield batch


def _cut(rest: list[Numbered], size: int) -> tuple[Numbered, list[Numbered]]:
    images, labels = torch.cat([batch.images for batch in rest]), torch.cat([batch.labels for batch in rest])
    numbers = np.concatenate([batch.numbers for batch in rest])
    head = Numbered(images[:size], labels[:size], [], numbers[:size])
    tail = Numbered(images[size:], labels[size:], [], numbers[size:])
    return head.pin_memory() if rest[0].images.is_pinned() else head, [tail] if len(tail.numbers) else []
