"""The work that every peer does on an image: decode it, cut a square out at random, mirror it in half of the cases.

The standard work is torchvision's, as https://docs.pytorch.org/vision/stable/transforms.html has it for images of Pillow.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np
import torch
from PIL import Image

from loaderlab.peers.job import LEAST, Job
from loaderlab.scripts.crops import CHANCES, Part, random_resized
from loaderlab.scripts.decoders import View, fill
from loaderlab.scripts.images import frame

Batch = tuple[torch.Tensor, torch.Tensor]
SCALE = (0.08, 1.0)  # of RandomResizedCrop: the share of the image that is seen


def view(job: Job, size: tuple[int, int]) -> View | Part:
    """Return the part that is seen of an image of this size.

    Workers and threads draw different ones: torch seeds `random` in each worker.
    """
    return part(job, size) if job.standard else window(job)


def part(job: Job, size: tuple[int, int]) -> Part:
    """Return a part of an image of this size, as RandomResizedCrop draws it."""
    return random_resized(*size, job.size, [random.random() for _chance in range(CHANCES)], SCALE)


def window(job: Job) -> View:
    """Return a square at a random place."""
    return View(job.size, LEAST, random.random(), random.random(), random.random() < 0.5)


def pixels(data: Any, job: Job, out: np.ndarray | None = None) -> np.ndarray:
    """Return the square [size, size, 3] of a JPEG, by the decoder of the job; into ``out``, where there is one."""
    if out is None:
        out = np.empty((job.size, job.size, 3), dtype=np.uint8)
    if job.standard:
        out[:] = np.asarray(square(Image.open(io.BytesIO(data)).convert("RGB"), job))
    else:
        data = bytearray(data)  # `fill` shortens the image in its head, so it wants bytes that can be changed
        row = _row(data)
        fill(out, data, row, view(job, (row["width"], row["height"])), job.decoder)
    return out


def square(image: Image.Image, job: Job) -> Image.Image:
    """Return the square of a decoded image: torchvision's standard."""
    return _standard(job.size)(image)


@cache
def _standard(size: int) -> Any:
    from torchvision.transforms import v2

    return v2.Compose([v2.RandomResizedCrop(size, SCALE, antialias=True), v2.RandomHorizontalFlip()])


def _row(data: bytearray) -> dict[str, int]:
    """Return the row of the recipe's index, read from the head of the JPEG."""
    at = frame(data)
    if at >= 0:
        height, width = int.from_bytes(data[at : at + 2], "big"), int.from_bytes(data[at + 2 : at + 4], "big")
    else:
        width, height = Image.open(io.BytesIO(data)).size
    return {"width": width, "height": height, "orientation": 1, "frame": at}


def over(loader: Iterable[Any]) -> Callable[[int], Iterator[Batch]]:
    """Return the epochs of a loader that wants no number, and gives images with their channels last."""

    def epoch(number: int) -> Iterator[Batch]:
        for images, labels in loader:
            yield channels_first(images), labels

    return epoch


def channels_first(images: torch.Tensor) -> torch.Tensor:
    """Return [B, S, S, 3] as [B, 3, S, S]: another view of the same bytes, nothing is copied."""
    return images.permute(0, 3, 1, 2)
