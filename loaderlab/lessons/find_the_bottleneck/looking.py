"""A look at the processes of a training script: what each of them needs, and by how much it grows."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import psutil

from loaderlab.i18n.language import translate as _
from loaderlab.measuring import memory
from loaderlab.notebook.rows import Rows

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # else the profiler says when it starts and stops

MIB = 2**20


def processes() -> dict[int, dict[str, Any]]:
    """Return the threads, USS in MiB, and read calls so far of each worker of this process; without what is unknown."""
    found = {}
    # Not all children of the process: a start method other than fork has helpers, such as a resource tracker.
    for pid in sorted(worker.pid or 0 for worker in multiprocessing.active_children()):
        row: dict[str, Any] = {}
        with suppress(psutil.Error):
            process = psutil.Process(pid)
            row["threads"] = process.num_threads()
            uss = memory.of(pid).uss
            if uss is not None:
                row["uss_mib"] = uss / MIB
        with suppress(psutil.Error, AttributeError, NotImplementedError):
            row["read_calls"] = psutil.Process(pid).io_counters().read_count
        found[pid] = row
    return found


def growth(works: Mapping[str, Callable[[], Any]], seconds: float = 30.0) -> Rows:
    """Return how much the USS of a forked process grows while it does each of these; without rows where nothing forks."""
    if "fork" not in multiprocessing.get_all_start_methods() or memory.of(os.getpid()).uss is None:
        return Rows(
            why=_("This system does not fork: a worker has a copy of the whole index from the start.")
        )
    return Rows({"script": name, "grown_mib": _grown(work, seconds) / MIB} for name, work in works.items())


def _grown(work: Callable[[], Any], seconds: float) -> int:
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    gc.collect()
    process = context.Process(target=_worked, args=(work, there), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(seconds):
            raise ChildProcessError("The forked process did not answer.")
        return int(here.recv())
    finally:
        process.kill()
        process.join()
        here.close()


def _worked(work: Callable[[], Any], pipe: Any) -> None:
    gc.disable()
    before = memory.of(os.getpid()).uss or 0
    work()
    pipe.send((memory.of(os.getpid()).uss or 0) - before)
