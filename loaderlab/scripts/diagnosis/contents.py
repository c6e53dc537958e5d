"""The contents of a batch: how many samples, how many tensors, and how many bytes of tensors and of other things."""

from __future__ import annotations

import pickle
from collections import Counter, deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

SOME, LONG = 8, 16  # samples, and columns, from which on padding can be told from chance


@dataclass(frozen=True)
class Contents:
    """``other_bytes`` is what pickle makes of all that is no tensor: it goes through a pipe, byte by byte."""

    samples: int = 1
    tensors: int = 0
    tensor_bytes: int = 0
    other_bytes: int = 0
    form: str = "other"  # of a sample: "array", "pair" (of an array and a number), or "other"
    padded: float = 0.0  # share of the columns that all samples only fill up, of the tensor with the largest

    @property
    def bytes(self) -> int:
        """All that is in it."""
        return self.tensor_bytes + self.other_bytes

    @classmethod
    def of(cls, batch: Any, samples: int | None = None, sample: Any = None) -> Contents:
        """Return the contents of a batch of so many ``samples`` (else `samples_in`); ``sample``: one of them, as the dataset gives it."""
        tensors = tensors_in(batch)
        others = pickled([part for part in leaves(batch) if not isinstance(part, torch.Tensor)])
        count, whole = samples or samples_in(batch), sum(t.nbytes for t in tensors)
        most = max(map(padded, tensors), default=0.0)
        return cls(count, len(tensors), whole, others, form_of(sample), most)


def padded(tensor: torch.Tensor) -> float:
    """Return the share of the columns at the end that only fill up in all samples, of tokens and sequences of vectors; of others 0."""
    if tensor.is_nested or tensor.layout is not torch.strided or not tensor.numel():
        return 0.0
    numbers = not tensor.is_floating_point() and not tensor.is_complex()
    sequences = tensor.ndim == 3 or (tensor.ndim == 2 and numbers)
    if not sequences or len(tensor) < SOME or tensor.shape[1] < LONG:
        return 0.0
    same = (tensor == tensor[0, -1]).reshape(*tensor.shape[:2], -1).all(-1)
    lengths = same.flip(1).long().cumprod(1).sum(1)
    least, most = int(lengths.min()), int(lengths.max())
    return least / tensor.shape[1] if most > least else 0.0


def form_of(sample: Any) -> str:
    """Return "array", "pair" (an array and a number) or "other"."""
    if isinstance(sample, (torch.Tensor, np.ndarray)):
        return "array"
    if isinstance(sample, (tuple, list)) and len(sample) == 2 and form_of(sample[0]) == "array":
        single = not isinstance(sample[1], (str, bytes, Mapping)) and np.ndim(sample[1]) == 0
        return "pair" if single else "other"
    return "other"


class Counted:
    """A sampler, of batches or of indices, that notes how many samples are in each batch that it is asked for."""

    def __init__(self, sampler: Any) -> None:
        self._sampler = sampler
        self._sizes: deque[int | None] = deque()

    def __iter__(self) -> Iterator[Any]:
        self._sizes.clear()
        for indices in self._sampler:
            self._sizes.append(asked_for(indices))
            yield indices

    def __len__(self) -> int:
        return len(self._sampler)

    def __getattr__(self, name: str) -> Any:
        return getattr(vars(self)["_sampler"], name)

    def samples(self, batch: Any) -> int:
        """Return how many are in the next batch of the loop, which is this one."""
        return (self._sizes.popleft() if self._sizes else None) or samples_in(batch)


def asked_for(indices: Any) -> int | None:
    """Return how many samples are asked for at once; None where it is one thing, which may be a batch that the dataset has made."""
    return len(indices) if isinstance(indices, (list, tuple)) else None


def samples_in(batch: Any) -> int:
    """Return how many samples are in a batch of which nobody says it: the length of most of its tensors and lists. Where no two agree,
    something without a length, such as a label, makes it one sample; else the first counts."""
    parts = list(batch.values()) if isinstance(batch, Mapping) else batch
    if not isinstance(parts, (list, tuple)) or not parts:
        return _length(parts) or 1
    if isinstance(batch, list) and not isinstance(parts[0], (torch.Tensor, np.ndarray, list, tuple)):
        return len(parts)
    lengths = [_length(part) for part in parts]
    most, times = (Counter(filter(None, lengths)).most_common(1) or [(1, 1)])[0]
    return most if times > 1 or all(lengths) else 1


def _length(part: Any) -> int:
    try:
        return 0 if isinstance(part, (str, bytes)) else len(part)
    except TypeError:
        return 0


def leaves(value: Any) -> Iterator[Any]:
    """Yield what is in it, however deep, that is no list, tuple or mapping."""
    if isinstance(value, (list, tuple, Mapping)):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from leaves(part)
    else:
        yield value


def tensors_in(value: Any) -> list[torch.Tensor]:
    return [one for one in leaves(value) if isinstance(one, torch.Tensor)]


def pickled(value: Any) -> int:
    """Return the bytes that pickle makes of it."""
    try:
        return len(pickle.dumps(value, -1))
    except Exception:  # noqa: BLE001 (what cannot be pickled cannot be sent: the loop will tell)
        return 0
