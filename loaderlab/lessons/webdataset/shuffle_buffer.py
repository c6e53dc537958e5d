"""The buffer that shuffles a stream, as webdataset has it."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any


def shuffled(stream: Iterable[Any], size: int, initial: int | None = None, seed: int = 0) -> Iterator[Any]:
    """Shuffle a stream as ``webdataset.shuffle(size, initial=initial, seed=seed)`` does, draw for draw.

    Here ``initial`` is ``size`` unless it is given: nothing comes out before the buffer is full.
    """
    rng, buffer, source = random.Random(seed), [], iter(stream)
    initial = size if initial is None else min(initial, size)
    for item in source:
        buffer.append(item)
        if len(buffer) < size:
            more = next(source, buffer)  # the buffer itself stands for: there is no more
            if more is not buffer:
                buffer.append(more)
        if len(buffer) >= initial:
            yield _pick(buffer, rng)
    while buffer:
        yield _pick(buffer, rng)


def _pick(buffer: list[Any], rng: random.Random) -> Any:
    place = rng.randint(0, len(buffer) - 1)
    buffer[place], buffer[-1] = buffer[-1], buffer[place]
    return buffer.pop()
