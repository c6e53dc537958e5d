"""A plain DataLoader over files: a Dataset that opens, decodes and returns one image, and what PyTorch offers to be fast.

https://docs.pytorch.org/tutorials/recipes/recipes/tuning_guide.html and https://docs.pytorch.org/docs/stable/data.html:
several workers, kept over the epochs. The standard work is torchvision's, with Pillow's whole image, as `ImageFolder` decodes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, over, pixels


class Files(Dataset):
    """One file for each image."""

    def __init__(self, job: Job) -> None:
        self.job, self.files = job, [str(path) for path in job.files()]

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        with open(self.files[index], "rb") as file:
            data = file.read()
        return torch.from_numpy(pixels(data, self.job)), index


def work(job: Job) -> Callable[[Sequence[tuple[int, np.ndarray]]], None]:
    """Return the work on each image by itself, from its bytes to its pixels."""

    def some(images: Sequence[tuple[int, np.ndarray]]) -> None:
        for _number, data in images:
            pixels(data, job)

    return some


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    loader = DataLoader(
        Files(job),
        batch_size=job.batch,
        shuffle=True,
        num_workers=job.workers,
        persistent_workers=job.workers > 0,
    )
    return over(loader)
