"""The limit: decoding, crop and mirroring from memory, in as many processes as there are cores; no loader."""

from __future__ import annotations

import multiprocessing
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from .decoders import View, fill
from .packing import Pack


def limit(
    file: str | Path,
    decoder: str,
    size: int = 224,
    least: int | None = None,
    processes: int = 1,
    passes: int = 1,
    most: int = 1024,
) -> float:
    """Images a second of all processes together, each going through its share of at most ``most`` images."""
    # Forked, they start at once, and no helper process of multiprocessing stays behind; only Linux forks without harm.
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    start, results = context.Barrier(processes), context.SimpleQueue()
    view = (size, least or size * 8 // 7)
    workers = [
        context.Process(
            target=_work,
            args=(str(file), decoder, view, k, processes, passes, most, start, results),
            daemon=True,
        )
        for k in range(processes)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if any(worker.exitcode for worker in workers):
        raise RuntimeError("a process of the limit failed")
    found = [results.get() for _worker in workers]
    return sum(count for count, _begin, _end in found) / (max(f[2] for f in found) - min(f[1] for f in found))


def _work(
    file: str,
    decoder: str,
    view: tuple[int, int],
    k: int,
    of: int,
    passes: int,
    most: int,
    start: Any,
    results: Any,
) -> None:
    pack, rng = Pack(file), np.random.default_rng(k)
    numbers = range(k, min(len(pack), most), of)
    records = [pack.index[i].copy() for i in numbers]
    images = [pack.bytes_of(record) for record in records]
    out = np.empty((view[0], view[0], 3), dtype=np.uint8)

    def once() -> None:
        for image, record, (u, v, m) in zip(
            images, records, rng.random((len(images), 3)).tolist(), strict=True
        ):
            fill(out, image.copy(), record, View(*view, u, v, m < 0.5), decoder)

    for image, record in zip(images[:8], records[:8], strict=True):
        fill(out, image.copy(), record, View(*view), decoder)  # the first ones import and warm up
    start.wait()
    begin = time.perf_counter()
    for _pass in range(passes):
        once()
    results.put((passes * len(images), begin, time.perf_counter()))
