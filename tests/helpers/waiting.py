"""Waiting for something that comes when it comes: a slow machine needs longer, and a fast one does not wait."""

from __future__ import annotations

import time
from collections.abc import Callable


def within(seconds: float, reached: Callable[[], object]) -> bool:
    """Wait until ``reached()`` is true; return whether that was before the seconds were over."""
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
