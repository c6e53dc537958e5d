"""Work in Python that goes on beside a loop: in a thread of its process, or in a process of its own."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

STARTED_S = 120.0  # at most until the work goes on: a process that is spawned imports


def compute(started: Any, over: Any) -> None:
    """Compute in Python, in turns of some milliseconds, until ``over`` is set."""
    total = 0
    while not over.is_set():
        for number in range(100_000):
            total = (31 * total + number) % 65_521
        started.set()


@contextmanager
def a_thread() -> Iterator[None]:
    """While the body runs, a thread computes."""
    started, over = threading.Event(), threading.Event()
    yield from _beside(threading.Thread(target=compute, args=(started, over)), started, over)


@contextmanager
def a_process() -> Iterator[None]:
    """While the body runs, a process computes, as a worker does."""
    started, over = multiprocessing.Event(), multiprocessing.Event()
    yield from _beside(multiprocessing.Process(target=compute, args=(started, over)), started, over)


def _beside(worker: Any, started: Any, over: Any) -> Iterator[None]:
    worker.start()
    try:
        if not started.wait(STARTED_S):
            raise TimeoutError("The work beside the loop did not begin.")
        yield
    finally:
        over.set()
        worker.join()
