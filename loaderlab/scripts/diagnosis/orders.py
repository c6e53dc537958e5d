"""The samples that a loader asks for, and their order: nothing is loaded, only the indices are looked at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any
from unittest import mock

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, Dataset

from .clone import as_it_is, clone, length_of
from .isolated import forks

MOST = 1_500_000  # indices of an epoch that are looked at
_RANKS = ("num_replicas", "world_size", "ranks", "num_processes")
_RANK = ("rank", "process_index")
_ON_PURPOSE = ("replacement", "weights", "num_repeats")
_GROUPING = ("lengths", "group_ids", "bucket_boundaries")
_INSIDE = ("batch_sampler", "sampler", "base_sampler")


@dataclass
class EpochIndices:
    """The indices that one epoch asks for, one after another, and how many are in each batch.

    ``drew``: random numbers were drawn meanwhile. ``whole``: it was seen to its end.
    """

    indices: list[Any] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    drew: bool = False
    whole: bool = True

    @property
    def known(self) -> bool:
        """True if the indices are numbers, which can be held against the length of the dataset."""
        return all(isinstance(index, int) for index in self.indices)

    @property
    def shuffled(self) -> bool:
        """True if numbers were drawn for an order that is none of rising indices (of padding, only the end starts again)."""
        return self.drew and (not self.known or int((np.diff(self.indices) < 0).sum()) > 1)


class _Indices(Dataset):
    """A stand-in for a dataset: a sample is its index."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset

    def __len__(self) -> int:
        return len(self.dataset)

    def __getitem__(self, index: Any) -> Any:
        return index

    def __getattr__(self, name: str) -> Any:
        if name == "__getitems__" or name == "dataset":
            raise AttributeError(name)
        return getattr(self.dataset, name)


class Order:
    """The epochs of a copy of this loader, one after another. The original stays as it is; draws are given back by the caller."""

    def __init__(self, loader: DataLoader, rank: int | None = None) -> None:
        self.copy = clone(
            loader,
            num_workers=0,
            dataset=_Indices(loader.dataset),
            collate_fn=as_it_is,
            pin_memory=False,
            worker_init_fn=None,
        )
        self.by_itself = type(loader).__iter__ is DataLoader.__iter__ or _goes_through(self.copy)
        if rank is not None:
            part = shared_out(self.copy)
            assert part is not None
            setattr(part.sampler, part.rank_name, rank)

    def set_epoch(self, epoch: int) -> bool:
        """Call `set_epoch` of whatever has it; False where nothing has."""
        found = [each for each in inside(self.copy) if hasattr(each, "set_epoch")]
        for each in found:
            each.set_epoch(epoch)
        return bool(found)

    def epoch(self) -> EpochIndices:
        """Return the next epoch."""
        with drawing() as drew:
            made = self._epoch()
            made.drew = drew()
        return made

    def _epoch(self) -> EpochIndices:
        # The sampler of a subclass that begins again by itself may never end.
        batches = self.copy if self.by_itself else islice(self.copy._index_sampler, length_of(self.copy))
        made = EpochIndices()
        for batch in batches:
            indices = flat(batch)
            made.indices += indices
            made.sizes.append(len(indices))
            if len(made.indices) >= MOST:
                made.whole = False
                break
        return made


def _goes_through(copy: DataLoader) -> bool:
    """Return whether a subclass can be gone through with indices in place of samples."""
    try:
        flat(next(iter(clone(copy))))
    except Exception:  # noqa: BLE001 (whatever a subclass does with a batch)
        return False
    return True


def flat(batch: Any) -> list[Any]:
    """Return the indices of a batch, or the one index, as plain values."""
    if isinstance(batch, list) and all(type(index) is int for index in batch):
        return batch
    if isinstance(batch, (torch.Tensor, np.ndarray)):
        batch = batch.tolist()
    if hasattr(batch, "indices") and not isinstance(batch, (list, tuple)):
        batch = batch.indices  # of what is more than a list, such as `ring.Request`
    if isinstance(batch, tuple) and not all(_plain(index) for index in batch):
        return [repr(batch)]
    return [_index(index) for index in batch] if isinstance(batch, (list, tuple, range)) else [_index(batch)]


def _plain(index: Any) -> bool:
    return isinstance(index, (int, np.integer)) or (isinstance(index, torch.Tensor) and not index.dim())


def _index(index: Any) -> Any:
    return int(index) if _plain(index) else index if isinstance(index, str) else repr(index)


def inside(loader: DataLoader) -> Iterator[Any]:
    """Yield the batch sampler and the sampler of a loader, and what these go through themselves."""
    ahead, known = [loader.batch_sampler, loader.sampler], set()
    while ahead:
        each = ahead.pop(0)
        if each is not None and id(each) not in known:
            known.add(id(each))
            yield each
            ahead += [getattr(each, name, None) for name in _INSIDE]


def epoch_of(loader: DataLoader) -> int:
    """Return the epoch that a sampler of this loader says it is in; 0 where none says it, and where nobody has set one."""
    said = (getattr(each, "epoch", 0) for each in inside(loader))
    return max((epoch for epoch in said if isinstance(epoch, int)), default=0)


def on_purpose(loader: DataLoader) -> bool:
    """Return whether a sampler is one of those that give samples more than once because they should."""
    options = (getattr(each, name, None) for each in inside(loader) for name in _ON_PURPOSE)
    return any(option is not None and option is not False for option in options)


def groups(loader: DataLoader) -> bool:
    """Return whether a sampler puts samples of like length together: it draws in evaluations, too, only for that."""
    return any(hasattr(each, name) for each in inside(loader) for name in _GROUPING)


@dataclass
class Part:
    """A sampler that gives the samples of one rank, and what it calls its rank."""

    sampler: Any
    rank_name: str
    rank: int
    ranks: int


def shared_out(loader: DataLoader) -> Part | None:
    """Return the sampler in a loader that knows its rank among others; None where there is none."""
    for each in inside(loader):
        for name in (name for one in _RANK for name in (one, f"_{one}")):
            ranks = next(
                (getattr(each, n) for one in _RANKS for n in (one, f"_{one}") if hasattr(each, n)), None
            )
            if isinstance(getattr(each, name, None), int) and isinstance(ranks, int):
                return Part(each, name, getattr(each, name), ranks)
    return None


class _Orders(TorchFunctionMode):
    """Notices the functions of torch that make a random order."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.seen |= getattr(func, "__name__", "") in _DRAWING
        return func(*args, **(kwargs or {}))


_DRAWING = {"randperm", "randint", "rand", "randn", "multinomial", "bernoulli", "rand_like"}


@contextmanager
def drawing() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether numbers were drawn so far.

    They are drawn by torch, NumPy or `random`, or by generators of theirs that were made meanwhile (the latter only
    where this is a copy of the process that may be tampered with).
    """
    before = _states()
    made: list[Any] = []

    def counted(kind: Any) -> type:
        return type(kind.__name__, (kind,), {"__init__": counting(kind.__init__)})

    def counting(make: Any) -> Any:
        def count(*args: Any, **options: Any) -> Any:
            made.append(make)
            return make(*args, **options)

        return count

    with ExitStack() as stack:
        watch = stack.enter_context(_Orders())
        if forks():
            for place, name, new in (
                (np.random, "default_rng", counting(np.random.default_rng)),
                (np.random, "RandomState", counted(np.random.RandomState)),
                (random, "Random", counted(random.Random)),
            ):
                stack.enter_context(mock.patch.object(place, name, new))

        def drew() -> bool:
            return watch.seen or bool(made) or _states() != before

        yield drew


def _states() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"], random.getstate()
