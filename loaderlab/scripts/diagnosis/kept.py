"""The things that stay of the samples that are read: the container or the cache of the user's that grows with them, and what things weigh."""

from __future__ import annotations

import gc
import random
import re
import sys
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from itertools import islice, pairwise
from math import inf
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from .clone import clone, length_of, loader_in
from .lines import Place, files_of, line_of
from .parts import as_worker, piecewise
from .randomness import within

BATCHES = 200  # at most, of which one is to warm up
LEAST = 40  # samples in each stretch: what keeps fewer is a buffer that fills
KEEPS = 0.25  # entries more for each sample: what keeps less is a buffer, or a table that it needs
# So many things are weighed for all in a container, so many for all that is within each, and so deep.
SOME, FEW, DEPTH = 64, 3, 8
HEAD = 1000  # rows of a frame, in the same way
GROWS = r"\b{name}(\[.*\]\s*=[^=]|\.(append|appendleft|extend|add|update|setdefault|insert|push)\(|\s*[+|]=)"
Sized = tuple[int, float, Any]  # how many entries, how many at most, and what has them
_LIGHT = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType, Dataset, DataLoader)


@dataclass(frozen=True)
class Kept:
    """A container, or a function with a cache, that grows as samples are read, and the user's line in which it does."""

    name: str
    place: str
    each: float  # bytes for each sample
    most: float | None = None  # of all that a process may keep; None where reading the same again adds to it


def keeping(batches: Any, seconds: float) -> Iterator[Kept]:
    """Read some batches as a worker does, others, and the first ones again; yield what has grown, that which takes most first."""
    loader: Any = loader_in(clone(batches))
    if loader.batch_sampler is not None and not isinstance(loader.dataset, IterableDataset):
        loader = clone(loader, batch_sampler=list(islice(loader.batch_sampler, BATCHES)))
    with as_worker(loader, 1):
        source, end = piecewise(loader), time.perf_counter() + seconds / 3
        _read(source, 1, end)  # what is made once, is made now
        sizes = [_sizes(loader)]
        first = _read(source, (length_of(loader) or BATCHES) // 2, end, LEAST)
        sizes.append(_sizes(loader))
        second = _read(source, len(first), inf)
        sizes.append(_sizes(loader))
        _read(piecewise(loader), 1 + len(first), inf)
        sizes.append(_sizes(loader))
    yield from sorted(_grown(loader, sizes, sum(first), sum(second)), key=lambda one: -one.each)


def _read(source: Iterator[Any], most: int, end: float, least: int = 0) -> list[int]:
    """Return how many samples were in each batch that was read until ``end``, and until there were so many at least."""
    read = []
    for _batch, _sample, times, _taken in islice(source, most):
        read.append(len(times))
        if time.perf_counter() > end and sum(read) >= least:
            break
    return read


def _grown(loader: Any, sizes: list[dict[str, Sized]], first: int, second: int) -> Iterator[Kept]:
    for name, (length, bound, value) in sizes[-1].items():
        more = [after - before for before, after in pairwise(known.get(name, (0,))[0] for known in sizes)]
        if second < LEAST or more[0] < KEEPS * first or more[1] < KEEPS * second:
            continue
        entry, share = weighed(value)[1] / length, more[1] / second
        if more[2] < more[0] / 2 and hasattr(loader.dataset, "__len__"):  # it is kept by index
            bound = min(bound, share * len(loader.dataset))
        most = None if bound == inf else entry * bound
        yield Kept(name, str(_place(name, value, loader) or ""), entry * share, most)


def _sizes(loader: DataLoader) -> dict[str, Sized]:
    """Return the containers and caches of the dataset, of what collates, and of the user's modules."""
    found = [*within(loader.collate_fn, "collate_fn"), *within(loader.dataset, "dataset")]
    for module in reversed(_own_modules(loader)):
        for name, value in vars(module).items():
            mine = isinstance(value, type) and value.__module__ == module.__name__
            inside = [(f"{name}.{each}", one) for each, one in vars(value).items()] if mine else []
            found += inside if mine or name.startswith("__") else [(name, value)]
    sizes: dict[str, Sized] = {}
    for name, value in {id(value): (name, value) for name, value in found}.values():
        if isinstance(value, (list, dict, set, deque)):
            sizes[name] = len(value), getattr(value, "maxlen", None) or inf, value
        elif isinstance(value, _lru_cache_wrapper):
            info = value.cache_info()
            sizes[name] = info.currsize, info.maxsize or inf, value
    return sizes


def _own_modules(loader: DataLoader) -> list[ModuleType]:
    """Return the user's modules, that of the dataset first."""
    modules = [one for one in sys.modules.values() if isinstance(one, ModuleType)]
    by_file = {vars(one).get("__file__"): one for one in modules}
    return [by_file[file] for file in files_of(loader.dataset, loader.collate_fn) if file in by_file]


def _place(name: str, value: Any, loader: DataLoader) -> Place | None:
    """Return the line of the user's with the cache, or in which the container grows."""
    if place := line_of(getattr(value, "__wrapped__", None), r"cache"):
        return place
    pattern = GROWS.format(name=re.escape(re.sub(r"\[.*", "", name).rpartition(".")[2]))
    return next((place for one in _own_modules(loader) if (place := line_of(one, pattern))), None)


def weighed(value: Any, depth: int = DEPTH, draw: random.Random | None = None) -> tuple[float, float]:
    """Return how many Python objects are within something, and its bytes with theirs: of some things, for all in a container."""
    size = float(sys.getsizeof(value))
    if isinstance(value, torch.Tensor):
        return 0.0, size + value.untyped_storage().nbytes()
    # Of pandas: text may be objects, or in Arrow's memory.
    if hasattr(value, "memory_usage") and hasattr(value, "head"):
        deep, flat = (value.head(HEAD).memory_usage(index=False, deep=each) for each in (True, False))
        share = len(value) / max(1, min(HEAD, len(value)))
        return len(value) * float(np.sum(np.not_equal(deep, flat))), share * float(np.sum(deep))
    inside = gc.get_referents(value)
    if isinstance(value, dict):  # records share their keys
        inside = list(value.items() if depth == DEPTH else value.values())
    if isinstance(value, np.ndarray):
        inside = value.ravel().tolist() if value.dtype.hasobject else []
        inside = inside or ([] if value.base is None else [value.base])
    inside = [each for each in inside if not isinstance(each, _LIGHT)] if depth else []
    draw = draw or random.Random(0)  # one for all: else the same field would stand for each record
    some = draw.sample(inside, min(len(inside), SOME if depth == DEPTH else FEW))
    share = len(inside) / max(1, len(some))
    each = [weighed(one, depth - 1, draw) for one in some]
    return len(inside) + share * sum(n for n, _size in each), size + share * sum(n for _objects, n in each)
