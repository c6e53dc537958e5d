"""The exercises of lesson 3: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
from loaderlab.exercises.table import Table
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps import probes
from loaderlab.lessons.warps.answer_pictures import choosing, waiting
from loaderlab.lessons.warps.tiles import WARP, waves

# ---------------------------------------------------------------- row_order

FULL = ("one_warp", "two_warps", "three_warps", "many_warps")  # all lanes have a row


def idle_lanes(lengths: Sequence[int]) -> int:
    """Count the lanes without an element, in all rounds of the warps that these rows make in this order."""
    warps = [lengths[first : first + WARP] for first in range(0, len(lengths), WARP)]
    return sum(max(warp) * WARP - sum(warp) for warp in warps)


def fewest(lengths: Sequence[int]) -> int:
    """Return the number of idle lanes in the best order: the longest rows first, so that the last warp has short ones."""
    return idle_lanes(sorted(lengths, reverse=True))


def ordered(evidence: dict[str, Any], case: str) -> list[int] | None:
    """Return the lengths in the order that came; None where that has not each row once."""
    [lengths] = probes.ORDERS.arguments[case]
    value = evidence[case].get("value")
    order = value[0] if isinstance(value, list) and len(value) == 2 else None
    if not isinstance(order, list) or any(type(row) not in (int, float) for row in order):
        return None
    rows = [int(row) for row in order]
    return [lengths[row] for row in rows] if sorted(rows) == list(range(len(lengths))) else None


def each_row_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    for case, (lengths,) in probes.ORDERS.arguments.items():
        if ordered(evidence, case) is None:
            words = _("each index from 0 to {last} once, and a number")
            yield Miss(words.format(last=len(lengths) - 1), _of_rows(shown(evidence[case])[:300], lengths))


def idle_counted(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("idle lanes of the order that came: {count}")
    for case, (lengths,) in probes.ORDERS.arguments.items():
        rows = ordered(evidence, case)
        if rows is None:
            yield Miss(
                words.format(count="…"), _of_rows(shown(evidence[case])[:300], lengths), hint=expect.FOLLOWS
            )
        elif evidence[case]["value"][1] != idle_lanes(rows):
            told = words.format(count=evidence[case]["value"][1])
            yield Miss(words.format(count=idle_lanes(rows)), _of_rows(told, lengths))


def fewest_idle(cases: Collection[str], evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("lanes that are idle in this order: {count}")
    for case in cases:
        [lengths] = probes.ORDERS.arguments[case]
        rows, least = ordered(evidence, case), words.format(count=fewest(lengths))
        if rows is None:
            yield Miss(least, _of_rows(shown(evidence[case])[:300], lengths), hint=expect.FOLLOWS)
        elif idle_lanes(rows) != fewest(lengths):
            drawn = partial(waiting, sorted(lengths, reverse=True), rows)
            yield Miss(least, _of_rows(words.format(count=idle_lanes(rows)), lengths), draw=drawn)


def _of_rows(came: str, lengths: Sequence[int]) -> str:
    """Return what came, and of what; of many rows their number says enough."""
    if len(lengths) > WARP + 1:
        return f"{came} · " + _("rows: {count}").format(count=len(lengths))
    return f"{came} · `row_order({lengths})`"


ROW_ORDER = Exercise(
    name="row_order",
    difficulty=1,
    minutes=7,
    table=ORDERS,
    criteria=(
        Criterion(
            says="An order has each row once",
            look=each_row_once,
            hint="Order the indices, not the lengths: `sorted(range(len(lengths)), key=…)`. Rows of the same length are different rows.",
        ),
        Criterion(
            says="The idle lanes are counted, also those without a row",
            look=idle_counted,
            hint="A warp has 32 lanes for as many rounds as its longest row has elements; the elements of its rows are the lanes that are not idle.",
        ),
        Criterion(
            says="Where all lanes have a row, the fewest are idle",
            look=partial(fewest_idle, FULL),
            hint="A short row waits for the longest one of its warp: put rows of similar lengths together.",
        ),
        Criterion(
            says="Also where the last warp has fewer rows",
            look=partial(fewest_idle, [case for case in probes.ORDERS.arguments if case not in FULL]),
            hint="A warp with few rows has many lanes without one: let it be the one with the fewest rounds.",
        ),
    ),
)

# ---------------------------------------------------------------- best_rows


def rows_per_wave(
    widths: Sequence[int], sms: int, most: int, tile_m: int = 128, tile_n: int = 128
) -> list[float]:
    """Return the rows per wave of each M from 1 on."""
    return [m / sum(waves(m, width, sms, tile_m, tile_n) for width in widths) for m in range(1, most + 1)]


def right_rows(*arguments: Any) -> int:
    rates = rows_per_wave(*arguments)
    return 1 + rates.index(max(rates))


BEST = Table(
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
    right=right_rows,
)


def drawn_rows(case: str, value: Any) -> Pictures | None:
    arguments = BEST.calls.arguments[case]
    return choosing(rows_per_wave(*arguments), right_rows(*arguments), value)


BEST_ROWS = Exercise(
    name="best_rows",
    difficulty=2,
    minutes=8,
    table=BEST,
    criteria=(
        Criterion(
            says="One layer: the waves decide, not the tiles alone",
            cases=("one_layer", "small_gpu", "wide_tiles"),
            hint="Neither the most rows nor whole tiles are enough: a last wave with few tiles takes as long as a full one. Mind which side of the tile goes with which.",
            draw=drawn_rows,
        ),
        Criterion(
            says="Several layers: each has its own waves, and their times add up",
            cases=("two_layers", "three_layers", "four_layers", "alike_twice"),
            hint="Round up the waves of each layer for itself, add them up, and only then divide M by them: what is best for one layer, or for the mean of their efficiencies, need not be best for all.",
            draw=drawn_rows,
        ),
        Criterion(
            says="Up to `most`, and the smallest of those that are equally good",
            cases=("equals", "small_tiles", "below_a_tile", "exact", "single"),
            hint="`range(1, most + 1)` has `most` in it, and of equals `max` returns the first.",
            draw=drawn_rows,
        ),
    ),
)

# ---------------------------------------------------------------- choose_batch_size


def right_choice(
    latencies: Mapping[int, Sequence[float]],
    budget_ms: float,
    fixed_bytes: int,
    bytes_per_sample: int,
    memory_bytes: int,
) -> int | None:
    medians = {size: statistics.median(times) for size, times in latencies.items()}
    fitting = [
        size
        for size, median in medians.items()
        if median <= budget_ms and fixed_bytes + size * bytes_per_sample <= memory_bytes
    ]
    return max(fitting, key=lambda size: (size / medians[size], -size), default=None)


CHOICE = Table(
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
    right=right_choice,
)

CHOOSE_BATCH_SIZE = Exercise(
    name="choose_batch_size",
    difficulty=2,
    minutes=10,
    table=CHOICE,
    criteria=(
        Criterion(
            says="The highest throughput wins",
            cases=("free", "peak_inside"),
            hint="Throughput is the batch size divided by the median time, and the largest batch need not have the most.",
        ),
        Criterion(
            says="The latency budget is kept",
            cases=("latency", "latency_exact"),
            hint="Leave out the sizes whose median is above `budget_ms`; a median equal to it is within it.",
        ),
        Criterion(
            says="The memory budget is kept",
            cases=("memory", "memory_exact"),
            hint="A batch takes `fixed_bytes + size * bytes_per_sample`; exactly the budget is within it.",
        ),
        Criterion(
            says="By median, and the smaller size where two are equal",
            cases=("outlier", "unsorted_tie"),
            hint="One odd repeat must decide nothing, neither for the latency nor for the throughput; the sizes come in any order.",
        ),
        Criterion(
            says="`None` where nothing fits",
            cases=("too_slow", "too_large"),
            hint="`max` of nothing raises an exception, unless you give it `default=None`.",
        ),
    ),
)

# ---------------------------------------------------------------- spot_quantisation

# Of each curve, what the learner is told of it, and the rows between two steps, None where these are not evenly spaced.
CURVES: dict[str, tuple[str, int | None]] = {
    "128": (mark("a step after every 128 rows"), 128),
    "64": (mark("a step after every 64 rows"), 64),
    "96": (mark("a step after every 96 rows"), 96),
    "20": (mark("a step after every 20 rows"), 20),
    "rising": (mark("a step after every 64 rows, and a slight rise from row to row between them"), 64),
    "slow": (mark("a step after every 128 rows, times above 1000 ms"), 128),
    "fast": (mark("a step after every 48 rows, times below 0.01 ms"), 48),
    "outliers": (mark("a step after every 64 rows, and single times that are half as high again"), 64),
    "shuffled": (mark("a step after every 64 rows, the rows in random order"), 64),
    "flat": (mark("no step, only noise"), None),
    "slope": (mark("an even rise without steps"), None),
    "flat_outliers": (mark("no step, but single times that are half as high again"), None),
    "uneven": (mark("steps after 50, 100 and 230 rows"), None),
    "late": (mark("steps after 40, 104 and 168 rows"), None),
    "gap": (mark("steps after 48, 96 and 192 of 230 rows"), None),
    "ends_early": (mark("steps after 40 and 80 of 210 rows"), None),
    "one_step": (mark("one step only, after 128 of 230 rows"), None),
    "one_more": (mark("steps after 50, 100 and 150 of 190 rows, and one after 130 rows"), None),
}


def told_in_words(name: str) -> str:
    return _("the curve: {curve}").format(curve=_(CURVES[name][0]))


SPOTTED = Table(
    {name: (times,) for name, times in curves().items()},
    right=lambda times: next(
        CURVES[name][1] for name, (curve,) in probes.CURVES.arguments.items() if curve == times
    ),
    call=told_in_words,
)

SPOT_QUANTISATION = Exercise(
    name="spot_quantisation",
    difficulty=3,
    minutes=30,
    table=SPOTTED,
    criteria=(
        Criterion(
            says="The rows between two steps, whatever they are",
            cases=("128", "64", "96", "20", "rising"),
            hint="A step lies between M − 1 and M; the step size is the distance of two steps, and need not be a power of two.",
        ),
        Criterion(
            says="In any unit, and in any order",
            cases=("slow", "fast", "shuffled"),
            hint="Compare by ratio, such as `later > 1.1 * before`, not by difference, and go through `sorted(times)`.",
        ),
        Criterion(
            says="A single odd time is not a step",
            cases=("outliers", "flat_outliers"),
            hint="First replace each time by the median of it and its neighbours, two on either side: single odd times vanish, and steps stay where they are.",
        ),
        Criterion(
            says="`None` where there is no step",
            cases=("flat", "slope"),
            hint="Return `None` if you found no step. An even rise has none: from one row to the next it is below the noise.",
        ),
        Criterion(
            says="`None` where the steps are not evenly spaced from the first row on",
            cases=("uneven", "late", "one_step", "gap", "ends_early", "one_more"),
            hint="With step size s there are at least two steps, and they come after every multiple of s in the curve, and nowhere else.",
        ),
    ),
)

EXERCISES = (
    ROW_ORDER,
    BEST_ROWS,
    CHOOSE_BATCH_SIZE,
    SPOT_QUANTISATION,
)
