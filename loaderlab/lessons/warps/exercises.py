"""The exercises of lesson 3: how each answer is probed, and what is expected of the evidence."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, attempt, shown
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.warps.tiles import Launch, Product

# ---------------------------------------------------------------- idle_lanes


def right_idle(elements: int, block: int) -> int:
    return Launch(elements, block).idle


IDLE = Cases(
    "idle_lanes",
    right_idle,
    cases={
        "one_image": (3 * 224 * 224, 256),
        "two_blocks": (512, 256),
        "one_over": (513, 256),
        "batch_33": (33 * 10, 256),
        "one_element": (1, 128),
        "block_of_100": (1000, 100),
        "odd_block_odd_end": (1234, 48),
    },
)


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


EFFICIENCY = Cases(
    "wave_efficiency",
    right_efficiency,
    cases={
        "full": (1024, 2048, 128, 128, 64),
        "one_row_too_many": (129, 4096, 128, 128, 33),
        "both_cut": (200, 1000, 128, 256, 7),
        "half_a_wave": (128, 4096, 128, 128, 64),
        "one_tile_too_many": (128, 128 * 109, 128, 128, 108),
        "all_at_once": (300, 5000, 256, 128, 60),
        "sides": (256, 300, 64, 256, 5),
    },
    rel=1e-6,
)


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

MIB = 1024**2


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


TYPICAL: dict[int, list[float]] = {
    1: [4.0, 4.1, 3.9], 8: [4.4, 4.3, 4.5], 32: [6.0, 6.1, 5.9], 64: [10.1, 10.0, 9.9], 128: [20.4, 20.6, 20.5],
}  # fmt: skip
STEP: dict[int, list[float]] = {96: [9.0, 9.1, 9.2], 128: [10.0, 10.1, 9.9], 129: [15.0, 15.1, 14.9], 160: [15.2, 15.3, 15.1]}  # fmt: skip
CHOICE = Cases(
    "choose_batch_size",
    right_choice,
    cases={
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

NOISE, OUTLIER = 0.03, 1.5


def staircase(step: int, rows: int, seed: int, floor: float = 0.2, rise: float = 1.0) -> dict[int, float]:
    """A time for each number of rows that rises after every `step` rows, with noise on it."""
    return noisy({m: floor + rise * -(-m // step) for m in range(1, rows + 1)}, seed)


def noisy(times: Mapping[int, float], seed: int, outliers: Sequence[int] = ()) -> dict[int, float]:
    """Each time up to 3% off, and some of them half as high again."""
    draw = random.Random(seed)
    return {
        m: time * (1 + NOISE * draw.uniform(-1, 1)) * (OUTLIER if m in outliers else 1.0)
        for m, time in times.items()
    }


def steps_at(positions: Sequence[int], rows: int, seed: int) -> dict[int, float]:
    """A time that rises after each of these numbers of rows."""
    return noisy({m: 1.2 + sum(m > p for p in positions) for m in range(1, rows + 1)}, seed)


def curves() -> dict[str, tuple[dict[int, float], int | None]]:
    """The curves of the exercise, each with the answer to it."""
    outliers = noisy({m: 0.2 - (-m // 64) for m in range(1, 321)}, 7, outliers=(31, 100, 171, 232, 300))
    shuffled = list(staircase(64, 300, 8).items())
    random.Random(9).shuffle(shuffled)
    return {
        "128": (staircase(128, 512, 1), 128),
        "64": (staircase(64, 300, 2), 64),
        "96": (staircase(96, 400, 3), 96),
        "20": (staircase(20, 90, 4), 20),
        "slow": ({m: 1000 * t for m, t in staircase(128, 400, 5).items()}, 128),
        "fast": ({m: t / 1000 for m, t in staircase(48, 200, 6).items()}, 48),
        "outliers": (outliers, 64),
        "shuffled": (dict(shuffled), 64),
        "flat": (noisy({m: 2.0 for m in range(1, 400)}, 10), None),
        "slope": (noisy({m: 2 + 0.01 * m for m in range(1, 400)}, 11), None),
        "flat_outliers": (noisy({m: 2.0 for m in range(1, 400)}, 12, outliers=(65, 129, 193, 257)), None),
        "uneven": (steps_at((50, 100, 230), 300, 13), None),
        "late": (steps_at((40, 104, 168), 210, 14), None),
        "gap": (steps_at((48, 96, 192), 230, 16), None),
        "ends_early": (steps_at((40, 80), 210, 17), None),
        "one_step": (steps_at((128,), 230, 15), None),
    }  # fmt: skip


def probe_spot(answer: Callable[..., Any]) -> dict[str, Any]:
    return {name: attempt(answer, dict(times)) for name, (times, _step) in curves().items()}


def judge_spot(evidence: dict[str, Any]) -> list[Finding]:
    answers = {name: step for name, (_times, step) in curves().items()}
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
            return value == answers[name] and not isinstance(value, bool) and "value" in evidence[name]

        wrong = next((name for name in names if not right(name)), None)
        if wrong is None:
            return Finding(True, points, criterion)
        got = _("Curve: {curve}. Answer: {answer}").format(answer=shown(evidence[wrong]), curve=words[wrong])
        return Finding(False, points, criterion, repr(answers[wrong]), got, hint)

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


EXERCISES = (
    Exercise(
        "idle_lanes", 3, 1, 6, "function",
        (
            mark("How many blocks are launched? How many warps does each block have? How many lanes are that?"),
            mark("`-(-elements // block)` blocks, `-(-block // 32)` warps in each."),
        ),
        IDLE.probe, judge_idle,
    ),
    Exercise(
        "wave_efficiency", 3, 2, 8, "function",
        (
            mark("Three numbers are rounded up: tiles down, tiles across, waves."),
            mark("`math.ceil`, or `-(-a // b)`, which stays exact for any size."),
        ),
        EFFICIENCY.probe, judge_efficiency,
    ),
    Exercise(
        "choose_batch_size", 5, 2, 10, "function",
        (
            mark("Compute the median of each list first, then keep the sizes that fit, then choose."),
            mark("`max(fitting, key=…, default=None)` chooses; a key that is a tuple settles the equal ones."),
        ),
        CHOICE.probe, judge_choice,
    ),
    Exercise(
        "spot_quantisation", 5, 3, 15, "function",
        (
            mark("Smooth with a running median of five, then look at the ratio of neighbours."),
            mark("Collect every M where the time rises by more than 10%: these should be s + 1, 2s + 1, 3s + 1 …"),
        ),
        probe_spot, judge_spot,
    ),
)  # fmt: skip
