"""A sample as the experiments know it: by a digest of its content, its class, and the lists of numbers in it."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

_LABELS = ("label", "labels", "target", "targets", "cls", "class", "y")
LIST = 8  # numbers: a shorter list is a point or a box, whose numbers may be fields of their own


def digest(sample: Any) -> bytes:
    """Return 8 bytes that are the same for samples with the same content."""
    found = hashlib.blake2b(digest_size=8)
    ahead = [sample]
    while ahead:
        value = ahead.pop()
        if isinstance(value, torch.Tensor):
            value = value.detach().cpu().numpy()
        if isinstance(value, dict):  # `__key__`, a URL … are left out
            ahead += [each for key, each in value.items() if not str(key).startswith("__")]
        elif isinstance(value, (list, tuple)):
            ahead += list(value)
        elif isinstance(value, np.ndarray) and value.dtype.hasobject:
            ahead += value.ravel().tolist()
        elif hasattr(value, "tobytes"):  # an array, a picture
            found.update(value.tobytes())
        else:
            found.update(value if isinstance(value, bytes) else pickle.dumps(value))
    return found.digest()


def label(sample: Any) -> int | None:
    """Return the class of a sample, where it is a number under a usual name, or the last of its parts."""
    value = sample[-1] if isinstance(sample, (tuple, list)) and sample else None
    if isinstance(sample, dict):
        value = next((sample[name] for name in _LABELS if name in sample), None)
    if isinstance(value, (np.ndarray, torch.Tensor)) and value.ndim == 0:
        value = value.item()
    return int(value) if isinstance(value, (int, np.integer)) else None


def few_classes(batches: Iterable[Sequence[int | None]]) -> dict[str, float]:
    """Return the ``classes`` in a batch, on average, and those of the same samples ``mixed``; {} without labels, or with half as many."""
    labelled = [labels for labels in batches if labels and None not in labels]
    if len(labelled) < 4:
        return {}
    every = Counter(each for labels in labelled for each in labels)
    size, total = max(map(len, labelled)), sum(every.values())
    mixed = sum(1 - (1 - count / total) ** size for count in every.values())
    came = float(np.mean([len(set(labels)) for labels in labelled if len(labels) == size]))
    return {} if came > mixed / 2 else {"classes": came, "mixed": mixed}


def on_its_side(sample: Any, collate: Callable[[Any], Any]) -> tuple[str, int] | None:
    """Return which field of a sample is a list of numbers of which ``collate`` makes a tensor each, and how many; None if none is."""
    for path, length in _lists(sample, ()):
        try:
            batch = collate([sample, sample])
            for key in path:
                batch = batch[key]
        except Exception:  # noqa: BLE001 (a collate function of the user's, which makes something else of them)
            return None
        parts = batch if isinstance(batch, (list, tuple)) and len(batch) == length else [None]
        if all(isinstance(each, torch.Tensor) and each.shape == (2,) for each in parts):
            return "".join(f"[{key!r}]" for key in path), length
    return None


def _lists(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], int]]:
    is_list = isinstance(value, (list, tuple))
    if is_list and len(value) >= LIST:
        if all(isinstance(each, (int, float)) for each in value):
            yield path, len(value)
    elif is_list or isinstance(value, dict):
        for key, each in enumerate(value) if is_list else value.items():
            yield from _lists(each, (*path, key))
