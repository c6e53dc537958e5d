"""The curves of the exercise `spot_quantisation`: times by rows, with and without steps, and with the noise of measured ones."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

NOISE, OUTLIER = 0.03, 1.5


def staircase(step: int, rows: int, seed: int, floor: float = 0.2, rise: float = 1.0) -> dict[int, float]:
    """Return a time for each number of rows that rises after every `step` rows, with noise on it."""
    return noisy({m: floor + rise * -(-m // step) for m in range(1, rows + 1)}, seed)


def noisy(times: Mapping[int, float], seed: int, outliers: Sequence[int] = ()) -> dict[int, float]:
    """Each time up to 3% off, and some of them half as high again."""
    draw = random.Random(seed)
    return {
        m: time * (1 + NOISE * draw.uniform(-1, 1)) * (OUTLIER if m in outliers else 1.0)
        for m, time in times.items()
    }


def steps_at(positions: Sequence[int], rows: int, seed: int) -> dict[int, float]:
    """Return a time that rises after each of these numbers of rows."""
    return noisy({m: 1.2 + sum(m > p for p in positions) for m in range(1, rows + 1)}, seed)


def curves() -> dict[str, dict[int, float]]:
    """Return the curves of the exercise: a time for each number of rows."""
    outliers = noisy({m: 0.2 - (-m // 64) for m in range(1, 321)}, 7, outliers=(31, 100, 171, 232, 300))
    shuffled = list(staircase(64, 300, 8).items())
    random.Random(9).shuffle(shuffled)
    return {
        "128": staircase(128, 512, 1),
        "64": staircase(64, 300, 2),
        "96": staircase(96, 400, 3),
        "20": staircase(20, 90, 4),
        "rising": noisy({m: 0.2 - (-m // 64) + 0.003 * m for m in range(1, 251)}, 18),
        "slow": {m: 1000 * t for m, t in staircase(128, 400, 5).items()},
        "fast": {m: t / 1000 for m, t in staircase(48, 200, 6).items()},
        "outliers": outliers,
        "shuffled": dict(shuffled),
        "flat": noisy(dict.fromkeys(range(1, 400), 2.0), 10),
        "slope": noisy({m: 2 + 0.01 * m for m in range(1, 400)}, 11),
        "flat_outliers": noisy(dict.fromkeys(range(1, 400), 2.0), 12, outliers=(65, 129, 193, 257)),
        "uneven": steps_at((50, 100, 230), 300, 13),
        "late": steps_at((40, 104, 168), 210, 14),
        "gap": steps_at((48, 96, 192), 230, 16),
        "ends_early": steps_at((40, 80), 210, 17),
        "one_step": steps_at((128,), 230, 15),
        "one_more": steps_at((50, 100, 130, 150), 190, 19),
    }
