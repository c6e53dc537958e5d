"""The samples of this lesson: small images of eight classes, made on the spot, as files and in one packed file."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from loaderlab.lessons.webdataset.shuffle_buffer import shuffled as shuffled  # noqa: PLC0414 (so is this)
from loaderlab.scripts.shards import address as address  # noqa: PLC0414 (cells call it as `data.address`)

SAMPLES = 2000
CLASSES = 8
SHAPE = (3, 52, 52)
NBYTES = 3 * 52 * 52  # 8112 bytes: about the size of a small JPEG


def pixels(index: int) -> bytes:
    """Return the image of one sample, raw: its first four bytes are its number."""
    rng = random.Random(index)
    return index.to_bytes(4, "little") + rng.randbytes(NBYTES - 4)


def label(index: int) -> int:
    """Return the class of a sample. The samples are sorted by class, as a folder for each class would give them."""
    return index * CLASSES // SAMPLES


def number(image: bytes) -> int:
    """Return the index of the sample that an image belongs to."""
    return int.from_bytes(image[:4], "little")


def make_files(folder: Path, samples: int = SAMPLES) -> list[Path]:
    """Write one file for each image, ``000000.bin`` …; return their paths in order."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{index:06d}.bin" for index in range(samples)]
    for index, path in enumerate(paths):
        path.write_bytes(pixels(index))
    return paths


def make_packed(path: Path, samples: int = SAMPLES) -> Path:
    """Write all images one after the other, and beside them an index: where each one begins, and where the last one ends."""
    sizes = []
    with open(path, "wb") as file:
        for index in range(samples):
            sizes.append(file.write(pixels(index)))
    np.save(path.with_suffix(".npy"), np.concatenate([[0], np.cumsum(sizes)]))
    return path


@contextmanager
def being(rank: int, world: int, worker: int | None = None, workers: int = 1) -> Iterator[None]:
    """Let webdataset take this process for a rank in the body; with ``worker`` set, for that worker of the rank.

    It reads the variables RANK and WORLD_SIZE, which `torchrun` sets, and WORKER and NUM_WORKERS. Workers of a DataLoader
    that start in the body inherit them: not from a server for forking, which keeps the environment that it began with.
    """
    values = {"RANK": rank, "WORLD_SIZE": world}
    if worker is not None:
        values |= {"WORKER": worker, "NUM_WORKERS": workers}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update({name: str(value) for name, value in values.items()})
    method = multiprocessing.get_start_method()
    if method == "forkserver":
        multiprocessing.set_start_method("fork", force=True)
    try:
        yield
    finally:
        if method == "forkserver":
            multiprocessing.set_start_method(method, force=True)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
