"""The pools of threads that libraries keep in a process: of OpenMP and BLAS, of OpenCV and Arrow; and one thread for each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

try:
    import threadpoolctl
except ImportError:  # then those of BLAS are neither seen nor limited
    threadpoolctl = None

# Those that have functions of their own: the module, how many threads it has, and how it is told another number.
OWN = (
    ("torch", "get_num_threads", "set_num_threads"),
    ("cv2", "getNumThreads", "setNumThreads"),
    ("pyarrow", "cpu_count", "set_cpu_count"),
)


def pools() -> dict[str, int]:
    """Return how many threads each library of this process may use, as far as it says so."""
    found: dict[str, int] = {}
    for info in threadpoolctl.threadpool_info() if threadpoolctl else ():
        name = info["internal_api"]
        found[name] = max(found.get(name, 1), info["num_threads"])
    for name, asked, _told in OWN:
        with suppress(Exception):  # not or half imported, or another library of that name
            found[name] = getattr(sys.modules[name], asked)()
    return found


def _tell(wanted: dict[str, int]) -> None:
    """Let pools have so many threads each."""
    for library in threadpoolctl.ThreadpoolController().lib_controllers if threadpoolctl else ():
        library.set_num_threads(wanted.get(library.internal_api, 1))
    for name, _asked, told in OWN:
        with suppress(Exception):
            getattr(sys.modules[name], told)(wanted[name])


@contextmanager
def limited(most: int) -> Iterator[None]:
    """Let no pool have more threads meanwhile."""
    before = pools()
    with threadpoolctl.threadpool_limits() if threadpoolctl else nullcontext():
        _tell({name: min(most, threads) for name, threads in before.items()})
        try:
            yield
        finally:
            _tell(before)


def one_thread(function: Callable[[int], Any] | None, worker: int) -> None:
    """Do what the user's `worker_init_fn` does, and then leave one thread to each pool."""
    if function:
        function(worker)
    _tell(dict.fromkeys(pools(), 1))
