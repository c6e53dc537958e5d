"""The ways to read the lesson's images: a function for each, and their times in turns.

`disk.count` runs this file in a child process. Each function takes the folder with ``files/``, ``train-*.tar`` and ``packed.bin``.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from loaderlab.lessons.webdataset import data, library

NAMES = ("files", "shards", "plain", "packed")


def files(folder: Path) -> Iterator[bytes]:
    """Yield the bytes of each file, in random order, as in training."""
    for index in random.sample(range(data.SAMPLES), data.SAMPLES):
        with open(folder / "files" / f"{index:06d}.bin", "rb") as file:
            yield file.read()


def shards(folder: Path) -> Iterator[bytes]:
    """Yield the images that webdataset finds in the shards."""
    urls = [data.address(path) for path in sorted(folder.glob("train-*.tar"))]
    for sample in library.find().WebDataset(urls, shardshuffle=False):
        yield sample["bin"]


def plain(folder: Path) -> Iterator[bytes]:
    """Yield the bytes of the shards in pieces of a MiB, whatever is in them."""
    for path in sorted(folder.glob("train-*.tar")):
        with open(path, "rb", buffering=0) as file:
            while piece := file.read(2**20):
                yield piece


def packed(folder: Path) -> Iterator[bytes]:
    """Yield the images of the packed file, in random order."""
    starts = np.load(folder / "packed.npy")
    with open(folder / "packed.bin", "rb", buffering=0) as file:
        for index in random.sample(range(data.SAMPLES), data.SAMPLES):
            file.seek(starts[index])
            yield file.read(starts[index + 1] - starts[index])


def times(folder: Path, forget: Iterable[Path] = (), repeats: int = 3) -> dict[str, float]:
    """Return for each way its time per sample (µs): the median of passes in turns.

    Before each pass the system is asked to forget what it has cached of the files in ``forget``.
    """
    # Here, because a child process that counts needs neither, and they bring torch.
    from loaderlab.lessons.webdataset import disk
    from loaderlab.measuring import measure

    gone = list(forget)

    def microseconds(way: Callable[[Path], Iterator[bytes]]) -> float:
        disk.evict(gone)
        started = time.perf_counter()
        for _sample in way(folder):
            pass
        return 1e6 * (time.perf_counter() - started) / data.SAMPLES

    ways = {name: globals()[name] for name in NAMES}
    found = measure.compare({name: partial(microseconds, way) for name, way in ways.items()}, repeats=repeats)
    return {name: measure.Spread.of(values).median for name, values in found.items()}
