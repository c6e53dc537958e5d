"""The probes of lesson 3: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from loaderlab.exercises.calls import Calls
from loaderlab.exercises.probing import Probe

MIB = 1024**2


def _texts(rows: int) -> list[int]:
    """Return the lengths of rows as texts have them, in no order; some are equal."""
    rng = random.Random(rows)
    return [max(1, round(rng.lognormvariate(3, 0.8))) for _row in range(rows)]


ORDERS = Calls(
    "row_order",
    {
        "few_rows": ([3, 5, 2, 8, 5],),
        "one_warp": (_texts(32),),
        "two_warps": ([1, 9] * 32,),
        "three_warps": (_texts(96),),
        "many_warps": (_texts(320),),
        "one_row": ([7],),
        "one_over": ([4] * 32 + [90],),
        "two_and_a_bit": (_texts(70),),
        "almost_whole": (_texts(127),),
    },
)

ROWS = Calls(
    "best_rows",
    # widths, sms, most, tile_m, tile_n
    {
        "one_layer": ([4096], 108, 2000),
        "small_gpu": ([1000], 7, 900),
        "wide_tiles": ([3000], 20, 600, 64, 256),
        "two_layers": ([5120, 2048], 132, 2000, 256, 128),
        "three_layers": ([1024, 4096, 1000], 80, 2000),
        "four_layers": ([3072, 5120, 1024, 768], 60, 1500, 64, 256),
        "alike_twice": ([5120, 5120, 256], 60, 1500),
        "equals": ([512], 8, 2000),
        "small_tiles": ([768], 20, 1000, 64, 64),
        "below_a_tile": ([4096, 1024], 108, 100),
        "exact": ([3456], 108, 512),
        "single": ([10], 4, 1),
    },
)

# ---------------------------------------------------------------- choose_batch_size

TYPICAL: dict[int, list[float]] = {
    1: [4.0, 4.1, 3.9], 8: [4.4, 4.3, 4.5], 32: [6.0, 6.1, 5.9], 64: [10.1, 10.0, 9.9], 128: [20.4, 20.6, 20.5],
}  # fmt: skip
STEP: dict[int, list[float]] = {96: [9.0, 9.1, 9.2], 128: [10.0, 10.1, 9.9], 129: [15.0, 15.1, 14.9], 160: [15.2, 15.3, 15.1]}  # fmt: skip
CHOICE = Calls(
    "choose_batch_size",
    {
        "free": (TYPICAL, 100.0, 200 * MIB, 10 * MIB, 8192 * MIB),
        "peak_inside": (STEP, 100.0, 0, MIB, 8192 * MIB),
        "latency": (TYPICAL, 12.0, 200 * MIB, 10 * MIB, 8192 * MIB),
        "latency_exact": (TYPICAL, 6.0, 200 * MIB, 10 * MIB, 8192 * MIB),
        "memory": (TYPICAL, 100.0, 200 * MIB, 10 * MIB, 800 * MIB),
        "memory_exact": (TYPICAL, 100.0, 200 * MIB, 10 * MIB, 840 * MIB),
        "outlier": (
            {16: [4.0, 4.1, 30.0], 32: [8.9, 9.0, 3.0], 64: [21.0, 20.0, 22.0]},
            10.0,
            0,
            MIB,
            512 * MIB,
        ),
        "unsorted_tie": ({64: [16.0, 16.0], 32: [9.0, 7.0], 16: [5.0, 5.0]}, 100.0, 0, MIB, 512 * MIB),
        "too_slow": (TYPICAL, 3.0, 200 * MIB, 10 * MIB, 8192 * MIB),
        "too_large": (TYPICAL, 100.0, 200 * MIB, 10 * MIB, 205 * MIB),
    },
)

# ---------------------------------------------------------------- spot_quantisation

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


CURVES = Calls("spot_quantisation", {name: (times,) for name, times in curves().items()})

PROBES = (
    Probe("row_order", "function", ORDERS.probe),
    Probe("best_rows", "function", ROWS.probe),
    Probe("choose_batch_size", "function", CHOICE.probe),
    Probe("spot_quantisation", "function", CURVES.probe),
)
