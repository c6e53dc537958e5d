"""The probes of lesson 3: what an answer is made to do, and the evidence of it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from loaderlab.exercises.probing import attempt

EPOCHS = 2


def lengths_of_texts(random: Random, count: int) -> list[int]:
    """Return lengths as texts have them, in no order; some are equal."""
    return [max(1, round(random.lognormvariate(3, 0.8))) for _text in range(count)]


# The lengths, and the batch size. In both cases the last batch has fewer texts.
TEXTS = {
    "in_32": (lengths_of_texts(Random(32), 1000), 32),
    "in_8": (lengths_of_texts(Random(8), 500), 8),
}


def probe_text_batches(answer: Callable[[list[int], int], Any]) -> dict[str, Any]:
    """Return the batches of two epochs, as lists of indices."""

    def passes(lengths: list[int], size: int) -> Any:
        return [
            [[int(row) for row in batch] for batch in answer(list(lengths), size)] for _epoch in range(EPOCHS)
        ]

    return {case: attempt(passes, *arguments) for case, arguments in TEXTS.items()}
