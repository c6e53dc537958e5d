"""The samples as tensors, for a training loop. Apart from `data`, so that what only reads needs no torch."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch
from torch.utils.data import Dataset

from loaderlab.lessons.webdataset.data import SHAPE, label


def to_tensor(image: bytes) -> torch.Tensor:
    """The image as a tensor [3, 52, 52] of uint8."""
    return torch.frombuffer(bytearray(image), dtype=torch.uint8).view(SHAPE)


class Files(Dataset):
    """Map-style: an item is the image in one file, and its class."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.paths = [str(path) for path in paths]

    def __len__(self) -> int:
        return len(self.paths)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        with open(self.paths[index], "rb") as file:
            return to_tensor(file.read()), label(index)


class Images(Dataset):
    """Map-style: the images that a Dataset of raw bytes delivers as tensors, and their classes."""

    def __init__(self, raw: Dataset) -> None:
        self.raw = raw

    def __len__(self) -> int:
        return len(self.raw)  # type: ignore[arg-type]

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return to_tensor(self.raw[index]), label(index)
