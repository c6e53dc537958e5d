"""A stand-in for a GPU: CUDA's calls do their work on the CPU, so that cells made for a GPU run anywhere.

What is computed is right; what is timed says nothing about a GPU; nothing here is ever recorded. It finds
misspelt calls, wrong shapes and forgotten columns, and neither races nor missing waits.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

NAME = "stand-in"
_LAST: list[Any] = []  # keeps the mode alive


class Stream:
    """A queue of work that is always empty, because all work is done at once."""

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        self.device = device

    def wait_stream(self, stream: Any) -> None:
        assert isinstance(stream, Stream), stream

    def wait_event(self, event: Any) -> None:
        assert isinstance(event, Event) and event.at is not None, "waits for an event that was not recorded"

    def record_event(self, event: Any = None) -> Any:
        event = event or Event()
        event.record(self)
        return event

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass


class Event:
    """The moment at which it was recorded; only events made with `enable_timing` can be compared, as in CUDA."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self.timing, self.at = enable_timing, None

    def record(self, stream: Any = None) -> None:
        assert stream is None or isinstance(stream, Stream), stream
        self.at = time.perf_counter()

    def wait(self, stream: Any = None) -> None:
        pass

    def synchronize(self) -> None:
        pass

    def query(self) -> bool:
        return True

    def elapsed_time(self, end: Event) -> float:
        assert self.timing and end.timing, "elapsed_time needs events made with enable_timing=True"
        assert self.at is not None and end.at is not None, "elapsed_time needs events that were recorded"
        return max(1e-6, 1000 * (end.at - self.at))


class Graph:
    """A graph of launches that computes nothing when it is replayed: its kernels have run as it was recorded."""

    recorded = False

    def replay(self) -> None:
        assert self.recorded, "a graph is replayed that nothing was recorded into"


@contextmanager
def _graph(graph: Any) -> Any:
    assert isinstance(graph, Graph) and not graph.recorded, graph
    yield
    graph.recorded = True


def _compile_kernel(source: str, name: str) -> Any:
    """Return a kernel that computes nothing, but can only be called as CUDA could launch it."""
    assert f"__global__ void {name}(" in source, name

    def kernel(grid: Any, block: Any, args: Any) -> None:
        assert len(grid) == len(block) == 3 and min(*grid, *block) >= 1 and block[0] <= 1024, (grid, block)
        assert source.partition(f"{name}(")[2].partition(")")[0].count(",") == len(args) - 1, args
        assert all(isinstance(value, torch.Tensor | int) for value in args), args

    return kernel


def _is_gpu(value: Any) -> bool:
    if isinstance(value, torch.device):
        return value.type == "cuda"
    return isinstance(value, str) and value.split(":")[0] == "cuda"


class _OnTheCpu(TorchFunctionMode):
    """Every call that names the GPU gets the CPU instead; what would be copied there is copied."""

    def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = dict(kwargs or {})
        if function is torch.device:
            return function(*args, **kwargs)
        moved = any(map(_is_gpu, args)) or _is_gpu(kwargs.get("device"))
        args = tuple(torch.device("cpu") if _is_gpu(value) else value for value in args)
        if _is_gpu(kwargs.get("device")):
            kwargs["device"] = torch.device("cpu")
        pinned = kwargs.pop("pin_memory", False)
        result = function(*args, **kwargs)
        if function is torch.Tensor.to and moved and result is args[0]:
            result = result.clone()
        if pinned and isinstance(result, torch.Tensor):
            result._stand_in_pinned = True
        return result


def _pin(tensor: torch.Tensor, device: Any = None) -> torch.Tensor:
    if _pinned(tensor):
        return tensor
    copy = tensor.clone()
    copy._stand_in_pinned = True
    return copy


def _pinned(tensor: torch.Tensor, device: Any = None) -> bool:
    return getattr(tensor, "_stand_in_pinned", False)


@contextmanager
def _stream(stream: Any) -> Any:
    assert stream is None or isinstance(stream, Stream), stream
    yield


def install() -> None:
    """Replace CUDA in this process, for good: for a kernel or a child process of a test."""
    default = Stream()
    properties = SimpleNamespace(
        name=NAME, multi_processor_count=8, total_memory=8 * 1024**3, major=9, minor=0, warp_size=32
    )
    cuda: dict[str, Any] = {
        "Stream": Stream,
        "Event": Event,
        "stream": _stream,
        "current_stream": lambda device=None: default,
        "default_stream": lambda device=None: default,
        "set_stream": lambda stream: None,
        "synchronize": lambda device=None: None,
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "is_current_stream_capturing": lambda: False,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "get_device_name": lambda device=None: NAME,
        "get_device_properties": lambda device=None: properties,
        "get_device_capability": lambda device=None: (9, 0),
        "mem_get_info": lambda device=None: (6 * 1024**3, 8 * 1024**3),
        "memory_allocated": lambda device=None: 1024**2,
        "max_memory_allocated": lambda device=None: 2 * 1024**2,
        "memory_reserved": lambda device=None: 2 * 1024**2,
        "max_memory_reserved": lambda device=None: 2 * 1024**2,
        "reset_peak_memory_stats": lambda device=None: None,
        "host_memory_stats": lambda: {"allocated_bytes.current": 0, "active_bytes.current": 0},
        "empty_cache": lambda: None,
        "_sleep": lambda cycles: None,
        "_compile_kernel": _compile_kernel,
        "CUDAGraph": Graph,
        "graph": _graph,
    }
    for name, value in cuda.items():
        setattr(torch.cuda, name, value)
    accelerator = {
        "is_available": lambda: True,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": lambda: 0,
        "current_stream": lambda device=None: default,
        "set_device_index": lambda device: None,
        "synchronize": lambda device=None: None,
    }
    for name, value in accelerator.items():
        setattr(torch.accelerator, name, value)
    torch.Tensor.pin_memory = _pin
    torch.Tensor.is_pinned = _pinned
    torch.Tensor.cuda = lambda self, *args, **kwargs: self.clone()
    torch.Tensor.record_stream = lambda self, stream: None
    torch.nn.Module.cuda = lambda self, device=None: self
    _LAST.append(_OnTheCpu().__enter__())
