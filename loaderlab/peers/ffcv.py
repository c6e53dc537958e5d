"""FFCV: a compiled pipeline in threads, over a file of its own.

https://docs.ffcv.io/making_dataloaders.html and https://docs.ffcv.io/performance_guide.html: images kept as JPEG,
`OrderOption.RANDOM`, `os_cache=True` because the file fits into memory. It encodes the images anew when it writes them
(OpenCV, quality 90), and has only its own decoder: TurboJPEG with the fast transform, of the whole image; OpenCV resizes the crop by
areas. Later batches use the memory of earlier ones again. All other peers hand over what can be kept, so here each batch is copied:
3.5 ms of the 250 ms of CPU time that a batch of 64 took on two cores (median of 48).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from ffcv.fields import IntField, RGBImageField
from ffcv.fields.decoders import IntDecoder, RandomResizedCropRGBImageDecoder
from ffcv.fields.rgb_image import get_random_crop
from ffcv.libffcv import imdecode, resize_crop
from ffcv.loader import Loader, OrderOption
from ffcv.reader import Reader
from ffcv.transforms import RandomHorizontalFlip, ToTensor, ToTorchImage
from ffcv.writer import DatasetWriter
from PIL import Image

from loaderlab.peers.job import Job
from loaderlab.peers.pixels import SCALE, Batch

RATIO = (3 / 4, 4 / 3)


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
            yield images.clone(), labels.flatten().clone()

    return epoch


def work(job: Job) -> Callable[[Sequence[tuple[int, np.ndarray]]], None]:
    """Return the decoding of FFCV's pipeline, of the images in its own file, by the functions that the pipeline is compiled of."""
    reader = Reader(_file(job))
    file = np.memmap(_file(job), dtype=np.uint8, mode="r")
    places = {int(ptr): int(size) for _sample, ptr, size in reader.alloc_table.tolist()}
    fields, out = reader.metadata["f0"], np.empty((job.size, job.size, 3), dtype=np.uint8)

    def some(images: Sequence[tuple[int, np.ndarray]]) -> None:
        for number, _data in images:
            height, width, start = (int(fields[number][name]) for name in ("height", "width", "data_ptr"))
            pixels = np.empty((height, width, 3), dtype=np.uint8)
            data = file[start : start + places[start]]
            imdecode(data, pixels, height, width, height, width, 0, 0, 1, 1, False, False)
            top, left, high, wide = get_random_crop(height, width, SCALE, RATIO)
            resize_crop(pixels, top, top + high, left, left + wide, out)
            if random.random() < 0.5:
                out[:] = out[:, ::-1]

    return some
