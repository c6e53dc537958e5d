"""The limit: the same work on the same images from memory, in as many processes as cores, and nothing is sent anywhere.

Each process takes the next few images that nobody has, so that all end at the same time. What it decodes is dropped.
The image's place in memory and its size are known beforehand, as in the recipe.
"""

from __future__ import annotations

import multiprocessing
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from loaderlab.peers import recipe
from loaderlab.peers.job import Job
from loaderlab.peers.pixels import Batch, view
from loaderlab.scripts import decoders
from loaderlab.scripts.packing import Pack

AT_ONCE = 16
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
        count = sum(done.get() for _start in starts)
        # One report for all: there are no batches.
        yield torch.empty((count, 0), dtype=torch.uint8), torch.arange(count)

    return epoch


def _work(job: Job, taken: Any, start: Any, done: Any) -> None:
    torch.set_num_threads(1)
    pack = Pack(recipe.file(job))
    index = pack.index
    # Mapped and touched: the images are in memory, and in one place for all processes.
    memory = np.memmap(pack.file, dtype=np.uint8, mode="r")
    int(memory[::4096].sum())
    decoder = decoders.choose("auto" if job.decoder == "own" else job.decoder)
    out = np.empty((job.size, job.size, 3), dtype=np.uint8)
    while True:
        random.seed(start.recv())
        count = 0
        while True:
            with taken.get_lock():
                first = taken.value
                taken.value = first + AT_ONCE
            for record in index[first : first + AT_ONCE]:
                begin = int(record["start"])
                data = memory[begin : begin + int(record["bytes"])].copy()
                decoders.fill(out, data, record, view(job), decoder)
                count += 1
            if first >= len(index):
                break
        done.put(count)
