"""The exercises of lesson 3: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, shown
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.warps import probes
from loaderlab.lessons.warps.tiles import Launch, Product

# ---------------------------------------------------------------- idle_lanes


def right_idle(elements: int, block: int) -> int:
    return Launch(elements, block).idle


IDLE = Cases(probes.IDLE, right_idle)


def judge_idle(evidence: dict[str, Any]) -> list[Finding]:
    return [
        IDLE.finding(
            evidence,
            ("one_image", "two_blocks"),
            _("Whole blocks leave no lane idle"),
            _(
                "Round the number of blocks up only where the elements do not fill whole blocks: `-(-a // b)`."
            ),
        ),
        IDLE.finding(
            evidence,
            ("one_over", "batch_33", "one_element"),
            _("The last block is launched whole"),
            _("Every block is launched with all its threads; those without an element are idle lanes."),
        ),
        IDLE.finding(
            evidence,
            ("block_of_100", "odd_block_odd_end"),
            _("A block is cut into whole warps"),
            _("A block of 100 threads takes 4 warps, and these have 128 lanes. Count lanes, not threads."),
        ),
    ]


# ---------------------------------------------------------------- wave_efficiency


def right_efficiency(m: int, n: int, tile_m: int, tile_n: int, sms: int) -> float:
    return Product(m, n, tile_m, tile_n, sms).efficiency


EFFICIENCY = Cases(probes.EFFICIENCY, right_efficiency, rel=1e-6)


def judge_efficiency(evidence: dict[str, Any]) -> list[Finding]:
    def show(value: float) -> str:
        return number(value, 4)

    return [
        EFFICIENCY.finding(
            evidence,
            ("full", "half_a_wave"),
            _("A wave has a place for a tile on every SM"),
            _("The slots are waves × SMs × the results of one tile; M × N of them are used."),
            show=show,
        ),
        EFFICIENCY.finding(
            evidence,
            ("one_row_too_many", "both_cut", "sides"),
            _("A tile that is partly empty takes a whole place"),
            _(
                "Round up twice, rows and columns apart: `ceil(m / tile_m) * ceil(n / tile_n)` tiles. Mind which side of the tile goes with which."
            ),
            show=show,
        ),
        EFFICIENCY.finding(
            evidence,
            ("one_tile_too_many", "all_at_once"),
            _("The last wave takes as long as a full one"),
            _("Round the number of waves up as well: 109 tiles on 108 SMs take two waves."),
            show=show,
        ),
    ]


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


CHOICE = Cases(probes.CHOICE, right_choice)


def judge_choice(evidence: dict[str, Any]) -> list[Finding]:
    return [
        CHOICE.finding(
            evidence,
            ("free", "peak_inside"),
            _("The highest throughput wins"),
            _("Throughput is the batch size divided by the median time, and the largest batch need not have the most."),
        ),
        CHOICE.finding(
            evidence,
            ("latency", "latency_exact"),
            _("The latency budget is kept"),
            _("Leave out the sizes whose median is above `budget_ms`; a median equal to it is within it."),
        ),
        CHOICE.finding(
            evidence,
            ("memory", "memory_exact"),
            _("The memory budget is kept"),
            _("A batch takes `fixed_bytes + size * bytes_per_sample`; exactly the budget is within it."),
        ),
        CHOICE.finding(
            evidence,
            ("outlier", "unsorted_tie"),
            _("By median, and the smaller size where two are equal"),
            _("One odd repeat must decide nothing, neither for the latency nor for the throughput; the sizes come in any order."),
        ),
        CHOICE.finding(
            evidence,
            ("too_slow", "too_large"),
            _("`None` where nothing fits"),
            _("`max` of nothing raises an exception, unless you give it `default=None`."),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- spot_quantisation

# Rows between two steps of each curve, None where its steps are not evenly spaced.
STEPS: dict[str, int | None] = {
    "128": 128,
    "64": 64,
    "96": 96,
    "20": 20,
    "slow": 128,
    "fast": 48,
    "outliers": 64,
    "shuffled": 64,
    "flat": None,
    "slope": None,
    "flat_outliers": None,
    "uneven": None,
    "late": None,
    "gap": None,
    "ends_early": None,
    "one_step": None,
}


def judge_spot(evidence: dict[str, Any]) -> list[Finding]:
    words = {
        "128": _("a step after every 128 rows"),
        "64": _("a step after every 64 rows"),
        "96": _("a step after every 96 rows"),
        "20": _("a step after every 20 rows"),
        "slow": _("a step after every 128 rows, times above 1000 ms"),
        "fast": _("a step after every 48 rows, times below 0.01 ms"),
        "outliers": _("a step after every 64 rows, and single times that are half as high again"),
        "shuffled": _("a step after every 64 rows, the rows in random order"),
        "flat": _("no step, only noise"),
        "slope": _("an even rise without steps"),
        "flat_outliers": _("no step, but single times that are half as high again"),
        "uneven": _("steps after 50, 100 and 230 rows"),
        "late": _("steps after 40, 104 and 168 rows"),
        "gap": _("steps after 48, 96 and 192 of 230 rows"),
        "ends_early": _("steps after 40 and 80 of 210 rows"),
        "one_step": _("one step only, after 128 of 230 rows"),
    }

    def finding(names: Sequence[str], points: int, criterion: str, hint: str) -> Finding:
        def right(name: str) -> bool:
            value = evidence[name].get("value", "")
            return value == STEPS[name] and not isinstance(value, bool) and "value" in evidence[name]

        wrong = next((name for name in names if not right(name)), None)
        if wrong is None:
            return Finding(True, points, criterion)
        got = _("Curve: {curve}. Answer: {answer}").format(answer=shown(evidence[wrong]), curve=words[wrong])
        return Finding(False, points, criterion, repr(STEPS[wrong]), got, hint)

    return [
        finding(
            ("128", "64", "96", "20"),
            1,
            _("The rows between two steps, whatever they are"),
            _("A step lies between M − 1 and M; the step size is the distance of two steps, and need not be a power of two."),
        ),
        finding(
            ("slow", "fast", "shuffled"),
            1,
            _("In any unit, and in any order"),
            _("Compare by ratio, such as `later > 1.1 * before`, not by difference, and go through `sorted(times)`."),
        ),
        finding(
            ("outliers", "flat_outliers"),
            1,
            _("A single odd time is not a step"),
            _("First replace each time by the median of it and its neighbours, two on either side: single odd times vanish, and steps stay where they are."),
        ),
        finding(
            ("flat", "slope"),
            1,
            _("`None` where there is no step"),
            _("Return `None` if you found no step. An even rise has none: from one row to the next it is below the noise."),
        ),
        finding(
            ("uneven", "late", "one_step", "gap", "ends_early"),
            1,
            _("`None` where the steps are not evenly spaced from the first row on"),
            _("With step size s there are at least two steps, and they come after s, 2s, 3s … rows, as far as the curve goes."),
        ),
    ]  # fmt: skip


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["idle_lanes"], 3, 1, 6,
        (
            mark("How many blocks are launched? How many warps does each block have? How many lanes are that?"),
            mark("`-(-elements // block)` blocks, `-(-block // 32)` warps in each."),
        ),
        judge_idle,
    ),
    Exercise(
        PROBES["wave_efficiency"], 3, 2, 8,
        (
            mark("Three numbers are rounded up: tiles down, tiles across, waves."),
            mark("`math.ceil`, or `-(-a // b)`, which stays exact for any size."),
        ),
        judge_efficiency,
    ),
    Exercise(
        PROBES["choose_batch_size"], 5, 2, 10,
        (
            mark("Compute the median of each list first, then keep the sizes that fit, then choose."),
            mark("`max(fitting, key=…, default=None)` chooses; a key that is a tuple settles the equal ones."),
        ),
        judge_choice,
    ),
    Exercise(
        PROBES["spot_quantisation"], 5, 3, 15,
        (
            mark("Smooth with a running median of five, then look at the ratio of neighbours."),
            mark("Collect every M where the time rises by more than 10%: these should be s + 1, 2s + 1, 3s + 1 …"),
        ),
        judge_spot,
    ),
)  # fmt: skip
