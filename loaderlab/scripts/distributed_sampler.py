"""Which rank sees which sample."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.utils.data import Sampler


class EvenSampler(Sampler[int]):
    """The indices of one rank: the same number on every rank, and all samples among them, in a new order each epoch.

    ``uneven`` says what is done with the remainder: "pad" repeats a few samples (``padding`` says how many), "drop"
    leaves a few out, others in each epoch. Each epoch is the next one, unless ``set_epoch`` says which.
    """

    def __init__(
        self, length: int, ranks: int = 1, rank: int = 0, *, shuffle: bool = True, uneven: str = "pad", seed: int = 0
    ) -> None:
        if not 0 <= rank < ranks:
            raise ValueError(f"rank {rank} of {ranks}")
        if uneven not in ("pad", "drop"):
            raise ValueError(f"uneven={uneven!r}")
        self.length, self.ranks, self.rank = length, ranks, rank
        self.shuffle, self.uneven, self.seed, self.epoch = shuffle, uneven, seed, 0

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch

    def __len__(self) -> int:
        """Samples of each rank."""
        return self.length // self.ranks if self.uneven == "drop" else -(-self.length // self.ranks)

    @property
    def padding(self) -> int:
        """How many samples are seen twice in an epoch, on all ranks together (negative: left out)."""
        return len(self) * self.ranks - self.length

    def __iter__(self) -> Iterator[int]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        generator = torch.Generator().manual_seed((self.seed << 32) + epoch)
        order = torch.randperm(self.length, generator=generator) if self.shuffle else torch.arange(self.length)
        total = len(self) * self.ranks
        if total > self.length:
            order = order.repeat(-(-total // max(1, self.length)))
        yield from order[self.rank : total : self.ranks].tolist()
