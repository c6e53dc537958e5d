"""The limit: the same work on the same images from memory, in as many processes as cores, and nothing is sent anywhere.

Each process takes the next few images that nobody has, so that all end at the same time. What it decodes is dropped.
Whose work that is, `Job.of` says: each peer is held against its own.
"""

from __future__ import annotations

import importlib
import multiprocessing
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from loaderlab.peers import recipe
from loaderlab.peers.job import AT_ONCE, Job
from loaderlab.peers.pixels import Batch
from loaderlab.scripts.packing import Pack

prepare = recipe.prepare


def source(job: Job) -> Callable[[int], Iterator[Batch]]:
    context = multiprocessing.get_context()
    taken, done = context.Value("q", 0), context.SimpleQueue()
    starts = []
    for _process in range(max(1, job.workers)):
        receive, send = context.Pipe(duplex=False)
        context.Process(target=_work, args=(job, taken, receive, done), daemon=True).start()
        starts.append(send)

    def epoch(number: int) -> Iterator[Batch]:
        taken.value = 0
        for start in starts:
            start.send(number)
        counts = [done.get() for _start in starts]
        for count in counts:
            if isinstance(count, str):
                raise RuntimeError(count)
        # One report for all: there are no batches.
        yield torch.empty((sum(counts), 0), dtype=torch.uint8), torch.arange(sum(counts))

    return epoch


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


def _work(job: Job, taken: Any, start: Any, done: Any) -> None:
    torch.set_num_threads(1)
    images = _stored(job)
    try:
        work = importlib.import_module(f"loaderlab.peers.{job.of}").work(job)
    except Exception as error:  # noqa: BLE001 (a library may fail with anything: the peer is then left out with it)
        work, failed = None, f"{type(error).__name__}: {error}"
    while True:
        random.seed(start.recv())
        count = 0
        while work:
            with taken.get_lock():
                first = taken.value
                taken.value = first + AT_ONCE
            some = range(first, min(first + AT_ONCE, len(images)))
            if not some:
                break
            work([(number, images[number].copy()) for number in some])
            count += len(some)
        done.put(count if work else failed)
