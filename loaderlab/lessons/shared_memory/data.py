"""Batches and Datasets of lesson 4, in a module of their own so that every start method can import them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset

NBYTES = 1_024_000  # of every batch that `make` makes
FIELDS = 100
KINDS = ("tensor", "ndarray", "bytes", "image", "fields")


def make(kind: str) -> Any:
    """A new batch of ``NBYTES`` bytes, as one of ``KINDS``."""
    if kind == "tensor":
        return torch.ones(NBYTES, dtype=torch.uint8)
    if kind == "ndarray":
        return np.ones(NBYTES, np.uint8)
    if kind == "bytes":
        return b"1" * NBYTES
    if kind == "image":
        return Image.new("L", (1024, NBYTES // 1024), 1)
    return {f"field_{i}": torch.ones(NBYTES // FIELDS, dtype=torch.uint8) for i in range(FIELDS)}


class Batches(Dataset):
    """Map-style, ``length`` items: each is a whole new batch; use it with ``batch_size=None``."""

    def __init__(self, kind: str, length: int) -> None:
        self.kind, self.length = kind, length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> Any:
        return make(self.kind)


class Arrays(Dataset):
    """Map-style, ``length`` items: each is a NumPy array of 1000 float32 numbers, all equal to its index."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> np.ndarray:
        return np.full(1000, index, np.float32)


class Records(Dataset):
    """Map-style, ``length`` items: a batch of ``fields`` tensors of ten float32 numbers (40 bytes) each."""

    def __init__(self, length: int, fields: int) -> None:
        self.length, self.fields = length, fields

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {f"field_{i}": torch.full((10,), float(i)) for i in range(self.fields)}
