"""The pin thread of ``DataLoader(pin_memory=True)`` on a machine without an accelerator.

The thread is torch's own, and so are its queues. Only ``Tensor.pin_memory``, which needs an accelerator, is replaced
by a copy into ordinary memory. So where the batches are can be counted anywhere; what pinning costs in time cannot.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


class PinThread:
    """A stand-in for pinned memory, and a gate that stops the pin thread."""

    def __init__(self) -> None:
        self._copies: list[weakref.ref[Any]] = []
        self._may_copy = threading.Event()
        self._may_copy.set()
        self._begun = False

    def hold_up(self) -> None:
        """Let the thread wait before its next copy, until :meth:`go_on`."""
        self._may_copy.clear()

    def go_on(self) -> None:
        """Let the thread copy."""
        self._may_copy.set()

    def pinned(self) -> list[int]:
        """Return the bytes of each copy that still exists. Raises LabError where no loader has started the thread."""
        if not self._begun:
            raise _unlike_itself()
        self._copies = [copy for copy in self._copies if copy() is not None]
        return [copy.nbytes for copy in (reference() for reference in self._copies) if copy is not None]

    def settled(self, expected: int | None = None, seconds: float = 30.0) -> list[int]:
        """:meth:`pinned` once there are ``expected`` copies for a moment, or what there is after so many seconds.

        If none are expected, once there are as many for a second: the next worker may only be starting.
        """
        deadline = time.monotonic() + seconds
        if expected is None:
            count = -1
            while count != len(self.pinned()) and time.monotonic() < deadline:
                count = len(self.pinned())
                time.sleep(1)
            return self.pinned()
        while time.monotonic() < deadline:
            if len(self.pinned()) == expected:
                time.sleep(0.15)
                if len(self.pinned()) == expected:
                    break
            time.sleep(0.02)
        return self.pinned()

    def _copy(self, tensor: Any) -> Any:
        import torch

        self._may_copy.wait()
        # With the strides of the tensor, as torch does it (aten/src/ATen/native/Memory.cpp): one that was expanded is refused.
        copy = torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype).copy_(tensor)
        self._copies.append(weakref.ref(copy))
        return copy


@contextmanager
def pin_thread() -> Iterator[PinThread]:
    """Let ``DataLoader(…, pin_memory=True)`` with workers start its pin thread on every machine while the body runs.

    Whoever iterates over a loader here ends that in the body, too. Raises LabError where this version of torch has no
    such thread, or starts it in another way. Made for torch 2.9 to 2.14 (``torch/utils/data/_utils/pin_memory.py``).
    """
    import torch
    from torch.utils import data

    thread = PinThread()
    accelerator: dict[str, Any] = {
        "is_available": lambda: True,
        "current_accelerator": lambda check_available=False: torch.device("cpu"),
        "current_device_index": lambda: 0,
        "set_device_index": lambda device: None,
    }
    with ExitStack() as replaced:
        try:
            loop = data._utils.pin_memory._pin_memory_loop

            def watched(*arguments: Any, **options: Any) -> None:
                thread._begun = True
                loop(*arguments, **options)

            def copy(tensor: Any, device: Any = None) -> Any:  # a function: only that becomes a method
                return thread._copy(tensor)

            replaced.enter_context(patch.object(data._utils.pin_memory, "_pin_memory_loop", watched))
            for name, value in accelerator.items():
                replaced.enter_context(patch.object(torch.accelerator, name, value))
            replaced.enter_context(patch.object(torch.Tensor, "pin_memory", copy))
        except AttributeError as error:
            raise _unlike_itself() from error
        try:
            yield thread
        finally:
            thread.go_on()


def _unlike_itself() -> LabError:
    import torch

    return LabError(
        _(
            "PyTorch {version} started no pin thread that this lesson knows; it was written for 2.9 to 2.14. "
            "Skip this cell and the one after it."
        ).format(version=torch.__version__)
    )
