"""The exercises of lesson 1: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.workers import probes
from loaderlab.lessons.workers.probes import BATCH, ITEMS, LINES, MIB, text

# ---------------------------------------------------------------- choose_num_workers


def enough(throughputs: dict[int, list[float]], tolerance: float) -> int:
    medians = {workers: statistics.median(values) for workers, values in throughputs.items()}
    best = max(medians.values())
    return min(workers for workers, median in medians.items() if median >= (1 - tolerance) * best)


TABLES = Cases(probes.TABLES, right=enough)


def judge_choose(evidence: dict[str, Any]) -> list[Finding]:
    return [
        TABLES.finding(
            evidence,
            ("plateau", "exact"),
            _("The smallest number of workers within the tolerance, not the fastest"),
            _(
                "First compute the median of each list, keep those that reach `(1 - tolerance)` × the best median, take the smallest."
            ),
        ),
        TABLES.finding(
            evidence,
            ("outlier",),
            _("One lucky repeat does not decide"),
            _("A maximum or a mean follows a single high value; the median does not."),
        ),
        TABLES.finding(
            evidence,
            ("workers_hurt", "unsorted"),
            _("Zero workers may win, and the table may come in any order"),
            _(
                "Take the smallest of the keys that qualify; do not rely on the order of the dictionary, and do not skip 0."
            ),
        ),
        TABLES.finding(
            evidence,
            ("strict",),
            _("The tolerance is respected"),
            _(
                "Use the argument `tolerance`. With tolerance 0 the best itself must still qualify: `>=`, not `>`."
            ),
        ),
    ]


# ---------------------------------------------------------------- bytes_in_flight


def in_flight(batch_bytes: int, num_workers: int, prefetch_factor: int | None) -> int:
    ahead = num_workers * (2 if prefetch_factor is None else prefetch_factor)
    return (ahead + 1) * batch_bytes


def in_mib(nbytes: int) -> str:
    return f"{nbytes} = {nbytes // MIB} · 1024²"


FLIGHTS = Cases(probes.FLIGHTS, right=in_flight)


def judge_flight(evidence: dict[str, Any]) -> list[Finding]:
    return [
        FLIGHTS.finding(
            evidence,
            ("typical", "many"),
            _("What was asked for in advance, and the batch that the loop holds"),
            _(
                "The loader keeps `prefetch_factor` × `num_workers` batches on order; your loop still holds one more."
            ),
            show=in_mib,
        ),
        FLIGHTS.finding(
            evidence,
            ("no_workers",),
            _("Without workers nothing is loaded ahead"),
            _(
                "With `num_workers=0` the main process loads a batch when it is asked for: there is only the one you hold."
            ),
            show=in_mib,
        ),
        FLIGHTS.finding(
            evidence,
            ("default",),
            _("`prefetch_factor=None` means 2 when there are workers"),
            _(
                "Look at the documentation of `DataLoader`: the default of `prefetch_factor` depends on `num_workers`."
            ),
            show=in_mib,
        ),
    ]


# ---------------------------------------------------------------- StatelessAugment


def judge_augment(evidence: dict[str, Any]) -> list[Finding]:
    gains, long = evidence["gains"], evidence["long"]
    reference = gains["0"]
    differing = [workers for workers in gains if gains[workers] != reference]
    other = evidence["other_seed"]
    flat = [gain for epoch in long for gain in epoch]
    outside = [gain for gain in flat if not 0.799 <= gain <= 1.201]
    distinct = len(set(flat))
    crossing = set(flat) & {gain for epoch in other for gain in epoch}
    several = _("{count} different values").format
    return [
        Finding(
            evidence["applied"] and not outside and distinct > 1,
            1,
            _("Every image is multiplied by one random number between 0.8 and 1.2"),
            _("`images[index]` times a number between 0.8 and 1.2"),
            ", ".join(number(gain, 3) for gain in outside[:3])
            or (
                several(count=distinct)
                if evidence["applied"]
                else _("something else than a multiple of `images[index]`")
            ),
            _("`rng.uniform(0.8, 1.2)` draws one such number."),
        ),
        Finding(
            not differing and distinct > 1,
            2,
            _("The same values for any number of workers"),
            _("`num_workers` = 1, 2 and 4 give what `num_workers=0` gives"),
            _("other values for `num_workers` = {which}").format(which=", ".join(differing)),
            _(
                "A global generator, or one stored on the Dataset, is in another state in every worker. Make one in `__getitem__`."
            ),
        ),
        Finding(
            len(set(reference[0])) == ITEMS,
            1,
            _("Different for every index"),
            several(count=ITEMS),
            several(count=len(set(reference[0]))),
            _("Let the index take part in the seed."),
        ),
        Finding(
            reference[0] != reference[1],
            1,
            _("Different in every epoch"),
            _("other values in epoch 1 than in epoch 0"),
            _("the same values in both epochs"),
            _("Let the epoch take part in the seed."),
        ),
        Finding(
            other[0] != long[0],
            1,
            _("Different for another seed"),
            _("other values for seed 8 than for seed 7"),
            _("the same values for both seeds"),
            _("Let the seed that was given take part in the seed."),
        ),
        Finding(
            distinct == len(flat) and (not crossing or other[0] == long[0]),
            1,
            _("Seed, epoch and index do not run into each other"),
            _("four epochs for each of two seeds: no value twice"),
            _("values that come twice: {count}").format(count=len(flat) - distinct + len(crossing)),
            _(
                "A sum such as `seed + epoch + index` gives epoch 1, index 0 the draw of epoch 0, index 1. Pass a list: `[seed, epoch, index]`."
            ),
        ),
    ]


# ---------------------------------------------------------------- portable


def lengths(start: int) -> list[list[int]]:
    """The batch of lines ``start`` … as it should come: word lengths, padded with -1."""
    rows = [[len(w.encode()) for w in line.split()] for line in text().splitlines()[start : start + BATCH]]
    width = max(map(len, rows))
    return [row + [-1] * (width - len(row)) for row in rows]


def judge_portable(evidence: dict[str, Any]) -> list[Finding]:
    stopped = evidence.get("stopped", "")
    if stopped is None:
        stopped = _("the time limit was reached")
    batches = [lengths(start) for start in range(0, LINES, BATCH)]

    def pickled(part: str) -> tuple[bool, str]:
        error = evidence.get(part, {}).get("error")
        return not stopped and error is None, stopped or error or ""

    dataset, dataset_error = pickled("dataset")
    collate, collate_error = pickled("collate")
    size, file_size = evidence.get("dataset", {}).get("bytes"), len(text().encode())
    spawned = evidence.get("spawn", {})
    if "batches" in spawned:
        equal = sum(a == b for a, b in zip(spawned["batches"], batches, strict=False))
        came = _("right batches: {equal} of {total}").format(equal=equal, total=len(batches))
    else:
        came = stopped or spawned.get("error", "")
    return [
        Finding(
            dataset,
            1,
            _("The Dataset can be pickled, also after an item has been read"),
            _("`pickle.dumps(dataset)` works"),
            dataset_error,
            _(
                "An open file and a lambda cannot be pickled. Leave the file out in `__getstate__`; use a function of the module."
            ),
        ),
        Finding(
            collate,
            1,
            _("The collate function can be pickled"),
            _("`pickle.dumps(make_collate(-1))` works"),
            collate_error,
            _(
                "A function defined inside a function cannot be pickled. `functools.partial` of a module's function can."
            ),
        ),
        Finding(
            bool(evidence.get("closed")),
            1,
            _("No file is open before the workers start"),
            _("open files after `WordLengths(path)`: 0"),
            stopped or _("the file is open in the main process"),
            _(
                "Under `fork` all workers would share one file position. Open the file at the first `__getitem__`, in the worker."
            ),
        ),
        Finding(
            size is not None and size < file_size / 2,
            1,
            _("The text does not travel with the Dataset"),
            _("less than {limit} bytes when pickled").format(limit=number(file_size / 2)),
            dataset_error if size is None else _("{size} bytes").format(size=number(size)),
            _("Keep where the lines start, not the lines: each spawned worker receives a pickled copy."),
        ),
        Finding(
            spawned.get("batches") == batches,
            2,
            _("Two workers started by `spawn` deliver every batch"),
            _("right batches: {equal} of {total}").format(equal=len(batches), total=len(batches)),
            came,
            _(
                "A spawned worker imports your module anew: what the main process put into a global is not there."
            )
            if dataset and collate
            else _("This follows from what failed above."),
        ),
    ]


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["choose_num_workers"],
        points=4,
        difficulty=1,
        minutes=6,
        hints=(
            mark(
                "Do not look for the maximum only: several values may lie within the tolerance. `statistics.median` gives the median of a list."
            ),
            mark(
                "Compute `best = max(medians.values())`, then the smallest key whose median is at least `(1 - tolerance) * best`."
            ),
        ),
        judge=judge_choose,
    ),
    Exercise(
        PROBES["bytes_in_flight"],
        points=3,
        difficulty=1,
        minutes=4,
        hints=(
            mark(
                "Section 4 counted the requests before the first batch. Add the batch that your loop is holding."
            ),
            mark(
                "With `num_workers=0` nothing is prefetched; with workers, `prefetch_factor=None` stands for 2."
            ),
        ),
        judge=judge_flight,
    ),
    Exercise(
        PROBES["StatelessAugment"],
        points=7,
        difficulty=2,
        minutes=8,
        hints=(
            mark(
                "The generator must not outlive one call of `__getitem__`: make it there, from numbers that are the same everywhere."
            ),
            mark("`np.random.default_rng` accepts a list of integers as its seed."),
        ),
        judge=judge_augment,
    ),
    Exercise(
        PROBES["portable"],
        points=6,
        difficulty=3,
        minutes=12,
        hints=(
            mark(
                "Three things here cannot be pickled: an open file, a lambda, and a function defined inside a function."
            ),
            mark(
                "Store the path and set `self.file = None`; open the file in `__getitem__` when it is still `None`; leave it out in `__getstate__`."
            ),
            mark(
                "Write `pad(rows, padding)` at the top of the module and return `functools.partial(pad, padding=padding)`."
            ),
        ),
        judge=judge_portable,
    ),
)
