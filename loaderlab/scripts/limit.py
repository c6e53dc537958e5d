"""The limit: decoding, crop and mirroring from memory, in as many processes as there are cores; no loader."""

from __future__ import annotations

import multiprocessing
import sys
import time
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .augmentation import Augmentation
from .crops import Part
from .decoders import View, fill, upright
from .images import ImageError
from .machine import deaf
from .packing import Pack
from .words import translate as _


def limit(
    file: str | Path,
    decoder: str,
    size: int = 224,
    least: int | None = None,
    processes: int = 1,
    passes: int = 1,
    most: int = 1024,
    scale: tuple[float, float] | None = None,
) -> float:
    """Images a second of all processes together, each going through its share of at most ``most`` images.

    The crops are those of the loader with the same size, ``least`` and ``scale``. Damaged images are left out. Raises ImageError where there is no other, or where a process fails.
    """
    # Forked, they start at once, and no helper process of multiprocessing stays behind; only Linux forks without harm.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    start, results = context.Barrier(processes), context.SimpleQueue()
    seen = Augmentation(size, least or size * 8 // 7, scale=scale)
    workers = [
        context.Process(
            target=_work,
            args=(str(file), decoder, seen, k, processes, passes, most, start, results),
            daemon=True,
        )
        for k in range(processes)
    ]
    try:
        with deaf():
            for worker in workers:
                worker.start()
        # Whoever fails leaves the others waiting at the barrier: each is looked at as it ends.
        running = {worker.sentinel: worker for worker in workers}
        while running:
            for sentinel in wait(list(running)):
                worker = running.pop(sentinel)
                worker.join()  # it is ending, and its status may come a moment later
                if worker.exitcode:
                    text = _("{file}: a process that decodes has failed or was ended from outside.")
                    raise ImageError(text.format(file=file))
    finally:
        for worker in workers:
            if worker.pid is not None:
                worker.terminate()
                worker.join()
    found = [results.get() for _worker in workers]
    if not any(count for count, _begin, _end in found):
        raise ImageError(_("{folder}: no readable image in it.").format(folder=file))
    return sum(count for count, _begin, _end in found) / (max(f[2] for f in found) - min(f[1] for f in found))


def _work(
    file: str,
    decoder: str,
    seen: Augmentation,
    k: int,
    of: int,
    passes: int,
    most: int,
    start: Any,
    results: Any,
) -> None:
    torch.set_num_threads(1)  # as in a worker
    pack = Pack(file)
    records = [pack.index[i].copy() for i in range(k, min(len(pack), most), of)]
    images = [pack.bytes_of(record) for record in records]
    sizes = [upright(record) for record in records]
    out = np.empty((seen.size, seen.size, 3), dtype=np.uint8)

    def decoded(number: int, view: View | Part) -> bool:
        try:
            fill(out, images[number].copy(), records[number], view, decoder)
        except ImageError:
            return False
        return True

    # Once beforehand: it imports, warms up, and finds out which ones are damaged.
    good = [n for n, view in enumerate(seen.views(0, range(len(images)), sizes)) if decoded(n, view)]
    start.wait()
    begin = time.perf_counter()
    for epoch in range(passes):
        for number, view in zip(good, seen.views(epoch, good, [sizes[n] for n in good]), strict=True):
            decoded(number, view)
    results.put((passes * len(good), begin, time.perf_counter()))
