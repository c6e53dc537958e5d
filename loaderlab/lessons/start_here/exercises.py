"""The exercises of lesson 0: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, shown
from loaderlab.language import mark
from loaderlab.language import translate as _
from loaderlab.lessons.start_here import probes
from loaderlab.lessons.start_here.probes import BATCH, EVEN, LENGTH, NUMBERS, ORDER, UNEVEN

# ---------------------------------------------------------------- number_of_batches


def batches(samples: int, batch_size: int) -> int:
    return -(-samples // batch_size)


COUNTS = Cases(probes.COUNTS, right=batches)


def judge_count(evidence: dict[str, Any]) -> list[Finding]:
    return [
        COUNTS.finding(
            evidence,
            ("rest", "one_over", "small"),
            _("The last batch counts, also when it is smaller"),
            _("`//` rounds down. Round up: `-(-samples // batch_size)`, or `math.ceil`."),
        ),
        COUNTS.finding(
            evidence,
            ("even", "one", "empty"),
            _("No batch too many where nothing is left over"),
            _("Add one only where `samples % batch_size` is not 0."),
        ),
    ]


# ---------------------------------------------------------------- wait_and_compute


def split(events: Sequence[tuple[str, int]]) -> list[int]:
    waits, steps = [], []
    for (event, start), (following, end) in pairwise(events):
        if (event, following) == ("ask", "batch"):
            waits.append(end - start)
        elif (event, following) == ("batch", "done"):
            steps.append(end - start)
    return [sum(waits[1:]), sum(steps[1:])]


LOGS = Cases(probes.LOGS, right=split)


def judge_split(evidence: dict[str, Any]) -> list[Finding]:
    return [
        LOGS.finding(
            evidence,
            ("plain", "bursts"),
            _(
                "The wait runs from `ask` to `batch`, the computation from `batch` to `done`; totals, in this order"
            ),
            _("Add up the differences: not their median, not their mean, and the wait comes first."),
            points=2,
        ),
        LOGS.finding(
            evidence,
            ("slow_first", "alone"),
            _("The first batch stands apart, its wait and its step"),
            _(
                "Leave out the first `ask`, `batch` and `done`. With a single batch nothing is left: `(0, 0)`."
            ),
        ),
        LOGS.finding(
            evidence,
            ("unanswered",),
            _("A question that no batch answers is not a wait"),
            _("At the end of the epoch the loop asks once more, and the log ends with `ask`."),
        ),
        LOGS.finding(
            evidence,
            ("pauses",),
            _("What lies between `done` and the next `ask` is neither"),
            _(
                "The wait begins with `ask`, not with the previous `done`: between them the loop may log or save."
            ),
        ),
    ]


# ---------------------------------------------------------------- SquaresDataset


def judge_squares(evidence: dict[str, Any]) -> list[Finding]:
    orders = [ORDER[i : i + BATCH] for i in range(0, LENGTH, BATCH)]
    squares = [[NUMBERS[i] ** 2 for i in order] for order in orders]
    items = [NUMBERS[i] ** 2 for i in (0, 4, LENGTH - 1)]
    fits = evidence["length"].get("value") == LENGTH
    return [
        Finding(
            fits and evidence["single"].get("value") == items,
            1,
            _("`len(dataset)`, and the square of the number at `index`"),
            f"{LENGTH}, {items}",
            f"{shown(evidence['length'])}, {shown(evidence['single'])}",
            _("`self.shelf.read([index])` returns a list with one number in it."),
        ),
        Finding(
            evidence["batches"].get("value") == squares,
            1,
            _("The batches that the loader delivers, in the order of their indices"),
            repr(squares),
            shown(evidence["batches"]),
            _(
                "`__getitems__` returns a list with one sample for each index, in the order in which they were given."
            ),
        ),
        Finding(
            evidence["own"] and evidence["reads"] == orders,
            2,
            _("One read for each batch"),
            repr(orders),
            repr(evidence["reads"]),
            _("Pass the whole list to `self.shelf.read` once, and square what it returns."),
        ),
        Finding(
            evidence["early"] == 0,
            1,
            _("Nothing is read before it is asked for"),
            _("reads by `__init__` and `len(dataset)`: {count}").format(count=0),
            _("reads by `__init__` and `len(dataset)`: {count}").format(count=evidence["early"]),
            _("Keep the shelf, not its numbers: a real one may hold more than the memory."),
        ),
    ]


# ---------------------------------------------------------------- CountingStream


def _shared(evidence: dict[str, Any], part: str, settings: Sequence[tuple[int, int]]) -> tuple[str, str]:
    """The first setting in which not every number comes once: what was expected, and what came."""
    for (length, workers), outcome in zip(settings, evidence[part], strict=True):
        shares = outcome.get("value")
        numbers = [n for share in shares for n in share] if shares else []
        if shares is None or sorted(numbers, key=str) != sorted(range(length), key=str):
            return _each_once(length, workers), shown(outcome)
    return "", ""


def _each_once(length: int, workers: int) -> str:
    return _("each of 0 … {last} once, with `num_workers={workers}` and length {length}").format(
        last=length - 1, workers=workers, length=length
    )


def _idle(evidence: dict[str, Any]) -> str:
    """The first setting in which one worker yields more than its share, rounded up."""
    for (length, workers), outcome in zip(EVEN + UNEVEN, evidence["even"] + evidence["uneven"], strict=True):
        if any(len(share) > -(-length // workers) for share in outcome.get("value") or ()):
            return shown(outcome)
    return ""


def judge_stream(evidence: dict[str, Any]) -> list[Finding]:
    even, uneven = _shared(evidence, "even", EVEN), _shared(evidence, "uneven", UNEVEN)
    repeated = [outcome.get("value") for outcome in evidence["epochs"]]
    idle = _idle(evidence)
    return [
        Finding(
            evidence["iterable"] and evidence["alone"].get("value") == list(range(6)),
            1,
            _("Without workers: every number, in order"),
            repr(list(range(6))),
            shown(evidence["alone"]),
            _("Without workers `get_worker_info()` returns `None`: then yield all of them."),
        ),
        Finding(
            not even[1],
            2,
            _("With workers: every number once"),
            *even,
            _(
                "Every worker runs the same `__iter__`. Let `info.id` and `info.num_workers` decide what it yields."
            ),
        ),
        Finding(
            not uneven[1],
            1,
            _("Also where the length is no multiple of the number of workers"),
            *uneven,
            _("`length // num_workers` for each drops the rest. `range(start, length, step)` does not."),
        ),
        Finding(
            not idle,
            1,
            _("The work is shared out"),
            _("from no worker more than its share, rounded up"),
            idle,
            _(
                "A single worker that does it all is no help: start at `info.id`, in steps of `info.num_workers`."
            ),
        ),
        Finding(
            all(value and value[0] == value[1] for value in repeated),
            1,
            _("A second epoch is like the first"),
            _("the same numbers again"),
            " · ".join(shown(outcome) for outcome in evidence["epochs"]),
            _(
                "Begin anew in each call of `__iter__`: an iterator made in `__init__` is used up after one epoch."
            ),
        ),
    ]


# ---------------------------------------------------------------- headroom


def best_gain(load: float, step: float, num_workers: int) -> float:
    return (max(load / num_workers, step) if num_workers else load + step) / step


GAINS = Cases(probes.GAINS, right=best_gain, rel=1e-9)


def judge_headroom(evidence: dict[str, Any]) -> list[Finding]:
    return [
        GAINS.finding(
            evidence,
            ("turns", "short_turns"),
            _("Without workers the loop waits for the whole load time"),
            _("A batch takes `load + step`; with a perfect loader it takes `step`. The gain is their ratio."),
        ),
        GAINS.finding(
            evidence,
            ("overlap", "more_overlap"),
            _("With a worker, load and step overlap"),
            _("While the step runs, the next batch is loaded: the longer of the two sets the pace."),
        ),
        GAINS.finding(
            evidence,
            ("hidden", "far_hidden"),
            _("Where the step sets the pace, nothing can be gained"),
            _("The gain is 1 then, and never less than 1."),
        ),
        GAINS.finding(
            evidence,
            ("shared", "uneven"),
            _("Several workers load several batches at once"),
            _("With `num_workers` workers, a batch comes every `load / num_workers` milliseconds."),
        ),
    ]


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["number_of_batches"],
        points=2,
        difficulty=1,
        minutes=2,
        hints=(
            mark(
                "The card says which call went wrong: `number_of_batches(10, 4)`. Count these batches by hand."
            ),
            mark("`-(-samples // batch_size)` rounds up."),
        ),
        judge=judge_count,
    ),
    Exercise(
        PROBES["wait_and_compute"],
        points=5,
        difficulty=2,
        minutes=4,
        hints=(
            mark(
                "Go through the events in pairs, `zip(events, events[1:])`: which pairs are a wait, which a step?"
            ),
            mark("Collect waits and steps in two lists, and return `sum(waits[1:]), sum(steps[1:])`."),
        ),
        judge=judge_split,
    ),
    Exercise(
        PROBES["SquaresDataset"],
        points=5,
        difficulty=1,
        minutes=5,
        hints=(
            mark(
                "`read` takes a list of indices also where there is only one: `self.shelf.read([index])[0]`."
            ),
            mark("`__getitems__` is one line: `[number**2 for number in self.shelf.read(indices)]`."),
        ),
        judge=judge_squares,
    ),
    Exercise(
        PROBES["CountingStream"],
        points=6,
        difficulty=2,
        minutes=5,
        hints=(
            mark(
                "`get_worker_info()` is `None` in the main process; in a worker it has `id` and `num_workers`."
            ),
            mark(
                "With three workers, let worker 0 yield 0, 3, 6 …, worker 1 yield 1, 4, 7 …: that is a `range`."
            ),
        ),
        judge=judge_stream,
    ),
    Exercise(
        PROBES["headroom"],
        points=4,
        difficulty=1,
        minutes=4,
        hints=(
            mark("How long does a batch take now? And how long if its data were always there?"),
            mark("Now: `load + step` without workers, else the larger of `load / num_workers` and `step`."),
        ),
        judge=judge_headroom,
    ),
)
