"""Ready bytes, from memory to the device: by a loader, by its pin thread, by slots, and by slots that are registered once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import torch
from torch.utils.data import DataLoader, Dataset

from loaderlab.lessons.beyond_workers import stepping
from loaderlab.measuring.attempts import attempt
from loaderlab.measuring.iterating import iterating
from loaderlab.measuring.machine import usable_cores

SHAPE = (3, 224, 224)
STORED = 512  # samples in memory, more than a core's cache holds
SAMPLES = 10**6  # in an epoch that never ends


class Ready(Dataset[torch.Tensor]):
    """Map-style: rows of a tensor in memory; all that is to be done is to copy them into the batch."""

    def __init__(self, stored: torch.Tensor) -> None:
        self.stored = stored

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> torch.Tensor:
        return self.stored[index % len(self.stored)]


def requests(batch_size: int) -> Iterator[torch.Tensor]:
    """Yield the rows of each batch of a very long epoch."""
    for start in range(0, SAMPLES, batch_size):
        yield torch.arange(start, start + batch_size) % STORED


def unregister(memory: torch.Tensor) -> None:
    """Give pages that were registered back to the system, when the device has read them: they are ordinary memory again."""
    torch.cuda.synchronize()
    torch.cuda.check_error(torch.cuda.cudart().cudaHostUnregister(memory.data_ptr()))


def each_way(
    ring: Callable[[int, tuple[int, ...]], Any],
    batch_sizes: Sequence[int],
    steps_ms: Sequence[float],
    seconds: float = 1.5,
) -> Iterator[dict[str, Any]]:
    """Yield rows of samples/s and GB/s into the device, for each batch size and step: by workers, and by the threads of a ``ring``.

    There are as many of them as cores but one for the loop, and 12 at most; so many slots has the ring.
    """
    cores = int(min(12, max(1, usable_cores() - 1)))
    stored = torch.randint(256, (STORED, *SHAPE), dtype=torch.uint8)

    def fill(slot: torch.Tensor, rows: torch.Tensor) -> None:
        torch.index_select(stored, 0, rows, out=slot)

    def by_loader(batch_size: int, step: Callable[[], object], pin_memory: bool) -> dict[str, Any]:
        loader = DataLoader(Ready(stored), batch_size, num_workers=cores, pin_memory=pin_memory)
        with iterating(loader) as batches:
            return stepping.rate(batches, step, seconds)

    def by_ring(batch_size: int, step: Callable[[], object], registered: bool) -> dict[str, Any]:
        slots = ring(cores, (batch_size, *SHAPE))
        if not registered:
            unregister(slots.slots)  # slots that are used again and again, and nothing else
        try:
            return stepping.rate(slots.batches(requests(batch_size), fill), step, seconds)
        finally:
            if registered:
                unregister(slots.slots)

    ways: dict[str, Callable[..., dict[str, Any]]] = {
        "loader": partial(by_loader, pin_memory=False),
        "pin_memory": partial(by_loader, pin_memory=True),
        "slots": partial(by_ring, registered=False),
        "registered": partial(by_ring, registered=True),
    }
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # each of the ring's threads copies by itself
    try:
        for batch_size, ms in product(batch_sizes, steps_ms):
            step = stepping.computation(ms)
            for way, feed in ways.items():
                with attempt(way, batch_size, ms):
                    found = feed(batch_size, step)
                    rate = found["samples_per_s"] * stored[0].nbytes / 1e9
                    yield {"batch_size": batch_size, "step_ms": ms, "way": way, **found, "gb_per_s": rate}
    finally:
        torch.set_num_threads(threads)
