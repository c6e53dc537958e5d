"""The contents of a batch: how many samples, how many tensors, and how many bytes of tensors and of other things."""

from __future__ import annotations

import pickle
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
    float_bytes: int = 0  # of them, of numbers of 4 bytes and more that are no integers
    form: str = "other"  # of a sample: "array", "pair" (of an array and a number), or "other"
    padded: float = 0.0  # share of the columns that all samples only fill up, of the tensor with the largest

    @classmethod
    def of(cls, batch: Any, samples: int | None = None, sample: Any = None) -> Contents:
        """Return the contents of a batch; ``samples``: how many are in it, where known; else the length of its first tensor or list.

        ``sample``: one of them, as the dataset gives it.
        """
        leaves = list(_leaves(batch))
        tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]
        try:
            others = len(pickle.dumps([leaf for leaf in leaves if not isinstance(leaf, torch.Tensor)], -1))
        except Exception:  # noqa: BLE001 (what cannot be pickled cannot be sent: the loop will tell)
            others = 0
        floats = sum(t.nbytes for t in tensors if t.is_floating_point() and t.element_size() >= 4)
        return cls(
            samples or samples_in(batch),
            len(tensors),
            sum(t.nbytes for t in tensors),
            others,
            floats,
            form_of(sample),
            max(map(padded, tensors), default=0.0),
        )


def padded(tensor: torch.Tensor) -> float:
    """Return the share of the columns at the end that hold one value in all samples, of which some have more of it.

    Of numbers of tokens and the like [samples, columns], and of sequences of vectors [samples, columns, ...]; of others 0.
    """
    if tensor.is_nested or tensor.layout is not torch.strided or not tensor.numel():
        return 0.0
    numbers = not tensor.is_floating_point() and not tensor.is_complex()
    if (
        not (tensor.ndim == 3 or (tensor.ndim == 2 and numbers))
        or len(tensor) < SOME
        or tensor.shape[1] < LONG
    ):
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
        single = np.ndim(sample[1]) == 0 if not isinstance(sample[1], (str, bytes, Mapping)) else False
        return "pair" if single else "other"
    return "other"


def samples_in(batch: Any) -> int:
    """Return the length of the first thing in it that has one: of a tensor, an array or a list of samples."""
    if isinstance(batch, Mapping):
        return samples_in(next(iter(batch.values()))) if batch else 1
    if isinstance(batch, tuple) and batch:
        return samples_in(batch[0])
    if isinstance(batch, list) and batch and not isinstance(batch[0], (int, float, str, bytes, Mapping)):
        return samples_in(batch[0]) if isinstance(batch[0], torch.Tensor) else len(batch)
    try:
        return max(1, len(batch))
    except TypeError:
        return 1


def _leaves(batch: Any) -> Iterator[Any]:
    if isinstance(batch, Mapping):
        batch = list(batch.values())
    if isinstance(batch, (list, tuple)):
        for part in batch:
            yield from _leaves(part)
    else:
        yield batch
