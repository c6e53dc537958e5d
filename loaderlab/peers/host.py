"""The process of one peer or of one limit: it is told its job and what is wanted of it, and answers with a JSON document.

``prepare``: write the peer's own format. ``time``: an epoch after another one, as in a training: some loaders make the beginning
of an epoch while the one before ends, and what they do for the next one is then paid for by what was done for this one.
``look``: the memory that it takes, and two epochs with the labels in their order, a number made of each image's pixels, and the
shapes.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from textwrap import shorten
from typing import Any

import torch

from loaderlab.measuring import memory
from loaderlab.peers.job import Job

MIB = 2**20
KEPT = 3  # batches, while an epoch is looked at
UNHURRIED = 0.06  # seconds a batch, in which every loader has made all that it makes ahead


def prepare(job: Job) -> dict[str, Any]:
    _module(job).prepare(job)
    return {}


def timed(job: Job) -> dict[str, Any]:
    """Return the images of an epoch, its seconds from the end of the one before to its own, and those to its first batch."""
    epochs = _module(job).source(job)
    for _batch in epochs(0):
        pass
    images, first, begin = 0, 0.0, time.perf_counter()
    for batch, _labels in epochs(1):
        first = first or time.perf_counter() - begin
        images += len(batch)
    return {"images": images, "seconds": time.perf_counter() - begin, "first": first}


def look(job: Job) -> dict[str, Any]:
    """Return the memory first: the check computes with the pixels, and takes more for that than a loader for its batches."""
    epochs = _module(job).source(job)
    most = max(_memory(epochs, number, pause) for number, pause in enumerate((0.0, UNHURRIED)))
    return {"mib": most / MIB, "epochs": [_looked_at(epochs, number) for number in (2, 3)]}


def _module(job: Job) -> Any:
    return importlib.import_module(f"loaderlab.peers.{job.peer}")


def _memory(epochs: Any, number: int, pause: float) -> int:
    """Return the most bytes that all processes had at a batch of an epoch (RSS where the system does not tell their shares)."""
    most = 0
    for _batch in epochs(number):
        time.sleep(pause)
        use = memory.total(memory.tree().values())
        most = max(most, use.pss or use.rss)
    return most


def _looked_at(epochs: Any, number: int) -> dict[str, Any]:
    """Return the labels in their order, a number for each image, the shapes, and whether a batch that was kept has changed."""
    labels: list[int] = []
    sums: list[int] = []
    shapes: set[tuple[str, ...]] = set()
    kept: list[tuple[torch.Tensor, list[int]]] = []
    for batch, numbers in epochs(number):
        labels += [int(label) for label in numbers]
        shapes.add((str(batch.dtype), *map(str, batch.shape[1:])))
        if batch.ndim == 4:
            found = _sums(batch)
            sums += found
            if len(kept) < KEPT:
                kept.append((batch, found))
    changed = any(_sums(batch) != before for batch, before in kept)
    return {"labels": labels, "sums": sums, "shapes": sorted(shapes), "changed": changed}


def _sums(batch: torch.Tensor) -> list[int]:
    # Columns count differently, so a mirrored image has another sum.
    weights = torch.arange(1, batch.shape[-1] + 1)
    return (batch.sum(dim=(1, 2)) * weights).sum(dim=1).tolist()


WISHES = {"prepare": prepare, "time": timed, "look": look}


def main(wish: str, job: str) -> None:
    # Standard output is for the answer alone; what a library prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # LitData asks for a newer version, and writes into the home directory, unless it is told not to.
    os.environ["LITDATA_DISABLE_VERSION_CHECK"] = "1"
    os.environ["DATA_OPTIMIZER_CACHE_FOLDER"] = os.environ["DATA_OPTIMIZER_DATA_CACHE_FOLDER"] = (
        tempfile.gettempdir()
    )
    try:
        answer = WISHES[wish](Job.from_json(job))
    except Exception as error:  # noqa: BLE001 (a peer may fail with anything, and is then named with it)
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        text = f"{type(error).__name__}: {lines[-1] if lines else ''}"
        answer = {"error": shorten(text, 200, placeholder=" …")}
    json.dump(answer, answers)
    answers.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
