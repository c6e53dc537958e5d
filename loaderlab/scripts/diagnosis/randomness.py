"""The random numbers that samples are made with: which generators there are, and what each worker draws next from them."""

from __future__ import annotations

import random
import time
import types
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info

from .clone import clone, draws_given_back, kept, told
from .isolated import isolated

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
    if isinstance(value, (dict, list, tuple)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        yield from ((f"{path}[{key!r}]", each) for key, each in islice(entries, _WIDE))
    elif isinstance(value, types.FunctionType):
        used = ((name, value.__globals__.get(name)) for name in value.__code__.co_names)
        yield from (each for each in used if isinstance(each[1], (*KINDS, types.FunctionType)))
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or (), strict=False):
            with suppress(ValueError):  # nothing is in it yet
                yield name, cell.cell_contents
    elif isinstance(value, types.MethodType):
        yield from ((path, value.__self__), (path, value.__func__))
    else:
        yield from ((f"{path}.{name}", each) for name, each in getattr(value, "__dict__", {}).items())
        for name in ("__getitem__", "__getitems__", "__iter__", "__call__", "forward"):
            if isinstance(function := getattr(type(value), name, None), types.FunctionType):
                yield path, function


def next_draw(generator: Any) -> float:
    """Return the next number of this generator, between 0 and 1; the generator still gives it afterwards."""
    back = kept(generator)
    if isinstance(generator, torch.Generator):
        draw = torch.rand((), dtype=torch.float64, generator=generator, device=generator.device)
    else:
        draw = generator.random()
    back()
    return float(draw)


def apart(experiment: Callable[[], Iterator[Any]], end: float, share: float = 1.0) -> list[Any]:
    """Return what an experiment yields in a copy of this process (`isolated`) in a share of the time until ``end``; no draw is lost."""

    def look() -> Iterator[Any]:
        with draws_given_back():
            yield from experiment()

    return isolated(look, share * (end - time.monotonic())).said


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


def draws(loader: DataLoader, workers: int) -> Iterator[Draws]:
    """Yield the first batch of each of so many workers, in a copy of the loader, in each of two epochs; a batch has at most 4 samples."""
    watch, changes = _Watch(loader), {}
    if loader.batch_sampler is not None:
        asked = islice(clone(loader).batch_sampler, workers)
        changes["batch_sampler"] = [batch[:4] if isinstance(batch, list) else batch for batch in asked]
    made = told(loader, watch.collate, watch.begin, num_workers=workers, prefetch_factor=1, **changes)
    for epoch in range(2):
        for worker, (before, after) in islice(DataLoader.__iter__(made), workers):
            yield Draws(epoch, worker, before, after)


class _Watch:
    """A look at the generators of a worker, before and after each batch."""

    def __init__(self, loader: DataLoader) -> None:
        self._auto, self._collate = loader.batch_sampler is not None, loader.collate_fn
        self._before: dict[str, float] = {}

    def begin(self) -> None:
        self._before = self._now()

    def collate(self, samples: list[Any]) -> tuple[dict[str, float], dict[str, float]]:
        self._collate(samples if self._auto else samples[0])
        before, self._before = self._before, self._now()
        return before, self._before

    def _now(self) -> dict[str, float]:
        """Return the next number of each generator in this process: its own, and those that dataset and collate function hold."""
        info = get_worker_info()
        of_dataset = held(info.dataset if info else None, "dataset")
        generators = OF_THE_PROCESS | of_dataset | held(self._collate, "collate_fn")
        return {path: next_draw(generator) for path, generator in generators.items()}
