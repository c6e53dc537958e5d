"""The order into which torch shuffles, without torch: an explorer computes it where there is none, such as in a browser."""

from __future__ import annotations

import random
from functools import lru_cache

WORDS = 624  # of 32 bits: the state of a Mersenne twister


def randperm(length: int, seed: int) -> list[int]:
    """Return as a list what ``torch.randperm(length, generator=torch.Generator().manual_seed(seed))`` gives on a CPU."""
    draws = random.Random()
    draws.setstate((3, (*_seeded(seed), WORDS), None))
    order = list(range(length))
    for place in range(length - 1):
        other = place + draws.getrandbits(32) % (length - place)
        order[place], order[other] = order[other], order[place]
    return order


@lru_cache(maxsize=64)
def _seeded(seed: int) -> tuple[int, ...]:
    """Return the state that torch begins with. Python's generator is the same, but fills its state from a seed otherwise."""
    state = [seed & 0xFFFFFFFF]
    for place in range(1, WORDS):
        state.append((1812433253 * (state[-1] ^ (state[-1] >> 30)) + place) & 0xFFFFFFFF)
    return tuple(state)
