"""A stand-in for a GPU: CUDA's calls do their work on the CPU, so that cells made for a GPU run anywhere.

What is computed is right; what is timed says nothing about a GPU; nothing here is ever recorded. It finds
misspelt calls, wrong shapes and forgotten columns, and neither races nor missing waits. Each call is held against the
signature that PyTorch itself has for it: what CUDA's PyTorch would refuse is refused here.
"""

from __future__ import annotations

import io
import re
import sys
import time
from contextlib import contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.overrides import TorchFunctionMode

from signatures import attributes, held, like

NAME = "stand-in"
_LAST: list[Any] = []  # keeps the mode alive


@like(torch.cuda.Stream)
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

    def _is_capturing(self) -> bool:
        return False

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_exception: object) -> None:
        pass


@like(torch.cuda.Event)
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

    def elapsed_time(self, end_event: Event) -> float:
        assert self.timing and end_event.timing, "elapsed_time needs events made with enable_timing=True"
        assert self.at is not None and end_event.at is not None, (
            "elapsed_time needs events that were recorded"
        )
        return max(1e-6, 1000 * (end_event.at - self.at))


@like(torch.cuda.CUDAGraph)
class Graph:
    """A graph of launches that computes nothing when it is replayed: its kernels have run as it was recorded."""

    recorded = False

    def replay(self) -> None:
        assert self.recorded, "a graph is replayed that nothing was recorded into"


@contextmanager
def _graph(cuda_graph: Any) -> Any:
    assert isinstance(cuda_graph, Graph) and not cuda_graph.recorded, cuda_graph
    yield
    cuda_graph.recorded = True


# The element types of a kernel's pointers, and how many of them an access takes.
_TYPES = {"float": (torch.float32, 1), "float4": (torch.float32, 4), "int": (torch.int32, 1)}


def _compile_kernel(kernel_source: str, kernel_name: str) -> Any:
    """Return a kernel that computes nothing, but can only be called as CUDA could launch it."""
    found = re.search(rf"__global__ void {kernel_name}\(([^)]*)\)", kernel_source)
    assert found, kernel_name
    parameters = [parameter.replace("const ", "").split() for parameter in found.group(1).split(",")]

    def kernel(grid: Any, block: Any, args: Any) -> None:
        assert len(grid) == len(block) == 3 and min(*grid, *block) >= 1 and block[0] <= 1024, (grid, block)
        assert grid[0] < 2**31 and max(*grid[1:], *block[1:]) < 2**16, (grid, block)
        assert len(args) == len(parameters), (parameters, args)
        for (kind, name), value in zip(parameters, args, strict=True):
            if kind.endswith("*"):
                dtype, together = _TYPES[kind.removesuffix("*")]
                assert value.dtype == dtype and value.is_contiguous(), (name, value.dtype)
                assert value.numel() % together == 0, (name, value.numel())
            else:
                assert kind == "int" and type(value) is int and -(2**31) <= value < 2**31, (name, value)

    return held(torch.cuda._utils._CudaKernel.__call__, lambda _self, *a, **k: kernel(*a, **k)).__get__(
        kernel_source
    )


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


_REGISTERED: dict[int, int] = {}  # bytes of memory that was pinned where it is, by their address


def _register(address: int, nbytes: int, flags: int) -> int:
    if address in _REGISTERED:
        return 712  # cudaErrorHostMemoryAlreadyRegistered
    _REGISTERED[address] = nbytes
    return 0


def _unregister(address: int) -> int:
    return 0 if _REGISTERED.pop(address, None) else 713  # cudaErrorHostMemoryNotRegistered


def _check(res: int) -> None:
    if res:
        raise RuntimeError(f"CUDA error {res}")


def _decode_jpeg(jpegs: list[torch.Tensor], device: Any = "cpu") -> list[torch.Tensor]:
    """Decode as torchvision does, which the tests do not have: a tensor of bytes in, uint8 [3, height, width] out."""
    pictures = [Image.open(io.BytesIO(bytes(jpeg.tolist()))) for jpeg in jpegs]
    return [torch.from_numpy(np.array(picture.convert("RGB"))).permute(2, 0, 1) for picture in pictures]


def install() -> None:
    """Replace CUDA in this process, for good: for a kernel or a child process of a test."""
    default = Stream()
    properties = SimpleNamespace(
        name=NAME,
        multi_processor_count=8,
        total_memory=8 * 1024**3,
        major=9,
        minor=0,
        warp_size=32,
        L2_cache_size=1024**2,
    )
    assert set(vars(properties)) <= attributes("_CudaDeviceProperties")
    cuda: dict[str, Any] = {
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
        "graph": _graph,
        "cudart": lambda: SimpleNamespace(cudaHostRegister=_register, cudaHostUnregister=_unregister),
        "check_error": _check,
    }
    for name, value in cuda.items():
        setattr(torch.cuda, name, held(getattr(torch.cuda, name), value))
    # torch.Stream has it, and PyTorch's optimisers ask; of torch.cuda.Stream only the build for CUDA inherits it.
    Stream.is_capturing = Stream._is_capturing
    torch.cuda.Stream, torch.cuda.Event, torch.cuda.CUDAGraph = Stream, Event, Graph
    accelerator = {
        "is_available": lambda: True,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "current_device_index": lambda: 0,
        "current_stream": lambda device=None: default,
        "set_device_index": lambda device: None,
        "synchronize": lambda device=None: None,
    }
    for name, value in accelerator.items():
        setattr(torch.accelerator, name, held(getattr(torch.accelerator, name), value))
    tensor: dict[str, Any] = {
        "pin_memory": _pin,
        "is_pinned": _pinned,
        "cuda": lambda self, *args, **kwargs: self.clone(),
        "record_stream": lambda self, s: None,
    }
    for name, value in tensor.items():
        setattr(torch.Tensor, name, held(getattr(torch.Tensor, name), value))
    torch.nn.Module.cuda = held(torch.nn.Module.cuda, lambda self, device=None: self)
    vision = {"torchvision": ModuleType("torchvision"), "torchvision.io": ModuleType("torchvision.io")}
    vars(vision["torchvision.io"])["decode_jpeg"] = _decode_jpeg
    sys.modules.update(vision)
    _LAST.append(_OnTheCpu().__enter__())
