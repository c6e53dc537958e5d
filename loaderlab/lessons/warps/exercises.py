"""The exercises of lesson 3: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps import probes
from loaderlab.lessons.warps.answer_pictures import choosing
from loaderlab.lessons.warps.probes import TEXTS

# ---------------------------------------------------------------- text_batches

PADDED = 30  # per cent of the cells, at most
NO_CHANGE = 0.9  # of the padding of a random order: from there on nothing has changed that is to be kept


def padded_share(batches: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """Return the cells of all batches that no text fills, in per cent."""
    cells = sum(len(batch) * max((lengths[row] for row in batch), default=0) for batch in batches)
    return 100 * (1 - sum(lengths[row] for batch in batches for row in batch) / max(1, cells))


@cache
def random_share(case: str) -> float:
    """Return the padding of batches in a random order, in per cent."""
    lengths, size = TEXTS[case]
    order = Random(0).sample(range(len(lengths)), len(lengths))
    return padded_share([order[first : first + size] for first in range(0, len(order), size)], lengths)


def epochs(outcome: Mapping[str, Any], lengths: Sequence[int]) -> list[list[list[int]]]:
    """Return the batches of each epoch; none where an epoch has not each text once."""
    found: list[list[list[int]]] = outcome.get("value") or []
    every = list(range(len(lengths)))
    return found if all(sorted(row for batch in each for row in batch) == every for each in found) else []


def untold(evidence: dict[str, Any]) -> str:
    """Return why the batches show nothing that is to be kept: an exception, or as much padding as before; "" where they do."""
    for case, (lengths, _size) in TEXTS.items():
        if words := expect.raised(evidence[case]):
            return words
        for batches in epochs(evidence[case], lengths):
            if padded_share(batches, lengths) > NO_CHANGE * random_share(case):
                return _("as much padding as in a random order")
    return ""


def little_padding(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("padding: {percent}% of the cells")
    most = words.format(percent=f"≤ {PADDED}")
    for case, (lengths, _size) in TEXTS.items():
        found = epochs(evidence[case], lengths)
        if not found:
            came = expect.raised(evidence[case]) or words.format(percent="…")
            yield Miss(most, came, hint=expect.FOLLOWS)
        elif (share := max(padded_share(each, lengths) for each in found)) > PADDED:
            yield Miss(most, words.format(percent=number(share, 0)))


def each_text_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("different texts: {texts}, indices: {rows}, batches: {batches}, texts in a batch: {size}")
    for case, (lengths, size) in TEXTS.items():
        texts = len(lengths)
        most = -(-texts // size)  # rounded up: the last batch may be smaller
        wanted = words.format(texts=texts, rows=texts, batches=f"≤ {most}", size=f"≤ {size}")
        for batches in evidence[case].get("value") or []:
            rows = [row for batch in batches for row in batch]
            largest = max(map(len, batches), default=0)
            if sorted(rows) != list(range(texts)) or len(batches) > most or largest > size:
                different = len({*rows} & {*range(texts)})
                yield Miss(
                    wanted,
                    words.format(texts=different, rows=len(rows), batches=len(batches), size=largest),
                )
        if why := untold(evidence):
            yield Miss(wanted, why, hint=expect.FOLLOWS)


def random_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    grow = _("batches wider than the one before: {count} of {all}")
    same = _("batches at the same place in two epochs: {count} of {all}")
    for case, (lengths, _size) in TEXTS.items():
        found = epochs(evidence[case], lengths)
        if why := untold(evidence) or ("" if found else _("not every text comes exactly once")):
            yield Miss(_("a random order"), why, hint=expect.FOLLOWS)
            continue
        first, second = found
        few = len(first) // 4
        again = sum(sorted(one) == sorted(other) for one, other in zip(first, second, strict=False))
        if again > few:
            every = len(first)
            yield Miss(same.format(count=f"≤ {few}", all=every), same.format(count=again, all=every))
        for each in found:
            widths = [max((lengths[row] for row in batch), default=0) for batch in each]
            wider = sum(later > width for width, later in pairwise(widths))
            narrower = sum(later < width for width, later in pairwise(widths))
            if min(wider, narrower) < few:
                pairs = len(widths) - 1
                yield Miss(
                    grow.format(count=f"{few} … {pairs - few}", all=pairs),
                    grow.format(count=wider, all=pairs),
                )


TEXT_BATCHES = Exercise(
    name="text_batches",
    difficulty=1,
    minutes=8,
    run=probes.probe_text_batches,
    criteria=(
        Criterion(
            says="At most 30% of the cells are padding",
            look=little_padding,
            hint="A batch is as wide as its longest text: put texts of similar lengths together. To sort only a few batches at a time is not enough.",
            points=2,
        ),
        Criterion(
            says="Each text comes once, in no more batches than before and no larger ones",
            look=each_text_once,
            hint="Sort the indices, not the lengths, and cut them into batches. The last batch may be smaller, and is not left out.",
        ),
        Criterion(
            says="The batches come in a random order, another one in each epoch",
            look=random_order,
            hint="Make the batches first, then shuffle the list of batches: `random.shuffle`, without a fixed seed.",
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
            says="A slow batch is filled up to a fast number of rows",
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
            says="The smallest M whose time is short enough is returned",
            cases=("slightly_slower", "much_slack", "no_slack", "exactly", "not_the_own_time"),
            hint="A time is short enough if it is at most `slack` times the shortest one; exactly that is enough. Compare with the shortest time, not with that of `rows`.",
            draw=curve,
        ),
        Criterion(
            says="Medians decide, whatever the order of the numbers is",
            cases=("outlier", "lucky", "unsorted"),
            hint="A single outlier must decide nothing, and the numbers of rows come in any order.",
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
            hint="Leave out the sizes whose median is above `budget_ms`; a median equal to the budget still fits.",
        ),
        Criterion(
            says="The memory budget is kept",
            cases=("memory", "memory_exact"),
            hint="A batch takes `fixed_bytes + size * bytes_per_sample`; exactly the budget still fits.",
        ),
        Criterion(
            says="Medians decide, and of two equally fast sizes the smaller one wins",
            cases=("outlier", "unsorted_tie"),
            hint="A single outlier must decide nothing, neither for the latency nor for the throughput; the sizes come in any order.",
        ),
        Criterion(
            says="`None` is returned where no size fits",
            cases=("too_slow", "too_large"),
            hint="`max` of nothing raises an exception, unless you give it `default=None`.",
        ),
    ),
)

EXERCISES = (
    TEXT_BATCHES,
    BEST_ROWS,
    CHOOSE_BATCH_SIZE,
)
