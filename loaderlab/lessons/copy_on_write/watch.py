"""Look at forked processes from outside, at each of their pauses; and see which of their pages are copies."""

from __future__ import annotations

import ctypes
import gc
import json
import multiprocessing
import os
import struct
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from loaderlab.measuring import memory

MIB = 2**20
PATIENCE = 60.0  # seconds until a child that does not answer is given up


def forked(
    work: Callable[..., Generator[None, None, None]], *arguments: Any, processes: int = 1
) -> Iterator[tuple[memory.Use, ...]]:
    """Fork children that each run ``work(*arguments)``; yields, at each of its pauses, what each child takes.

    A pause is a ``yield`` in ``work``. The collector is off in the children, so that nothing but ``work`` is
    seen. The children are gone when this ends. Raises ``ChildProcessError`` where a child ends early or does
    not answer.
    """
    from loaderlab.measuring import memory  # and with it psutil, before anything is forked

    for children in pauses(work, *arguments, processes=processes):
        yield tuple(memory.of(pid, anonymous=True) for pid in children)


def pauses(
    work: Callable[..., Generator[None, None, None]], *arguments: Any, processes: int = 1
) -> Iterator[list[int]]:
    """Do as :func:`forked`, but yield the numbers of the processes, to look at them in another way."""
    context = multiprocessing.get_context("fork")
    children, pipes = [], []
    collecting = gc.isenabled()
    gc.disable()  # a page that is copied here, by the collector's notes, is the child's alone afterwards
    _give_back()
    try:
        for _child in range(processes):
            here, there = context.Pipe()
            child = context.Process(target=_run, args=(work, arguments, there), daemon=True)
            child.start()
            there.close()
            children.append(child)
            pipes.append(here)
        while all([_paused(pipe) for pipe in pipes]):  # noqa: C419 (each of them has to be heard)
            yield [child.pid for child in children if child.pid]
            for pipe in pipes:
                pipe.send(None)
    finally:
        for child in children:
            child.kill()
            child.join()
        if collecting:
            gc.enable()


def epoch(few: Any, samples: Any, count: int) -> Generator[None, None, None]:
    """Read a few other samples, ten of them, and pause; then read all ``count``, shuffled, and pause."""
    for i in range(100):  # so that Python has taken what it needs anyhow
        few[i % 10]
    yield
    for i in range(count):
        samples[i * 61_543 % count]  # a prime, so each index comes once
    yield


def copied_mib(make: Callable[[list[str]], Any], strings: list[str]) -> float:
    """Return by how much the USS of a forked reader of ``make(strings)`` grows in a shuffled epoch, in MiB."""
    from loaderlab.measuring import memory

    few, samples = make(strings[:10]), make(strings)
    # Without its mappings: looking at these, the parent would write to pages, and the child be left alone with the old ones.
    first, last = (memory.of(pid).uss or 0 for [pid] in pauses(epoch, few, samples, len(strings)))
    return (last - first) / MIB


def _give_back() -> None:
    """Return freed memory to the system before a fork; glibc would do so at some later moment, and the child's pages be its alone."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


def _run(work: Callable[..., Generator[None, None, None]], arguments: Any, pipe: Connection) -> None:
    gc.disable()
    for _pause in work(*arguments):
        pipe.send(True)
        pipe.recv()
    pipe.send(False)


def _paused(pipe: Connection) -> bool:
    """Wait for the next pause (True) or the end (False)."""
    if not pipe.poll(PATIENCE):
        raise ChildProcessError(f"The child did not pause within {PATIENCE:g} s.")
    try:
        return bool(pipe.recv())
    except EOFError:
        raise ChildProcessError("The child ended before its last pause.") from None


@contextmanager
def spawned() -> Iterator[Callable[[Any], int | None]]:
    """Start a process that has imported torch, and keeps what it is given, as a worker keeps its Dataset.

    The function that this gives pickles a thing as the start of a worker does, sends it there, and returns
    the USS of the process afterwards.
    """
    import torch.multiprocessing

    from loaderlab.measuring import memory

    # Large buffers go back to the system at once, so that what was needed to unpickle is not counted.
    os.environ["MALLOC_MMAP_THRESHOLD_"] = str(MIB // 4)
    context = torch.multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_keep, args=(there,), daemon=True)
    process.start()
    there.close()

    def give(thing: Any) -> int | None:
        here.send(thing)
        _paused(here)
        return memory.of(process.pid or 0).uss

    try:
        give(None)
        yield give
    finally:
        process.kill()
        process.join()


def _keep(pipe: Connection) -> None:
    kept = []
    while True:
        kept.append(pipe.recv())
        pipe.send(True)


def page_of(thing: Any) -> int:
    """Return the number of the page that an object's reference count is in."""
    return id(thing) // os.sysconf("SC_PAGE_SIZE")


def copied(pid: int, pages: Iterable[int]) -> list[bool]:
    """Return for each of these pages whether that process has it for itself, by bit 56 of ``/proc/<pid>/pagemap``; Linux only."""
    with open(f"/proc/{pid}/pagemap", "rb", buffering=0) as pagemap:
        return [
            bool(struct.unpack("Q", os.pread(pagemap.fileno(), 8, 8 * page))[0] >> 56 & 1) for page in pages
        ]


def percent(part: int, before: int, whole: int) -> float:
    """Return by how much ``part`` is above ``before``, in percent of ``whole``."""
    return 100 * (part - before) / whole


def grown(use: memory.Use, first: memory.Use, size: int) -> dict[str, float]:
    """Return what a process has copied since ``first``, and by how much its RSS and USS have grown, in percent of ``size`` bytes."""
    return {
        "copied_percent": percent(use.anonymous or 0, first.anonymous or 0, size),
        "grown_rss": percent(use.rss, first.rss, size),
        "grown_uss": percent(use.uss or 0, first.uss or 0, size),
    }


def weigh(workers: Iterable[memory.Use]) -> None:
    """Say RSS, PSS and USS of this process, of each of its workers, and their sums, in MiB."""
    from loaderlab.measuring import memory

    uses = [memory.of(os.getpid()), *workers]
    names = ["main", *["worker"] * (len(uses) - 1), "sum"]
    for name, use in zip(names, [*uses, memory.total(uses)], strict=True):
        sizes = {"rss_mib": use.rss, "pss_mib": use.pss, "uss_mib": use.uss}
        say(process=name, **{column: size and size / MIB for column, size in sizes.items()})


def say(**row: Any) -> None:
    """Print one row of a measurement, for the notebook that started this script."""
    print(json.dumps(row), flush=True)
