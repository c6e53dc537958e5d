"""The recipe of the course: `loaderlab.scripts.efficient_dataloader`. Its own decoder is the fastest that is there.

The standard work is ``scale=(0.08, 1)``. Where `jpegtran` is installed, packing makes the JPEGs cuttable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from loaderlab.peers.job import LEAST, Job
from loaderlab.peers.pixels import SCALE, Batch, view
from loaderlab.scripts import decoders, efficient_dataloader
from loaderlab.scripts.packing import Pack, pack


def file(job: Job) -> Path:
    return Path(job.store) / "images.pack"


def prepare(job: Job) -> None:
    problems = pack(
        job.images, file(job), shorter=job.shorter, cuts=job.cuttable, processes=max(1, job.workers)
    )
    if problems:
        raise ValueError(str(problems[0]))


def crop_only(job: Job) -> bool:
    """Return whether every image was packed so that it can be cut."""
    return not Pack(file(job)).whole


def _decoder(job: Job) -> str:
    return decoders.choose("auto" if job.standard else job.decoder)


def work(job: Job) -> Callable[[Sequence[tuple[int, np.ndarray]]], None]:
    """Return the recipe's decoding: the size of each image, and its place in the bytes, are known beforehand."""
    index, decoder = Pack(file(job)).index, _decoder(job)
    out = np.empty((job.size, job.size, 3), dtype=np.uint8)

    def some(images: Sequence[tuple[int, np.ndarray]]) -> None:
        for number, data in images:
            record = index[number]
            decoders.fill(out, data, record, view(job, decoders.upright(record)), decoder)

    return some


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    loader = efficient_dataloader.loader(
        file(job),
        job.batch,
        size=job.size,
        least=LEAST,
        workers=job.workers,
        decoder=_decoder(job),
        scale=SCALE if job.standard else None,
        seed=job.seed,
    )

    def epoch(number: int) -> Iterator[Batch]:
        loader.batch_sampler.set_epoch(number)
        yield from loader

    return epoch
