"""The real resources of this machine: the cores this process may use, memory, shared memory, GPU, start method."""

from __future__ import annotations

import multiprocessing
import os
import platform
import socket
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import psutil

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import temporary
from loaderlab.scripts.machine import CGROUPS, MEMBERSHIP, memory_limit
from loaderlab.scripts.machine import usable_cores as usable_cores  # noqa: PLC0414 (called as `machine.usable_cores`)

MIB = 1024**2
GIB = 1024**3
OPEN_FILES = 4096  # what JupyterLab raises the limit to where it can; other front ends do not


@dataclass(frozen=True)
class Machine:
    """Facts about this machine; memory in bytes, ``None`` where the system does not have the thing.

    ``ram`` is what this process may use, ``temporary`` what is free in the temporary folder, ``open_files`` the
    number of files that a lesson may have open; ``libuv``: whether torchrun has what it needs, None where that was not
    asked (:func:`has_libuv`).
    """

    cores: float
    logical_cores: int
    ram: int
    shm: int | None
    temporary: int
    open_files: int | None
    start_method: str
    start_methods: tuple[str, ...]
    gpus: tuple[str, ...]
    system: str
    python: str
    torch: str
    libuv: bool | None = None

    def card(self) -> str:
        """Return four short lines for the learner, in the notebook's language."""
        gpu = ", ".join(self.gpus) or _("none; GPU benchmarks show recordings, where there are any")
        shm = (
            _("does not exist here")
            if self.shm is None
            else _("{mib} MiB").format(mib=number(self.shm / MIB))
        )
        return "\n".join(
            [
                _("Cores this process may use: {cores} (of {logical})").format(
                    cores=counted(self.cores), logical=self.logical_cores
                ),
                _("RAM: {gib} GiB · /dev/shm: {shm}").format(gib=number(self.ram / GIB), shm=shm),
                _("Start method: {method} · Python {python} · PyTorch {torch}").format(
                    method=self.start_method, python=self.python, torch=self.torch
                ),
                _("GPU: {gpu}").format(gpu=gpu),
            ]
        )


def counted(cores: float) -> str:
    """Return a number of cores, which a quota can make a fractional one, as the reader's language writes it."""
    return number(cores, 0 if float(cores).is_integer() else 1)


def usable_ram(root: Path = CGROUPS, membership: Path = MEMBERSHIP) -> int:
    """Return the bytes of memory that this process may use: the hardware's, or the limit of its cgroup where that is less.

    Where a container needs more, its processes are killed, however much the hardware has. ``root`` is where
    cgroup v2 or v1 is mounted, ``membership`` lists the groups of this process.
    """
    total, limit = psutil.virtual_memory().total, memory_limit(root, membership)
    return total if limit is None else min(total, limit)


def open_files_limit() -> int | None:
    """Return the soft limit on open files (``ulimit -n``), or None where there is none."""
    return _open_files()[0]


def attainable_open_files() -> int | None:
    """Return the limit on open files that :func:`allow_open_files` can reach, or None where there is no limit."""
    soft, hard = _open_files()
    wanted = OPEN_FILES if hard is None else min(hard, OPEN_FILES)
    return None if soft is None else max(soft, wanted)


def allow_open_files() -> None:
    """Raise the soft limit on open files of this process, and of all that it starts, as far as the lessons need it."""
    limit = attainable_open_files()
    if limit is not None and limit != open_files_limit():
        import resource

        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))


def preload_forkserver() -> None:
    """Start the server that workers are forked from, where they are, and let it import torch, which else each worker does by itself."""
    if multiprocessing.get_start_method() == "forkserver":
        from multiprocessing import forkserver

        multiprocessing.set_forkserver_preload(["torch.utils.data", "loaderlab.data"])
        forkserver.ensure_running()


def _open_files() -> tuple[int | None, int | None]:
    """Return the soft and the hard limit on open files; None where there is none."""
    try:
        import resource
    except ImportError:  # Windows
        return None, None
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    soft, hard = (None if limit == resource.RLIM_INFINITY else limit for limit in limits)
    return soft, hard


def shm_size() -> int | None:
    """Return the size of /dev/shm in bytes, or None where there is none (macOS, Windows)."""
    if not os.path.isdir("/dev/shm"):
        return None
    status = os.statvfs("/dev/shm")
    return status.f_blocks * status.f_frsize


def look() -> Machine:
    """Look at this machine now; imports torch, because only torch knows which GPUs it can use."""
    import torch

    return Machine(
        cores=usable_cores(),
        logical_cores=os.cpu_count() or 1,
        ram=usable_ram(),
        shm=shm_size(),
        temporary=temporary.free(),
        open_files=attainable_open_files(),
        start_method=multiprocessing.get_start_method(),
        start_methods=tuple(multiprocessing.get_all_start_methods()),
        gpus=tuple(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())),
        system=f"{platform.system()} {platform.machine()}",
        python=".".join(map(str, sys.version_info[:3])),
        torch=torch.__version__,
    )


@lru_cache(maxsize=1)
def has_libuv() -> bool:
    """Return whether PyTorch was built with libuv, without which ``torchrun`` fails; wheels for Windows are without.

    Asking takes some ten open files, of which two stay open: too many for every notebook that begins.
    """
    from torch import distributed

    if not distributed.is_available():
        return False
    # A socket of the loopback, for one of all networks makes a firewall ask.
    with socket.create_server(("127.0.0.1", 0)) as own:
        port, handle = own.getsockname()[1], own.detach()
    try:
        distributed.TCPStore(
            "127.0.0.1", port, is_master=True, wait_for_workers=False, use_libuv=True, master_listen_fd=handle
        )
    except (RuntimeError, ValueError) as error:
        return "libuv" not in str(error)
    return True


def device_name(device: str) -> str:
    """Return the name a recording carries: the GPU's own name, or the processor's with its usable cores."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    return f"{processor()} × {usable_cores():g}"


def described(name: str, virtual: bool | None = None) -> str:
    """Return a name from :func:`device_name` in the reader's language; ``virtual``: whether its cores are known to be a virtual machine's."""
    found, _times, cores = name.rpartition(" × ")
    if not found:
        return name
    words = _("{processor}, virtual cores: {count}") if virtual else _("{processor}, cores: {count}")
    return words.format(processor=found, count=counted(float(cores)))


def is_virtual() -> bool | None:
    """Return whether this is a virtual machine; None where the system does not tell: only Linux on x86 does."""
    flags = _cpuinfo("flags")
    return None if flags is None else "hypervisor" in flags.split()


def processor() -> str:
    """Return the processor's marketing name where the system tells it, else its architecture."""
    return _cpuinfo("model name") or platform.processor() or platform.machine()


def _cpuinfo(name: str) -> str | None:
    """Return what Linux says of its first processor under that name; None where it says nothing."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith(name):
                return line.split(":", 1)[1].strip()
    return None
