"""Two CUDA kernels whose block size a cell chooses, compiled at run time by PyTorch, and the sweeps that time them.

`torch.cuda._compile_kernel` (since torch 2.8, torch/cuda/__init__.py) hands the source to NVRTC, CUDA's run-time
compiler, which comes with PyTorch: neither nvcc nor another package is needed. It is not a stable interface, so
whatever goes wrong with it is said, and the lesson goes on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps import curve
from loaderlab.lessons.warps.tiles import ceil_div
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
        kernel = _compile(name)
    except (AttributeError, ImportError, OSError, RuntimeError) as error:
        words = _(
            "Not run: PyTorch could not compile a kernel ({error}). That takes torch 2.8 or newer, and NVRTC, the run-time compiler of CUDA."
        )
        raise Unable(words.format(error=str(error).splitlines()[0])) from error

    def launch(blocks: int, threads: int, arguments: list[Any]) -> None:
        kernel(grid=(blocks, 1, 1), block=(threads, 1, 1), args=arguments)

    return launch


def _compile(name: str) -> Callable[..., None]:
    from torch.utils import cpp_extension

    # A wheel brings NVRTC in a folder of its own; once loaded, it is found by its name.
    for library in sorted(Path(torch.__file__).parents[1].glob("nvidia/*/lib/libnvrtc.so.*")):
        ctypes.CDLL(str(library))
    home = cpp_extension.CUDA_HOME
    # Without a CUDA toolkit PyTorch refuses to name the folder of its headers; these kernels include none.
    cpp_extension.CUDA_HOME = home or str(Path(torch.__file__).parent)
    try:
        kernel: Callable[..., None] = torch.cuda._compile_kernel(SOURCES[name], name)
    finally:
        cpp_extension.CUDA_HOME = home
    return kernel


def block_sweep(blocks: Sequence[int], elements: int, repeats: int) -> Iterator[dict[str, Any]]:
    """Microseconds of the kernel `spin` in blocks of that many threads, with much and with next to no arithmetic."""
    spin = compiled("spin")
    x = torch.zeros(elements, device="cuda")

    def variant(block: int, rounds: int) -> Callable[[], float]:
        return lambda: 1000 * curve.ms(lambda: spin(ceil_div(elements, block), block, [x, elements, rounds]))

    variants = {
        (bound_by, block): variant(block, rounds)
        for bound_by, rounds in (("arithmetic", 1000), ("memory", 1))
        for block in blocks
    }
    for (bound_by, block), times in compare(variants, repeats=repeats).items():
        yield from ({"bound_by": bound_by, "block": block, "kernel_us": us} for us in times)


def latency_sweep(most: int, repeats: int, steps: int = 2000) -> Iterator[dict[str, Any]]:
    """Microseconds of one block of 1, 2, 4 … `most` warps, each of which follows a chain of `steps` loads, and their rate.

    The chains run in random order through 128 MiB, and each run begins where no earlier one did: a cache has next to
    nothing of them.
    """
    chase = compiled("chase")
    order = torch.randperm(2**20, device="cuda")
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
            us = 1000 * curve.ms(run, launches=1)
            yield {"warps": warps, "kernel_us": us, "loads_per_us": steps * warps / us}
