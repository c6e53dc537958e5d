"""A training step of a given length on the device, and a loop that feeds it."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

import torch

APART = 10  # batches before the clock starts: the first ones wait for workers, and for memory
QUEUED = 3  # steps that the host is ahead, at most
SOME = 5  # products that are timed together
WARM_UP_S = 0.2  # an idle device lowers its clock


def copy_ms(source: torch.Tensor, target: torch.Tensor) -> float:
    """Return the milliseconds of a copy, by events around it."""
    start, end = (torch.cuda.Event(enable_timing=True) for _mark in range(2))
    start.record()
    target.copy_(source, non_blocking=True)
    end.record()
    end.synchronize()
    return start.elapsed_time(end)


def computation(lasting_ms: float) -> Callable[[], object]:
    """Return a step of about so many milliseconds, which keeps all of the device busy: products of large matrices."""
    # A product has a tile of 128 × 128 for each multiprocessor, four times over.
    side = 128 * round(2 * torch.cuda.get_device_properties(0).multi_processor_count ** 0.5)
    weights = torch.eye(side, device="cuda", dtype=torch.bfloat16)
    product = torch.empty_like(weights)

    def products(count: int) -> None:
        for _product in range(count):
            torch.mm(weights, weights, out=product)

    began = time.perf_counter()
    while time.perf_counter() < began + WARM_UP_S:
        products(SOME)
        torch.cuda.synchronize()
    began = time.perf_counter()
    products(SOME)
    torch.cuda.synchronize()
    some_ms = 1000 * (time.perf_counter() - began)
    count = max(round(SOME * lasting_ms / some_ms), lasting_ms > 0)
    return lambda: products(count)


def rate(batches: Iterable[torch.Tensor], step: Callable[[], object], seconds: float) -> dict[str, Any]:
    """Return the samples/s of a loop that sends each batch and steps on it, and the MiB of the device that are in use then.

    Steps are queued, a few of them at most; the device has done everything when the clock starts, and when it ends.
    """
    torch.cuda.empty_cache()  # what was used before is not in use now
    queued: deque[Any] = deque()
    samples, began = 0, 0.0
    try:
        for number, batch in enumerate(batches):
            sent = batch.to("cuda", non_blocking=True)
            sent[:1].float()  # the step reads it
            step()
            queued.append(torch.cuda.current_stream().record_event())
            if len(queued) > QUEUED:
                queued.popleft().synchronize()
            samples += len(batch)
            if number + 1 == APART:
                torch.cuda.synchronize()
                samples, began = 0, time.perf_counter()
            elif began and time.perf_counter() > began + seconds:
                break
        torch.cuda.synchronize()
        taken = time.perf_counter() - began
        free, total = torch.cuda.mem_get_info()
    finally:
        if hasattr(batches, "close"):
            batches.close()
    return {"samples_per_s": samples / taken, "used_mib": (total - free) / 2**20}
