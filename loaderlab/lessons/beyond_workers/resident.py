"""No loader at all: a data set that lies where it is used, and batches that are made by indexing it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import torch
from torch.utils.data import DataLoader, TensorDataset

from loaderlab.measuring.measure import compare

SHAPE = (3, 32, 32)


def batches(data: torch.Tensor, batch_size: int) -> Iterator[torch.Tensor]:
    """Yield an epoch: a permutation that is drawn where the data lie, and their rows in its order."""
    for rows in torch.randperm(len(data), device=data.device).split(batch_size):
        # Copies whole rows; `data[rows]` copies one element after the other on a CPU.
        yield data.index_select(0, rows)


def each_way(
    places: Sequence[str], count: int = 50_000, batch_size: int = 512, seconds: float = 0.5, repeats: int = 3
) -> Iterator[dict[str, Any]]:
    """Yield rows of samples/s in the last of the places: by a loader of the CPU's, and by indexing where the data lie in each of them."""
    data, target = torch.randint(256, (count, *SHAPE), dtype=torch.uint8), places[-1]
    loader = DataLoader(TensorDataset(data), batch_size, shuffle=True)
    timed: dict[tuple[str, str], Callable[[], float]] = {
        ("loader", "cpu"): partial(_rate, lambda: (batch for (batch,) in loader), target, seconds)
    }
    for place in places:
        epoch = partial(batches, data.to(place), batch_size)
        timed["resident", place] = partial(_rate, epoch, target, seconds)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # a second one may wait for a core that others have
    try:
        for (way, place), found in compare(timed, repeats, warmup=1).items():
            yield from ({"way": way, "place": place, "samples_per_s": rate} for rate in found)
    finally:
        torch.set_num_threads(threads)


def _rate(epoch: Callable[[], Iterable[torch.Tensor]], place: str, seconds: float) -> float:
    """Return the samples/s that come to that place, over so many seconds; epochs follow each other."""
    done, began = 0, time.perf_counter()
    while time.perf_counter() < began + seconds:
        for batch in epoch():
            done += len(batch.to(place))
            if time.perf_counter() >= began + seconds:
                break
    if place == "cuda":
        torch.cuda.synchronize()
    return done / (time.perf_counter() - began)
