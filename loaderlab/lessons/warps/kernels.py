"""CUDA kernels whose block size a cell chooses, compiled at run time by PyTorch, and the sweeps that time them.

`torch.cuda._compile_kernel` (since torch 2.8, torch/cuda/__init__.py) hands the source to NVRTC, CUDA's run-time
compiler, which comes with PyTorch: neither nvcc nor another package is needed. It is not a stable interface, so
whatever goes wrong with it is said, and the lesson goes on.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps import curve
from loaderlab.lessons.warps.tiles import ceil_div
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.device_cache import beyond_l2
from loaderlab.measuring.measure import compare
from loaderlab.notebook.recordings import Unable

SOURCES = {
    # Each thread changes one of n elements, with `rounds` steps of arithmetic that wait for each other.
    "spin": """
extern "C" __global__ void spin(float* x, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    for (int r = 0; r < rounds; ++r) v = v * 0.999f + 0.001f;
    x[i] = v;
}
""",
    # Each thread reads four times 16 bytes before it writes any of them, so that many loads are under way at once.
    "stream": """
extern "C" __global__ void stream(float4* x, int n) {
    int first = 4 * blockIdx.x * blockDim.x + threadIdx.x;
    float4 v[4];
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) v[k] = x[i];
    }
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        int i = first + k * blockDim.x;
        v[k].x += 1.0f;
        if (i < n) x[i] = v[k];
    }
}
""",
    # Each warp goes from one line of 32 numbers to the one that it names; its lanes read the line together.
    "chase": """
extern "C" __global__ void chase(const int* next, int* out, int steps, int first) {
    int lane = threadIdx.x % 32, at = first + threadIdx.x / 32;
    for (int s = 0; s < steps; ++s) at = next[32 * at + lane];
    out[threadIdx.x] = at;
}
""",
}


def compiled(name: str) -> Callable[[int, int, list[Any]], None]:
    """Return the kernel of that name, as a function of blocks, threads per block, and the kernel's arguments.

    Tensors must be on the GPU, and integers are passed as C's int. Raises :class:`Unable` where this PyTorch cannot
    compile it.
    """
    try:
        with compiler():
            kernel: Callable[..., None] = torch.cuda._compile_kernel(SOURCES[name], name)
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        words = _(
            "Not run: PyTorch could not compile a kernel ({error}). For that, PyTorch needs NVRTC, the run-time compiler of CUDA, and must find it."
        )
        raise Unable(words.format(error=str(error).splitlines()[0])) from error

    def launch(blocks: int, threads: int, arguments: list[Any]) -> None:
        kernel(grid=(blocks, 1, 1), block=(threads, 1, 1), args=arguments)

    return launch


@contextmanager
def compiler() -> Iterator[None]:
    """Let PyTorch find the NVRTC of its wheel, and do without a CUDA toolkit: these kernels include no header.

    Raises ``OSError`` where a library of NVRTC cannot be loaded.
    """
    from torch.utils import cpp_extension

    # A wheel brings NVRTC in a folder of its own; once loaded, it is found by its name. It looks for its builtins itself.
    folders = Path(torch.__file__).parents[1]
    for name in ("libnvrtc-builtins.so.*", "libnvrtc.so.*"):
        for library in sorted(folders.glob(f"nvidia/*/lib/{name}")):
            ctypes.CDLL(str(library))
    home = cpp_extension.CUDA_HOME
    # Without a toolkit PyTorch refuses to name the folder of its headers.
    cpp_extension.CUDA_HOME = home or str(Path(torch.__file__).parent)
    try:
        yield
    finally:
        cpp_extension.CUDA_HOME = home


_ROUNDS = {"arithmetic": 1000, "one_load": 1}  # of the kernel `spin`
_FULL = 1024  # threads of the largest block: its warps keep an SM busy, so that two of them on one SM take twice as long
_LEAST = 64  # threads per block, from which on as many bytes are under way as any device needs


def block_sweep(blocks: Sequence[int], elements: int, mib: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Microseconds of kernels in blocks of that many threads, with much arithmetic and with next to none.

    ``arithmetic`` is `spin` on so many elements. The others read and write at least ``mib`` MiB, and more than the L2
    cache holds: ``memory`` with 64 bytes under way for each thread, ``one_load`` with 4.
    """
    spin, stream = compiled("spin"), compiled("stream")
    x = torch.zeros(beyond_l2(mib * 2**20) // 4, device="cuda")

    def us(bound_by: str, block: int) -> float:
        size = elements if bound_by == "arithmetic" else len(x)
        if bound_by == "memory":  # 16 numbers for each thread
            return 1000 * curve.ms(lambda: stream(ceil_div(size, 16 * block), block, [x, size // 4]))
        return 1000 * curve.ms(lambda: spin(ceil_div(size, block), block, [x, size, _ROUNDS[bound_by]]))

    variants = {
        (bound_by, block): lambda bound_by=bound_by, block=block: us(bound_by, block)
        for bound_by, block in itertools.product(("arithmetic", "memory", "one_load"), blocks)
        if bound_by == "arithmetic" or block >= _LEAST
    }
    for (bound_by, block), times in compare(variants, repeats=repeats).items():
        yield from ({"bound_by": bound_by, "block": block, "kernel_us": us} for us in times)


def wave_sweep(waves: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Microseconds of `spin` in 1 … ``waves`` × SMs blocks, each of which keeps an SM busy: ten numbers of blocks for each wave.

    Numbers on both sides of the end of a wave are among them.
    """
    spin = compiled("spin")
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    counts = sorted(
        {1, waves * sms}
        | {wave * sms + part for wave in range(waves) for part in (*range(1, sms, ceil_div(sms, 9)), sms)}
    )
    x = torch.zeros(waves * sms * _FULL, device="cuda")

    def us(blocks: int) -> float:
        return 1000 * curve.ms(lambda: spin(blocks, _FULL, [x, len(x), 20 * _ROUNDS["arithmetic"]]))

    variants = {blocks: lambda blocks=blocks: us(blocks) for blocks in counts}
    for blocks, times in compare(variants, repeats=repeats).items():
        yield from ({"blocks": blocks, "sms": sms, "kernel_us": us} for us in times)


def latency_sweep(most: int, mib: int, repeats: int, steps: int = 2000) -> Iterator[dict[str, Any]]:
    """Microseconds of one block of 1, 2, 4 … `most` warps, each of which follows a chain of `steps` loads, and their rate.

    The chains run in random order through ``mib`` MiB, or through eight times what the L2 cache holds if that is more,
    and each run begins where no earlier one did: a cache has next to nothing of them.
    """
    chase = compiled("chase")
    order = torch.randperm(beyond_l2(mib * 2**20) // 128, device="cuda")
    after = torch.empty_like(order)
    after[order] = order.roll(-1)  # one ring through all lines
    lines = after.int().repeat_interleave(32)
    out = torch.empty(32 * most, dtype=torch.int32, device="cuda")
    first = 0

    def run() -> None:
        nonlocal first
        chase(1, 32 * warps, [lines, out, steps, first])
        first = (first + most) % (len(order) - most)

    for _repeat in range(repeats):
        for warps in (2**power for power in range(most.bit_length())):
            with attempt(warps):
                us = 1000 * curve.ms(run, launches=1)
                yield {"warps": warps, "kernel_us": us, "loads_per_us": steps * warps / us}
