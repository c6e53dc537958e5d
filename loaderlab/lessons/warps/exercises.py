"""The exercises of lesson 3: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
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
                words.format(count="…"), _of_rows(shown(evidence[case])[:300], lengths), expect.FOLLOWS
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
            yield Miss(least, _of_rows(shown(evidence[case])[:300], lengths), expect.FOLLOWS)
        elif idle_lanes(rows) != fewest(lengths):
            drawn = partial(waiting, sorted(lengths, reverse=True), rows)
            yield Miss(least, _of_rows(words.format(count=idle_lanes(rows)), lengths), draw=drawn)


def _of_rows(came: str, lengths: Sequence[int]) -> str:
    """Return what came, and of what; of many rows their number says enough."""
    if len(lengths) > WARP + 1:
        return f"{came} · " + _("rows: {count}").format(count=len(lengths))
    return f"{came} · `row_order({lengths})`"


ROW_ORDER = (
    Criterion(
        mark("An order has each row once"),
        each_row_once,
        mark(
            "Order the indices, not the lengths: `sorted(range(len(lengths)), key=…)`. Rows of the same length are different rows."
        ),
    ),
    Criterion(
        mark("The idle lanes are counted, also those without a row"),
        idle_counted,
        mark(
            "A warp has 32 lanes for as many rounds as its longest row has elements; the elements of its rows are the lanes that are not idle."
        ),
    ),
    Criterion(
        mark("Where all lanes have a row, the fewest are idle"),
        partial(fewest_idle, FULL),
        mark("A short row waits for the longest one of its warp: put rows of similar lengths together."),
    ),
    Criterion(
        mark("Also where the last warp has fewer rows"),
        partial(fewest_idle, [case for case in probes.ORDERS.arguments if case not in FULL]),
        mark("A warp with few rows has many lanes without one: let it be the one with the fewest rounds."),
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


BEST = Cases(probes.ROWS, right=right_rows)


def drawn_rows(case: str, value: Any) -> Pictures | None:
    arguments = BEST.calls.arguments[case]
    return choosing(rows_per_wave(*arguments), right_rows(*arguments), value)


choice = partial(BEST.criterion, draw=drawn_rows)

BEST_ROWS = (
    choice(
        mark("One layer: the waves decide, not the tiles alone"),
        ("one_layer", "small_gpu", "wide_tiles"),
        mark(
            "Neither the most rows nor whole tiles are enough: a last wave with few tiles takes as long as a full one. Mind which side of the tile goes with which."
        ),
    ),
    choice(
        mark("Several layers: each has its own waves, and their times add up"),
        ("two_layers", "three_layers", "four_layers", "alike_twice"),
        mark(
            "Round up the waves of each layer for itself, add them up, and only then divide M by them: what is best for one layer, or for the mean of their efficiencies, need not be best for all."
        ),
    ),
    choice(
        mark("Up to `most`, and the smallest of those that are equally good"),
        ("equals", "small_tiles", "below_a_tile", "exact", "single"),
        mark("`range(1, most + 1)` has `most` in it, and of equals `max` returns the first."),
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


CHOICE = Cases(probes.CHOICE, right=right_choice)

CHOOSE_BATCH_SIZE = (
    CHOICE.criterion(
        mark("The highest throughput wins"),
        ("free", "peak_inside"),
        mark(
            "Throughput is the batch size divided by the median time, and the largest batch need not have the most."
        ),
    ),
    CHOICE.criterion(
        mark("The latency budget is kept"),
        ("latency", "latency_exact"),
        mark("Leave out the sizes whose median is above `budget_ms`; a median equal to it is within it."),
    ),
    CHOICE.criterion(
        mark("The memory budget is kept"),
        ("memory", "memory_exact"),
        mark("A batch takes `fixed_bytes + size * bytes_per_sample`; exactly the budget is within it."),
    ),
    CHOICE.criterion(
        mark("By median, and the smaller size where two are equal"),
        ("outlier", "unsorted_tie"),
        mark(
            "One odd repeat must decide nothing, neither for the latency nor for the throughput; the sizes come in any order."
        ),
    ),
    CHOICE.criterion(
        mark("`None` where nothing fits"),
        ("too_slow", "too_large"),
        mark("`max` of nothing raises an exception, unless you give it `default=None`."),
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


SPOTTED = Cases(
    probes.CURVES,
    right=lambda times: next(
        CURVES[name][1] for name, (curve,) in probes.CURVES.arguments.items() if curve == times
    ),
    call=told_in_words,
)

SPOT_QUANTISATION = (
    SPOTTED.criterion(
        mark("The rows between two steps, whatever they are"),
        ("128", "64", "96", "20", "rising"),
        mark(
            "A step lies between M − 1 and M; the step size is the distance of two steps, and need not be a power of two."
        ),
    ),
    SPOTTED.criterion(
        mark("In any unit, and in any order"),
        ("slow", "fast", "shuffled"),
        mark(
            "Compare by ratio, such as `later > 1.1 * before`, not by difference, and go through `sorted(times)`."
        ),
    ),
    SPOTTED.criterion(
        mark("A single odd time is not a step"),
        ("outliers", "flat_outliers"),
        mark(
            "First replace each time by the median of it and its neighbours, two on either side: single odd times vanish, and steps stay where they are."
        ),
    ),
    SPOTTED.criterion(
        mark("`None` where there is no step"),
        ("flat", "slope"),
        mark(
            "Return `None` if you found no step. An even rise has none: from one row to the next it is below the noise."
        ),
    ),
    SPOTTED.criterion(
        mark("`None` where the steps are not evenly spaced from the first row on"),
        ("uneven", "late", "one_step", "gap", "ends_early", "one_more"),
        mark(
            "With step size s there are at least two steps, and they come after every multiple of s in the curve, and nowhere else."
        ),
    ),
)

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["row_order"],
        ROW_ORDER,
        difficulty=1,
        minutes=7,
        hints=(
            mark(
                "Draw two warps of 4 lanes and the rows 1, 9, 1, 9, 1, 9, 1, 9. Which four belong together?"
            ),
            mark(
                "The number of idle lanes is 32 × the rounds of all warps − the sum of all lengths. Which rows decide about the rounds?"
            ),
        ),
    ),
    Exercise(
        PROBES["best_rows"],
        BEST_ROWS,
        difficulty=2,
        minutes=8,
        hints=(
            mark(
                "For one M: how many waves do all layers take together? `sum(waves(…) for width in widths)`."
            ),
            mark("Try every M: there are at most some thousands. `max` takes a `key`."),
        ),
    ),
    Exercise(
        PROBES["choose_batch_size"],
        CHOOSE_BATCH_SIZE,
        difficulty=2,
        minutes=10,
        hints=(
            mark("Compute the median of each list first, then keep the sizes that fit, then choose."),
            mark(
                "`max(fitting, key=…, default=None)` chooses; a key that is a tuple settles the equal ones."
            ),
        ),
    ),
    Exercise(
        PROBES["spot_quantisation"],
        SPOT_QUANTISATION,
        difficulty=3,
        minutes=30,
        hints=(
            mark("Smooth with a running median of five, then look at the ratio of neighbours."),
            mark(
                "Collect every M where the time rises by more than 10%: these should be s + 1, 2s + 1, 3s + 1 …"
            ),
        ),
    ),
)
