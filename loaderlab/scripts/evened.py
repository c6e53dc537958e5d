"""Batches as workers make them, which stop short where a worker has no more, put together into batches of given sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from .ring import Batch


@dataclass
class Numbered(Batch):
    """A batch that says which samples it has."""

    numbers: np.ndarray


def evened(messages: Iterator[Numbered], sizes: Sequence[int]) -> Iterator[Numbered]:
    """Yield batches of these sizes, one after another; where there are no more messages, a shorter one, and then the end.

    What is shorter waits for others like it. One that has its size overtakes these and goes straight on, and nothing of it is
    copied, as long as all that waits still comes: where the shards have begun again, its samples have come already.
    """
    rest: list[Numbered] = []
    due = sum(sizes)
    for size in sizes:
        due -= size
        while (waiting := sum(len(batch.numbers) for batch in rest)) < size and (
            batch := next(messages, None)
        ):
            if len(batch.numbers) == size and waiting <= due:
                break
            rest.append(batch)
        else:
            if not waiting:
                return
            batch, rest = _cut(rest, size)
        yield batch


def _cut(rest: list[Numbered], size: int) -> tuple[Numbered, list[Numbered]]:
    images, labels = torch.cat([batch.images for batch in rest]), torch.cat([batch.labels for batch in rest])
    numbers = np.concatenate([batch.numbers for batch in rest])
    head = Numbered(images[:size], labels[:size], [], numbers[:size])
    tail = Numbered(images[size:], labels[size:], [], numbers[size:])
    return head.pin_memory() if rest[0].images.is_pinned() else head, [tail] if len(tail.numbers) else []
