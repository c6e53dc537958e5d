"""What this machine gives to this process: cores, and how much memory a tree of processes takes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType


def cores() -> int:
    """Cores that this process may use: its affinity, and the quota of its container."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        count = min(count, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):
        pass  # no Linux, no quota ("max"), or another version of cgroups
    return count


def workers() -> int:
    """Workers for each rank: the ranks of a host, whose number torchrun says, share its cores. At least one."""
    return max(1, cores() // int(os.environ.get("LOCAL_WORLD_SIZE", "1")))


@contextmanager
def deaf() -> Iterator[None]:
    """Processes that start meanwhile do not hear Ctrl-C: it is for the one that started them, and that one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def quiet(_worker: int) -> None:
    """In a worker: one that is stopped while it takes a batch hangs up, of which multiprocessing would print a traceback."""
    usual = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if not issubclass(kind, (EOFError, ConnectionError)):
            usual(kind, error, trace)

    sys.excepthook = hook


def tree_bytes(pid: int | None = None) -> int | None:
    """Memory of a process and all that it has started (PSS: what is shared counts once); None where not known."""
    pid, total = pid or os.getpid(), 0
    for number in [pid, *_below(pid)]:
        try:
            lines = Path(f"/proc/{number}/smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            if number == pid:
                return None
    return total


def _below(pid: int) -> list[int]:
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in map(int, task.read_text().split()):
                found += [child, *_below(child)]
        except OSError:
            continue
    return found
