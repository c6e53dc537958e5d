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
