"""A device that copies a piece at a time, and only as far as it is allowed to: who reads or writes too early does so each time.

A real GPU races with the CPU, and who wins depends on luck. Here the caller decides how far the device has
come when it looks (:class:`Device`); or ``torch.cuda`` is such a device, and copies as late as it may (:func:`cuda`).
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from random import Random
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch

PIECES = 4  # in which a copy is made


class Device:
    """``copy_`` returns at once; ``advance`` lets the device make some pieces; ``synchronize`` waits for all.

    ``waits`` counts how often an event or a copy made the host wait. With ``luck`` some pieces are made whenever something is ordered
    or asked for, as many as a draw says; without, none.
    """

    def __init__(self, luck: Random | None = None) -> None:
        self.ordered = self.made = self.waits = 0
        self.luck = luck
        self._pieces: deque[tuple[torch.Tensor, torch.Tensor]] = deque()
        self._turn = threading.RLock()

    def copy_(self, target: torch.Tensor, source: torch.Tensor) -> None:
        """Order a copy of one tensor into another of the same shape; does not wait for it."""
        with self._turn:
            pieces = [tensor.chunk(PIECES) if tensor.dim() else (tensor,) for tensor in (target, source)]
            self._pieces += zip(*pieces, strict=True)
            self.ordered += len(pieces[0])
            self.chance()

    def advance(self, pieces: int) -> None:
        """Let the device make the next ``pieces``."""
        with self._turn:
            for _ in range(min(pieces, len(self._pieces))):
                target, source = self._pieces.popleft()
                target.copy_(source)
                self.made += 1

    def synchronize(self) -> None:
        """Wait until everything that was ordered is done."""
        self.advance(len(self._pieces))

    def reach(self, ordered: int) -> None:
        """Wait until so many of all ordered pieces are made; it is counted where they were not."""
        with self._turn:
            self.chance()
            self.waits += self.made < ordered
            self.advance(ordered - self.made)

    def chance(self) -> None:
        """Come further by chance."""
        if self.luck:
            self.advance(self.luck.randint(0, 2 * PIECES))


class Event:
    """A stand-in for ``torch.cuda.Event``: it has passed when the device has made what was ordered before ``record``."""

    def __init__(self, device: Device) -> None:
        self._device, self._after = device, 0

    def record(self, _stream: Any = None) -> None:
        self._after = self._device.ordered

    def query(self) -> bool:
        self._device.chance()
        return self._device.made >= self._after

    def synchronize(self) -> None:
        self._device.reach(self._after)


@contextmanager
def cuda(luck: Random | None = None) -> Iterator[Device]:
    """Let ``torch.cuda`` be a :class:`Device` of one stream while the body runs: it has events, and tensors go ``.to("cuda")``.

    As on a real one, only memory that is registered is read later: of other memory the host waits until it is read.
    """
    device = Device(luck)
    registered: dict[int, int] = {}  # bytes, by their address
    to = torch.Tensor.to

    def send(tensor: torch.Tensor, *arguments: Any, **options: Any) -> torch.Tensor:
        if not str(arguments[0] if arguments else options.get("device")).startswith("cuda"):
            return to(tensor, *arguments, **options)
        sent = torch.empty_like(tensor)
        device.copy_(sent, tensor)
        begin = tensor.data_ptr()
        later = any(at <= begin and begin + tensor.nbytes <= at + n for at, n in registered.items())
        if not (later and options.get("non_blocking")):
            device.reach(device.ordered)
        return sent

    def register(address: int, nbytes: int, _flags: int) -> int:
        registered[address] = nbytes
        return 0

    def unregister(address: int) -> int:
        device.synchronize()
        return 0 if registered.pop(address, None) else 1

    runtime = SimpleNamespace(
        cudaHostRegister=register,
        cudaHostUnregister=unregister,
        cudaError=SimpleNamespace(success=0),
    )
    stand_ins: dict[str, Any] = {
        "Event": lambda *_a, **_o: Event(device),
        "synchronize": lambda *_a: device.synchronize(),
        "cudart": lambda: runtime,
        "check_error": _check,
    }
    with ExitStack() as stack:
        for name, stand_in in stand_ins.items():
            stack.enter_context(patch.object(torch.cuda, name, stand_in))
        stack.enter_context(patch.object(torch.Tensor, "to", send))
        yield device


def _check(error: int) -> None:
    if error:
        raise RuntimeError(f"CUDA error {error}")
