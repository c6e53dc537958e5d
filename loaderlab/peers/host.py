"""The process of one peer. It is asked on standard input, a JSON object a line, and answers likewise.

``{"do": "prepare"}`` · ``{"do": "epoch", "number": 3, "step_ms": 0, "look": true, "lead": true}`` · ``{"do": "end"}``.
With ``look``, the answer has the labels in their order, a number made of each image's pixels, and the shape. With ``lead``, the
epoch before this one comes first, as in a training: some loaders make the beginning of an epoch while the one before ends, and
what they do for the next one is then paid for by what was done for this one. The answer comes when nobody works ahead any more.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from textwrap import shorten
from typing import Any

import psutil

from loaderlab.peers.job import Job

KEPT = 3  # batches, while an epoch is looked at
QUIET = 0.1  # seconds in which a loader at rest takes next to no processor time
PATIENCE = 10.0  # seconds: one that always has something to do never rests


def run(job: Job, ask: Iterator[str], answer: Callable[[dict[str, Any]], None]) -> None:
    """Do what is asked until there is nothing more, or ``end``."""
    epochs: Any = None
    for line in ask:
        wish = json.loads(line)
        try:
            if wish["do"] == "end":
                break
            peer = importlib.import_module(f"loaderlab.peers.{job.peer}")
            if wish["do"] == "prepare":
                peer.prepare(job)
                answer({"done": True})
            else:
                epochs = epochs or peer.source(job)
                run_epoch = _looked_at if wish.get("look") else _timed
                number, step = wish["number"], wish.get("step_ms", 0.0) / 1000
                if wish.get("lead"):
                    # One that the peer has had: where it is told which, what it made ahead before the pause is of no use.
                    _timed(epochs, number - 1, step)
                found = run_epoch(epochs, number, step)
                _rest()
                answer(found)
        except Exception as error:  # noqa: BLE001 (a peer may fail with anything, and is then named with it)
            lines = [text.strip() for text in str(error).splitlines() if text.strip()]
            answer(
                {
                    "error": shorten(
                        f"{type(error).__name__}: {lines[-1] if lines else ''}", 200, placeholder=" …"
                    )
                }
            )


def _timed(epochs: Any, number: int, step: float) -> dict[str, Any]:
    """Return the seconds of an epoch from before its first batch is asked for to the end of its last step, and images."""
    images, first = 0, 0.0
    begin = time.perf_counter()
    for batch, _labels in epochs(number):
        first = first or time.perf_counter() - begin
        images += len(batch)
        if step:
            time.sleep(step)
    return {"images": images, "seconds": time.perf_counter() - begin, "first": first}


def _rest() -> None:
    """Wait until this process and all that it has started have nothing to do: whoever is timed next has the machine alone."""
    used, end = _used(), time.monotonic() + PATIENCE
    while time.monotonic() < end:
        time.sleep(QUIET)
        before, used = used, _used()
        if used - before < QUIET / 5:
            break


def _used() -> float:
    """Return the seconds of processor time so far."""
    this, total = psutil.Process(), 0.0
    for process in (this, *this.children(recursive=True)):
        with suppress(psutil.Error):
            total += sum(process.cpu_times()[:2])
    return total


def _looked_at(epochs: Any, number: int, _step: float) -> dict[str, Any]:
    """Return the labels in their order, a number for each image, the shapes, and whether batches that are kept stay as they were."""
    labels: list[int] = []
    sums: list[int] = []
    shapes: set[tuple[str, ...]] = set()
    kept: list[tuple[Any, list[int]]] = []
    for batch, numbers in epochs(number):
        labels += [int(label) for label in numbers]
        shapes.add((str(batch.dtype), *map(str, batch.shape[1:])))
        if batch.ndim == 4:
            found = _sums(batch)
            sums += found
            if len(kept) < KEPT:
                kept.append((batch, found))
    changed = any(_sums(batch) != before for batch, before in kept)
    return {"labels": labels, "sums": sums, "shapes": sorted(map(list, shapes)), "changed": changed}


def _sums(batch: Any) -> list[int]:
    import torch

    # Columns count differently, so a mirrored image has another sum.
    weights = torch.arange(1, batch.shape[-1] + 1)
    return (batch.sum(dim=(1, 2)) * weights).sum(dim=1).tolist()


def main() -> None:
    job = Job.from_json(sys.argv[1])
    # Standard output is for answers alone; what a library prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(message: dict[str, Any]) -> None:
        answers.write(json.dumps(message) + "\n")
        answers.flush()

    run(job, iter(sys.stdin.readline, ""), answer)


if __name__ == "__main__":
    main()
