"""Loaders with one known fault each, and the same loaders cured: nothing of it takes time, so that it can be counted."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
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


class Dealt(IterableDataset):
    """Samples of a worker: so many for each, and what is left for nobody; or with what the next one has, too."""

    def __init__(self, length: int, overlap: int = 0) -> None:
        self.length, self.overlap = length, overlap

    def __iter__(self) -> Iterator[int]:
        info = get_worker_info()
        mine, workers = (info.id, info.num_workers) if info else (0, 1)
        share = self.length // workers
        yield from range(mine * share, min(self.length, (mine + 1) * share + self.overlap))


def made(number: int) -> tuple[int, int]:
    """Return a sample that is some work."""
    return number, sum(range(30_000))


class Skipping(IterableDataset):
    """Each worker makes all samples and keeps its share, or makes its share."""

    def __init__(self, early: bool) -> None:
        self.early = early

    def __iter__(self) -> Iterator[Any]:
        info = get_worker_info()
        mine, workers = (info.id, info.num_workers) if info else (0, 1)
        for number in range(400):
            if self.early and number % workers != mine:
                continue
            sample = made(number)
            if number % workers == mine:
                yield sample


class Choosing(IterableDataset):
    """One in four samples is wanted: they are made first, or chosen first; or a coin is tossed for each."""

    def __init__(self, way: str) -> None:
        self.way = way

    def wanted(self, number: int) -> bool:
        return number * 7919 % 31 < 8

    def kept(self, sample: Any) -> bool:
        return sample[0] * 7919 % 31 < 8

    def tossed(self, sample: Any) -> bool:
        return random.random() < 0.4

    def __iter__(self) -> Iterator[Any]:
        for number in range(800):
            if self.way == "coin":
                sample = made(number)
                yield (sample, 1) if self.tossed(sample) else (sample, 0)
            elif self.way == "late":
                yield from filter(self.kept, [made(number)])
            elif self.wanted(number):
                yield made(number)


class Epochs(IterableDataset):
    """Shuffles with the number of the epoch as seed, an attribute or a tensor in shared memory."""

    def __init__(self, shared: bool) -> None:
        self.epoch = torch.zeros((), dtype=torch.int64)
        self.shared = shared
        if shared:
            self.epoch.share_memory_()

    def set_epoch(self, epoch: int) -> None:
        if self.shared:
            self.epoch.fill_(epoch)
        else:
            self.epoch = torch.tensor(epoch)

    def __iter__(self) -> Iterator[int]:
        order = list(range(100))
        Random(int(self.epoch)).shuffle(order)
        info = get_worker_info()
        yield from order[info.id :: info.num_workers] if info else order


class Kept(Dataset):
    """Samples kept in memory, of one kind or another, and changed where they are kept, or not."""

    def __init__(self, kind: str, copies: bool = False) -> None:
        self.copies = copies
        arrays = np.random.default_rng(0).normal(size=(40, 5)).astype("float32")
        self.data: Any = arrays
        if kind == "tensor":
            self.data = torch.from_numpy(arrays)
        elif kind == "records":
            self.data = [{"box": row.tolist()} for row in arrays]

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> Any:
        sample = self.data[index]
        if self.copies:
            sample = {"box": list(sample["box"])} if isinstance(sample, dict) else sample + 0
        if isinstance(sample, dict):
            sample["box"][0] += 1.0
            return torch.tensor(sample["box"])
        sample *= 2
        return torch.as_tensor(sample)


class Broken(Dataset):
    """One in five samples cannot be read, and something comes in its place; or a cache has not got them yet."""

    def __init__(self, way: str) -> None:
        self.way, self.cache = way, {}

    def __len__(self) -> int:
        return 100

    def read(self, index: int) -> torch.Tensor:
        if index % 5 == 3 and self.way != "cache":
            raise OSError(f"{index}: truncated")
        return torch.full((4,), float(index))

    def __getitem__(self, index: int) -> Any:
        while self.way == "next":
            try:
                return self.read(index)
            except OSError:
                index = (index + 1) % 100
        try:
            return self.cache[index] if self.way == "cache" else self.read(index)
        except OSError:
            return {"other": lambda: self[index - 1], "zeros": lambda: torch.zeros(4), "none": lambda: None}[
                self.way
            ]()
        except KeyError:
            self.cache[index] = self.read(index)
            return self.cache[index]


def without_none(samples: list[Any]) -> torch.Tensor:
    return torch.stack([sample for sample in samples if sample is not None])


class Rows(Dataset):
    """Rows of a file, by an open file that workers share, or by one that each opens."""

    def __init__(self, shared: bool) -> None:
        self.path = Path(tempfile.gettempdir()) / f"loaderlab-rows-{os.getpid()}"
        self.path.write_bytes(np.arange(4000 * 1024, dtype="int32").tobytes())
        self.file = self.path.open("rb") if shared else None

    def __len__(self) -> int:
        return 4000

    def __getitem__(self, index: int) -> torch.Tensor:
        if self.file is None:
            self.file = self.path.open("rb")
        self.file.seek(4096 * index)
        return torch.frombuffer(bytearray(self.file.read(4096)), dtype=torch.int32)


class Classes(Dataset):
    """Samples sorted by class, or a class anew for each."""

    def __init__(self, runs: bool) -> None:
        self.labels = [index // 40 if runs else index % 5 for index in range(200)]

    def __len__(self) -> int:
        return 200

    def __getitem__(self, index: int) -> tuple[float, int]:
        return float(index), self.labels[index]


class Tokens(Dataset):
    """Sentences of token numbers: lists or arrays of them, and a box of four numbers."""

    def __init__(self, lists: bool) -> None:
        self.lists = lists

    def __len__(self) -> int:
        return 40

    def __getitem__(self, index: int) -> dict[str, Any]:
        tokens = np.arange(30) + index
        return {"ids": tokens.tolist() if self.lists else tokens, "box": (0, 0, index, 9)}


def by_generator(again: bool) -> DataLoader:
    batches = (list(range(first, first + 10)) for first in range(0, 100, 10))
    return DataLoader(Numbers(), batch_sampler=list(batches) if again else batches)


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

WRONG |= (
    {
        "a rest that no worker takes": (
            lambda: DataLoader(Dealt(101), 5, num_workers=3),
            "workers_leave_out",
            lambda: DataLoader(Dealt(102), 5, num_workers=3),
        ),
        "parts of workers that overlap": (
            lambda: DataLoader(Dealt(100, overlap=5), 5, num_workers=2),
            "workers_repeat",
            lambda: DataLoader(Dealt(100), 5, num_workers=2),
        ),
        "drop_last in each worker": (
            lambda: DataLoader(Stream(True, 100), 20, num_workers=2, drop_last=True),
            "workers_drop",
            lambda: DataLoader(Stream(True, 100), 10, num_workers=2, drop_last=True),
        ),
        "made in each worker": (
            lambda: DataLoader(Skipping(early=False), 10, num_workers=2),
            "made_in_each_worker",
            lambda: DataLoader(Skipping(early=True), 10, num_workers=2),
        ),
        "made, and not wanted": (
            lambda: DataLoader(Choosing("late"), 10),
            "thrown_away",
            lambda: DataLoader(Choosing("early"), 10),
        ),
        "an epoch that kept workers do not hear of": (
            lambda: DataLoader(Epochs(shared=False), 5, num_workers=2, persistent_workers=True),
            "epoch_unheard",
            lambda: DataLoader(Stream(split=True), 5, num_workers=2, persistent_workers=True),
        ),
        "batches that come once": (
            lambda: by_generator(again=False),
            "sampler_once",
            lambda: by_generator(again=True),
        ),
        "an order by class": (
            lambda: DataLoader(Classes(runs=True), 10),
            "sorted_by_class",
            lambda: DataLoader(Classes(runs=True), 10, shuffle=True),
        ),
        "lists of numbers": (
            lambda: DataLoader(Tokens(lists=True), 10),
            "batch_on_its_side",
            lambda: DataLoader(Tokens(lists=False), 10),
        ),
        "a file that workers share": (
            lambda: DataLoader(Rows(shared=True), 10, num_workers=2),
            "shared_position",
            lambda: DataLoader(Rows(shared=False), 10, num_workers=2),
        ),
    }
    | {
        f"kept {kind} that change": (
            lambda kind=kind: DataLoader(Kept(kind), 10),
            "kept_data_change",
            lambda kind=kind: DataLoader(Kept(kind, copies=True), 10),
        )
        for kind in ("array", "tensor", "records")
    }
    | {
        f"samples that cannot be read: {way}": (
            lambda way=way: DataLoader(Broken(way), 10, collate_fn=without_none),
            "stand_ins",
            lambda: DataLoader(Broken("cache"), 10, collate_fn=without_none),
        )
        for way in ("other", "next", "zeros", "none")
    }
)

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
    "a coin for each sample": lambda: DataLoader(Choosing("coin"), 10),
    "classes mixed": lambda: DataLoader(Classes(runs=False), 10),
    "a list": lambda: [torch.zeros(4)] * 3,
}
