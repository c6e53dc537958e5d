"""The exercises of lesson 3: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from math import isfinite
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps.answer_pictures import choosing, waiting
from loaderlab.lessons.warps.staircases import curves, steps_at
from loaderlab.lessons.warps.tiles import WARP, waves

# ---------------------------------------------------------------- row_order


def texts(random: Random, rows: int) -> list[int]:
    """Return the lengths of rows as texts have them, in no order; some are equal."""
    return [max(1, round(random.lognormvariate(3, 0.8))) for _row in range(rows)]


WHOLE = {  # all lanes have a row
    "one_warp": (texts(Random(32), 32),),
    "two_warps": ([1, 9] * 32,),
    "three_warps": (texts(Random(96), 96),),
    "many_warps": (texts(Random(320), 320),),
}
PART = {
    "one_row": ([7],),
    "few_rows": ([3, 5, 2, 8, 5],),
    "one_over": ([4] * 32 + [90],),
    "two_and_a_bit": (texts(Random(70), 70),),
    "almost_whole": (texts(Random(127), 127),),
}


def idle_lanes(lengths: Sequence[int]) -> int:
    """Count the lanes without an element, in all rounds of the warps that these rows make in this order."""
    warps = [lengths[first : first + WARP] for first in range(0, len(lengths), WARP)]
    return sum(max(warp) * WARP - sum(warp) for warp in warps)


def ordered(value: Any, lengths: Sequence[int]) -> list[int] | None:
    """Return the lengths in the order that came; None where that has not each row once."""
    order = value[0] if isinstance(value, list) and len(value) == 2 else None
    if not isinstance(order, list) or not all(type(row) in (int, float) and isfinite(row) for row in order):
        return None
    rows = [int(row) for row in order]
    return [lengths[row] for row in rows] if sorted(rows) == list(range(len(lengths))) else None


def as_few(value: Any, expected: list[Any], lengths: Sequence[int]) -> bool:
    """Return whether an order has as few idle lanes as the expected one, and says how many."""
    rows = ordered(value, lengths)
    return rows is not None and idle_lanes(rows) == value[1] == expected[1]


def each_row_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    for case, (lengths,) in {**PART, **WHOLE}.items():
        if ordered(evidence[case].get("value"), lengths) is None:
            words = _("each index from 0 to {last} once, and a number")
            yield Miss(words.format(last=len(lengths) - 1), of_rows(shown(evidence[case])[:300], lengths))


def idle_counted(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("idle lanes of the order that came: {count}")
    for case, (lengths,) in {**PART, **WHOLE}.items():
        rows = ordered(evidence[case].get("value"), lengths)
        if rows is None:
            yield Miss(
                words.format(count="…"), of_rows(shown(evidence[case])[:300], lengths), hint=expect.FOLLOWS
            )
        elif evidence[case]["value"][1] != idle_lanes(rows):
            told = words.format(count=evidence[case]["value"][1])
            yield Miss(words.format(count=idle_lanes(rows)), of_rows(told, lengths))


def fewest_idle(cases: Mapping[str, tuple[list[int]]], evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("lanes that are idle in this order: {count}")
    for case, (lengths,) in cases.items():
        best = sorted(lengths, reverse=True)  # the longest rows first, so that the last warp has short ones
        rows, least = ordered(evidence[case].get("value"), lengths), words.format(count=idle_lanes(best))
        if rows is None:
            yield Miss(least, of_rows(shown(evidence[case])[:300], lengths), hint=expect.FOLLOWS)
        elif idle_lanes(rows) != idle_lanes(best):
            drawn = partial(waiting, best, rows)
            yield Miss(least, of_rows(words.format(count=idle_lanes(rows)), lengths), draw=drawn)


def of_rows(came: str, lengths: Sequence[int]) -> str:
    """Return what came, and of what; of many rows their number says enough."""
    if len(lengths) > WARP + 1:
        return f"{came} · " + _("rows: {count}").format(count=len(lengths))
    return f"{came} · `row_order({lengths})`"


ROW_ORDER = Exercise(
    name="row_order",
    difficulty=1,
    minutes=7,
    table=Table({**PART, **WHOLE}, right=solution(__file__, "row_order"), same=as_few),
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
            look=partial(fewest_idle, WHOLE),
            hint="A short row waits for the longest one of its warp: put rows of similar lengths together.",
        ),
        Criterion(
            says="Also where the last warp has fewer rows",
            look=partial(fewest_idle, PART),
            drawn=lambda random: (texts(random, random.randint(1, 100)),),
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


def product(random: Random) -> tuple[Any, ...]:
    """Draw the widths of some layers, a device, and tiles."""
    widths = [random.randint(1, 6000) for _layer in range(random.randint(1, 4))]
    tiles = (random.choice((64, 128, 256)), random.choice((64, 128, 256))) if random.random() < 0.5 else ()
    return widths, random.randint(1, 140), random.randint(1, 300), *tiles


def curve(call: tuple[Any, ...], value: Any) -> Pictures | None:
    rates = rows_per_wave(*call)
    return choosing(rates, 1 + rates.index(max(rates)), value)


BEST_ROWS = Exercise(
    name="best_rows",
    difficulty=2,
    minutes=8,
    table=Table(
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
        right=solution(__file__, "best_rows"),
    ),
    criteria=(
        Criterion(
            says="One layer: the waves decide, not the tiles alone",
            cases=("one_layer", "small_gpu", "wide_tiles"),
            hint="Neither the most rows nor whole tiles are enough: a last wave with few tiles takes as long as a full one. Mind which side of the tile goes with which.",
            draw=curve,
        ),
        Criterion(
            says="Several layers: each has its own waves, and their times add up",
            cases=("two_layers", "three_layers", "four_layers", "alike_twice"),
            drawn=product,
            hint="Round up the waves of each layer for itself, add them up, and only then divide M by them: what is best for one layer, or for the mean of their efficiencies, need not be best for all.",
            draw=curve,
        ),
        Criterion(
            says="Up to `most`, and the smallest of those that are equally good",
            cases=("equals", "small_tiles", "below_a_tile", "exact", "single"),
            hint="`range(1, most + 1)` has `most` in it, and of equals `max` returns the first.",
            draw=curve,
        ),
    ),
)

# ---------------------------------------------------------------- choose_batch_size


MIB = 1024**2
TYPICAL: dict[int, list[float]] = {
    1: [4.0, 4.1, 3.9], 8: [4.4, 4.3, 4.5], 32: [6.0, 6.1, 5.9], 64: [10.1, 10.0, 9.9], 128: [20.4, 20.6, 20.5],
}  # fmt: skip
STEP: dict[int, list[float]] = {96: [9.0, 9.1, 9.2], 128: [10.0, 10.1, 9.9], 129: [15.0, 15.1, 14.9], 160: [15.2, 15.3, 15.1]}  # fmt: skip


def measured(random: Random) -> tuple[dict[int, list[float]], float, int, int, int]:
    """Draw the times of some batch sizes, of about the same throughput, and two budgets that some of them keep."""
    sizes, rate = random.sample(range(1, 300), random.randint(1, 6)), random.uniform(0.5, 20)
    spread = random.choice((0.002, 0.3))
    times = {
        size: [
            round(size / rate * random.uniform(1 - spread, 1 + spread), 4)
            for _repeat in range(random.choice((1, 3, 4)))
        ]
        for size in sizes
    }
    most = max(sizes) * random.uniform(0.3, 1.5)
    return (
        times,
        round(most / rate, 5),
        random.randint(0, 9),
        10,
        int(10 * max(sizes) * random.uniform(0.4, 1.5)),
    )


CHOOSE_BATCH_SIZE = Exercise(
    name="choose_batch_size",
    difficulty=2,
    minutes=10,
    table=Table(
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
        right=solution(__file__, "choose_batch_size", statistics=statistics),
    ),
    criteria=(
        Criterion(
            says="The highest throughput wins",
            cases=("free", "peak_inside"),
            drawn=measured,
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

TIMES = curves()
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


def staircase(random: Random) -> tuple[dict[int, float]]:
    """Draw a curve with two or three steps, in some unit; of some curves one step lies elsewhere."""
    step = random.randint(20, 90)
    count = random.randint(2, 3) if step > 26 else 3  # at least 60 rows
    positions = [step * n for n in range(1, count + 1)]
    if random.random() < 0.4:
        positions[random.randrange(count)] += random.choice((-8, -1, 1, 8))
    times = steps_at(positions, max(positions) + random.randint(7, step - 2), random.randrange(10**6))
    unit = 10 ** random.randint(-3, 3)
    return ({rows: time * unit for rows, time in times.items()},)


def told(times: dict[int, float]) -> str:
    """Return a curve in words: those of the table, or where it rises by as much as a step does."""
    known = next((words for name, (words, _step) in CURVES.items() if TIMES[name] == times), "")
    rises = [str(rows) for rows in range(1, len(times)) if times[rows + 1] > 1.12 * times[rows]]
    drawn = _("{rows} rows, with steps after {steps}").format(rows=len(times), steps=", ".join(rises))
    return _("the curve: {curve}").format(curve=_(known) if known else drawn)


SPOT_QUANTISATION = Exercise(
    name="spot_quantisation",
    difficulty=3,
    minutes=30,
    table=Table(
        {name: (times,) for name, times in TIMES.items()},
        right=solution(__file__, "spot_quantisation", statistics=statistics),
        call=told,
    ),
    criteria=(
        Criterion(
            says="The rows between two steps, whatever they are",
            cases=("128", "64", "96", "20", "rising"),
            drawn=staircase,
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
