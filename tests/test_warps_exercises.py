"""Lesson 3: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import math
import statistics
from itertools import pairwise

import pytest
from answers import check_failing, check_solved, check_untouched

from loaderlab.lessons.warps import exercises as lesson
from loaderlab.lessons.warps import probes

IDLE = {
    "batch modulo 32": (lambda e, b: -e % 32, {1, 2}),
    "one block too many": (lambda e, b: (e // b + 1) * -(-b // 32) * 32 - e, {0, 2}),
    "threads, not lanes": (lambda e, b: -e % b, {2}),
    "only the last warp": (lambda e, b: -(e % b) % 32, {1, 2}),
    "forgets the last block": (lambda e, b: e % b, {1, 2}),
    "warps of the last block as needed": (
        lambda e, b: e // b * (-b % 32) + -(e % b) % 32,
        {1},
    ),
    "warps over all threads": (lambda e, b: -(-(-(-e // b) * b) // 32) * 32 - e, {2}),
    "share": (lambda e, b: lesson.right_idle(e, b) / (e + lesson.right_idle(e, b)), {1, 2}),
    "used lanes": (lambda e, b: e, {0, 1, 2}),
    "blocks of 256": (lambda e, b: lesson.right_idle(e, 256), {1, 2}),
    "no return": (lambda e, b: None, {0, 1, 2}),
}


def efficiency(tiles, waves):
    """An answer from its own way to count tiles and waves."""

    def answer(m, n, tile_m, tile_n, sms):
        return m * n / (waves(tiles(m, n, tile_m, tile_n), sms) * sms * tile_m * tile_n)

    return answer


def right_tiles(m, n, tile_m, tile_n):
    return math.ceil(m / tile_m) * math.ceil(n / tile_n)


def right_waves(tiles, sms):
    return math.ceil(tiles / sms)


EFFICIENCY = {
    "tiles by area": (efficiency(lambda m, n, tm, tn: math.ceil(m * n / (tm * tn)), right_waves), {1, 2}),
    "sides swapped": (efficiency(lambda m, n, tm, tn: right_tiles(m, n, tn, tm), right_waves), {1, 2}),
    "tiles rounded down": (
        efficiency(lambda m, n, tm, tn: max(1, m // tm) * max(1, n // tn), right_waves),
        {1, 2},
    ),
    "waves not rounded": (efficiency(right_tiles, lambda tiles, sms: tiles / sms), {0, 1, 2}),
    "waves rounded down": (efficiency(right_tiles, lambda tiles, sms: max(1, tiles // sms)), {1, 2}),
    "one wave more": (efficiency(right_tiles, lambda tiles, sms: tiles // sms + 1), {0}),
    "tiles only": (lambda m, n, tm, tn, s: m * n / (right_tiles(m, n, tm, tn) * tm * tn), {0, 1, 2}),
    "waves only": (
        lambda m, n, tm, tn, s: (t := right_tiles(m, n, tm, tn)) / (right_waves(t, s) * s),
        {1, 2},
    ),
    "percent": (lambda *a: 100 * lesson.right_efficiency(*a), {0, 1, 2}),
    "rounded": (lambda *a: round(lesson.right_efficiency(*a), 2), {1, 2}),
    "no return": (lambda *a: None, {0, 1, 2}),
}


def choice(
    middle=statistics.median,
    latency=lambda ms, budget: ms <= budget,
    memory=lambda size, fixed, each, room: fixed + size * each <= room,
    key=lambda size, ms: size / ms,
    order=sorted,
    empty=None,
):
    """An answer that goes its own way in one point."""

    def answer(latencies, budget_ms, fixed_bytes, bytes_per_sample, memory_bytes):
        times = {size: middle(values) for size, values in latencies.items()}
        fitting = [
            size
            for size in order(times)
            if latency(times[size], budget_ms) and memory(size, fixed_bytes, bytes_per_sample, memory_bytes)
        ]
        return max(fitting, key=lambda size: key(size, times[size]), default=empty)

    return answer


def no_default(*arguments):
    found = choice()(*arguments)
    if found is None:
        raise ValueError("max() arg is an empty sequence")
    return found


CHOICES = {
    "largest that fits": (choice(key=lambda size, ms: size), {0, 3}),
    "lowest latency": (choice(key=lambda size, ms: -ms), {0, 1, 2, 3}),
    "the larger of equals": (choice(order=lambda s: sorted(s, reverse=True)), {3}),
    "first of the table": (choice(order=list), {3}),
    "by mean": (choice(middle=statistics.mean), {3}),
    "by upper median": (choice(middle=statistics.median_high), {3}),
    "by minimum": (choice(middle=min), {3}),
    "by maximum": (choice(middle=max), {1, 3}),
    "no latency": (choice(latency=lambda ms, budget: True), {1, 4}),
    "strictly below the latency": (choice(latency=lambda ms, budget: ms < budget), {1}),
    "no memory": (choice(memory=lambda *a: True), {2, 4}),
    "strictly below the memory": (choice(memory=lambda s, f, e, room: f + s * e < room), {2}),
    "forgets the fixed bytes": (choice(memory=lambda s, f, e, room: s * e <= room), {2, 4}),
    "forgets the samples": (choice(memory=lambda s, f, e, room: f + e <= room), {2}),
    "0 for none": (choice(empty=0), {4}),
    "raises for none": (no_default, {4}),
    "no return": (lambda *a: None, {0, 1, 2, 3}),
}


def solution(times, width=2, threshold=1.1, rows=sorted, even=True, few=2):
    values = [times[m] for m in rows(times)]
    smooth = [statistics.median(values[max(0, i - width) : i + width + 1]) for i in range(len(values))]
    steps = [m for m in range(1, len(smooth)) if smooth[m] > threshold * smooth[m - 1]]
    if len(steps) < few or even and steps != list(range(steps[0], len(values), steps[0])):
        return None
    return steps[0]


def rises(times):
    """The rows after which the smoothed time rises."""
    values = [times[m] for m in sorted(times)]
    smooth = [statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values))]
    return [m for m in range(1, len(smooth)) if smooth[m] > 1.1 * smooth[m - 1]]


def by_difference(times):
    """A rise by a fixed amount, as if all times were about 1 to 5."""
    values = [times[m] for m in sorted(times)]
    smooth = [statistics.median(values[max(0, i - 2) : i + 3]) for i in range(len(values))]
    steps = [m for m in range(1, len(smooth)) if smooth[m] - smooth[m - 1] > 0.5]
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(values), steps[0])) else None


def as_far_as_found(times):
    """Steps after s, 2s, 3s … rows, but the curve may go on without them."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and steps == [steps[0] * (k + 1) for k in range(len(steps))] else None


def multiples_of_the_first(times):
    """All steps are at multiples of the first one, but some multiples may have none."""
    steps = rises(times)
    return steps[0] if len(steps) > 1 and all(m % steps[0] == 0 for m in steps) else None


def greatest_divisor(times):
    steps = rises(times)
    return math.gcd(*steps) if len(steps) > 1 else None


def persistent(times):
    """Right without smoothing: a step is where the next two times are both higher; the curve's end is left out."""
    steps = [m for m in range(1, len(times) - 1) if min(times[m + 1], times[m + 2]) > 1.1 * times[m]]
    return steps[0] if len(steps) > 1 and steps == list(range(steps[0], len(times), steps[0])) else None


def by_distance(times):
    """The distance of the steps, wherever the first one is."""
    steps = rises(times)
    gaps = {b - a for a, b in pairwise(steps)}
    return gaps.pop() if len(gaps) == 1 else None


def largest_rise(times):
    """Where the time rises most from one row to the next."""
    return max(range(1, len(times)), key=lambda m: times[m + 1] / times[m])


def among_the_usual(times):
    found = solution(times)
    return found if found in (32, 64, 128, 256) else None


SPOTS = {
    "first row of the next step": (lambda t: (s := solution(t)) and s + 1, {0, 1, 2}),
    "no smoothing": (lambda t: solution(t, width=0), {2}),
    "any rise": (lambda t: solution(t, width=0, threshold=1.0), {0, 1, 2}),
    "mean of neighbours": (
        lambda t: solution({m: statistics.mean(t[k] for k in range(m - 2, m + 3) if k in t) for m in t}, width=0),
        {0, 1, 2},
    ),
    "in the order given": (lambda t: solution(t, rows=list), {1}),
    "by difference": (by_difference, {1}),
    "always 128": (lambda t: 128, {0, 1, 2, 3, 4}),
    "powers of two": (among_the_usual, {0, 1}),
    "the first step": (lambda t: solution(t, even=False), {4}),
    "one step is enough": (lambda t: solution(t, few=1), {4}),
    "distance of steps": (by_distance, {4}),
    "as far as found": (as_far_as_found, {4}),
    "multiples of the first": (multiples_of_the_first, {4}),
    "greatest divisor": (greatest_divisor, {4}),
    "largest rise": (largest_rise, {2, 3, 4}),
    "0 for none": (lambda t: solution(t) or 0, {2, 3, 4}),
    "always None": (lambda t: None, {0, 1, 2}),
}  # fmt: skip

WRONG = {
    "idle_lanes": IDLE,
    "wave_efficiency": EFFICIENCY,
    "choose_batch_size": CHOICES,
    "spot_quantisation": SPOTS,
}
RIGHT = {
    "idle_lanes": lambda elements, block=256: lesson.right_idle(elements, block),
    "wave_efficiency": efficiency(right_tiles, right_waves),
    "choose_batch_size": choice(),
    "spot_quantisation": solution,
}


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(
    ("name", "answer", "failing"),
    [(name, *case) for name, cases in WRONG.items() for case in cases.values()],
    ids=[f"{name}-{case}" for name, cases in WRONG.items() for case in cases],
)
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(name, answer, failing, code):
    check_failing("warps", name, answer, failing, code)


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_answer_gets_full_points(name):
    check_solved("warps", name, RIGHT[name])


@pytest.mark.parametrize("name", RIGHT)
def test_an_untouched_exercise_is_not_attempted(name):
    def stub(*arguments):
        raise NotImplementedError

    check_untouched("warps", name, stub)


def test_curves_keep_what_the_statement_promises():
    """The noise, the height of a step, the least number of rows, and how far apart the odd times are."""
    for name, times in probes.curves().items():
        step = lesson.STEPS[name]
        assert len(times) >= 60 and sorted(times) == list(range(1, len(times) + 1)), name
        if step:
            assert step >= 20 and len(times) > 2 * step
            at = [m for m in range(1, len(times)) if m % step == 0]
            assert at[-1] < len(times) - 5
            outer = 1 + probes.NOISE
            for m in at:
                before = statistics.median(times[k] for k in range(m - 7, m + 1))
                after = statistics.median(times[k] for k in range(m + 1, min(m + 9, len(times) + 1)))
                assert after / before > 1.2 / outer
    assert probes.curves() == probes.curves()


def test_a_right_answer_without_smoothing_passes():
    check_solved("warps", "spot_quantisation", persistent)


@pytest.mark.parametrize("threshold", [1.07, 1.1, 1.13])
@pytest.mark.parametrize("width", [1, 2, 3])
def test_other_sensible_smoothings_and_thresholds_pass(width, threshold):
    check_solved("warps", "spot_quantisation", lambda t: solution(t, width=width, threshold=threshold))
