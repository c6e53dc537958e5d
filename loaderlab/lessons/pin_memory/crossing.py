"""A device that only counts what is sent to it, on any machine: its tensors lie in the CPU's memory, and are marked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from loaderlab.lessons.pin_memory.model import MIB

DEVICE = "cuda"
_DEVICE_OF, _IS_CUDA = torch.Tensor.device.__get__, torch.Tensor.is_cuda.__get__
_FROM_DATA = (torch.tensor, torch.as_tensor, torch.asarray)
# These take tensors of both places.
_MIXED = (
    torch.Tensor.__getitem__,
    torch.Tensor.__setitem__,
    torch.Tensor.copy_,
    torch.Tensor.tensor_split,
    torch.tensor_split,
)


class Crossing(TorchFunctionMode):
    """While its body runs, ``.to("cuda")`` and its like count copies and bytes; no GPU is needed, none is used."""

    def __init__(self) -> None:
        super().__init__()
        self.copies = self.bytes = 0

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run ``func`` on the CPU; mark what it returns where it works on the device."""
        named = dict(kwargs or {})
        if func in (_DEVICE_OF, _IS_CUDA) and is_there(args[0]):
            return torch.device(DEVICE, 0) if func == _DEVICE_OF else True
        if func in (torch.Tensor.to, torch.Tensor.cuda, torch.Tensor.cpu):
            return self._moved(func, args[0], args[1:], named)
        if func is torch.Tensor.pin_memory:  # without a GPU it raises an exception
            return args[0].clone()
        given = [*_tensors((args, named))]
        there = [tensor for tensor in given if is_there(tensor)]
        if func is torch.Tensor.copy_ and is_there(args[0]):
            source, later = [*args[1:], *named.values(), False][:2]
            self._count(source, (source if later else args[0]).element_size())
        elif func is torch.Tensor.__setitem__ and is_there(args[0]):
            self._count(args[-1], args[0].element_size())
        elif func not in _MIXED and there and any(not is_there(each) and each.ndim for each in given):
            raise RuntimeError("Expected all tensors to be on the same device, but found cuda:0 and cpu!")
        on_device = bool(there)
        if named.get("device") is not None:
            on_device = _is_device(named.pop("device"))
            if on_device and func in _FROM_DATA and not there:
                made = func(*args, **named)
                self._count(made, made.element_size())
                return _marked(made.clone())
        made = func(*args, **named)
        return _marked(made) if on_device else made

    def _moved(self, func: Any, tensor: torch.Tensor, places: Sequence[Any], named: dict[str, Any]) -> Any:
        """Return the tensor where ``to``, ``cuda`` or ``cpu`` want it, in the type that they want."""
        kinds = [*places, *(named.get(name) for name in ("device", "dtype", "other"))]
        kind = next((each for each in kinds if isinstance(each, torch.dtype)), tensor.dtype)
        kind = next((each.dtype for each in kinds if isinstance(each, torch.Tensor)), kind)
        where = [each for each in kinds if isinstance(each, str | int | torch.device | torch.Tensor)]
        where = [each for each in where if not isinstance(each, bool)]
        target = func is torch.Tensor.cuda or (_is_device(where[0]) if where else is_there(tensor))
        if func is torch.Tensor.cpu:
            target = False
        if target and not is_there(tensor):
            flags = [each for each in places if isinstance(each, bool)]
            later = named.get("non_blocking", flags[0] if flags else False)
            # PyTorch converts before a blocking copy, and after one that is not: then the source's bytes cross.
            self._count(tensor, (tensor.dtype if later else kind).itemsize)
        if target == is_there(tensor) and kind == tensor.dtype:
            return tensor
        made = tensor.clone().to(kind)
        return _marked(made) if target else made

    def _count(self, source: Any, item_bytes: int) -> None:
        """Count a copy to the device of ``source``, which may be a number, or lie there already."""
        if isinstance(source, torch.Tensor) and not is_there(source):
            self.copies += 1
            self.bytes += source.numel() * item_bytes


def is_there(value: Any) -> bool:
    """Return whether a tensor lies on the device."""
    return getattr(value, "lies_there", False) is True


def mib(deliver: Callable[[Any, str], Any], samples: Any) -> float:
    """Return the MiB that cross while ``deliver(samples, device)`` runs."""
    with Crossing() as crossing:
        deliver(samples, DEVICE)
    return crossing.bytes / MIB


def _is_device(place: Any) -> bool:
    if isinstance(place, torch.Tensor):
        return is_there(place)
    return isinstance(place, int) or str(place).startswith(DEVICE)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _tensors(item)
    elif isinstance(value, dict):
        yield from _tensors([*value.values()])


def _marked(made: Any) -> Any:
    for tensor in _tensors(made):
        tensor.lies_there = True
    return made
