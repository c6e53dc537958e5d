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
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps.answer_pictures import choosing, waiting
from loaderlab.lessons.warps.tiles import WARP

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


def medians(times: Mapping[int, Sequence[float]]) -> dict[int, float]:
    """Return the median time of each number of rows, in ascending order."""
    return {m: statistics.median(times[m]) for m in sorted(times)}


def product(random: Random) -> tuple[dict[int, list[float]], int, float]:
    """Draw the times of some numbers of rows, one of them, and a slack on which none of the times lies."""
    numbers, spread = random.sample(range(1, 200), random.randint(2, 12)), random.choice((0.002, 0.3))
    while True:
        times = {
            m: [
                round((3 + m / 50) * random.choice((1, 1, 1.03, 1.8)) * random.uniform(1, 1 + spread), 4)
                for _repeat in range(random.choice((1, 3, 5)))
            ]
            for m in numbers
        }
        rows, slack = random.choice(numbers), random.choice((1.02, 1.05, 1.1, 1.25))
        larger = [ms for m, ms in medians(times).items() if m >= rows]
        if all(abs(ms / min(larger) - slack) > 1e-6 for ms in larger):
            return times, rows, slack


def curve(call: tuple[Any, ...], value: Any) -> Pictures | None:
    times, rows, *slack = call
    found: int = BEST_ROWS.table.right(times, rows, *slack)  # type: ignore[union-attr]
    return choosing(medians(times), found, value)


STEPPED = {56: [6.7, 6.8, 6.7], 64: [6.8, 6.8, 6.9], 65: [13.3, 13.4, 13.3], 72: [13.3, 13.3, 13.2],
           73: [7.4, 7.4, 7.3], 80: [7.1, 7.2, 7.2], 96: [7.6, 7.6, 7.7], 128: [8.7, 8.7, 8.8]}  # fmt: skip
EVEN = {m: [float(m), m + 0.5, m - 0.5] for m in range(1, 9)}

BEST_ROWS = Exercise(
    name="best_rows",
    difficulty=2,
    minutes=8,
    table=Table(
        {
            "after_a_step": (STEPPED, 65),
            "at_its_end": (STEPPED, 72),
            "falls_twice": ({10: [9.0], 11: [9.2], 12: [5.0], 13: [7.0], 14: [3.0]}, 10),
            "fewer_are_faster": (STEPPED, 80),
            "rises": (EVEN, 3),
            "the_last": (EVEN, 8),
            "slightly_slower": (STEPPED, 73),
            "much_slack": (STEPPED, 65, 2.0),
            "no_slack": (STEPPED, 73, 1.0),
            "exactly": ({16: [10.0], 17: [10.0], 20: [8.0], 24: [10.0]}, 16, 1.25),
            "not_the_own_time": ({1: [4.0], 2: [3.9], 3: [3.0], 4: [2.9]}, 1),
            "outlier": ({7: [5.0, 1.0, 5.2], 9: [5.1, 5.0, 40.0], 8: [9.0, 9.1, 8.9]}, 8),
            "lucky": ({7: [9.0, 1.0, 9.2], 9: [5.1, 5.0, 5.0], 8: [9.0, 2.0, 9.1]}, 8),
            "unsorted": ({40: [2.0, 2.1], 20: [6.0, 6.1], 30: [2.0, 2.0], 10: [1.0, 1.0]}, 20),
        },
        right=solution(__file__, "best_rows", statistics=statistics),
    ),
    criteria=(
        Criterion(
            says="A slow batch is filled up to a fast one",
            cases=("after_a_step", "at_its_end", "falls_twice"),
            drawn=product,
            hint="Look at all numbers of rows from `rows` on, not at the next one only: behind a slower one there may be a faster one.",
            draw=curve,
        ),
        Criterion(
            says="Rows are added, never left out",
            cases=("fewer_are_faster", "rises", "the_last"),
            hint="Leave out every M below `rows` before you look for the shortest time.",
            draw=curve,
        ),
        Criterion(
            says="The smallest of those that are short enough",
            cases=("slightly_slower", "much_slack", "no_slack", "exactly", "not_the_own_time"),
            hint="A time is short enough up to `slack` times the shortest one, and that itself is. Compare with the shortest time, not with that of `rows`.",
            draw=curve,
        ),
        Criterion(
            says="By median, and in any order",
            cases=("outlier", "lucky", "unsorted"),
            hint="One odd repeat must decide nothing, and the numbers of rows come in any order.",
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

EXERCISES = (
    ROW_ORDER,
    BEST_ROWS,
    CHOOSE_BATCH_SIZE,
)
