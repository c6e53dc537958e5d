"""Loaders with one known fault each, and the same loaders cured: nothing of it takes time, so that it can be counted."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    get_worker_info,
)

from loaderlab.scripts.distributed_sampler import EvenSampler


@dataclass
class Numbers(Dataset):
    """``length`` samples, each its index, and a number that ``draw`` gives."""

    length: int = 100
    draw: Callable[[], float] = float
    rng: Any = None
    spare: Any = None  # held, and not drawn from

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> tuple[int, float]:
        noise = float(self.rng.random()) if self.rng is not None else self.draw()
        return index, noise


class Torchs(Dataset):
    """Draws from a generator of torch's, in a transform that is a function inside a list."""

    def __init__(self) -> None:
        generator = torch.Generator().manual_seed(0)
        self.transforms = [lambda x: x + float(torch.rand((), generator=generator))]

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> float:
        return self.transforms[0](index)


class Lazy(Dataset):
    """Makes its generator in the worker, with the same seed in each."""

    def __init__(self, seeded: bool) -> None:
        self.seeded, self.rng = seeded, None

    def __len__(self) -> int:
        return 100

    def __getitem__(self, index: int) -> float:
        if self.rng is None:
            self.rng = np.random.default_rng(0 if self.seeded else torch.initial_seed())
        return float(self.rng.random())


def of_numpy() -> float:
    return float(np.random.random())


def of_random() -> float:
    return random.random()


def seed_alike(worker: int) -> None:
    np.random.seed(42)


def seed_by_worker(worker: int) -> None:
    np.random.seed(42 + worker)


def seed_well(worker: int) -> None:
    np.random.seed(torch.initial_seed() % 2**32)


def new_rng(worker: int) -> None:
    info = get_worker_info()
    info.dataset.rng = np.random.default_rng(info.seed)


class Again(Sampler[int]):
    """Shuffles with a seed of its own, which is the same each time, or not."""

    def __init__(self, length: int, seed: int | None, draws: str = "torch") -> None:
        self.length, self.seed, self.draws = length, seed, draws

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[int]:
        if self.draws == "numpy":
            return iter(np.random.default_rng(self.seed).permutation(self.length).tolist())
        if self.draws == "random":
            order = list(range(self.length))
            random.Random(self.seed).shuffle(order)
            return iter(order)
        generator = torch.Generator()
        generator.manual_seed(self.seed) if self.seed is not None else generator.seed()
        return iter(torch.randperm(self.length, generator=generator).tolist())


class Reseeding(DataLoader):
    """Sets the seed of its generator whenever it is gone through."""

    def __iter__(self) -> Any:
        self.generator.manual_seed(0)
        return super().__iter__()


class Endless(DataLoader):
    """Asks one iterator for all epochs, and one sampler that begins again by itself, as loaders of known libraries do."""

    class Repeating:
        def __init__(self, batches: Any) -> None:
            self.batches = batches

        def __iter__(self) -> Iterator[Any]:
            while True:
                yield from self.batches

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.length, self.iterator = super().__len__(), None
        object.__setattr__(self, "batch_sampler", self.Repeating(self.batch_sampler))

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        if self.iterator is None:
            self.iterator = super().__iter__()
        for _batch in range(self.length):
            yield next(self.iterator)


class Moving(Endless):
    """Puts what a batch consists of on a device."""

    def __iter__(self) -> Iterator[Any]:
        for index, noise in super().__iter__():
            yield index.to("cpu"), noise.to("cpu")


class Prepared:
    """Takes batches from a loader, and does something with them."""

    def __init__(self, loader: DataLoader) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        return iter(self.loader)


class Strided(Sampler[list[int]]):
    """Batches of a plan, a new one every ``stride`` samples; ``whole``: with what does not fill one."""

    def __init__(self, length: int, size: int, stride: int, whole: bool, shuffle: bool = False) -> None:
        self.length, self.size, self.stride, self.whole, self.shuffle = length, size, stride, whole, shuffle

    def __iter__(self) -> Iterator[list[int]]:
        plan = torch.randperm(self.length).tolist() if self.shuffle else list(range(self.length))
        for first in range(0, self.length - (0 if self.whole else self.size - 1), self.stride):
            yield plan[first : first + self.size]


class Shared(Sampler[int]):
    """The samples of a rank, dealt out in one of several ways, right or wrong; a new order in each epoch by itself."""

    def __init__(self, length: int, ranks: int, rank: int, way: str) -> None:
        self.length, self.num_replicas, self.rank, self.way, self.round = length, ranks, rank, way, 0

    def __iter__(self) -> Iterator[int]:
        seed = self.rank if self.way == "own seed" else 0
        part = self.length // self.num_replicas
        if self.way == "blocks":  # what does not fill a block is left out
            first = self.rank * part
            order = first + np.random.default_rng([self.round, 1]).permutation(part)
        else:
            order = np.random.default_rng([self.round, seed]).permutation(self.length)
            order = torch.randperm(self.length).numpy() if self.way == "seed of the process" else order
            order = order[self.rank :: self.num_replicas]
        if self.way == "even":
            order = order[:part]
        self.round += 1
        return iter(order.tolist())


class Repeating(Shared):
    """Gives samples to several ranks, because it should."""

    num_repeats = 3


class Stream(IterableDataset):
    """``length`` samples; each worker gives its part, or all of them."""

    def __init__(self, split: bool, length: int = 60, noise: bool = False) -> None:
        self.split, self.length, self.noise = split, length, noise

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        first, step = (info.id, info.num_workers) if self.split and info else (0, 1)
        for index in range(first, self.length, step):
            yield torch.tensor([index + (random.random() if self.noise else 0.0)])


class Once(IterableDataset):
    """Goes on with the one iterator that it has, or begins another."""

    def __init__(self, again: bool) -> None:
        self.again, self.source = again, iter(range(40))

    def __iter__(self) -> Iterator[int]:
        return iter(range(40)) if self.again else self.source


class Buffered(IterableDataset):
    """Samples sorted by class, shuffled in a buffer of so many, with a seed or without."""

    def __init__(self, shuffle_buffer: int, seed: int | None = None) -> None:
        self.shuffle_buffer, self.seed = shuffle_buffer, seed

    def __iter__(self) -> Iterator[tuple[float, int]]:
        random = Random(self.seed)
        buffer: list[tuple[float, int]] = []
        for index in range(800):
            buffer.append((float(index), index // 100))
            if len(buffer) >= self.shuffle_buffer:
                yield buffer.pop(random.randrange(len(buffer)))
        random.shuffle(buffer)
        yield from buffer


def shared(way: str, length: int = 103) -> Callable[[], DataLoader]:
    return lambda: DataLoader(Numbers(length), 5, sampler=Shared(length, 4, 1, way), drop_last=False)


def ranked(sampler: Callable[[Dataset], Sampler], length: int = 100, **options: Any) -> DataLoader:
    data = Numbers(length)
    return DataLoader(data, 5, sampler=sampler(data), **options)


def drawing(**options: Any) -> DataLoader:
    return DataLoader(Numbers(**options.pop("data", {})), 10, num_workers=2, shuffle=True, **options)


def of_rank(rank: int) -> DataLoader:
    sampler = DistributedSampler(Numbers(), 4, rank)
    sampler.set_epoch(1)
    return DataLoader(Numbers(), 5, sampler=sampler)


Maker = Callable[[], Any]

# What is wrong: how it is made, the name of the finding, and how it is made right.
WRONG: dict[str, tuple[Maker, str, Maker]] = {
    "a generator copied by fork": (
        lambda: drawing(data={"rng": np.random.default_rng(0)}),
        "repeated_draws",
        lambda: drawing(data={"rng": np.random.default_rng(0)}, worker_init_fn=new_rng),
    ),
    "a generator copied into workers that stay": (
        lambda: drawing(data={"rng": np.random.RandomState(0)}, persistent_workers=True),
        "repeated_draws",
        lambda: drawing(data={"draw": of_numpy}, persistent_workers=True),
    ),
    "a generator copied into the one worker in each epoch": (
        lambda: DataLoader(Numbers(rng=random.Random(0)), 10, num_workers=1, shuffle=True),
        "repeated_draws",
        lambda: DataLoader(
            Numbers(rng=random.Random(0)), 10, num_workers=1, shuffle=True, persistent_workers=True
        ),
    ),
    "a generator in a transform": (
        lambda: DataLoader(Torchs(), 10, num_workers=2),
        "repeated_draws",
        lambda: DataLoader(Torchs(), 10, num_workers=0),
    ),
    "a generator seeded in the worker": (
        lambda: DataLoader(Lazy(seeded=True), 10, num_workers=2),
        "repeated_draws",
        lambda: DataLoader(Lazy(seeded=False), 10, num_workers=2),
    ),
    "workers seeded alike": (
        lambda: drawing(data={"draw": of_numpy}, worker_init_fn=seed_alike),
        "repeated_draws",
        lambda: drawing(data={"draw": of_numpy}, worker_init_fn=seed_well),
    ),
    "workers seeded by their number": (
        lambda: drawing(data={"draw": of_numpy}, worker_init_fn=seed_by_worker),
        "repeated_draws",
        lambda: DataLoader(
            Numbers(draw=of_numpy), 10, num_workers=2, worker_init_fn=seed_by_worker
        ),  # an evaluation
    ),
    "a generator seeded again by the loader": (
        lambda: Reseeding(Numbers(), 10, shuffle=True, generator=torch.Generator()),
        "same_order",
        lambda: DataLoader(Numbers(), 10, shuffle=True, generator=torch.Generator()),
    ),
    "an order with a seed of its own": (
        lambda: DataLoader(Numbers(), 10, sampler=Again(100, 0)),
        "same_order",
        lambda: DataLoader(Numbers(), 10, sampler=Again(100, None)),
    ),
    "an order with a seed of NumPy's": (
        lambda: DataLoader(Numbers(), 10, sampler=Again(100, 0, "numpy")),
        "same_order",
        lambda: DataLoader(Numbers(), 10, sampler=torch.randperm(100).tolist()),  # a choice made beforehand
    ),
    "an order with a seed of random's": (
        lambda: DataLoader(Numbers(), 10, sampler=Again(100, 0, "random")),
        "same_order",
        lambda: DataLoader(Numbers(), 10, sampler=Again(100, None, "random")),
    ),
    "an order with a seed, asked for without end": (
        lambda: Endless(Numbers(95), 10, sampler=Again(95, 0)),
        "same_order",
        lambda: Endless(Numbers(95), 10, shuffle=True),
    ),
    "an order with a seed, inside another loader": (
        lambda: Prepared(DataLoader(Numbers(), 10, sampler=Again(100, 0))),
        "same_order",
        lambda: Prepared(DataLoader(Numbers(), 10, shuffle=True)),
    ),
    "no set_epoch": (
        lambda: ranked(lambda data: DistributedSampler(data, 4, 1)),
        "set_epoch_missing",
        lambda: ranked(lambda data: EvenSampler(len(data), 4, 1)),
    ),
    "one sample is left, of batches without end": (
        lambda: Moving(Numbers(101), 10, shuffle=True),
        "small_last_batch",
        lambda: Moving(Numbers(101), 10, shuffle=True, drop_last=True),
    ),
    "one sample is left": (
        lambda: DataLoader(Numbers(101), 10, shuffle=True),
        "small_last_batch",
        lambda: DataLoader(Numbers(101), 10, shuffle=True, drop_last=True),
    ),
    "no batch is full": (
        lambda: DataLoader(Numbers(8), 10, drop_last=True),
        "no_batches",
        lambda: DataLoader(Numbers(8), 10),
    ),
    "an evaluation that drops samples": (
        lambda: DataLoader(Numbers(107), 10, drop_last=True),
        "samples_lost",
        lambda: DataLoader(Numbers(107), 10),
    ),
    "a batch sampler that drops samples": (
        lambda: DataLoader(Numbers(107), batch_sampler=Strided(107, 10, 10, whole=False)),
        "samples_lost",
        lambda: DataLoader(Numbers(107), batch_sampler=Strided(107, 10, 10, whole=True)),
    ),
    "batches that overlap": (
        lambda: DataLoader(Numbers(), batch_sampler=Strided(100, 10, 9, whole=True)),
        "samples_repeated",
        lambda: DataLoader(Numbers(), batch_sampler=Strided(100, 10, 10, whole=True)),
    ),
    "shuffled batches that overlap": (
        lambda: DataLoader(Numbers(99), batch_sampler=Strided(99, 10, 9, whole=True, shuffle=True)),
        "samples_repeated",
        lambda: DataLoader(Numbers(), batch_sampler=BatchSampler(RandomSampler(range(100), True), 10, False)),
    ),
    "ranks of different length": (shared("uneven", 101), "uneven_ranks", shared("even", 101)),
    "ranks with a seed each": (shared("own seed", 100), "overlapping_ranks", shared("uneven", 100)),
    "ranks with a block each": (shared("blocks"), "samples_lost", shared("even")),
    "an evaluation with padding": (
        lambda: ranked(lambda data: DistributedSampler(data, 4, 1, shuffle=False), 102),
        "samples_repeated",
        lambda: ranked(lambda data: EvenSampler(len(data), 4, 1, shuffle=False, uneven="once"), 102),
    ),
    "each worker reads all": (
        lambda: DataLoader(Stream(split=False), 4, num_workers=2),
        "workers_repeat",
        lambda: DataLoader(Stream(split=True), 4, num_workers=2),
    ),
    "each worker reads all, and changes it": (
        lambda: DataLoader(Stream(split=False, noise=True), 4, num_workers=2),
        "workers_repeat",
        lambda: DataLoader(Stream(split=True, noise=True), 4, num_workers=2),
    ),
    "a second epoch without samples": (
        lambda: DataLoader(Once(again=False), 4),
        "later_epoch_short",
        lambda: DataLoader(Once(again=True), 4),
    ),
    "a stream shuffled with one seed": (
        lambda: DataLoader(Buffered(800, seed=0), 8),
        "same_order",
        lambda: DataLoader(Buffered(800), 8),
    ),
    "a small buffer of sorted samples": (
        lambda: DataLoader(Buffered(20), 8),
        "shuffle_too_small",
        lambda: DataLoader(Buffered(800), 8),
    ),
}

# What is wrong in rank 2 of 4.
IN_RANK_2: dict[str, Maker] = {
    "ranks_not_split": lambda: DataLoader(Numbers(), 10, shuffle=True),
    "wrong_rank": lambda: of_rank(1),
}

# Unusual, and as it should be.
RIGHT: dict[str, Maker] = {
    "an evaluation": lambda: DataLoader(Numbers(103), 10),
    "batches moved, without end": lambda: Moving(Numbers(), 10, shuffle=True),
    "with replacement": lambda: DataLoader(Numbers(), 10, sampler=RandomSampler(range(100), True)),
    "weighted": lambda: DataLoader(
        Numbers(), 10, sampler=torch.utils.data.WeightedRandomSampler(torch.rand(100) + 0.1, 100)
    ),
    "weighted, and more than there are": lambda: DataLoader(
        Numbers(20), 10, sampler=torch.utils.data.WeightedRandomSampler(torch.ones(20), 500)
    ),
    "ranks that draw alike": shared("seed of the process", 100),
    "ranks with the same samples on purpose": lambda: DataLoader(
        Numbers(), 5, sampler=Repeating(100, 4, 1, "own seed")
    ),
    "a part": lambda: DataLoader(Numbers(), 10, sampler=torch.utils.data.SubsetRandomSampler(range(60))),
    "the middle, in order": lambda: DataLoader(Numbers(), 10, sampler=SequentialSampler(range(90))),
    "a sampler of batches": lambda: DataLoader(
        Numbers(), batch_size=None, sampler=BatchSampler(RandomSampler(range(100)), 10, False)
    ),
    "ranks with padding": lambda: ranked(lambda data: EvenSampler(len(data), 4, 1), 99),
    "workers that draw": lambda: drawing(data={"draw": of_random}),
    "an unused generator": lambda: drawing(data={"draw": of_numpy, "spare": np.random.default_rng(0)}),
    "a list": lambda: [torch.zeros(4)] * 3,
}
