"""Batches as workers make them, which stop short where a worker has no more, put together into batches of given sizes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import torch

from .ring import Batch


def evened(messages: Iterator[Batch], sizes: Iterable[int]) -> Iterator[Batch]:
    """Yield batches of these sizes, one after another; where there are no more messages, a shorter one, and then the end.

    One that has its size goes straight on, and nothing of it is copied. What is shorter waits for others like it.
    """
    rest: list[Batch] = []
    for size in sizes:
        while sum(len(batch.labels) for batch in rest) < size and (batch := next(messages, None)):
            if len(batch.labels) == size:
                break
            rest.append(batch)
        else:
            if not rest:
                return
            batch, rest = _cut(rest, size)
        yield batch


def _cut(rest: list[Batch], size: int) -> tuple[Batch, list[Batch]]:
    images, labels = torch.cat([batch.images for batch in rest]), torch.cat([batch.labels for batch in rest])
    head, tail = Batch(images[:size], labels[:size], []), Batch(images[size:], labels[size:], [])
    return head.pin_memory() if rest[0].images.is_pinned() else head, [tail] if len(tail.labels) else []
