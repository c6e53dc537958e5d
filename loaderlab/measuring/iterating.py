"""Going through a DataLoader so that no worker outlives the loop, whatever ends it."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any


@contextmanager
def iterating(loader: Iterable[Any], keep: bool = False) -> Iterator[Iterator[Any]]:
    """Iterate in a block, ``with iterating(loader) as batches``: no worker is left afterwards; with `keep` only after an error.

    Two things leave workers behind otherwise. The traceback of an interrupt keeps the iterator alive, and
    so its workers, for as long as the notebook remembers the traceback. And an interrupt while the workers
    are being launched can come when a process exists that nobody has noted: it waits until all are there.
    """
    before = set(multiprocessing.active_children())
    batches: Any = None
    finished = False
    try:
        with _interrupts_later():
            batches = iter(loader)
        yield batches
        finished = True
    finally:
        if not (keep and finished):
            if hasattr(batches, "_shutdown_workers"):
                batches._shutdown_workers()
            if batches is None:  # a launch that failed half-way
                _end_all_but(before)


@contextmanager
def keeping(*loaders: Any) -> Iterator[None]:
    """Keep the workers of persistent loaders from pass to pass within the body; none is left after it, whatever ends it.

    Without it they live as long as somebody has the loader, and the traceback of an interrupt has it.
    """
    before = set(multiprocessing.active_children())
    try:
        yield
    finally:
        for loader in loaders:
            if loader._iterator is not None:
                loader._iterator._shutdown_workers()
        _end_all_but(before)


def _end_all_but(before: set[BaseProcess]) -> None:
    """End what was started since: of a launch that was interrupted, no loader knows.

    By a signal that no process catches: before a worker has its own rule for SIGTERM it has that of the process it was forked
    from, which may be to go on.
    """
    for process in set(multiprocessing.active_children()) - before:
        process.kill()
        process.join()


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Delay an interrupt within the block to its end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # interrupts go to the main thread
        return
    came: list[Any] = []
    before = signal.signal(signal.SIGINT, lambda *arguments: came.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came and callable(before):
            before(*came[0])
