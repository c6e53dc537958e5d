"""A piece of work in how many of which other work is measured: whatever slows this machine down slows both."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def in_yardsticks(took: list[float]) -> Iterator[None]:
    """Appends how many times the CPU time of the yardstick, right before it, the block takes."""
    begun = time.process_time()
    total = 0
    for number in range(500_000):
        total += number
    done = time.process_time()
    yield
    took.append((time.process_time() - done) / (done - begun))
