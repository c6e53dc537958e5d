"""The exercises of lesson 0: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Look, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import raised, shown
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.start_here import probes
from loaderlab.lessons.start_here.answer_pictures import waiting
from loaderlab.lessons.start_here.probes import BATCH, EVEN, LENGTH, ORDERS, SAMPLES, SIZE, UNEVEN, sample

# ---------------------------------------------------------------- number_of_batches


def whole(random: Random) -> tuple[int, int]:
    """Draw a number of samples with which no batch is smaller."""
    size = random.randint(1, 40)
    return size * random.randint(0, 60), size


NUMBER_OF_BATCHES = Exercise(
    name="number_of_batches",
    difficulty=1,
    minutes=2,
    table=Table(
        {
            "rest": (10, 4),
            "one_over": (17, 4),
            "small": (3, 4),
            "even": (12, 4),
            "one": (5, 1),
            "empty": (0, 4),
        },
        right=solution(__file__, "number_of_batches"),
    ),
    criteria=(
        Criterion(
            says="The last batch counts, also when it is smaller",
            cases=("rest", "one_over", "small"),
            drawn=lambda random: (random.randint(0, 3000), random.randint(1, 40)),
            hint="`//` rounds down. Round up: `-(-samples // batch_size)`, or `math.ceil`.",
        ),
        Criterion(
            says="If nothing is left over, there is no extra batch",
            cases=("even", "one", "empty"),
            drawn=whole,
            hint="Add one only where `samples % batch_size` is not 0.",
        ),
    ),
)

# ---------------------------------------------------------------- quick_loader

LEAST, MOST = 2, 4  # processes: one needs 16 ms for a batch, and the step takes 10


def came(evidence: dict[str, Any]) -> list[list[list[int]]]:
    """Return the indices of each batch of each epoch; none where there was an exception."""
    return evidence["epochs"].get("value") or []


def others_load(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("samples that the process of the loop loaded: {count}")
    if not any(came(evidence)):
        yield Miss(words.format(count=0), raised(evidence["epochs"]) or _("no batch came"), A_LOADER)
    elif evidence["mine"]:
        yield Miss(words.format(count=0), words.format(count=evidence["mine"]))


def once_others_load(look: Look) -> Look:
    """Return a look that waits until other processes load."""

    def after(evidence: dict[str, Any]) -> Iterator[Miss]:
        for miss in others_load(evidence):
            yield replace(miss, hint=expect.FOLLOWS)
        yield from look(evidence)

    return after


def enough(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("processes that load: {count}")
    if not LEAST <= evidence["first"] <= MOST:
        expected = _("{least} to {most}").format(least=LEAST, most=MOST)
        yield Miss(words.format(count=expected), words.format(count=evidence["first"]))


def kept(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = mark("processes that the second epoch started: {count}")
    if [] in came(evidence):
        yield Miss(_(words).format(count=0), _("no batch came"), A_LOADER)
    yield from expect.count(words, evidence["new"], 0)


def same_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    right = [list(range(start, min(start + SIZE, SAMPLES))) for start in range(0, SAMPLES, SIZE)]
    for epoch in came(evidence):
        if epoch != right:
            at = next((n for n, (a, b) in enumerate(zip_longest(epoch, right)) if a != b), 0)
            found = epoch[at] if at < len(epoch) else _("none")
            words = _("batch {number}: {indices}")
            yield Miss(
                words.format(number=at, indices=right[at] if at < len(right) else _("none")),
                words.format(number=at, indices=found),
                hint="" if epoch else expect.FOLLOWS,
            )


A_LOADER = mark("Return a `DataLoader`: the loop goes through it in each epoch.")

QUICK_LOADER = Exercise(
    name="quick_loader",
    difficulty=1,
    minutes=4,
    run=probes.probe_quick,
    seconds=30.0,
    criteria=(
        Criterion(
            says="Other processes load the samples",
            look=others_load,
            hint=(
                "Without workers the process of the loop loads each batch itself, while the step waits. `num_workers` starts "
                "other processes."
            ),
            points=2,
        ),
        Criterion(
            says="Enough processes load, and not too many",
            look=once_others_load(enough),
            hint="One process loads a batch in 16 ms, two of them load one every 8 ms; the step takes 10 ms.",
        ),
        Criterion(
            says="The second epoch uses the same processes",
            look=once_others_load(kept),
            hint="By default the workers end with the epoch. `persistent_workers=True` keeps them.",
        ),
        Criterion(
            says="The batches are those of the loop above",
            look=once_others_load(same_batches),
            hint="Leave `batch_size=8` and the order as they are: no `shuffle`, no `drop_last`.",
        ),
    ),
)

# ---------------------------------------------------------------- wait_and_compute


def log(*batches: tuple[float, float, float], last: int = 0) -> list[tuple[str, float]]:
    """Batches of (wait, step, pause before the next question), then a last question after which none came."""
    now: float = 0
    events: list[tuple[str, float]] = []
    for wait, step, pause in batches:
        events += [("ask", now), ("batch", now + wait), ("done", now + wait + step)]
        now += wait + step + pause
    return [*events, ("ask", now)][: None if last else -1]


def logged(random: Random) -> tuple[list[tuple[str, float]]]:
    """Draw the log of a loop, which may wait, or not, and do something else, or not, and whose last question may stay open."""
    unit = random.choice((1, 8))  # ms, whole or not
    batches = [
        (
            random.choice((0, random.randint(1, 80))) / unit,
            random.randint(1, 60) / unit,
            random.choice((0, 7)) / unit,
        )
        for _batch in range(random.randint(1, 8))
    ]
    return (log(*batches, last=random.randint(0, 1)),)


split = solution(__file__, "wait_and_compute")


def pictures(call: tuple[Any, ...], value: Any) -> Pictures | None:
    return waiting(call[0], split(*call), value)


WAIT_AND_COMPUTE = Exercise(
    name="wait_and_compute",
    difficulty=2,
    minutes=4,
    table=Table(
        {
            # A first batch that takes no time, so that counting it fails with its own finding only.
            "plain": (log((0, 0, 0), (20, 10, 0), (20, 10, 0), (20, 10, 0)),),
            "bursts": (log((0, 0, 0), (61, 10, 0), (1, 10, 0), (2, 12, 0), (63, 10, 0), (0, 11, 0)),),
            "slow_first": (log((900, 300, 0), (5, 10, 0), (5, 10, 0)),),
            "alone": (log((40, 30, 0)),),
            "unanswered": (log((0, 0, 0), (12, 8, 0), (12, 8, 0), last=1),),
            "pauses": (log((0, 0, 100), (10, 5, 100), (10, 5, 30), (10, 5, 0)),),
        },
        right=split,
        rel=1e-9,
    ),
    criteria=(
        Criterion(
            says="The totals are the wait, from `ask` to `batch`, and the computation, from `batch` to `done`, in this order",
            cases=("plain", "bursts"),
            drawn=logged,
            hint="Add up the differences; do not take their median or their mean. The wait comes first.",
            points=2,
            draw=pictures,
        ),
        Criterion(
            says="The first batch does not count: neither its wait nor its step",
            cases=("slow_first", "alone"),
            hint="Leave out the first `ask`, `batch` and `done`. With a single batch nothing is left: `(0, 0)`.",
            draw=pictures,
        ),
        Criterion(
            says="A last `ask` that no batch follows is not a wait",
            cases=("unanswered",),
            hint="At the end of the epoch the loop asks once more, and the log ends with `ask`.",
            draw=pictures,
        ),
        Criterion(
            says="The time from `done` to the next `ask` is neither wait nor computation",
            cases=("pauses",),
            hint=(
                "The wait begins with `ask`, not with the previous `done`: between them the loop may write a log or save a "
                "checkpoint."
            ),
            draw=pictures,
        ),
    ),
)

# ---------------------------------------------------------------- tiny_loader


def expected(order: str) -> list[list[str]]:
    indices = ORDERS[order]
    return [[sample(i) for i in indices[start : start + BATCH]] for start in range(0, len(indices), BATCH)]


def samples(batch: Any) -> Any:
    """Return the samples of a batch, also of one that was not joined."""
    return batch.get("samples") if isinstance(batch, dict) else batch


def of_its_own(look: Look) -> Look:
    """Return a look that asks for a loader without PyTorch's first."""

    def first(evidence: dict[str, Any]) -> Iterator[Miss]:
        words = mark("PyTorch loaders that gave batches: {count}")
        for miss in expect.count(words, evidence["theirs"], 0):
            hint = mark(
                "Write your loader without `DataLoader`: do yourself what that class does for each batch."
            )
            yield replace(miss, hint=hint)
        yield from look(evidence)

    return first


def in_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    for order, outcome in evidence["batches"].items():
        value = outcome.get("value")
        found = outcome if value is None else {"value": list(map(samples, value))}
        for miss in expect.value(found, expected(order), partial(_of_sampler, order)):
            yield replace(miss, hint=_hint(found))


def _of_sampler(order: str, batches: list[list[str]]) -> str:
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
    words = _(
        "indices taken, samples read: {before} before the first batch, {first} after it, {second} after the second one"
    )
    asked_for = [[count, count] for count in (0, BATCH, 2 * BATCH)]
    found = evidence["steps"].get("value")

    def told(steps: list[list[int]]) -> str:
        before, first, second = map(tuple, steps)
        return words.format(before=before, first=first, second=second)

    if found and found[0] != asked_for[0]:
        hint = mark(
            "The loader must take nothing when it is made: the body of a function with `yield` runs only when the first batch "
            "is asked for."
        )
        yield Miss(told(asked_for), told(found), hint)
    elif found != asked_for:
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
    words = _("each batch is what `collate_fn` returned for a list of samples")
    for outcome in evidence["batches"].values():
        if "value" not in outcome:
            yield Miss(words, shown(outcome))
        for batch in outcome.get("value") or ():
            if not isinstance(batch, dict):
                yield Miss(
                    words, _("`collate_fn` was not called for this batch: {batch}").format(batch=batch)
                )
            elif batch["of"] != "list":
                yield Miss(words, _("`collate_fn` got an object of type {kind}").format(kind=batch["of"]))


BY_ONE_CALL = mark(
    'If `hasattr(dataset, "__getitems__")` is true, pass this method the whole list of indices once, and do not call `__getitem__`.'
)

TINY_LOADER = Exercise(
    name="tiny_loader",
    difficulty=2,
    minutes=7,
    run=probes.probe_loader,
    criteria=(
        Criterion(
            says="Each index of the sampler comes in its place, and the last batch may be smaller",
            look=of_its_own(in_order),
            hint="Make one iterator of the sampler; `list(islice(rest, batch_size))` takes the next indices of it, and is empty at the end.",
        ),
        Criterion(
            says="A batch is loaded when it is asked for, and not before",
            look=of_its_own(when_asked_for),
            hint=(
                "If the sampler never ends, a list of all its indices never ends either. In a function with `yield`, what "
                "follows `yield` runs when the next batch is asked for."
            ),
            points=2,
        ),
        Criterion(
            says="`__getitems__` is called once for each batch, if the Dataset has it",
            look=of_its_own(one_call_each),
            hint=BY_ONE_CALL,
            points=2,
        ),
        Criterion(
            says="`collate_fn` joins the samples of each batch",
            look=of_its_own(joined_lists),
            hint="Collect the samples in a list, and yield `collate_fn(samples)`.",
        ),
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
            yield Miss(_("no worker yields more than its share, rounded up"), shown(outcome))


def repeatable(evidence: dict[str, Any]) -> Iterator[Miss]:
    repeated = [outcome.get("value") for outcome in evidence["epochs"]]
    if not all(value and value[0] == value[1] for value in repeated):
        yield Miss(_("the same numbers again"), " · ".join(map(shown, evidence["epochs"])))


def alone(evidence: dict[str, Any]) -> Iterator[Miss]:
    if not evidence["iterable"]:
        yield Miss(repr(list(range(6))), shown(evidence["alone"]))
    yield from expect.value(evidence["alone"], list(range(6)))


COUNTING_STREAM = Exercise(
    name="CountingStream",
    difficulty=2,
    minutes=5,
    run=probes.probe_stream,
    kind="class",
    parts=("__iter__",),
    criteria=(
        Criterion(
            says="Without workers, every number comes, in order",
            look=alone,
            hint="Without workers `get_worker_info()` returns `None`: then yield all of them.",
        ),
        Criterion(
            says="With workers, every number comes once",
            look=lambda e: each_once("even", EVEN, e),
            hint="Every worker runs the same `__iter__`. Let `info.id` and `info.num_workers` decide what it yields.",
            points=2,
        ),
        Criterion(
            says="Every number comes once also if the length is no multiple of the number of workers",
            look=lambda e: each_once("uneven", UNEVEN, e),
            hint="`length // num_workers` for each drops the rest. `range(start, length, step)` does not.",
        ),
        Criterion(
            says="The work is shared out",
            look=shared_out,
            hint="A single worker that does it all is no help: start at `info.id`, in steps of `info.num_workers`.",
        ),
        Criterion(
            says="A second epoch is like the first",
            look=repeatable,
            hint="Begin anew in each call of `__iter__`: an iterator made in `__init__` is used up after one epoch.",
        ),
    ),
)

EXERCISES = (
    NUMBER_OF_BATCHES,
    QUICK_LOADER,
    WAIT_AND_COMPUTE,
    TINY_LOADER,
    COUNTING_STREAM,
)
