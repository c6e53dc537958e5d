"""The samples that a loader asks for, and their order: nothing is loaded, only the indices are looked at."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import torch
from torch.overrides import TorchFunctionMode
from torch.utils.data import DataLoader, Dataset

from .clone import as_it_is, clone, length_of
from .isolated import forks

MOST = 1_500_000  # indices of an epoch that are looked at
_RANKS = ("num_replicas", "_num_replicas", "world_size", "_world_size", "ranks", "_ranks", "num_processes")
_RANK = ("rank", "_rank", "process_index", "_process_index")
_ON_PURPOSE = ("replacement", "weights", "num_repeats")
_GROUPING = ("lengths", "group_ids", "bucket_boundaries")
_INSIDE = ("batch_sampler", "sampler", "base_sampler")
_DRAWING = {"randperm", "randint", "rand", "randn", "multinomial", "bernoulli", "rand_like"}


@dataclass
class EpochIndices:
    """The indices that one epoch asks for, one after another, and how many are in each batch."""

    indices: list[Any] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    drew: bool = False  # random numbers were drawn meanwhile
    whole: bool = True  # it was seen to its end

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
        if name in ("__getitems__", "dataset"):
            raise AttributeError(name)
        return getattr(self.dataset, name)


class Order:
    """The epochs of a copy of this loader, one after another. The original stays as it is; draws are given back by the caller."""

    def __init__(self, loader: DataLoader, rank: int | None = None) -> None:
        data = _Indices(loader.dataset)
        self.copy = clone(loader, num_workers=0, dataset=data, collate_fn=as_it_is, pin_memory=False)
        self.by_itself = type(loader).__iter__ is DataLoader.__iter__
        if not self.by_itself:
            with suppress(Exception):  # whatever a subclass does with a batch that is none
                self.by_itself = bool(flat(next(iter(clone(self.copy)))))
        if rank is not None and (part := shared_out(self.copy)):
            setattr(part.sampler, part.rank_name, rank)

    def set_epoch(self, epoch: int) -> bool:
        """Call `set_epoch` of whatever has it; False where nothing has."""
        found = [each for each in inside(self.copy) if hasattr(each, "set_epoch")]
        for each in found:
            each.set_epoch(epoch)
        return bool(found)

    def epoch(self) -> EpochIndices:
        """Return the next epoch."""
        # The sampler of a subclass that begins again by itself may never end.
        batches = self.copy if self.by_itself else islice(self.copy._index_sampler, length_of(self.copy))
        made = EpochIndices()
        with drawing() as drew:
            for batch in batches:
                indices = flat(batch)
                made.indices += indices
                made.sizes.append(len(indices))
                if len(made.indices) >= MOST:
                    made.whole = False
                    break
            made.drew = drew()
        return made


def flat(batch: Any) -> list[Any]:
    """Return the indices of a batch, or the one index, as plain values."""
    if isinstance(batch, list) and all(type(index) is int for index in batch):
        return batch
    if isinstance(batch, (torch.Tensor, np.ndarray)):
        batch = batch.tolist()
    if hasattr(batch, "indices") and not isinstance(batch, (list, tuple)):
        batch = batch.indices  # of what is more than a list, such as `ring.Request`
    if isinstance(batch, tuple) and not all(isinstance(_index(index), int) for index in batch):
        return [repr(batch)]
    return [_index(index) for index in batch] if isinstance(batch, (list, tuple, range)) else [_index(batch)]


def _index(index: Any) -> Any:
    scalar = isinstance(index, (int, np.integer)) or (isinstance(index, torch.Tensor) and not index.dim())
    return int(index) if scalar else index if isinstance(index, str) else repr(index)


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


class Part(NamedTuple):
    """A sampler that gives the samples of one rank, and what it calls its rank."""

    sampler: Any
    rank_name: str
    rank: int
    ranks: int


def shared_out(loader: DataLoader) -> Part | None:
    """Return the sampler in a loader that knows its rank among others; None where there is none."""
    for each in inside(loader):
        has = {one: getattr(each, one) for one in _RANKS + _RANK if isinstance(getattr(each, one, None), int)}
        ranks, rank = (next((one for one in names if one in has), "") for names in (_RANKS, _RANK))
        if ranks and rank:
            return Part(each, rank, has[rank], has[ranks])
    return None


class _Orders(TorchFunctionMode):
    """Notices the functions of torch that make a random order."""

    seen = False

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        self.seen |= getattr(func, "__name__", "") in _DRAWING
        return func(*args, **(kwargs or {}))


@contextmanager
def drawing() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether numbers were drawn so far: by torch, NumPy or `random`, or by generators of theirs that
    were made meanwhile (the latter only where this is a copy of the process that may be tampered with)."""
    before, made = _states(), []

    def counting(make: Any) -> Any:
        def count(*args: Any, **options: Any) -> Any:
            made.append(make)
            return make(*args, **options)

        return count

    def subclass(kind: Any) -> Any:  # still a class, for `isinstance`
        return type(kind.__name__, (kind,), {"__init__": counting(kind.__init__)})

    with ExitStack() as stack:
        watch = stack.enter_context(_Orders())
        for place, name, new in (
            (np.random, "default_rng", counting(np.random.default_rng)),
            (np.random, "RandomState", subclass(np.random.RandomState)),
            (random, "Random", subclass(random.Random)),
        ):
            if forks():
                stack.enter_context(mock.patch.object(place, name, new))
        yield lambda: watch.seen or bool(made) or _states() != before


def _states() -> tuple[Any, ...]:
    state = np.random.get_state(legacy=False)["state"]
    return state["key"].tobytes(), state["pos"], random.getstate()
