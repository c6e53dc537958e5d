"""The samples as tensors, for a training loop. Apart from `data`, so that what only reads needs no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import torch
from torch.utils.data import Dataset

from loaderlab.lessons.webdataset.data import CLASSES, SHAPE, label


def to_tensor(image: bytes) -> torch.Tensor:
    """Return the image as a tensor [3, 52, 52] of uint8."""
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
        return len(self.raw)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        return to_tensor(self.raw[index]), label(index)


def training_step(device: str) -> Callable[[Sequence[torch.Tensor]], None]:
    """Return a training step of a very small net, which ends when the device has finished."""
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 4, stride=4),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(32, CLASSES),
    ).to(device)
    optimiser = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(batch: Sequence[torch.Tensor]) -> None:
        pixels, classes = (part.to(device, non_blocking=True) for part in batch)
        loss = torch.nn.functional.cross_entropy(net(pixels.float() / 255), classes)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if device == "cuda":
            torch.cuda.synchronize()  # else the computation would be counted as waiting

    return step
