"""The readings of nvidia-smi and of the profiler on the device while something runs."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# A reading tells of a sample period of at most a second, and one is taken every 200 ms: the first ones may tell of what
# ran before (https://docs.nvidia.com/deploy/nvml-api/structnvmlUtilization__t.html).
TOO_EARLY = 5
TRACED = 0.5  # seconds
# Into a pipe a program may write whole blocks only, and lose the last one when it is stopped; stdbuf makes it write lines.
LINES = ["stdbuf", "-oL"] if shutil.which("stdbuf") else []
QUERY = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=200"]


def make_step() -> Callable[[Any, Any], None]:
    """Return a training step of a small network on the GPU, which takes images and labels."""
    import torch
    from torch import nn

    layers = [nn.Conv2d(3, 64, 5, stride=2), nn.ReLU(), nn.Conv2d(64, 64, 5), nn.ReLU()]
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 256)]
    network = nn.Sequential(*layers).to("cuda")
    optimiser = torch.optim.SGD(network.parameters(), lr=0.01)

    def step(images: Any, labels: Any) -> None:
        optimiser.zero_grad()
        nn.functional.cross_entropy(network(images), labels).backward()
        optimiser.step()

    return step


def device() -> list[str]:
    """Return the option that names the device of this program, which may see another one as its first."""
    import torch

    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    return [f"--id=GPU-{uuid}"] if uuid else []


@contextmanager
def utilisation() -> Iterator[list[float]]:
    """Yield a list that has, once the body is done, the readings in percent that a person would see in a second window.

    Those of the first second are left out; none where there is no nvidia-smi, or it does not tell.
    """
    readings: list[float] = []
    try:
        process = subprocess.Popen(
            LINES + QUERY + device(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except OSError:
        yield readings
        return
    try:
        yield readings
    finally:
        process.terminate()
        output, _errors = process.communicate()
        found = [float(line) for line in output.splitlines() if line.strip().isdigit()]
        readings += found[TOO_EARLY:]


def repeated(work: Callable[[], Any], seconds: float) -> tuple[int, float]:
    """Repeat ``work`` until ``seconds`` have passed; return how often, and the seconds until the device had finished it."""
    import torch

    torch.cuda.synchronize()
    started, times = time.perf_counter(), 0
    while time.perf_counter() - started < seconds:
        work()
        times += 1
    torch.cuda.synchronize()
    return times, time.perf_counter() - started


def busy(work: Callable[[], Any], at_least: float) -> dict[str, float]:
    """``work`` again and again: times per second, and how busy the device was by nvidia-smi and by its kernels, in %.

    ``at_least``: seconds. Rate and readings are of the same seconds, in which nothing is traced; the kernels are added
    up in others, since tracing takes time. Without readings there is no ``gpu_percent``.
    """
    from torch.profiler import profile

    work()
    with utilisation() as readings:
        times, seconds = repeated(work, at_least)
    row = {"per_second": times / seconds}
    with profile() as recorded:  # profiles the GPU, too
        _times, traced = repeated(work, min(TRACED, at_least))
    row["busy_percent"] = 100 * kernel_seconds(recorded) / traced
    if readings:
        row["gpu_percent"] = sum(readings) / len(readings)
    return row


def kernel_seconds(recorded: object) -> float:
    """Return the sum of the times of all kernels that a torch.profiler has recorded; copies and annotations apart."""
    from torch.autograd import DeviceType

    events = recorded.key_averages()  # type: ignore[attr-defined]
    kernels = [
        event
        for event in events
        if event.device_type == DeviceType.CUDA
        and not getattr(event, "is_user_annotation", False)
        and not event.key.startswith(("Memcpy", "Memset"))
    ]
    return sum(event.self_device_time_total for event in kernels) / 1e6
