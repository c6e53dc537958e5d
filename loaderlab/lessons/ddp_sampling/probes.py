"""The probe of lesson 7: how an answer deals texts to the ranks."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from loaderlab.exercises.probing import attempt

SETTINGS = {"many": (1600, 4, 4), "large": (1280, 8, 4)}  # texts, batch size, ranks


def lengths_of(texts: int) -> list[int]:
    """Return lengths as texts have them: many short ones, a few long ones, and hardly two that are equal."""
    rng = Random(1000 + texts)
    return [round(rng.lognormvariate(11, 0.5)) for _text in range(texts)]


def probe_deal(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return the batches of all ranks, for several settings and two epochs."""

    def batches(texts: int, size: int, ranks: int, epoch: int = 0) -> Any:
        lengths = lengths_of(texts)
        return [
            [[int(text) for text in batch] for batch in answer(list(lengths), size, ranks, rank, epoch)]
            for rank in range(ranks)
        ]

    evidence = {name: attempt(batches, *setting) for name, setting in SETTINGS.items()}
    return evidence | {"epoch": attempt(batches, *SETTINGS["many"], 1)}
