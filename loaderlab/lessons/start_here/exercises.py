"""The exercises of lesson 0: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Look, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import raised, shown
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.start_here import probes
from loaderlab.lessons.start_here.answer_pictures import waiting
from loaderlab.lessons.start_here.probes import BATCH, EVEN, LENGTH, ORDERS, UNEVEN, sample

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


def split(events: Sequence[tuple[str, int]]) -> tuple[int, int]:
    waits, steps = [], []
    for (event, start), (following, end) in pairwise(events):
        if (event, following) == ("ask", "batch"):
            waits.append(end - start)
        elif (event, following) == ("batch", "done"):
            steps.append(end - start)
    return sum(waits[1:]), sum(steps[1:])


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

# ---------------------------------------------------------------- tiny_loader


def expected(order: str) -> list[list[int]]:
    indices = ORDERS[order]
    return [[sample(i) for i in indices[start : start + BATCH]] for start in range(0, len(indices), BATCH)]


def samples(batch: Any) -> Any:
    """Return the samples of a batch, also of one that was not joined."""
    return batch.get("samples") if isinstance(batch, dict) else batch


def of_its_own(look: Look) -> Look:
    """Return a look that asks for a loader without PyTorch's first."""

    def first(evidence: dict[str, Any]) -> Iterator[Miss]:
        yield from expect.count(
            mark("loaders of PyTorch's that gave batches: {count}"), evidence["theirs"], 0
        )
        yield from look(evidence)

    return first


def in_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    for order, outcome in evidence["batches"].items():
        value = outcome.get("value")
        found = outcome if value is None else {"value": list(map(samples, value))}
        for miss in expect.value(found, expected(order), partial(_of_sampler, order)):
            yield replace(miss, hint=_hint(found))


def _of_sampler(order: str, batches: list[list[int]]) -> str:
    return _("{batches}, with the indices {indices}").format(batches=batches, indices=ORDERS[order])


def _hint(outcome: dict[str, Any]) -> str:
    """Return the hint that leads on where the sampler is not what was misunderstood; else ""."""
    if "__getitems__" in outcome.get("raised", ""):
        return BY_ONE_CALL
    batches: list[Any] = outcome.get("value") or []
    if len(batches) > 1 and all(batch == batches[0] for batch in batches):
        return mark("All batches are the same list. The loop may keep what it got: make a new list for each.")
    return ""


def when_asked_for(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("indices taken, samples read: {before} before the first batch, {first} and {second} after two")
    asked_for = [[count, count] for count in (0, BATCH, 2 * BATCH)]
    found = evidence["steps"].get("value")

    def told(steps: list[list[int]]) -> str:
        before, first, second = map(tuple, steps)
        return words.format(before=before, first=first, second=second)

    if found != asked_for:
        yield Miss(told(asked_for), told(found) if found else raised(evidence["steps"]))


def one_call_each(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Hold the calls against the batches that came: whether these are right is said elsewhere."""
    outcome, calls = evidence["whole"], evidence["calls"]
    came = [samples(batch) for batch in outcome.get("value") or ()]
    right = [[sample(i) for i in call] if isinstance(call, list) else call for call in calls]
    if not came or right != came:
        words = _("calls of a Dataset with `__getitems__`: {calls}")
        indices = ORDERS["rest"]
        asked_for = [indices[start : start + BATCH] for start in range(0, LENGTH, BATCH)]
        yield Miss(words.format(calls=asked_for), raised(outcome) or words.format(calls=calls))


def joined_lists(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("each batch is what `collate_fn` returned, which got a list")
    for outcome in evidence["batches"].values():
        if "value" not in outcome:
            yield Miss(words, shown(outcome))
        for batch in outcome.get("value") or ():
            if not isinstance(batch, dict):
                yield Miss(words, _("`collate_fn` was not called for it: {batch}").format(batch=batch))
            elif batch["of"] != "list":
                yield Miss(words, _("an object of type {kind}").format(kind=batch["of"]))


BY_ONE_CALL = mark(
    'Ask with `hasattr(dataset, "__getitems__")`, pass the whole list of indices once, and do not call `__getitem__` then.'
)

TINY_LOADER = (
    Criterion(
        mark("The indices of the sampler, each in its place, and a last batch that may be smaller"),
        of_its_own(in_order),
        mark(
            "Make one iterator of the sampler; `list(islice(rest, batch_size))` takes the next indices of it, and is empty at the end."
        ),
    ),
    Criterion(
        mark("A batch is loaded when it is asked for, and not before"),
        of_its_own(when_asked_for),
        mark(
            "A list of the whole sampler never ends where the sampler does not. In a function with `yield`, what follows `yield` runs when the next batch is asked for."
        ),
        points=2,
    ),
    Criterion(
        mark("One call of `__getitems__` for each batch, where the Dataset has it"),
        of_its_own(one_call_each),
        BY_ONE_CALL,
        points=2,
    ),
    Criterion(
        mark("`collate_fn` joins the samples of each batch"),
        of_its_own(joined_lists),
        mark("Collect the samples in a list, and yield `collate_fn(samples)`."),
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
        PROBES["tiny_loader"],
        TINY_LOADER,
        difficulty=2,
        minutes=7,
        hints=(
            mark(
                "Call `iter(sampler)` once, before the loop: then each `list(islice(rest, batch_size))` goes on where the last one ended."
            ),
            mark(
                "A batch is three lines: its indices, its samples by one of the two ways, and `yield collate_fn(samples)`."
            ),
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
