"""The counts that prove each repair: none of them is a time, and each is the same on every machine."""

from __future__ import annotations

import pickle
import time
from typing import Any
from unittest import mock

import torch

from loaderlab.lessons.find_the_bottleneck import photos
from loaderlab.measuring import machine


def counts(training: Any) -> dict[str, Any]:
    """Return what can be counted of a script, a count for each of its nine decisions, by the names of the repairs."""
    dataset, loader = training.dataset, training.loader
    samples = [dataset[i] for i in range(2)]
    with mock.patch.object(photos, "read", wraps=photos.read) as read:
        dataset.read(2)
    images, labels = training.collate(samples * 16)
    return {
        "clock": _sees_waiting(training),
        "workers": _threads(loader) <= max(2, machine.usable_cores()),
        "tensors": sum(1 if torch.is_tensor(part) else len(part) for part in (images, labels)),
        "lifetime": loader.persistent_workers,
        "opens": read.call_count,
        "floats": samples[0][0].element_size(),
        "index": len(dataset.index) if isinstance(dataset.index, list) else 1,
        "generator": _draws(dataset, 1) != _draws(dataset, 2),
        "epoch": _order(training, 0) != _order(training, 1),
    }


class _Late:
    """A loader whose only batch comes late."""

    def __init__(self, batch: Any, seconds: float) -> None:
        self.batch, self.seconds = batch, seconds

    def __iter__(self) -> Any:
        time.sleep(self.seconds)
        yield self.batch


def _sees_waiting(training: Any) -> bool:
    """Return whether the clock of the script sees a loader that takes its time for the only batch."""
    samples = [training.dataset[i] for i in range(4)]
    real, training.loader = training.loader, _Late(training.collate(samples), 0.2)
    try:
        return bool(training.epoch(0) <= len(samples) / 0.2)
    finally:
        training.loader = real


def _threads(loader: Any) -> int:
    """Return the threads that all workers of a loader compute with."""
    if loader.worker_init_fn is None:
        return int(loader.num_workers)  # PyTorch gives each worker one
    with mock.patch.object(torch, "set_num_threads") as asked:
        loader.worker_init_fn(0)
    each = asked.call_args.args[0] if asked.called else 1
    return int(each) * int(loader.num_workers)


def _draws(dataset: Any, seed: int) -> list[list[int]]:
    """Return the crops that a worker with this seed draws; it has a copy of the dataset."""
    copy = pickle.loads(pickle.dumps(dataset))
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return [[int(number) for number in copy.draw()] for _draw in range(8)]


def _order(training: Any, epoch: int) -> list[int]:
    training.begin(epoch)
    return list(training.sampler)
