"""Lesson 3: its kernels compile for every GPU since Turing, without a GPU; what they are timed in does not fit into a cache."""

import ctypes
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.cuda import _utils

from loaderlab.lessons.warps import kernels
from loaderlab.measuring.device_cache import beyond_l2

# T4, A100, RTX 30, L4 and RTX 40, H100, B200, RTX 50; NVRTC may know more.
FOR_SURE = {75, 80, 86, 89, 90, 100, 120}
MIB = 2**20


@pytest.fixture
def nvrtc(monkeypatch, missing):
    """The compiler of requirements-dev.txt, found as the lesson finds it."""
    if sys.platform != "linux":
        pytest.skip("The lesson looks for NVRTC where its wheel for Linux has it.")
    found = next(Path(torch.__file__).parents[1].glob("nvidia/*/lib/libnvrtc.so.*"), None)
    if found is None:
        missing("The wheel nvidia-cuda-nvrtc is not installed; requirements-dev.txt has it.")
    monkeypatch.setattr(torch.version, "cuda", found.name.removeprefix("libnvrtc.so."))
    with kernels.compiler():
        yield ctypes.CDLL(found.name)


def capabilities(nvrtc):
    count = ctypes.c_int()
    nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    known = (ctypes.c_int * count.value)()
    nvrtc.nvrtcGetSupportedArchs(known)
    return list(known)


@pytest.mark.parametrize("name", kernels.SOURCES)
def test_a_kernel_compiles_for_every_gpu_by_pytorchs_own_way(nvrtc, name):
    known = capabilities(nvrtc)
    assert set(known) >= FOR_SURE
    for capability in known:
        code, entry = _utils._nvrtc_compile(kernels.SOURCES[name], name, str(capability))
        assert entry == name and code.startswith(b"\x7fELF")


def test_a_broken_kernel_does_not_compile(nvrtc):
    broken = kernels.SOURCES["spin"].replace("float v =", "v =")
    with pytest.raises(RuntimeError, match='identifier "v" is undefined'):
        _utils._nvrtc_compile(broken, "spin", "75")


@pytest.mark.parametrize(("l2", "mib"), [(4, 64), (40, 320), (126, 1008)])
def test_a_buffer_is_several_times_what_the_l2_cache_holds(monkeypatch, l2, mib):
    properties = SimpleNamespace(L2_cache_size=l2 * MIB)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda device: properties)
    assert beyond_l2(64 * MIB) == mib * MIB
    assert beyond_l2(1) % 4096 == 0
