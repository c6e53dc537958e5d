"""FFCV: a compiled pipeline in threads, over a file of its own.

https://docs.ffcv.io/making_dataloaders.html and https://docs.ffcv.io/performance_guide.html: images kept as JPEG,
`OrderOption.RANDOM`, `os_cache=True` because the file fits into memory. It has only its own decoder, and encodes the
images again when it writes them (quality 90); its random crop is resized to the square, from an area of its choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import RandomHorizontalFlip, ToTensor, ToTorchImage
from ffcv.writer import DatasetWriter
from PIL import Image

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch


class Files:
    """An image and its number."""

    def __init__(self, job: Job) -> None:
        self.files = job.files()

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return np.asarray(Image.open(self.files[index]).convert("RGB")), index


def _file(job: Job) -> str:
    return str(Path(job.store) / "images.beton")


def prepare(job: Job) -> None:
    fields = {"image": RGBImageField(write_mode="jpg"), "label": IntField()}
    DatasetWriter(_file(job), fields, num_workers=max(1, job.workers)).from_indexed_dataset(Files(job))


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    decoder = RandomResizedCropRGBImageDecoder((job.size, job.size))
    loader = Loader(
        _file(job),
        batch_size=job.batch,
        num_workers=max(1, job.workers),
        order=OrderOption.RANDOM,
        os_cache=True,
        drop_last=False,
        pipelines={
            "image": [decoder, RandomHorizontalFlip(), ToTensor(), ToTorchImage()],
            "label": [IntDecoder(), ToTensor()],
        },
    )

    def epoch(number: int) -> Iterator[Batch]:
        for images, labels in loader:
            yield images, labels.flatten()

    return epoch
