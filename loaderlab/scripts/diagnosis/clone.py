"""The user's loader once more: a copy that draws, counts and starts workers by itself, with other arguments if wanted."""

from __future__ import annotations

import copy
import random
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.reduction import ForkingPickler
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

from ..words import translate as _

_PRIVATE = {"multiprocessing_context": "_DataLoader__multiprocessing_context"}  # behind a property
_ARGUMENTS = {
    "batch_sampler",
    "collate_fn",
    "dataset",
    "generator",
    "in_order",
    "num_workers",
    "persistent_workers",
    "pin_memory",
    "prefetch_factor",
    "timeout",
    "worker_init_fn",
    *_PRIVATE,
}


def loader_in(batches: Any) -> DataLoader | None:
    """Return the DataLoader that ``batches`` is, or takes its batches from: WebDataset's WebLoader is a chain that begins with one;
    what prepares batches for a device has one inside (timm's PrefetchLoader, those of Accelerate and of the Trainer of
    Transformers).
    """
    if issubclass(type(batches), DataLoader):  # isinstance() believes what Accelerate's says of itself
        return batches
    inner = getattr(batches, _inside(batches) or "", None)
    inner = inner[0] if isinstance(inner, list) else inner
    return None if inner is None else loader_in(inner)


def _inside(batches: Any) -> str | None:
    """Return the attribute in which something that is no DataLoader has one."""
    for name in ("base_dataloader", "loader", "pipeline"):
        inner = vars(batches).get(name) if hasattr(batches, "__dict__") else None
        if isinstance(inner[0] if inner and isinstance(inner, list) else inner, DataLoader):
            return name
    return None


def for_device(batches: Any) -> bool:
    """Return whether taking batches may use a device: to pin them, or in what is around the loader and moves them."""
    loader = loader_in(batches)
    return loader is not None and (loader is not batches or loader.pin_memory)


def keeps_workers(loader: DataLoader) -> bool:
    """Return whether the workers stay from one epoch to the next: by the argument, or in a subclass that keeps its iterator."""
    return loader.persistent_workers or "iterator" in vars(loader)


def length_of(loader: Any) -> int | None:
    """Return how many batches the loader says that it has; None where it does not say."""
    try:
        return len(loader)
    except (TypeError, NotImplementedError):
        return None


def as_it_is(batch: Any) -> Any:
    """Return what it is given: a collate function where nothing is to be put together."""
    return batch


def clone(batches: Any, **changes: Any) -> Any:
    """Return a copy of this DataLoader (of a subclass, or a WebLoader, too) with ``changes`` to its arguments.

    Dataset and functions are those of the original; samplers and generators are copies in the same state, so that the copy
    gives the same indices and the original never notices. It starts workers of its own. Raises TypeError for what is no
    DataLoader, and for a change that is no argument of one; ValueError where a start method is not known here.
    """
    if name := _inside(batches) if not issubclass(type(batches), DataLoader) else None:
        around, inner = copy.copy(batches), getattr(batches, name)
        chain = isinstance(inner, list)
        made = clone(inner[0] if chain else inner, **changes)
        setattr(around, name, [made, *inner[1:]] if chain else made)
        return around
    original = loader_in(batches)
    if original is None:
        text = _("{type} is no DataLoader: it can be read, but not made again with other arguments.")
        raise TypeError(text.format(type=type(batches).__name__))
    if unknown := set(changes) - _ARGUMENTS:
        raise TypeError(
            _("{names}: no such argument of a DataLoader.").format(names=", ".join(sorted(unknown)))
        )
    # By attributes and not by calling the class: a subclass may have any arguments, and be prepared in any way.
    made = copy.copy(original)
    # What is drawn from together in the original is drawn from together in the copy; the dataset is one and the same.
    known: dict[int, Any] = {id(original.dataset): original.dataset}
    own = {
        name: _copied(getattr(original, name), known) for name in ("generator", "sampler", "batch_sampler")
    }
    # Subclasses whose workers stay keep their iterator: it is connected to the workers of the original.
    own |= {
        name: _Later(made) for name, value in vars(made).items() if isinstance(value, _BaseDataLoaderIter)
    }
    vars(made).update(own, _iterator=None)
    workers = changes.get("num_workers", original.num_workers)
    if not workers:
        changes = {
            "prefetch_factor": None,
            "persistent_workers": False,
            "timeout": 0,
            "multiprocessing_context": None,
        } | {
            name: value for name, value in changes.items() if name == "num_workers" or name not in _OF_WORKERS
        }
    elif not original.num_workers:
        # The default, which a loader without workers does not have.
        changes = {"prefetch_factor": 2} | changes
    method = changes.get("multiprocessing_context")
    if isinstance(method, str):
        changes["multiprocessing_context"] = torch.multiprocessing.get_context(method)
    vars(made).update({_PRIVATE.get(name, name): value for name, value in changes.items()})
    return made


def refused(batches: Any, changes: dict[str, Any]) -> str:
    """Return the reason for which a DataLoader with the arguments of this one, and these changes to them, raises; "" where it does not."""
    loader = loader_in(batches)
    if loader is None or not changes:
        return ""
    names = [*_OF_WORKERS, "num_workers", "in_order", "pin_memory"]
    given = {name: getattr(loader, name) for name in names if hasattr(loader, name)}
    if not loader.num_workers and given["prefetch_factor"] is None:
        del given["prefetch_factor"]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of cores, and of pinning
            made: DataLoader = DataLoader(_NOTHING, **given | changes)
            if not made.num_workers:
                iter(made)
        if changes.get("multiprocessing_context") in ("spawn", "forkserver"):
            for part in (loader.dataset, loader.collate_fn, loader.worker_init_fn):
                ForkingPickler(_Nowhere()).dump(part)
    except Exception as error:  # noqa: BLE001 (whatever it says: the change is no good)
        return f"{type(error).__name__}: {error}"
    return ""


_NOTHING: Any = [0]


class _Nowhere:
    """A file of which nothing is kept."""

    def write(self, data: Any) -> int:
        return len(data)


class _Later:
    """An iterator over this loader that begins when it is first asked."""

    def __init__(self, loader: DataLoader) -> None:
        self._loader, self._batches = loader, iter(())
        self._begun = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        if not self._begun:
            self._batches, self._begun = DataLoader.__iter__(self._loader), True
        return next(self._batches)


_OF_WORKERS = {"prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context"}


def _copied(value: Any, known: dict[int, Any]) -> Any:
    if isinstance(value, torch.Generator) and id(value) not in known:
        known[id(value)] = _generator(value)
    try:
        return copy.deepcopy(value, known)
    except Exception:  # noqa: BLE001 (whatever a sampler holds that cannot be copied: its generators can)
        made = copy.copy(value)
        for name, held in vars(made).items():
            if isinstance(held, torch.Generator):
                setattr(made, name, known.setdefault(id(held), _generator(held)))
            elif name in ("sampler", "batch_sampler"):
                setattr(made, name, _copied(held, known))
        return made


def _generator(original: torch.Generator) -> torch.Generator:
    return torch.Generator(device=original.device).set_state(original.get_state())


@contextmanager
def draws_given_back() -> Iterator[None]:
    """Torch, NumPy and `random` of this process afterwards give the numbers that they would have given before.

    A loader without a generator takes its seed from torch's, each time it is gone through.
    """
    before = torch.get_rng_state(), np.random.get_state(), random.getstate()
    try:
        yield
    finally:
        torch.set_rng_state(before[0])
        np.random.set_state(before[1])
        random.setstate(before[2])
