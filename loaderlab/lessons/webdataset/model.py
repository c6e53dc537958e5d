"""A small model of an epoch from shards: who reads which shard, how a batch is mixed, and how long it takes.

What it assumes is said where the lesson shows it: shards are dealt out as webdataset deals them, first to the
ranks, then to the workers; the samples are sorted by class and the shards come in order; each worker has a connection
of its own, on which a request costs the latency, and the bytes their part of its bandwidth; workers do not get in each
other's way, so the sum of all connections is not the limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from loaderlab.lessons.webdataset.shuffle_buffer import shuffled

CLASSES = 8
BATCH = 32
FILE_MS = 0.025  # open, read and close a small file that is in the page cache
TAR_MS = 0.08  # parse a sample of two members out of a tar with webdataset


@dataclass(frozen=True)
class Epoch:
    """One epoch of ``samples`` in ``shards`` shards of equal size (plus or minus one sample).

    ``kilobytes``: of a sample; ``mb_per_s``: what one connection brings (MB/s).
    """

    samples: int
    shards: int
    ranks: int
    workers: int
    buffer: int
    latency_ms: float
    kilobytes: float = 8.0
    mb_per_s: float = 1000.0

    @cached_property
    def sizes(self) -> list[int]:
        """Samples in each shard."""
        return [
            self.samples * (i + 1) // self.shards - self.samples * i // self.shards
            for i in range(self.shards)
        ]

    def shards_of(self, rank: int, worker: int) -> list[int]:
        """Return the shards that `split_by_node` and then `split_by_worker` leave to one worker."""
        return list(range(self.shards))[rank :: self.ranks][worker :: self.workers]

    def samples_of(self, rank: int) -> int:
        return sum(self.sizes[rank :: self.ranks])

    @cached_property
    def idle(self) -> int:
        """Workers that get no shard."""
        return sum(
            not self.shards_of(rank, worker) for rank in range(self.ranks) for worker in range(self.workers)
        )

    @cached_property
    def steps(self) -> list[int]:
        """Batches of each rank; each worker makes its own, and its last one may be small."""
        return [
            sum(
                -(-sum(self.sizes[s] for s in self.shards_of(rank, worker)) // BATCH)
                for worker in range(self.workers)
            )
            for rank in range(self.ranks)
        ]

    @cached_property
    def batches(self) -> list[list[int]]:
        """The classes in the full batches of the first worker of rank 0."""
        stream = [
            index * CLASSES // self.samples
            for shard in self.shards_of(0, 0)
            for index in range(self.samples * shard // self.shards, self.samples * (shard + 1) // self.shards)
        ]
        mixed = list(shuffled(stream, self.buffer))
        return [mixed[i : i + BATCH] for i in range(0, max(len(mixed) - BATCH + 1, 1), BATCH)]

    @property
    def classes(self) -> float:
        """The number of classes that a batch has, on average."""
        return sum(len(set(batch)) for batch in self.batches) / len(self.batches)

    @property
    def transfer_ms(self) -> float:
        """Milliseconds for the bytes of a sample on one connection: from files and shards alike."""
        return self.kilobytes / self.mb_per_s

    @property
    def files_ms(self) -> float:
        """An epoch from files: a request for each sample, the samples dealt out evenly."""
        each = FILE_MS + self.latency_ms + self.transfer_ms
        return -(-self.samples // (self.ranks * self.workers)) * each

    @property
    def shards_ms(self) -> float:
        """An epoch from shards: a request for each shard, and parsing; the busiest worker counts."""
        return max(
            len(mine) * self.latency_ms + sum(self.sizes[s] for s in mine) * (TAR_MS + self.transfer_ms)
            for rank in range(self.ranks)
            for worker in range(self.workers)
            for mine in [self.shards_of(rank, worker)]
        )


def best_possible(batch: int = BATCH, classes: int = CLASSES) -> float:
    """Return how many classes a batch drawn at random has, on average, when there are as many samples of each."""
    return classes * (1 - (1 - 1 / classes) ** batch)
