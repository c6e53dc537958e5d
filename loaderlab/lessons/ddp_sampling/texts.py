"""Texts of unlike lengths, and how fast several ranks go through them together."""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random

import torch

TEXTS, BATCH, RANKS = 640, 8, 4
WIDTH = 64  # numbers of a token

# Takes lengths, batch size, ranks, rank and epoch; returns the batches of that rank.
Deal = Callable[[list[int], int, int, int, int], list[list[int]]]


def rate(deal: Deal) -> float:
    """Return the texts per second of all ranks, if each step takes as long as its busiest rank: the others run beside it."""
    rng, layer = Random(0), torch.nn.Linear(WIDTH, WIDTH)
    lengths = [round(rng.lognormvariate(5, 0.7)) for _text in range(TEXTS)]
    plans = [deal(lengths, BATCH, RANKS, rank, 0) for rank in range(RANKS)]
    started = time.perf_counter()
    for step in zip(*plans, strict=True):
        batch = max(step, key=lambda batch: len(batch) * max(lengths[text] for text in batch))
        longest = max(lengths[text] for text in batch)
        layer(torch.rand(len(batch), longest, WIDTH)).square().mean().backward()
    return TEXTS / (time.perf_counter() - started)
