"""The payload of a batch by fields of the sample: what crosses from a worker, what would do, and the line that makes it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np
import torch

from .contents import leaves, pickled, tensors_in
from .lines import Place, is_own, place_of

LOOKED_AT = 2**21  # numbers of a tensor: so many tell what kind they are
MANY = 2**14  # numbers: fewer say nothing of the others
CLASSES = 8  # of a one-hot code: fewer may be anything
# The different values of a byte, and of the bytes of three channels, each scaled by itself.
BYTE, CHANNELS = 256, 3
DRAGGED = 1.5  # times a tensor's own bytes: such a storage is another tensor's
OBJECTS = 10  # times as long as its bytes in a tensor: so long takes an object's byte through a pipe, about
ARRAYS = (torch.Tensor, np.ndarray)
TRACED = 2.0  # seconds for a sample that is looked at line by line


@dataclass(frozen=True)
class Field:
    """A field of a sample, as it crosses in a batch."""

    path: str  # such as ``["mask"]``
    form: str  # dtype and shape
    bytes: int
    whole: int  # bytes of all fields
    enough: int  # bytes that would do
    why: str  # "one_hot", "values", "double", "storage", "objects" (see `kinds.slowness.heavy_field`)
    made: Place | None = None

    @property
    def left(self) -> float:
        """The share of the bytes of a batch that would be left."""
        return 1 - (self.bytes - self.enough) / max(1, self.whole)


def heaviest(batch: Any) -> Field | None:
    """Return the field of which most bytes could be spared; None where no field could be smaller."""
    fields = [(path, value, _crossing(value)) for path, value in _fields(batch)]
    whole = sum(size for _path, _value, size in fields)
    found = [Field(path, _form(one), size, whole, *_enough(one, size)) for path, one, size in fields]
    found = [one for one in found if one.enough < one.bytes]
    return max(found, key=lambda one: one.bytes * (OBJECTS if one.why == "objects" else 1), default=None)


def _fields(batch: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    if isinstance(batch, Mapping) and depth < 2:
        for key, value in batch.items():
            yield from _fields(value, f"{path}[{key!r}]", depth + 1)
    elif not depth and isinstance(batch, (tuple, list)) and any(isinstance(one, ARRAYS) for one in batch):
        for number, value in enumerate(batch):
            yield from _fields(value, f"{path}[{number}]", depth + 1)
    else:
        yield path, batch


def _crossing(value: Any) -> int:
    """Return the bytes that cross: of tensors the whole storages, of all else what pickle makes of it."""
    tensors = tensors_in(value)
    return sum(dict(map(_storage, tensors)).values()) if tensors else pickled(value)


def _storage(tensor: torch.Tensor) -> tuple[int, int]:
    """Return the address and the bytes of what a tensor is a view of."""
    if tensor.layout is not torch.strided or tensor.is_nested:
        return id(tensor), 0
    return tensor.untyped_storage().data_ptr(), tensor.untyped_storage().nbytes()


def _enough(value: Any, size: int) -> tuple[int, str]:
    """Return the bytes that would hold the same, and why; the same number where that is as good as any."""
    tensors = tensors_in(value)
    if not tensors:
        numbers = sum(isinstance(one, (int, float)) for one in leaves(value))
        many = 8 * numbers > size / 2 and numbers > MANY / 8
        return (min(size, 4 * numbers), "objects") if many else (size, "")
    own = sum(one.nbytes for one in tensors)
    if size > DRAGGED * own:
        return own, "storage"
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided or value.numel() < MANY:
        return size, ""
    some = value[: max(1, LOOKED_AT * len(value) // value.numel())] if value.ndim else value
    share = 1 / value.element_size()
    if not value.is_complex() and (classes := _one_hot(some)):
        return round(size * share / classes), "one_hot"
    if value.element_size() > 1 and not value.is_complex():
        different = len(torch.unique(some))
        if different <= (CHANNELS * BYTE if value.is_floating_point() else BYTE) and some.numel() > MANY:
            return round(size * share), "values"
        if not value.is_floating_point() and value.element_size() == 8 and int(some.abs().max()) < 2**31:
            return size // 2, "values"
    return (size // 2, "double") if value.dtype is torch.float64 else (size, "")


def _one_hot(tensor: torch.Tensor) -> int:
    """Return the number of classes where along some dimension one number is 1 and all others are 0; else 0."""
    for dimension, classes in enumerate(tensor.shape):
        if dimension and classes >= CLASSES and int(tensor.count_nonzero()) * classes == tensor.numel():
            ones = (tensor.sum(dimension) == 1).all() and (tensor.amax(dimension) == 1).all()
            return classes if ones else 0
    return 0


def _form(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype).removeprefix('torch.')} {tuple(value.shape)}"
    return type(value).__name__


def birthplace(sample: Callable[[], Any], path: str, whole: bool) -> Place | None:
    """Make a sample, traced, and return the user's line after which there is what comes out in this field; None where none shows it.
    ``whole``: as it comes out, and not what it is a view of."""
    seen: list[tuple[str, int, list[Any]]] = []  # kept, so that no other thing gets an old one's address
    last: dict[FrameType, int] = {}
    end, before = time.perf_counter() + TRACED, sys.gettrace()

    def look(frame: FrameType, event: str, value: Any) -> Any:
        file, line = frame.f_code.co_filename, frame.f_lineno
        if not is_own(file) or time.perf_counter() > end:
            return None
        if event != "call":
            seen.append((file, last.get(frame, line), list(frame.f_locals.values())))
            last[frame] = line
        if event == "return":
            seen.append((file, line, [value, *(one for _path, one in _fields(value))]))
        return look

    sys.settrace(look)
    try:
        made = sample()
    finally:
        sys.settrace(before)
    wanted = dict(_fields(made)).get(path)
    address = _address(wanted, whole)
    for file, line, values in seen:
        for one in values if wanted is not None else ():
            if one is wanted or (address is not None and address == _address(one, whole)):
                return place_of(file, line)
    return None


def _address(value: Any, whole: bool) -> Any:
    """Return where its numbers lie in memory; of a view, where those lie that it is a view of, unless it is to be the whole."""
    if isinstance(value, torch.Tensor):
        return (value.data_ptr(), value.numel()) if whole else _storage(value)[0]
    if not isinstance(value, np.ndarray):
        return None
    while not whole and isinstance(value.base, np.ndarray):
        value = value.base
    return (value.ctypes.data, value.size) if whole else value.ctypes.data
