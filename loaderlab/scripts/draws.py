"""Chances that depend on the sample, and not on the worker that draws them."""

from __future__ import annotations

import numpy as np


def draws(seed: int, epoch: int, indices: np.ndarray, count: int = 3) -> np.ndarray:
    """``count`` numbers from 0 to 1 for each index, which depend on nothing else than seed, epoch and index (splitmix64)."""
    with np.errstate(over="ignore"):
        start = _mixed(np.uint64(seed & (2**64 - 1)) + _mixed(np.array([epoch], dtype=np.uint64)))
        state = _mixed(start + indices.astype(np.uint64))[:, None]
        state = _mixed(state + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return (state >> np.uint64(11)) * 2.0**-53


def _mixed(x: np.ndarray) -> np.ndarray:
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
