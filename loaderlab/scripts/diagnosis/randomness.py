"""The random numbers that samples are made with: which generators there are, and what each worker draws next from them."""

from __future__ import annotations

import copy
import random
import types
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info

from .clone import clone

KINDS = (np.random.Generator, np.random.RandomState, random.Random, torch.Generator)
OF_THE_PROCESS = {"torch": torch.default_generator, "numpy.random": np.random, "random": random}
# How much of a dataset is looked at for generators: objects, and entries of one container.
_NODES, _WIDE = (2_000, 64)
_PLAIN = (str, bytes, int, float, bool, complex, type(None), np.ndarray, torch.Tensor, type, types.ModuleType)


def within(root: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of an object, with the path that leads there: a bounded part of it, arrays and plain values left out."""
    ahead, known = [(name, root)], set()
    for _node in range(_NODES):
        if not ahead:
            break
        path, value = ahead.pop(0)
        if id(value) not in known and not isinstance(value, _PLAIN):
            known.add(id(value))
            yield path, value
            if not isinstance(value, KINDS):
                ahead += _below(path, value)


def held(root: Any, name: str) -> dict[str, Any]:
    """Return the generators that an object holds, by the path that leads to them, such as ``dataset.transform.rng``."""
    return {path: value for path, value in within(root, name) if isinstance(value, KINDS)}


def _below(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"{path}[{key!r}]", each) for key, each in islice(value.items(), _WIDE))
    elif isinstance(value, (list, tuple)):
        yield from ((f"{path}[{i}]", each) for i, each in enumerate(value[:_WIDE]))
    elif isinstance(value, types.FunctionType):
        names = value.__code__.co_names
        yield from (
            (name, value.__globals__[name])
            for name in names
            if isinstance(value.__globals__.get(name), (*KINDS, types.FunctionType))
        )
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
        yield from ((name, cell.cell_contents) for name, cell in cells if _filled(cell))
    elif isinstance(value, types.MethodType):
        yield from ((path, value.__self__), (path, value.__func__))
    else:
        yield from ((f"{path}.{name}", each) for name, each in getattr(value, "__dict__", {}).items())
        for name in ("__getitem__", "__getitems__", "__iter__", "__call__", "forward"):
            if isinstance(function := getattr(type(value), name, None), types.FunctionType):
                yield path, function


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False


def next_draw(generator: Any) -> float:
    """Return the next number of this generator, between 0 and 1; the generator still gives it afterwards."""
    if isinstance(generator, torch.Generator):
        twin = torch.Generator(device=generator.device).set_state(generator.get_state())
        return float(torch.rand((), dtype=torch.float64, generator=twin, device=generator.device))
    if generator is np.random:
        twin = np.random.RandomState()
        twin.set_state(np.random.get_state())
        return float(twin.random_sample())
    if generator is random:
        twin = random.Random()
        twin.setstate(random.getstate())
        return twin.random()
    twin = copy.deepcopy(generator)
    return float(twin.random())


def now(dataset: Any, collate: Any) -> dict[str, float]:
    """Return the next number of each generator in this process: its own, and those that dataset and collate function hold."""
    generators = OF_THE_PROCESS | held(dataset, "dataset") | held(collate, "collate_fn")
    return {path: next_draw(generator) for path, generator in generators.items()}


@dataclass(frozen=True)
class Draws:
    """One batch of a worker in an epoch: what each generator would have given next before it, and after it."""

    epoch: int
    worker: int
    before: dict[str, float]
    after: dict[str, float]

    def used(self) -> set[str]:
        """Return the generators that this batch drew from."""
        return {path for path, draw in self.after.items() if self.before.get(path) != draw}


def draws(loader: DataLoader, workers: int, epochs: int = 2) -> Iterator[Draws]:
    """Yield the first batch of each of so many workers, in a copy of the loader, in each epoch; a batch has at most 4 samples."""
    watch = _Watch(loader)
    made = clone(
        loader,
        **few(loader, workers),
        num_workers=workers,
        prefetch_factor=1,
        collate_fn=watch.collate,
        worker_init_fn=watch.begin,
        pin_memory=False,
    )
    for epoch in range(epochs):
        for record in islice(DataLoader.__iter__(made), workers):
            yield Draws(epoch, *record)


def few(loader: DataLoader, batches: int) -> dict[str, Any]:
    """Return the change that makes a copy of the loader ask for so many batches only, of at most 4 samples."""
    if loader.batch_sampler is None:
        return {}
    asked = islice(clone(loader).batch_sampler, batches)
    return {"batch_sampler": [batch[:4] if isinstance(batch, list) else batch for batch in asked]}


_before: dict[str, float] = {}


class _Watch:
    """A wrapper that a worker runs in place of the user's functions: these, and a look at the generators before and after."""

    def __init__(self, loader: DataLoader) -> None:
        self._init, self._collate = loader.worker_init_fn, loader.collate_fn

    def begin(self, worker: int) -> None:
        if self._init is not None:
            self._init(worker)
        info = get_worker_info()
        _before.update(now(info.dataset if info else None, self._collate))

    def collate(self, samples: Any) -> tuple[int, dict[str, float], dict[str, float]]:
        self._collate(samples)
        info = get_worker_info()
        after = now(info.dataset if info else None, self._collate)
        before = dict(_before)
        _before.update(after)
        return info.id if info else 0, before, after
