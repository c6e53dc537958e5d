"""The limit: decoding, crop and mirroring from memory, in as many processes as there are cores; no loader."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
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
from .packed_file import Pack
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
    """Return the images a second of all processes together, each of which takes the next of at most ``most`` images that nobody has.

    So all end at the same time: with shares dealt out beforehand, waiting for the slowest process would count. The crops are those of the loader with the same size, ``least`` and ``scale``. Damaged images are left out. Raises ImageError where there is no other, or where a process fails.
    """
    # Forked, they start at once, and no helper process of multiprocessing stays behind; only Linux forks without harm.
    context: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    count = min(len(Pack(file)), most)
    together = Together(
        context.Barrier(processes),
        context.Value("q"),
        context.Value("q"),
        context.Array("b", count, lock=False),
    )
    results = context.SimpleQueue()
    seen = Augmentation(size, least or 0, scale=scale)
    workers = [
        context.Process(
            target=_work, args=(str(file), decoder, seen, k, passes, together, results), daemon=True
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
                worker.kill()  # forked, it may have a rule for SIGTERM from a training script that goes on
                worker.join()
    found = [results.get() for _worker in workers]
    if not any(count for count, _begin, _end in found):
        raise ImageError(_("{folder}: no readable image in it.").format(folder=file))
    return sum(count for count, _begin, _end in found) / (max(f[2] for f in found) - min(f[1] for f in found))


@dataclass
class Together:
    """The state that the processes share: where they wait for each other, how many images are taken, and which are not damaged."""

    start: Any
    looked_at: Any
    taken: Any
    good: Any


def _work(
    file: str, decoder: str, seen: Augmentation, k: int, passes: int, together: Together, results: Any
) -> None:
    torch.set_num_threads(1)  # as in a worker
    memory, records = np.memmap(file, np.uint8, "r"), Pack(file).index[: len(together.good)].copy()
    sizes = [upright(record) for record in records]
    out = np.empty((seen.size, seen.size, 3), dtype=np.uint8)

    def decoded(number: int, view: View | Part) -> bool:
        record = records[number]
        data = memory[int(record["start"]) :][: int(record["bytes"])]
        try:
            fill(out, np.array(data), record, view, decoder)
        except ImageError:
            return False
        return True

    # Once beforehand: it imports, warms up, brings the images into memory, and finds out which ones are damaged.
    views = list(seen.views(0, range(len(records)), sizes))
    decoded(k % len(records), views[k % len(records)])
    for number in _next(together.looked_at, len(records)):
        together.good[number] = decoded(number, views[number])
    together.start.wait()
    good = [number for number in range(len(records)) if together.good[number]]
    shown = [
        (n, view)
        for p in range(passes)
        for n, view in zip(good, seen.views(p, good, [sizes[n] for n in good]), strict=True)
    ]
    together.start.wait()
    begin, count = time.perf_counter(), 0
    for place in _next(together.taken, len(shown)):
        decoded(*shown[place])
        count += 1
    results.put((count, begin, time.perf_counter()))


def _next(taken: Any, count: int) -> Iterator[int]:
    """Numbers below ``count`` that no other process has taken yet."""
    while True:
        with taken.get_lock():
            number = taken.value
            taken.value = number + 1
        if number >= count:
            return
        yield number
