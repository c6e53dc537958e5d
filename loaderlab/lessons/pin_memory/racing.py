"""A device that copies in a thread of its own, a piece at a time, and only as far as it is allowed to.

A real GPU races with the CPU, and who wins depends on luck. Here the caller decides how far the device has
come when it looks, so that the same happens every time.
"""

from __future__ import annotations

import queue
import threading

import torch

PIECES = 4  # in which a copy is made


class Device:
    """``copy_`` returns at once; ``advance`` lets the device make some pieces; ``synchronize`` waits for all."""

    def __init__(self) -> None:
        self._orders: queue.SimpleQueue[tuple[torch.Tensor, torch.Tensor]] = queue.SimpleQueue()
        self._permits = threading.Semaphore(0)
        self._made = threading.Semaphore(0)
        self._outstanding = 0
        threading.Thread(target=self._work, daemon=True).start()

    def copy_(self, target: torch.Tensor, source: torch.Tensor) -> None:
        """Order a copy of one tensor into another of the same length; does not wait for it."""
        self._outstanding += PIECES
        self._orders.put((target, source))

    def advance(self, pieces: int) -> None:
        """Let the device make the next ``pieces``, and wait until it has made them."""
        for _ in range(min(pieces, self._outstanding)):
            self._permits.release()
            self._made.acquire()
            self._outstanding -= 1

    def synchronize(self) -> None:
        """Wait until everything that was ordered is done."""
        self.advance(self._outstanding)

    def _work(self) -> None:
        while True:
            target, source = self._orders.get()
            for to, of in zip(target.chunk(PIECES), source.chunk(PIECES), strict=True):
                self._permits.acquire()
                to.copy_(of)
                self._made.release()
