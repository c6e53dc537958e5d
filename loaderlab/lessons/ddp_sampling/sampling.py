"""The samples of each rank: those that its `DistributedSampler` gives, and those that its loader makes batches of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from loaderlab.lessons.ddp_sampling.permutation import randperm


def orders(
    length: int, ranks: int, *, shuffle: bool = True, drop_last: bool = False, epoch: int = 0, seed: int = 0
) -> list[list[int]]:
    """Return the indices that each rank's sampler gives in an epoch, computed as torch does, of which nothing is needed here."""
    order = randperm(length, seed + epoch) if shuffle else list(range(length))
    each = length // ranks if drop_last else -(-length // ranks)
    again = -(-each * ranks // length)  # times that the order is gone through until all ranks have as many
    padded = (order * again)[: each * ranks]
    return [padded[rank::ranks] for rank in range(ranks)]


@dataclass(frozen=True)
class Epoch:
    """One epoch of all ranks: what the samplers give, and what the loaders make of it."""

    orders: Sequence[Sequence[int]]
    length: int
    batch_size: int = 1
    loader_drops: bool = False

    @property
    def kept(self) -> list[list[int]]:
        """The samples that reach each rank's loop: without the last batch, where it is incomplete and the loader drops it."""
        whole = self.batch_size if self.loader_drops else 1
        return [list(order[: len(order) // whole * whole]) for order in self.orders]

    @property
    def repeated(self) -> set[tuple[int, int]]:
        """(rank, position) of each sample that some rank has seen before in this epoch."""
        seen: set[int] = set()
        found = set()
        for position, step in enumerate(zip_longest(*self.kept)):
            for rank, index in enumerate(step):
                if index in seen:
                    found.add((rank, position))
                elif index is not None:
                    seen.add(index)
        return found

    @property
    def duplicates(self) -> int:
        return len(self.repeated)

    @property
    def lost(self) -> list[int]:
        """The samples that no rank sees."""
        return sorted(set(range(self.length)) - {index for order in self.kept for index in order})

    @property
    def steps(self) -> int:
        """Batches of the rank that has most."""
        return max((-(-len(order) // self.batch_size) for order in self.kept), default=0)

    @property
    def last(self) -> int:
        """Samples in the last batch of rank 0."""
        kept = len(self.kept[0])
        return kept - (self.steps - 1) * self.batch_size if kept else 0


def visits(epochs: Sequence[Sequence[Sequence[int]]], length: int) -> list[list[int]]:
    """Return for each rank and each sample in how many of these epochs the rank has seen it."""
    table = []
    for rank in range(len(epochs[0])):
        counts = Counter(index for epoch in epochs for index in set(epoch[rank]))
        table.append([counts[index] for index in range(length)])
    return table
