"""The limit: the same work on the same images from memory, in as many processes as cores, and nothing is sent anywhere.

Each process takes the next few images that nobody has, so that all end at the same time. What it decodes is dropped. Nothing
else may take time: images that were sent for by the few, and copied, made a limit on two cores over a tenth too low, which the recipe beat.
Whose work that is, `Job.of` says: each peer is held against its own.
"""

from __future__ import annotations

import importlib
import multiprocessing
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import torch

from loaderlab.peers import recipe
from loaderlab.peers.job import AT_ONCE, Job
from loaderlab.peers.pixels import Batch
from loaderlab.scripts.packing import Pack

_taken: Any = None  # how many images are taken: a number that all processes of a limit share


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    context, workers = multiprocessing.get_context(), max(1, job.workers)
    taken = context.Value("q")
    pool = ProcessPoolExecutor(workers, context, _share, (taken,))

    def epoch(number: int) -> Iterator[Batch]:
        taken.value = 0
        for images in pool.map(_some, [job] * workers):
            # Nothing but their number: there are no batches.
            yield torch.empty((images, 0), dtype=torch.uint8), torch.arange(images)

    return epoch


def _share(taken: Any) -> None:
    global _taken
    _taken = taken


def _some(job: Job) -> int:
    """Work on the next few images until there are none, and return how many these were."""
    work, images = _begun(job)
    done = 0
    while numbers := _next(len(images)):
        work([(number, images[number]) for number in numbers])
        done += len(numbers)
    return done


def _next(count: int) -> range:
    with _taken.get_lock():
        first = min(_taken.value, count)
        _taken.value = min(first + AT_ONCE, count)
        return range(first, _taken.value)


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
        memory = np.memmap(pack.file, dtype=np.uint8, mode="c")
        places = [(int(record["start"]), int(record["bytes"])) for record in pack.index]
        images = [memory[start : start + length] for start, length in places]
    else:
        images = [np.memmap(path, dtype=np.uint8, mode="c") for path in job.files()]
    for image in images:
        int(image[::4096].sum())
    return images
