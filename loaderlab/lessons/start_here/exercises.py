"""The exercises of lesson 0: how each answer is probed, and what is expected of the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Any
from unittest.mock import patch

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, attempt, shown
from loaderlab.language import mark
from loaderlab.language import translate as _

# ---------------------------------------------------------------- number_of_batches

COUNTS = Cases(
    "number_of_batches",
    right=lambda samples, batch_size: -(-samples // batch_size),
    cases={
        "rest": (10, 4),
        "one_over": (17, 4),
        "small": (3, 4),
        "even": (12, 4),
        "one": (5, 1),
        "empty": (0, 4),
    },
)


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


def _log(*batches: tuple[int, int, int], last: int = 0) -> list[tuple[str, int]]:
    """Batches of (wait, step, pause before the next question), then a last question after which none came."""
    now, events = 0, []
    for wait, step, pause in batches:
        events += [("ask", now), ("batch", now + wait), ("done", now + wait + step)]
        now += wait + step + pause
    return [*events, ("ask", now)][: None if last else -1]


LOGS = Cases(
    "wait_and_compute",
    right=split,
    cases={
        # A first batch that takes no time, so that counting it fails with its own finding only.
        "plain": (_log((0, 0, 0), (20, 10, 0), (20, 10, 0), (20, 10, 0)),),
        "bursts": (_log((0, 0, 0), (61, 10, 0), (1, 10, 0), (2, 12, 0), (63, 10, 0), (0, 11, 0)),),
        "slow_first": (_log((900, 300, 0), (5, 10, 0), (5, 10, 0)),),
        "alone": (_log((40, 30, 0)),),
        "unanswered": (_log((0, 0, 0), (12, 8, 0), (12, 8, 0), last=1),),
        "pauses": (_log((0, 0, 100), (10, 5, 100), (10, 5, 30), (10, 5, 0)),),
    },
)


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

LENGTH, BATCH = 11, 4
NUMBERS = [3 * i + 2 for i in range(LENGTH)]
ORDER = [7, 2, 2, 10, 0, 5, 9, 1, 3, 8, 6]  # one index twice, as with replacement


class Shelf:
    """Numbers that are fetched by index; it keeps what it was asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers, self.reads = list(numbers), []

    def __len__(self) -> int:
        return len(self.numbers)

    def read(self, indices: Sequence[int]) -> list[int]:
        """The numbers at these indices, in this order: one request, however many they are."""
        wanted = [int(index) for index in indices]
        self.reads.append(wanted)
        return [self.numbers[index] for index in wanted]


def probe_squares(answer: type) -> dict[str, Any]:
    """Items one by one, then batches by a DataLoader in a given order; the shelf says what was read for it."""
    from torch.utils.data import DataLoader

    shelf = Shelf(NUMBERS)
    dataset = answer(shelf)
    length = attempt(lambda: len(dataset))
    early = len(shelf.reads)
    single = attempt(lambda: [dataset[i] for i in (0, 4, LENGTH - 1)])
    shelf.reads.clear()

    def batches() -> list[Any]:
        try:
            return [batch.tolist() for batch in DataLoader(dataset, batch_size=BATCH, sampler=ORDER)]
        except NotImplementedError as error:  # __getitem__ is written, so this is no untouched exercise
            raise TypeError("__getitems__: NotImplementedError") from error

    together = attempt(batches)
    return {
        "length": length,
        "early": early,
        "single": single,
        "batches": together,
        "reads": list(shelf.reads),
        "own": callable(getattr(dataset, "__getitems__", None)),
    }


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

EVEN, UNEVEN = ((12, 1), (12, 2), (12, 3)), ((10, 3), (7, 2), (2, 3), (0, 2))


def probe_stream(answer: type) -> dict[str, Any]:
    """What each worker yields, by length and number of workers; workers are played in this process.

    A class from a notebook cell can reach real workers under fork only, and the exercise is for every system.
    """
    import copy

    from torch.utils.data import IterableDataset
    from torch.utils.data._utils import worker

    def passes(length: int, workers: int, epochs: int = 1) -> list[list[list[Any]]]:
        streams = [answer(length) for _worker in range(max(workers, 1))]
        played = []
        for number, stream in enumerate(streams):
            mine = copy.deepcopy(stream)
            info = worker.WorkerInfo(id=number, num_workers=workers, seed=number, dataset=mine)
            with patch.object(worker, "_worker_info", info if workers else None):
                played.append([list(islice(iter(mine), 2 * length + 5)) for _epoch in range(epochs)])
        return [[shares[epoch] for shares in played] for epoch in range(epochs)]

    return {
        "iterable": issubclass(answer, IterableDataset),
        "alone": attempt(lambda: passes(6, 0)[0][0]),
        "even": [attempt(lambda n=n, w=w: passes(n, w)[0]) for n, w in EVEN],
        "uneven": [attempt(lambda n=n, w=w: passes(n, w)[0]) for n, w in UNEVEN],
        "epochs": [attempt(lambda w=w: passes(6, w, epochs=2)) for w in (0, 2)],
    }


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


GAINS = Cases(
    "headroom",
    right=best_gain,
    cases={
        "turns": (20.0, 10.0, 0),
        "short_turns": (5.0, 40.0, 0),
        "overlap": (20.0, 10.0, 1),
        "more_overlap": (36.0, 10.0, 1),
        "hidden": (10.0, 20.0, 1),
        "far_hidden": (30.0, 20.0, 4),
        "shared": (60.0, 10.0, 3),
        "uneven": (50.0, 10.0, 4),
    },
    rel=1e-9,
)


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


EXERCISES = (
    Exercise(
        name="number_of_batches",
        points=2,
        difficulty=1,
        minutes=2,
        kind="function",
        hints=(
            mark(
                "The card says which call went wrong: `number_of_batches(10, 4)`. Count these batches by hand."
            ),
            mark("`-(-samples // batch_size)` rounds up."),
        ),
        probe=COUNTS.probe,
        judge=judge_count,
    ),
    Exercise(
        name="wait_and_compute",
        points=5,
        difficulty=2,
        minutes=4,
        kind="function",
        hints=(
            mark(
                "Go through the events in pairs, `zip(events, events[1:])`: which pairs are a wait, which a step?"
            ),
            mark("Collect waits and steps in two lists, and return `sum(waits[1:]), sum(steps[1:])`."),
        ),
        probe=LOGS.probe,
        judge=judge_split,
    ),
    Exercise(
        name="SquaresDataset",
        points=5,
        difficulty=1,
        minutes=5,
        kind="class",
        hints=(
            mark(
                "`read` takes a list of indices also where there is only one: `self.shelf.read([index])[0]`."
            ),
            mark("`__getitems__` is one line: `[number**2 for number in self.shelf.read(indices)]`."),
        ),
        probe=probe_squares,
        judge=judge_squares,
    ),
    Exercise(
        name="CountingStream",
        points=6,
        difficulty=2,
        minutes=5,
        kind="class",
        hints=(
            mark(
                "`get_worker_info()` is `None` in the main process; in a worker it has `id` and `num_workers`."
            ),
            mark(
                "With three workers, let worker 0 yield 0, 3, 6 …, worker 1 yield 1, 4, 7 …: that is a `range`."
            ),
        ),
        probe=probe_stream,
        judge=judge_stream,
    ),
    Exercise(
        name="headroom",
        points=4,
        difficulty=1,
        minutes=4,
        kind="function",
        hints=(
            mark("How long does a batch take now? And how long if its data were always there?"),
            mark("Now: `load + step` without workers, else the larger of `load / num_workers` and `step`."),
        ),
        probe=GAINS.probe,
        judge=judge_headroom,
    ),
)
