"""What nvidia-smi says of the device while something runs, as a person would read it in a second window."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

QUERY = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=200"]


def device() -> list[str]:
    """The option that names the device of this program, which may see another one as its first."""
    import torch

    uuid = getattr(torch.cuda.get_device_properties(0), "uuid", None)
    return [f"--id=GPU-{uuid}"] if uuid else []


@contextmanager
def utilisation() -> Iterator[list[float]]:
    """The readings in percent, once the body is done; none where there is no nvidia-smi, or it does not tell."""
    readings: list[float] = []
    try:
        process = subprocess.Popen(
            QUERY + device(),
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
        for line in output.splitlines():
            if line.strip().isdigit():
                readings.append(float(line))


def kernel_seconds(recorded: object) -> float:
    """The sum of the times of all kernels that a torch.profiler has recorded; copies and annotations apart."""
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
