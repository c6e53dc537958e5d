"""The exercises of lesson 0: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.start_here import probes
from loaderlab.lessons.start_here.answer_pictures import waiting
from loaderlab.lessons.start_here.probes import BATCH, EVEN, LENGTH, NUMBERS, ORDER, UNEVEN

# ---------------------------------------------------------------- number_of_batches


def batches(samples: int, batch_size: int) -> int:
    return -(-samples // batch_size)


COUNTS = Cases(probes.COUNTS, right=batches)

NUMBER_OF_BATCHES = (
    COUNTS.criterion(
        mark("The last batch counts, also when it is smaller"),
        ("rest", "one_over", "small", *(name for name in COUNTS.calls.arguments if name.startswith("rest_"))),
        mark("`//` rounds down. Round up: `-(-samples // batch_size)`, or `math.ceil`."),
    ),
    COUNTS.criterion(
        mark("No batch too many where nothing is left over"),
        ("even", "one", "empty", *(name for name in COUNTS.calls.arguments if name.startswith("even_"))),
        mark("Add one only where `samples % batch_size` is not 0."),
    ),
)

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


def drawn(case: str, value: Any) -> Pictures | None:
    [log] = LOGS.calls.arguments[case]
    return waiting(log, split(log), value)


timing = partial(LOGS.criterion, draw=drawn)

WAIT_AND_COMPUTE = (
    timing(
        mark(
            "The wait runs from `ask` to `batch`, the computation from `batch` to `done`; totals, in this order"
        ),
        ("plain", "bursts"),
        mark("Add up the differences: not their median, not their mean, and the wait comes first."),
        points=2,
    ),
    timing(
        mark("The first batch does not count: neither its wait nor its step"),
        ("slow_first", "alone"),
        mark("Leave out the first `ask`, `batch` and `done`. With a single batch nothing is left: `(0, 0)`."),
    ),
    timing(
        mark("If no batch comes, the last question is not a wait"),
        ("unanswered",),
        mark("At the end of the epoch the loop asks once more, and the log ends with `ask`."),
    ),
    timing(
        mark("What lies between `done` and the next `ask` is neither"),
        ("pauses",),
        mark(
            "The wait begins with `ask`, not with the previous `done`: between them the loop may log or save."
        ),
    ),
)

# ---------------------------------------------------------------- SquaresDataset

ORDERS = [ORDER[i : i + BATCH] for i in range(0, LENGTH, BATCH)]


def length_and_items(evidence: dict[str, Any]) -> Iterator[Miss]:
    items = [NUMBERS[i] ** 2 for i in (0, 4, LENGTH - 1)]
    length, single = evidence["length"], evidence["single"]
    if (length.get("value"), single.get("value")) != (LENGTH, items):
        yield Miss(f"{LENGTH}, {items}", f"{shown(length)}, {shown(single)}")


def one_read_each(evidence: dict[str, Any]) -> Iterator[Miss]:
    if not evidence["own"] or evidence["reads"] != ORDERS:
        words = _("reads: {reads}")
        yield Miss(words.format(reads=ORDERS), words.format(reads=evidence["reads"]))


SQUARES = (
    Criterion(
        mark("`len(dataset)`, and the square of the number at `index`"),
        length_and_items,
        mark("`self.shelf.read([index])` returns a list with one number in it."),
    ),
    Criterion(
        mark("The batches that the loader delivers, in the order of their indices"),
        lambda e: expect.value(e["batches"], [[NUMBERS[i] ** 2 for i in order] for order in ORDERS]),
        mark(
            "`__getitems__` returns a list with one sample for each index, in the order in which they were given."
        ),
    ),
    Criterion(
        mark("One read for each batch"),
        one_read_each,
        mark("Pass the whole list to `self.shelf.read` once, and square what it returns."),
        points=2,
    ),
    Criterion(
        mark("Nothing is read before it is asked for"),
        lambda e: expect.count(mark("reads by `__init__` and `len(dataset)`: {count}"), e["early"], 0),
        mark("Keep the shelf, not its numbers: a real one may hold more than the memory."),
    ),
)

# ---------------------------------------------------------------- CountingStream


def each_once(part: str, settings: Sequence[tuple[int, int]], evidence: dict[str, Any]) -> Iterator[Miss]:
    """Return the settings in which not every number comes once."""
    for (length, workers), outcome in zip(settings, evidence[part], strict=True):
        numbers = [n for share in outcome.get("value") or () for n in share]
        if "value" not in outcome or sorted(numbers, key=str) != sorted(range(length), key=str):
            words = _("each of 0 … {last} once, with `num_workers={workers}` and length {length}")
            yield Miss(words.format(last=length - 1, workers=workers, length=length), shown(outcome))


def shared_out(evidence: dict[str, Any]) -> Iterator[Miss]:
    for (length, workers), outcome in zip(EVEN + UNEVEN, evidence["even"] + evidence["uneven"], strict=True):
        if any(len(share) > -(-length // workers) for share in outcome.get("value") or ()):
            yield Miss(_("from no worker more than its share, rounded up"), shown(outcome))


def repeatable(evidence: dict[str, Any]) -> Iterator[Miss]:
    repeated = [outcome.get("value") for outcome in evidence["epochs"]]
    if not all(value and value[0] == value[1] for value in repeated):
        yield Miss(_("the same numbers again"), " · ".join(map(shown, evidence["epochs"])))


def alone(evidence: dict[str, Any]) -> Iterator[Miss]:
    if not evidence["iterable"]:
        yield Miss(repr(list(range(6))), shown(evidence["alone"]))
    yield from expect.value(evidence["alone"], list(range(6)))


STREAM = (
    Criterion(
        mark("Without workers: every number, in order"),
        alone,
        mark("Without workers `get_worker_info()` returns `None`: then yield all of them."),
    ),
    Criterion(
        mark("With workers: every number once"),
        lambda e: each_once("even", EVEN, e),
        mark(
            "Every worker runs the same `__iter__`. Let `info.id` and `info.num_workers` decide what it yields."
        ),
        points=2,
    ),
    Criterion(
        mark("Also where the length is no multiple of the number of workers"),
        lambda e: each_once("uneven", UNEVEN, e),
        mark("`length // num_workers` for each drops the rest. `range(start, length, step)` does not."),
    ),
    Criterion(
        mark("The work is shared out"),
        shared_out,
        mark(
            "A single worker that does it all is no help: start at `info.id`, in steps of `info.num_workers`."
        ),
    ),
    Criterion(
        mark("A second epoch is like the first"),
        repeatable,
        mark(
            "Begin anew in each call of `__iter__`: an iterator made in `__init__` is used up after one epoch."
        ),
    ),
)

# ---------------------------------------------------------------- headroom


Log = Sequence[tuple[int, float, float]]  # samples, wait and step (ms) of each batch


def gain(now: Log, cached: Log) -> float | None:
    samples, wait, step = (sum(column) for column in zip(*now[1:], strict=True))
    limit = sum(row[0] for row in cached[1:]) / sum(row[1] + row[2] for row in cached[1:])
    found, from_share = limit * (wait + step) / samples, (wait + step) / step
    return found if max(found, from_share) <= 1.1 * min(found, from_share) else None


GAINS = Cases(probes.GAINS, right=gain, rel=1e-9)

HEADROOM = (
    GAINS.criterion(
        mark("The gain is a ratio of rates: samples per second, not batches"),
        ("alike", "other_batches", "small_last", "cached_waits"),
        mark(
            "The rate of a log is all its samples, divided by all its time, wait and step. The cached loop is measured in the same way, though it hardly waits."
        ),
    ),
    GAINS.criterion(
        mark("The first batch counts in neither log"),
        ("slow_first", "slow_first_now", "slow_first_cached"),
        mark("Leave the first tuple out of both logs, for the rates and for the share of waiting."),
    ),
    GAINS.criterion(
        mark("`None` where the share of waiting says something else"),
        (
            "workers_slow_the_step",
            "no_wait_and_yet_a_gain",
            "device_computes_meanwhile",
            "too_much_more",
            "too_much_less",
        ),
        mark(
            "1 / (1 − w), with w the wait divided by wait and step of `now`, can be too low as well as too high: divide the larger one by the smaller one."
        ),
    ),
    GAINS.criterion(
        mark("Up to a factor of 1.1 the two agree, and the cached loop counts"),
        ("nothing", "a_little_more", "a_little_less"),
        mark(
            "Compare their ratio with 1.1, not their difference with 0.1, and return the ratio of the rates."
        ),
    ),
)

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["number_of_batches"],
        NUMBER_OF_BATCHES,
        difficulty=1,
        minutes=2,
        hints=(
            mark(
                "The card says which call went wrong: `number_of_batches(10, 4)`. Count these batches by hand."
            ),
            mark("`-(-samples // batch_size)` rounds up."),
        ),
    ),
    Exercise(
        PROBES["wait_and_compute"],
        WAIT_AND_COMPUTE,
        difficulty=2,
        minutes=4,
        hints=(
            mark(
                "Go through the events in pairs, `zip(events, events[1:])`: which pairs are a wait, which a step?"
            ),
            mark("Collect waits and steps in two lists, and return `sum(waits[1:]), sum(steps[1:])`."),
        ),
    ),
    Exercise(
        PROBES["SquaresDataset"],
        SQUARES,
        difficulty=1,
        minutes=5,
        hints=(
            mark(
                "`read` takes a list of indices also where there is only one: `self.shelf.read([index])[0]`."
            ),
            mark("`__getitems__` is one line: `[number**2 for number in self.shelf.read(indices)]`."),
        ),
    ),
    Exercise(
        PROBES["CountingStream"],
        STREAM,
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
    ),
    Exercise(
        PROBES["headroom"],
        HEADROOM,
        difficulty=2,
        minutes=8,
        hints=(
            mark("For each log without its first tuple, first compute three sums: samples, wait, step."),
            mark("With these of `now`, 1 / (1 − w) is `(wait + step) / step`."),
        ),
    ),
)
