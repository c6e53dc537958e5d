"""The samples of an iterable dataset, worker by worker and epoch by epoch, known by their digests."""

from __future__ import annotations

import hashlib
import pickle
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, get_worker_info

from ..words import translate as _
from .clone import clone, draws_given_back
from .finding import Finding, Row
from .isolated import forks, isolated
from .kinds import fault
from .randomness import within

MOST = 20_000  # samples of an epoch that are looked at
_LABELS = ("label", "labels", "target", "targets", "cls", "class", "y")


@dataclass(frozen=True)
class Came:
    """A batch: from which epoch and worker, a digest of each sample, and its label (None where none is found).

    The last one of an epoch that was seen to its end is followed by one with ``end``.
    """

    epoch: int
    worker: int = 0
    samples: tuple[bytes, ...] = ()
    labels: tuple[int | None, ...] = ()
    end: bool = False


class _Told:
    """A stand-in for the collate function: what came, in a few bytes."""

    def __init__(self, auto: bool) -> None:
        self.auto = auto

    def __call__(self, samples: Any) -> tuple[int, tuple[bytes, ...], tuple[int | None, ...]]:
        info = get_worker_info()
        samples = samples if self.auto else [samples]
        return (
            info.id if info else 0,
            tuple(digest(sample) for sample in samples),
            tuple(label(sample) for sample in samples),
        )


def stream(loader: DataLoader, workers: int, epochs: int) -> Iterator[Came]:
    """Go through a copy of the loader with so many workers; an epoch is left after `MOST` samples."""
    made = clone(
        loader, num_workers=workers, collate_fn=_Told(loader.batch_sampler is not None), pin_memory=False
    )
    for epoch in range(epochs):
        count = 0
        for worker, samples, labels in DataLoader.__iter__(made):
            yield Came(epoch, worker, samples, labels)
            count += len(samples)
            if count >= MOST:
                return
        yield Came(epoch, end=True)


def digest(sample: Any) -> bytes:
    """8 bytes that are the same for samples with the same content."""
    found = hashlib.blake2b(digest_size=8)
    ahead = [sample]
    while ahead:
        value = ahead.pop()
        if isinstance(value, torch.Tensor):
            value = value.detach().cpu().numpy()
        if isinstance(value, dict):
            # `__key__`, a URL …
            ahead += [each for key, each in value.items() if not str(key).startswith("__")]
        elif isinstance(value, (list, tuple)):
            ahead += list(value)
        elif isinstance(value, np.ndarray):
            found.update(value.tobytes())
        elif isinstance(value, bytes):
            found.update(value)
        elif hasattr(value, "tobytes"):  # a picture
            found.update(value.tobytes())
        else:
            found.update(pickle.dumps(value))
    return found.digest()


def label(sample: Any) -> int | None:
    """Return the class of a sample, where it is a number under a usual name, or the last of its parts."""
    if isinstance(sample, dict):
        value = next((sample[name] for name in _LABELS if name in sample), None)
    elif isinstance(sample, (tuple, list)) and sample:
        value = sample[-1]
    else:
        return None
    if isinstance(value, (np.ndarray, torch.Tensor)) and value.ndim == 0:
        value = value.item()
    return int(value) if isinstance(value, (int, np.integer)) else None


def shuffles(dataset: Any) -> bool:
    """Return whether something in the dataset is called a shuffle, and is on: a stage, a class, an option."""
    for _path, value in within(dataset, ""):
        called = f"{type(value).__name__} {getattr(value, '__name__', '')}"
        if "shuffl" in called.lower() and "NoShuff" not in called:
            return True
        for name, option in getattr(value, "__dict__", {}).items():
            if "shuffl" in name.lower() and option and not callable(option):
                return True
    return False


def mixture(batches: list[tuple[int | None, ...]]) -> tuple[float, float] | None:
    """Classes in a batch, on average: as they came, and in a random order of the same samples; None without labels."""
    labelled = [labels for labels in batches if labels and None not in labels]
    if len(labelled) < 4:
        return None
    every = Counter(each for labels in labelled for each in labels)
    size, total = max(map(len, labelled)), sum(every.values())
    random = sum(1 - (1 - count / total) ** size for count in every.values())
    return float(np.mean([len(set(labels)) for labels in labelled if len(labels) == size])), random


def of_stream(loader: DataLoader, end: float) -> list[Finding]:
    """Return findings about an iterable dataset, from what comes until ``end`` (of ``time.monotonic``)."""
    workers = min(loader.num_workers, 2)
    if not workers and not forks():
        return []  # in this process it would be consumed

    def look() -> Iterator[Came]:
        with draws_given_back():
            yield from stream(loader, workers, 2)

    def alone() -> Iterator[Came]:
        with draws_given_back():
            yield from stream(loader, 1, 1)

    left = end - time.monotonic()
    said = isolated(look, left / 2).said
    found = _from_each_worker(said) if workers == 2 else []
    if workers == 2 and not found and _ended(said, 0):
        found = _as_many_times(isolated(alone, left / 4).said, said)
    return found or _another_epoch(loader, said) + _blocks(loader, said)


def _samples(said: list[Came], epoch: int, worker: int | None = None) -> list[bytes]:
    wanted = (each for each in said if each.epoch == epoch and worker in (None, each.worker))
    return [sample for each in wanted for sample in each.samples]


def _ended(said: list[Came], epoch: int) -> bool:
    return any(each.end and each.epoch == epoch for each in said)


def _from_each_worker(said: list[Came]) -> list[Finding]:
    one, other = (_samples(said, 0, worker) for worker in (0, 1))
    common = min(len(one), len(other))
    same = one[:common] == other[:common] or (_ended(said, 0) and Counter(one) == Counter(other))
    if common < 2 or not same or len(set(one[:common])) == 1:
        return []
    rows = (
        Row(_("samples of worker {worker}").format(worker=0), len(one)),
        Row(
            _("of these, samples that worker {worker} gives, too").format(worker=1),
            len(set(one) & set(other)),
        ),
    )
    return [fault.workers_repeat(rows)]


def _as_many_times(alone: list[Came], said: list[Came]) -> list[Finding]:
    """Find samples that come too often, by counting those that random changes make different."""
    one, two = len(_samples(alone, 0)), len(_samples(said, 0))
    if not _ended(alone, 0) or one < 2 or two != 2 * one:
        return []
    rows = tuple(
        Row(_("samples of an epoch with so many workers: {workers}").format(workers=n), count)
        for n, count in ((1, one), (2, two))
    )
    return [fault.workers_repeat(rows)]


def _another_epoch(loader: DataLoader, said: list[Came]) -> list[Finding]:
    first, second = _samples(said, 0, 0), _samples(said, 1, 0)
    if _ended(said, 1) and len(second) < len(first):
        return [fault.later_epoch_short(len(first), len(second))]
    common = min(len(first), len(second))
    if common < 8 or len(set(first)) < 8 or first[:common] != second[:common] or not shuffles(loader.dataset):
        return []
    if not hasattr(loader.dataset, "set_epoch"):
        return [fault.same_order(compared=common)]
    return [fault.set_epoch_missing("dataset", compared=common)]


def _blocks(loader: DataLoader, said: list[Came]) -> list[Finding]:
    mixed = mixture([each.labels for each in said if each.epoch == 0 and each.labels])
    if mixed is None or mixed[0] > mixed[1] / 2 or not shuffles(loader.dataset):
        return []
    return [fault.shuffle_too_small(*mixed)]
