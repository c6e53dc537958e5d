"""What this machine really has: the cores this process may use, memory, shared memory, GPU, start method."""

from __future__ import annotations

import multiprocessing
import os
import platform
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from loaderlab.language import number
from loaderlab.language import translate as _

MIB = 1024**2
GIB = 1024**3


@dataclass(frozen=True)
class Machine:
    """Facts about this machine; memory in bytes, ``None`` where the system does not have the thing."""

    cores: float
    logical_cores: int
    ram: int
    shm: int | None
    open_files: int | None
    start_method: str
    start_methods: tuple[str, ...]
    gpus: tuple[str, ...]
    system: str
    python: str
    torch: str

    def card(self) -> str:
        """Four short lines for the learner, in the notebook's language."""
        gpu = ", ".join(self.gpus) or _("none; GPU benchmarks show recordings, where there are any")
        shm = (
            _("does not exist here")
            if self.shm is None
            else _("{mib} MiB").format(mib=number(self.shm / MIB))
        )
        cores = number(self.cores, 0 if self.cores == int(self.cores) else 1)
        return "\n".join(
            [
                _("Cores this process may use: {cores} (of {logical})").format(
                    cores=cores, logical=self.logical_cores
                ),
                _("RAM: {gib} GiB · /dev/shm: {shm}").format(gib=number(self.ram / GIB), shm=shm),
                _("Start method: {method} · Python {python} · PyTorch {torch}").format(
                    method=self.start_method, python=self.python, torch=self.torch
                ),
                _("GPU: {gpu}").format(gpu=gpu),
            ]
        )


def usable_cores(root: Path = Path("/sys/fs/cgroup")) -> float:
    """Cores this process may use at once: affinity, and the cgroup's CPU quota where there is one.

    ``os.cpu_count()`` reports what the hardware has; a container with a quota of 2 on 64 cores still says 64.
    ``root`` is where cgroup v2 or v1 is mounted. May be fractional (a quota of 1.5 cores).
    """
    affinity = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([affinity, *_quotas(root)])


def _quotas(root: Path) -> list[float]:
    found = []
    for maximum in [root / "cpu.max", *(folder / "cpu.max" for folder in _own_groups(root))]:
        if maximum.is_file():
            quota, period = maximum.read_text().split()[:2]
            if quota != "max":
                found.append(int(quota) / int(period))
    old = root / "cpu" / "cpu.cfs_quota_us"
    if old.is_file() and int(old.read_text()) > 0:
        found.append(int(old.read_text()) / int(old.with_name("cpu.cfs_period_us").read_text()))
    return found


def _own_groups(root: Path) -> list[Path]:
    """This process's own cgroup v2 folder and those above it: the tightest quota of them counts."""
    membership = Path("/proc/self/cgroup")
    if not membership.is_file():
        return []
    for line in membership.read_text().splitlines():
        if line.startswith("0::"):
            own = root / line[3:].lstrip("/")
            return [folder for folder in [own, *own.parents] if root in folder.parents]
    return []


def open_files_limit() -> int | None:
    """The soft limit on open files (``ulimit -n``), or None on systems without one."""
    try:
        import resource
    except ImportError:
        return None
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def shm_size() -> int | None:
    """Size of /dev/shm in bytes, or None where there is none (macOS, Windows)."""
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
        ram=psutil.virtual_memory().total,
        shm=shm_size(),
        open_files=open_files_limit(),
        start_method=multiprocessing.get_start_method(),
        start_methods=tuple(multiprocessing.get_all_start_methods()),
        gpus=tuple(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())),
        system=f"{platform.system()} {platform.machine()}",
        python=".".join(map(str, sys.version_info[:3])),
        torch=torch.__version__,
    )


def device_name(device: str) -> str:
    """The name a recording carries: the GPU's own name, or the processor's with its usable cores."""
    if device.startswith("cuda"):
        import torch

        return torch.cuda.get_device_name(device)
    return f"{processor()} × {usable_cores():g}"


def processor() -> str:
    """The processor's marketing name where the system tells it, else its architecture."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
