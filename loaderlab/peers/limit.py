"""The limit: the same work on the same images from memory, in as many processes as cores, and nothing is sent anywhere.

Each process takes the next few images that nobody has, so that all end at the same time. What it decodes is dropped.
Whose work that is, `Job.of` says: each peer is held against its own.
"""

from __future__ import annotations

import importlib
import multiprocessing
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from typing import Any

import numpy as np
import torch

from loaderlab.peers import recipe
from loaderlab.peers.job import AT_ONCE, Job
from loaderlab.peers.pixels import Batch
from loaderlab.scripts.packing import Pack


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    count = len(job.files())
    pool = ProcessPoolExecutor(max(1, job.workers), multiprocessing.get_context())

    def epoch(number: int) -> Iterator[Batch]:
        for images in pool.map(partial(_some, job, count), range(0, count, AT_ONCE)):
            # Nothing but their number: there are no batches.
            yield torch.empty((images, 0), dtype=torch.uint8), torch.arange(images)

    return epoch


def _some(job: Job, count: int, first: int) -> int:
    """Work on the next few images, and return how many these are."""
    work, images = _begun(job)
    numbers = range(first, min(first + AT_ONCE, count))
    work([(number, images[number].copy()) for number in numbers])
    return len(numbers)


@cache
def _begun(job: Job) -> tuple[Callable[[Any], None], list[np.ndarray]]:
    """Return the work, and the images; once in each process."""
    torch.set_num_threads(1)
    random.seed(job.seed)
    return importlib.import_module(f"loaderlab.peers.{job.of}").work(job), _stored(job)


def _stored(job: Job) -> list[np.ndarray]:
    """Return the images of the recipe's pack, or the files as they are; mapped and touched: in memory, and once for all processes."""
    if job.of == "recipe":
        pack = Pack(recipe.file(job))
        memory = np.memmap(pack.file, dtype=np.uint8, mode="r")
        places = [(int(record["start"]), int(record["bytes"])) for record in pack.index]
        images = [memory[start : start + length] for start, length in places]
    else:
        images = [np.memmap(path, dtype=np.uint8, mode="r") for path in job.files()]
    for image in images:
        int(image[::4096].sum())
    return images
