"""Loaders that are slow for one known reason each, and healthy ones; every cause is several times larger than any other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from torch.utils.data import BatchSampler, DataLoader, Dataset, IterableDataset, RandomSampler, TensorDataset

from loaderlab.scripts import machine


def burn(seconds: float) -> None:
    """Compute for so many seconds of this thread's own, however busy the machine is."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


@dataclass
class Samples(Dataset):
    """``count`` samples; each waits and computes for so many seconds, and a few wait for longer."""

    wait: float = 0.0
    compute: float = 0.0
    count: int = 4000
    slow: float = 0.0  # every hundredth
    transforms: list[Callable[[Any], Any]] = field(default_factory=list)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Any:
        if self.wait:
            time.sleep(self.slow if self.slow and index % 100 == 7 else self.wait)
        burn(self.compute)
        return torch.full((3, 16, 16), float(index)), index


class Stream(IterableDataset):
    """Samples without an index."""

    def __iter__(self) -> Iterator[torch.Tensor]:
        for number in range(100_000):
            time.sleep(0.001)
            yield torch.full((3, 16, 16), float(number))


class Objects(Dataset):
    """Each sample is an array of Python objects, which takes longer to send than to make."""

    def __init__(self) -> None:
        self.records = np.array([(f"record {n}", n, float(n)) for n in range(8000)], dtype=object)

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> Any:
        burn(0.0005)
        return self.records


class Paths(Dataset):
    """Reads many strings of a long list for each sample."""

    def __init__(self) -> None:
        self.paths = [f"folder/{n:08}/image.jpg" for n in range(600_000)]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> int:
        return sum(len(self.paths[(index * 131 + k * 7919) % len(self.paths)]) for k in range(40))


class Threaded(Dataset):
    """Small operations that torch shares among as many threads as it may use."""

    def __init__(self) -> None:
        self.image = torch.rand(3, 224, 224)

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        for _ in range(10):
            image = (self.image * 0.5).sqrt()
        return image[:, :8, :8].clone()


class SlowOrder(BatchSampler):
    """Computes before it gives the indices of a batch."""

    def __iter__(self) -> Iterator[list[int]]:
        for indices in super().__iter__():
            burn(0.03)
            yield indices


def slow_collate(samples: list[Any]) -> torch.Tensor:
    burn(0.05)
    return torch.stack([image for image, _label in samples])


def many_threads(worker: int) -> None:
    torch.set_num_threads(8)


def resting(seconds: float, batch: Any) -> None:
    """Wait, as this process does for a step on a device."""
    time.sleep(seconds)


@dataclass(frozen=True)
class Animal:
    """A loader of the zoo: how to make it, its step, what `diagnose` has to say first, and in how many seconds."""

    loader: Callable[[], Any]
    expected: str
    step: float | None = 0.003
    seconds: float = 3.5

    @property
    def stepping(self) -> Callable[[Any], Any] | None:
        return None if self.step is None else partial(resting, self.step)


CORES = machine.cores()

SICK = {
    "waiting": Animal(lambda: DataLoader(Samples(wait=0.004), 8, num_workers=2), "waiting_storage"),
    "decoding": Animal(
        lambda: DataLoader(Samples(compute=0.004), 8, num_workers=CORES, persistent_workers=True), "computing"
    ),
    "collate": Animal(
        lambda: DataLoader(Samples(), 8, num_workers=CORES, collate_fn=slow_collate, persistent_workers=True),
        "slow_collate",
    ),
    "objects": Animal(lambda: DataLoader(Objects(), 8, num_workers=CORES, collate_fn=list), "slow_sending"),
    "too many": Animal(
        lambda: DataLoader(Samples(compute=0.004), 8, num_workers=8 * CORES, persistent_workers=True),
        "too_many_workers",
    ),
    "too few": Animal(
        lambda: DataLoader(Samples(compute=0.004), 8, num_workers=1, persistent_workers=True),
        "too_few_workers",
    ),
    "spawned": Animal(
        lambda: DataLoader(Samples(wait=0.001, count=64), 8, num_workers=2, multiprocessing_context="spawn"),
        "restarted_workers",
        seconds=6,
    ),
    "list": Animal(lambda: DataLoader(Paths(), 64, num_workers=2, shuffle=True), "copied_objects", 0.03),
    "shared memory": Animal(
        lambda: DataLoader(
            TensorDataset(torch.zeros(1, 2**21).expand(40_000, -1)), 1, num_workers=4, prefetch_factor=2**13
        ),
        "shm_filled",
    ),
    "pinned": Animal(
        lambda: DataLoader(Samples(wait=0.001), 8, num_workers=2, pin_memory=True), "pinned_for_nothing", 0.03
    ),
    "threads": Animal(
        lambda: DataLoader(
            Threaded(), 8, num_workers=max(2, CORES), worker_init_fn=many_threads, persistent_workers=True
        ),
        "fighting_threads",
        None,
    ),
    "sampler": Animal(
        lambda: DataLoader(
            Samples(), batch_sampler=SlowOrder(RandomSampler(range(4000)), 8, False), num_workers=2
        ),
        "slow_sampler",
    ),
    "one in a hundred": Animal(
        lambda: DataLoader(Samples(wait=0.001, slow=0.2), 8, num_workers=2), "rare_slow_samples", seconds=8
    ),
    "in memory": Animal(
        lambda: DataLoader(TensorDataset(torch.arange(200_000)), 4, num_workers=2, persistent_workers=True),
        "workers_for_nothing",
        None,
    ),
}

HEALTHY = {
    "no workers needed": Animal(
        lambda: DataLoader(TensorDataset(torch.arange(100_000)), 32), "step_limit", 0.02
    ),
    "computing hidden": Animal(
        lambda: DataLoader(
            Samples(compute=0.0005),
            batch_sampler=BatchSampler(RandomSampler(range(4000)), 8, False),
            num_workers=1,
        ),
        "step_limit",
        0.04,
    ),
    "a stream": Animal(lambda: DataLoader(Stream(), 8, num_workers=1), "step_limit", 0.04),
}
