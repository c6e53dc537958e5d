"""Batches and Datasets of lesson 4, in a module of their own so that every start method can import them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

from loaderlab.measuring import measure

NBYTES = 1_024_000  # of every batch that `make` makes
FIELDS = 100
KINDS = ("tensor", "ndarray", "bytes", "image", "fields")


def make(kind: str) -> Any:
    """Return a new batch of ``NBYTES`` bytes, as one of ``KINDS``."""
    if kind == "tensor":
        return torch.ones(NBYTES, dtype=torch.uint8)
    if kind == "ndarray":
        return np.ones(NBYTES, np.uint8)
    if kind == "bytes":
        return b"1" * NBYTES
    if kind == "image":
        return Image.new("L", (1024, NBYTES // 1024), 1)
    return fields(FIELDS, NBYTES // FIELDS)


def fields(count: int, nbytes: int) -> dict[str, torch.Tensor]:
    """``count`` new tensors of ``nbytes`` bytes each."""
    return {f"field_{i}": torch.zeros(nbytes, dtype=torch.uint8) for i in range(count)}


class Fields(Dataset):
    """Map-style, ``length`` items: each is a batch of ``count`` tensors of ``nbytes`` bytes; for ``batch_size=None``."""

    def __init__(self, length: int, count: int, nbytes: int) -> None:
        self.length, self.count, self.nbytes = length, count, nbytes

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return fields(self.count, self.nbytes)


def columns(count: int) -> dict[str, torch.Size]:
    """Return the shapes of so many columns of a record, by their names."""
    return {f"column_{i}": torch.Size(((), (3,), (2, 2))[i % 3]) for i in range(count)}


class Records(Dataset):
    """Map-style, ``length`` items: each is a dictionary of small tensors, one for each of ``shapes``."""

    def __init__(self, length: int, shapes: dict[str, torch.Size] | None = None) -> None:
        self.length, self.shapes = length, shapes or columns(FIELDS)
        self.sizes = [shape.numel() for shape in self.shapes.values()]
        self.numbers = torch.arange(sum(self.sizes), dtype=torch.float32)

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        numbers = (self.numbers + index).split(self.sizes)
        return {
            name: part.view(shape) for (name, shape), part in zip(self.shapes.items(), numbers, strict=True)
        }


def rate(
    collate_fn: Callable[[Sequence[Any]], Any] | None = None, unpack: Callable[[Any], Any] = dict
) -> float:
    """Return the samples per second that arrive in the loop of exercise 4."""
    # Elsewhere a class of a notebook cannot be sent to a worker.
    forks = "fork" in torch.multiprocessing.get_all_start_methods()
    worker: dict[str, Any] = {"num_workers": 1, "multiprocessing_context": "fork", "timeout": 30}
    loader = DataLoader(Records(128), 16, collate_fn=collate_fn, **(worker if forks else {}))
    return measure.epoch(map(unpack, loader)).samples_per_second
