"""The user's loader once more: a copy that draws, counts and starts workers by itself, with other arguments if wanted."""

from __future__ import annotations

import copy
import itertools
import os
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.reduction import ForkingPickler
from typing import Any, cast

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info
from torch.utils.data.dataloader import _BaseDataLoaderIter

from ..words import translate as _

_PRIVATE = {"multiprocessing_context": "_DataLoader__multiprocessing_context"}  # behind a property
_OF_WORKERS = ("prefetch_factor", "persistent_workers", "timeout", "multiprocessing_context")


def loader_in(batches: Any) -> DataLoader | None:
    """Return the DataLoader that ``batches`` is, or takes its batches from."""
    if issubclass(type(batches), DataLoader):  # isinstance() believes what Accelerate's says of itself
        return batches
    inner = _inside(batches)
    return loader_in(inner[1]) if inner else None


def _inside(batches: Any) -> tuple[str, DataLoader] | None:
    """Return the DataLoader in something that is none, with its attribute: what prepares batches for a device (timm's, Accelerate's,
    of the Trainer of Transformers) has one, and WebDataset's WebLoader is a chain that begins with one."""
    for name in ("base_dataloader", "loader", "pipeline"):
        inner = vars(batches).get(name) if hasattr(batches, "__dict__") else None
        inner = inner[0] if inner and isinstance(inner, list) else inner
        if isinstance(inner, DataLoader):
            return name, inner
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
    if not issubclass(type(batches), DataLoader):
        if not (inside := _inside(batches)):
            text = _("{type} is no DataLoader: it can be read, but not made again with other arguments.")
            raise TypeError(text.format(type=type(batches).__name__))
        (name, inner), around = inside, copy.copy(batches)
        made, chain = clone(inner, **changes), getattr(batches, name)
        setattr(around, name, [made, *chain[1:]] if isinstance(chain, list) else made)
        return around
    if unknown := [name for name in changes if not hasattr(batches, name)]:
        raise TypeError(_("{names}: no such argument of a DataLoader.").format(names=", ".join(unknown)))
    # By attributes and not by calling the class: a subclass may have any arguments, and be prepared in any way.
    made = copy.copy(batches)
    # What is drawn from together in the original is drawn from together in the copy; the dataset is one and the same.
    known: dict[int, Any] = {id(batches.dataset): batches.dataset}
    own = {each: _copied(getattr(batches, each), known) for each in ("generator", "sampler", "batch_sampler")}
    # Subclasses whose workers stay keep their iterator: it is connected to the workers of the original.
    iterators = [name for name, value in vars(made).items() if isinstance(value, _BaseDataLoaderIter)]
    vars(made).update(own | {name: _later(made) for name in iterators}, _iterator=None)
    if not changes.get("num_workers", batches.num_workers):
        changes = {name: value for name, value in changes.items() if name not in _OF_WORKERS}
        changes |= dict.fromkeys(_OF_WORKERS) | {"persistent_workers": False, "timeout": 0}
    elif not batches.num_workers:
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
            made = DataLoader(cast(Any, [0]), **given | changes)
            if not made.num_workers:
                iter(made)
        if changes.get("multiprocessing_context") in ("spawn", "forkserver"):
            with open(os.devnull, "wb") as nowhere:
                for part in (loader.dataset, loader.collate_fn, loader.worker_init_fn):
                    ForkingPickler(nowhere).dump(part)
    except Exception as error:  # noqa: BLE001 (whatever it says: the change is no good)
        return f"{type(error).__name__}: {error}"
    return ""


class _Told:
    """The functions that a worker runs in place of the user's, to start and to put samples together."""

    def __init__(
        self, loader: DataLoader, look: Callable[[Any], Any], begin: Callable[[], None] | None
    ) -> None:
        self._init, self._auto = loader.worker_init_fn, loader.batch_sampler is not None
        self._look, self._begin = look, begin

    def begin(self, worker: int) -> None:
        for function, given in ((self._init, (worker,)), (self._begin, ())):
            if function is not None:
                function(*given)

    def collate(self, samples: Any) -> tuple[int, Any]:
        info = get_worker_info()
        return info.id if info else 0, self._look(samples if self._auto else [samples])


def told(
    loader: DataLoader, look: Callable[[Any], Any], begin: Callable[[], None] | None = None, **changes: Any
) -> DataLoader:
    """Return a copy that gives, for each batch, the number of its worker and what ``look`` says there of the samples; ``begin`` is
    called in each worker when it has started."""
    stand_in = _Told(loader, look, begin)
    functions = {"collate_fn": stand_in.collate, "worker_init_fn": stand_in.begin}
    return cast(DataLoader, clone(loader, pin_memory=False, **functions, **changes))


def _later(loader: DataLoader) -> Iterator[Any]:
    """Begin to go through this loader when first asked."""
    yield from DataLoader.__iter__(loader)


def _copied(value: Any, known: dict[int, Any]) -> Any:
    try:
        return copy.deepcopy(value, known)
    except Exception:  # noqa: BLE001 (whatever a sampler holds that cannot be copied: its generators can)
        if isinstance(value, Iterator):
            _original, taken = _taken.setdefault(id(value), (value, itertools.tee(value, 1)[0]))
            return copy.copy(taken)
        made = copy.copy(value)
        for name, held in getattr(made, "__dict__", {}).items():
            if name in ("sampler", "batch_sampler") or isinstance(held, (torch.Generator, Iterator)):
                setattr(made, name, _copied(held, known))
        return made


# What can be gone through once, and not be copied, is gone through for all copies together, which each have it from the beginning.
_taken: dict[int, tuple[Any, Any]] = {}


def kept(generator: Any) -> Callable[[], None]:
    """Return a function that puts a random generator (of torch, NumPy or `random`, or such a module) back into its present state."""
    if isinstance(generator, np.random.Generator):
        bits, state = generator.bit_generator, generator.bit_generator.state
        return lambda: setattr(bits, "state", state)
    if hasattr(generator, "get_state"):
        return partial(generator.set_state, generator.get_state())
    return partial(generator.setstate, generator.getstate())


@contextmanager
def draws_given_back() -> Iterator[None]:
    """Torch, NumPy and `random` of this process afterwards give the numbers that they would have given before.

    A loader without a generator takes its seed from torch's, each time it is gone through.
    """
    back = [kept(each) for each in (torch.default_generator, np.random, random)]
    try:
        yield
    finally:
        for each in back:
            each()
