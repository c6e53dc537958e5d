"""The probes of lesson 0: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from typing import Any
from unittest.mock import patch

from loaderlab.exercises.probing import attempt

# ---------------------------------------------------------------- quick_loader

SAMPLES, SIZE = 92, 8
TOO_MANY = 200  # batches that are taken of an epoch


class Signed:
    """A map-style Dataset: each sample is its index, and the process that loads it."""

    def __len__(self) -> int:
        return SAMPLES

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, os.getpid()


def probe_quick(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return the indices of each batch of two epochs, how many samples this process loaded, and how many others loaded.

    Those of the ``first`` epoch, and the ``new`` ones of the second.
    """
    owners: list[list[int]] = []

    def epochs() -> list[list[list[int]]]:
        loader, indices = answer(Signed()), []
        try:
            for _epoch in range(2):
                batches = [[part.tolist() for part in batch] for batch in islice(loader, TOO_MANY)]
                indices.append([numbers for numbers, _owners in batches])
                owners.append([owner for _numbers, theirs in batches for owner in theirs])
        finally:
            if workers := getattr(loader, "_iterator", None):  # of those that persist
                workers._shutdown_workers()
        return indices

    found, mine = attempt(epochs), os.getpid()
    first, second = (set(theirs) - {mine} for theirs in (*owners, [], [])[:2])
    return {
        "epochs": found,
        "mine": sum(owner == mine for theirs in owners for owner in theirs),
        "first": len(first),
        "new": len(second - first),
    }


# ---------------------------------------------------------------- tiny_loader

LENGTH, BATCH = 11, 4
ORDERS: dict[str, list[int]] = {
    "rest": [7, 2, 2, 10, 0, 5, 9, 1, 3, 8, 6],  # one index twice, as with replacement
    "even": [3, 1, 0, 2, 9, 4, 6, 5],
    "few": [5],
    "none": [],
}
MANY = 1000  # indices of a sampler that is endless for a loader that takes no more than it needs
MOST = 20  # batches that are taken of a loader


def sample(index: int) -> str:
    """Return the sample at an index: no number, of which somebody could make a tensor."""
    return "abcdefghijk"[index]


class Sampler:
    """An iterable of indices without a length, which counts those that were taken."""

    def __init__(self, indices: Iterable[int]) -> None:
        self.indices, self.taken = indices, 0

    def __iter__(self) -> Iterator[int]:
        for index in self.indices:
            self.taken += 1
            yield index


class Samples:
    """A map-style Dataset, which notes its calls: an index, or a list of them."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def __len__(self) -> int:
        return LENGTH

    def __getitem__(self, index: int) -> str:
        self.calls.append(index)
        return sample(index)


class Together(Samples):
    """One that gives the samples of a whole batch by one call."""

    def __getitems__(self, indices: Sequence[int]) -> list[str]:
        self.calls.append(list(indices))
        return list(map(sample, indices))


def joined(samples: Any) -> dict[str, Any]:
    """Return a batch: the very list that came, as a loop may keep it, or the samples of something else."""
    kept = samples if isinstance(samples, list) else list(samples)
    return {"of": type(samples).__name__, "samples": kept}


def probe_loader(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return the batches of each order, the calls of a Dataset for whole batches, and what is loaded when.

    With them goes how often PyTorch's own loader was asked for batches.
    """
    torch_data = sys.modules.get("torch.utils.data")
    if torch_data is None:  # in a browser, or an answer that has no use of it
        return _probed(answer) | {"theirs": 0}
    asked, begun = 0, torch_data.DataLoader.__iter__

    def noted(loader: Any) -> Any:
        nonlocal asked
        asked += 1
        return begun(loader)

    with patch.object(torch_data.DataLoader, "__iter__", noted):
        evidence = _probed(answer)
    return evidence | {"theirs": asked}


def _probed(answer: Callable[..., Any]) -> dict[str, Any]:
    def batches(dataset: Samples, order: str, collate: Callable[[Any], Any] = joined) -> list[Any]:
        return list(islice(answer(dataset, Sampler(ORDERS[order]), BATCH, collate), MOST))

    endless, watched, whole = Sampler(islice(cycle(ORDERS["even"]), MANY)), Samples(), Together()

    def steps() -> list[list[int]]:
        """Return the indices taken and the samples read, before the first batch and after each of two."""
        loader = iter(answer(watched, endless, BATCH, joined))
        counts = [[endless.taken, len(watched.calls)]]
        for _batch in range(2):
            next(loader)
            counts.append([endless.taken, len(watched.calls)])
        return counts

    return {
        "batches": {order: attempt(batches, Samples(), order) for order in ORDERS},
        "steps": attempt(steps),
        "whole": attempt(batches, whole, "rest", list),
        "calls": whole.calls,
    }


# ---------------------------------------------------------------- CountingStream

EVEN, UNEVEN = ((12, 1), (12, 2), (12, 3)), ((10, 3), (7, 2), (2, 3), (0, 2))


def probe_stream(answer: type) -> dict[str, Any]:
    """Return the samples that each worker yields, by length and number of workers; workers are played in this process.

    A class from a notebook cell can reach real workers under fork only, and the exercise is for every system.
    """
    import copy

    from torch.utils.data import IterableDataset
    from torch.utils.data._utils import worker

    def passes(length: int, workers: int, epochs: int = 1) -> list[list[list[Any]]]:
        streams = [answer(length) for _worker in range(max(workers, 1))]
        played = []
        for number, stream in enumerate(streams):
            mine = copy.deepcopy(stream)
            info = worker.WorkerInfo(id=number, num_workers=workers, seed=number, dataset=mine)
            with patch.object(worker, "_worker_info", info if workers else None):
                played.append([list(islice(iter(mine), 2 * length + 5)) for _epoch in range(epochs)])
        return [[shares[epoch] for shares in played] for epoch in range(epochs)]

    return {
        "iterable": issubclass(answer, IterableDataset),
        "alone": attempt(lambda: passes(6, 0)[0][0]),
        "even": [attempt(lambda n=n, w=w: passes(n, w)[0]) for n, w in EVEN],
        "uneven": [attempt(lambda n=n, w=w: passes(n, w)[0]) for n, w in UNEVEN],
        "epochs": [attempt(lambda w=w: passes(6, w, epochs=2)) for w in (0, 2)],
    }
