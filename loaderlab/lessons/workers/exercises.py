"""The exercises of lesson 1: what is expected of the evidence that the probes return."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.workers import probes
from loaderlab.lessons.workers.answer_pictures import Load, arriving
from loaderlab.lessons.workers.probes import BATCH, EPOCHS, FAR, ITEMS, LINES, text

# ---------------------------------------------------------------- choose_num_workers


def enough(throughputs: dict[int, list[float]], tolerance: float) -> int:
    medians = {workers: statistics.median(values) for workers, values in throughputs.items()}
    best = max(medians.values())
    return min(workers for workers, median in medians.items() if median >= (1 - tolerance) * best)


TABLES = Cases(probes.TABLES, right=enough)

CHOOSE_NUM_WORKERS = (
    TABLES.criterion(
        mark("The smallest number of workers within the tolerance, not the fastest"),
        ("plateau", "exact"),
        mark(
            "First compute the median of each list, keep those that reach `(1 - tolerance)` × the best median, take the smallest."
        ),
    ),
    TABLES.criterion(
        mark("One lucky repeat does not decide, also where the repeats are even in number"),
        ("outlier", "even", "even_below"),
        mark(
            "A maximum or a mean follows a single high value; the median does not. Of an even number of values it is the mean of the two in the middle."
        ),
    ),
    TABLES.criterion(
        mark("Zero workers may win, and the table may come in any order"),
        ("workers_hurt", "unsorted"),
        mark(
            "Take the smallest of the keys that qualify; do not rely on the order of the dictionary, and do not skip 0."
        ),
    ),
    TABLES.criterion(
        mark("The tolerance is respected"),
        ("strict",),
        mark(
            "Use the argument `tolerance`. With tolerance 0 the best itself must still qualify: `>=`, not `>`."
        ),
    ),
)

# ---------------------------------------------------------------- arrivals


def schedule(
    load_ms: Sequence[float], step_ms: float, num_workers: int, prefetch_factor: int | None
) -> tuple[list[float], list[Load]]:
    """Return when the loop gets each batch, and by whom it is loaded from when to when (ms)."""
    got: list[float] = []
    loads: list[Load] = []
    free: list[float] = [0] * max(1, num_workers)  # without workers the main process is the only one
    ahead = num_workers * (prefetch_factor or 0)
    for batch, load in enumerate(load_ms):
        asked = got[-1] + step_ms if got else 0
        ordered = (got[batch - ahead] if batch >= ahead else 0) if ahead else asked
        loader = batch % len(free)
        begun = max(free[loader], ordered)
        free[loader] = begun + load
        loads.append(Load(loader, begun, free[loader]))
        got.append(max(asked, free[loader]))
    return got, loads


def right_arrivals(*arguments: Any) -> list[float]:
    return schedule(*arguments)[0]


ARRIVALS = Cases(probes.ARRIVALS, right=right_arrivals)


def drawn(case: str, value: Any) -> Pictures | None:
    _load_ms, step_ms, num_workers, _factor = arguments = ARRIVALS.calls.arguments[case]
    got, loads = schedule(*arguments)
    return arriving(loads, step_ms, num_workers, got, value)


arriving_at = partial(ARRIVALS.criterion, draw=drawn)

ARRIVALS_CRITERIA = (
    arriving_at(
        mark("The loop waits only for what is not ready"),
        ("slow_loads", "slow_steps", "two_workers"),
        mark(
            "The loop gets a batch when it has asked for it and a worker has loaded it, the later of the two. It asks when its last step is done."
        ),
    ),
    arriving_at(
        mark("Each worker loads its own batches, and they come in order"),
        ("uneven", "slow_first", "slow_worker"),
        mark(
            "Keep a time for each worker, at which it is free: batch `i` goes to worker `i % num_workers`, also where another one is free earlier."
        ),
    ),
    arriving_at(
        mark("No batch is begun before it is ordered"),
        ("one_ahead", "two_ahead", "four_ahead"),
        mark(
            "With `ahead = num_workers * prefetch_factor`, batch `i` is ordered at the moment at which the loop gets batch `i - ahead`."
        ),
        points=2,
    ),
    arriving_at(
        mark("No workers, no batch, or fewer than are ordered"),
        ("no_workers", "fewer_than_ordered", "no_batch", "no_batch_no_workers"),
        mark("Without workers loads and steps add up. Of an empty list, return an empty list."),
    ),
)

# ---------------------------------------------------------------- StatelessAugment

DIFFERENT = mark("{count} different values")
ROUNDING = 2e-7  # what is left of a rounded number in single precision
COINCIDENCES = 2  # of 2000 and 24 right numbers, of seven digits, three are the same once in a million tries
UNEVEN = 0.07  # of 2000 uniform numbers a share is off by so much once in a hundred million tries


def flat(epochs: list[list[float]]) -> list[float]:
    return [gain for epoch in epochs for gain in epoch]


def rounded(evidence: dict[str, Any]) -> bool:
    """Return whether several numbers are drawn, all of three digits at most, so that few of them differ."""
    many = evidence["many"]
    return len(set(many)) > 1 and all(abs(gain - round(gain, 3)) < ROUNDING for gain in many)


def even(gain: float) -> float:
    """Return the share of numbers that lies below this one, if they are uniform."""
    return min(1.0, max(0.0, (gain - 0.8) / 0.4))


def one_factor_each(evidence: dict[str, Any]) -> Iterator[Miss]:
    drawn, many = flat(evidence["long"]), sorted(evidence["many"])
    yield from expect.true(
        evidence["unchanged"], _("the images as they were"), _("reading an item has changed the images")
    )
    outside = [number(gain, 3) for gain in drawn if not 0.799 <= gain <= 1.201]
    expected = _("`images[index]` times a number between 0.8 and 1.2")
    yield from expect.true(not outside, expected, ", ".join(outside[:3]))
    yield from expect.true(
        evidence["applied"], expected, _("something else than a multiple of `images[index]`")
    )
    yield from expect.true(len(set(drawn)) > 1, expected, _(DIFFERENT).format(count=len(set(drawn))))
    if rounded(evidence):
        words = _("rounded numbers: of {total} only {count} different ones")
        yield Miss(
            expected,
            words.format(total=len(many), count=len(set(many))),
            mark("Do not round what you draw: `rng.uniform(0.8, 1.2)` can give any number between them."),
        )
    if len(set(many)) > len(many) / 2:  # else what follows from that is said elsewhere
        shares = {gain: (i + 0.5) / len(many) for i, gain in enumerate(many)}
        gain = max(shares, key=lambda gain: abs(shares[gain] - even(gain)))
        words = _("numbers below {gain}: {percent}%")
        yield from expect.true(
            abs(shares[gain] - even(gain)) < UNEVEN,
            words.format(gain=number(gain, 2), percent=number(100 * even(gain))),
            words.format(gain=number(gain, 2), percent=number(100 * shares[gain])),
        )


def same_for_any_workers(evidence: dict[str, Any]) -> Iterator[Miss]:
    gains = evidence["gains"]
    expected = _("`num_workers` = 1, 2 and 4 give what `num_workers=0` gives")
    differing = [workers for workers in gains if gains[workers] != gains["0"]]
    # Gains that never change are the same for any number of workers, but nothing was drawn.
    yield from expect.true(len(set(flat(evidence["long"]))) > 1, expected, _(DIFFERENT).format(count=1))
    if differing and all(gains[workers] == gains["0"][:1] * EPOCHS for workers in differing):
        yield Miss(
            _("persistent workers see what `set_epoch` sets"),
            _("in a worker it is always epoch 0"),
            mark(
                "A worker has a copy of the Dataset, made before the first epoch. Only what lies in shared memory reaches it, such as the tensor that the lesson gives."
            ),
        )
    yield from expect.true(
        not differing,
        expected,
        _("other values for `num_workers` = {which}").format(which=", ".join(differing)),
    )


def other_in_each_epoch(evidence: dict[str, Any]) -> Iterator[Miss]:
    first, second = evidence["gains"]["0"]
    if first == second:
        yield Miss(_("other values in epoch 1 than in epoch 0"), _("the same values in both epochs"))


def other_for_each_seed(evidence: dict[str, Any]) -> Iterator[Miss]:
    if evidence["other_seed"][0] == evidence["long"][0]:
        yield Miss(_("other values for seed 8 than for seed 7"), _("the same values for both seeds"))


def other_for_each_index(evidence: dict[str, Any]) -> Iterator[Miss]:
    if not rounded(evidence):  # else some come again by chance
        yield from expect.count(DIFFERENT, len(set(evidence["gains"]["0"][0])), ITEMS)


def no_value_twice(evidence: dict[str, Any]) -> Iterator[Miss]:
    if rounded(evidence):
        return
    drawn, other = flat(evidence["long"]), flat(evidence["other_seed"])
    first, second = evidence["gains"]["0"]  # where they are the same, that is said elsewhere
    crossing = set(drawn) & set(other)
    repeated = len(drawn) - len(set(drawn))
    # A seed that is ignored altogether misses the criterion of its own, not this one too.
    seeded = evidence["other_seed"][0] != evidence["long"][0]
    if repeated or (crossing and seeded):
        yield Miss(
            _("four epochs for each of two seeds: no value twice"),
            _("values that come twice: {count}").format(count=repeated + len(crossing)),
        )
    if first == second:
        return
    epochs = {0: evidence["many"], **dict(zip(FAR, evidence["far"], strict=True))}
    for one, later in combinations(epochs, 2):
        common = len(set(epochs[one]) & set(epochs[later]))
        if common > COINCIDENCES:
            words = _("values of epoch {one} that come again in epoch {other}: {count}")
            yield Miss(
                words.format(one=one, other=later, count=0),
                words.format(one=one, other=later, count=common),
                mark(
                    "With `1000 * epoch + index`, or with both written one after the other, two pairs give the same seed. Pass a list: `[seed, epoch, index]`."
                ),
            )


STATELESS_AUGMENT = (
    Criterion(
        mark("Every image is multiplied by one random number between 0.8 and 1.2"),
        one_factor_each,
        mark("`rng.uniform(0.8, 1.2)` draws one such number."),
    ),
    Criterion(
        mark("The same values for any number of workers"),
        same_for_any_workers,
        mark(
            "What a global generator gives, or one stored on the Dataset, depends on the worker and on what was drawn there before. Make one in `__getitem__`."
        ),
        points=2,
    ),
    Criterion(
        mark("Different for every index"),
        other_for_each_index,
        mark("Let the index take part in the seed."),
    ),
    Criterion(
        mark("Different in every epoch"),
        other_in_each_epoch,
        mark("Let the epoch take part in the seed."),
    ),
    Criterion(
        mark("Different for another seed"),
        other_for_each_seed,
        mark("Let the seed that was given take part in the seed."),
    ),
    Criterion(
        mark("Seed, epoch and index do not run into each other"),
        no_value_twice,
        mark(
            "A sum such as `seed + epoch + index` gives epoch 1, index 0 the draw of epoch 0, index 1. Pass a list: `[seed, epoch, index]`."
        ),
    ),
)

# ---------------------------------------------------------------- portable


def lines(start: int) -> list[str]:
    return text().splitlines()[start : start + BATCH]


def padded(rows: list[list[int]]) -> list[list[int]]:
    width = max(map(len, rows))
    return [row + [-1] * (width - len(row)) for row in rows]


def lengths(start: int) -> list[list[int]]:
    """Return the batch of lines ``start`` … as it should come: word lengths, padded with -1."""
    return padded([[len(word.encode()) for word in line.split()] for line in lines(start)])


def characters(start: int) -> list[list[int]]:
    """Return the same in characters, as text that was decoded has them."""
    return padded([[len(word) for word in line.split()] for line in lines(start)])


def failed(part: str, evidence: dict[str, Any]) -> str:
    """Why this part of the evidence is missing; "" where it is there."""
    return expect.stopped(evidence) or expect.raised(evidence[part])


def dataset_pickled(evidence: dict[str, Any]) -> Iterator[Miss]:
    error = failed("dataset", evidence)
    yield from expect.true(not error, _("`pickle.dumps(dataset)` works"), error)


def collate_pickled(evidence: dict[str, Any]) -> Iterator[Miss]:
    error = failed("collate", evidence)
    yield from expect.true(not error, _("`pickle.dumps(make_collate(-1))` works"), error)


def position_of_its_own(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("open files after `WordLengths(path)`: {count}")
    error = failed("made", evidence)
    if error or evidence["open"]:
        yield Miss(words.format(count=0), error or words.format(count=evidence["open"]))
        return
    expected = _("a process that is forked after `dataset[0]` reads at a position of its own")
    shared = _("it moves the position in the file of the process that it comes from")
    error = failed("read", evidence) or failed("moved", evidence)
    if error or evidence["moved"]["value"]:
        yield Miss(
            expected,
            error or shared,
            mark(
                "Keep the number of the process that opened the file, `os.getpid()`, and open it anew in another one."
            ),
        )


def travels_light(evidence: dict[str, Any]) -> Iterator[Miss]:
    limit = len(text().encode()) / 2
    error = failed("dataset", evidence)
    if error or evidence["dataset"]["value"] >= limit:
        yield Miss(
            _("less than {limit} bytes when pickled").format(limit=number(limit)),
            error or _("{size} bytes").format(size=number(evidence["dataset"]["value"])),
        )


def every_batch_delivered(evidence: dict[str, Any]) -> Iterator[Miss]:
    batches = [lengths(start) for start in range(0, LINES, BATCH)]
    error = failed("spawn", evidence)
    came = [] if error else evidence["spawn"]["value"]
    if came == [characters(start) for start in range(0, LINES, BATCH)]:
        yield Miss(
            _("lengths in bytes"),
            _("lengths in characters"),
            mark("Some letters take two bytes. Read bytes, not text: open the file with the mode `rb`."),
        )
    elif came != batches:
        equal = sum(a == b for a, b in zip(came, batches, strict=False))
        words = _("right batches: {equal} of {total}")
        expected, found = words.format(equal=len(batches), total=len(batches)), error
        if not error:
            found = words.format(equal=equal, total=len(batches))
            right, row = other_row(batches, came)
            if right:
                expected, found = f"{expected} · {right}", f"{found} · {row}"
        follows = error and error in (failed("dataset", evidence), failed("collate", evidence))
        hint = (
            ""
            if error
            else mark(
                "The worker delivers, but other rows. Compare this one with the lengths of the words in its line: no line break counts, and what is missing is filled up with `padding`."
            )
        )
        yield Miss(expected, found, expect.FOLLOWS if follows else hint)


def other_row(batches: list[list[list[int]]], came: list[Any]) -> tuple[str, str]:
    """Return the first row that is not as it should be, and as it came; "" where only their number differs."""
    for batch, other in zip(batches, came, strict=False):
        rows = other if isinstance(other, list) else []
        for right, row in zip(batch, [*rows, *[[]] * len(batch)], strict=False):
            if right != row:
                return repr(right), repr(row)[:100]
    return "", ""


PORTABLE = (
    Criterion(
        mark("The Dataset can be pickled, also after an item has been read"),
        dataset_pickled,
        mark(
            "An open file and a lambda cannot be pickled. Leave the file out in `__getstate__`; use a function of the module."
        ),
    ),
    Criterion(
        mark("The collate function can be pickled"),
        collate_pickled,
        mark(
            "A function defined inside a function cannot be pickled. `functools.partial` of a module's function can."
        ),
    ),
    Criterion(
        mark("No two processes share a position in the file"),
        position_of_its_own,
        mark(
            "Under `fork` all workers would share one file position. Open the file at the first `__getitem__`, in the worker."
        ),
    ),
    Criterion(
        mark("The text does not travel with the Dataset"),
        travels_light,
        mark("Keep where the lines start, not the lines: each spawned worker receives a pickled copy."),
    ),
    Criterion(
        mark("A worker started by `spawn` delivers every batch"),
        every_batch_delivered,
        mark(
            "A spawned worker imports your module anew, and has of the Dataset what `__getstate__` returned: what you left out, or what the main process put into a global, is not there."
        ),
        points=2,
    ),
)

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["choose_num_workers"],
        CHOOSE_NUM_WORKERS,
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
    ),
    Exercise(
        PROBES["arrivals"],
        ARRIVALS_CRITERIA,
        difficulty=2,
        minutes=9,
        hints=(
            mark(
                "Go through the batches in their order. Of each you need three moments: when it is ordered, when its worker has loaded it, when the loop asks for it."
            ),
            mark(
                "A worker begins at `max(free[worker], ordered)`, and the loop gets the batch at `max(asked, free[worker])`."
            ),
        ),
    ),
    Exercise(
        PROBES["StatelessAugment"],
        STATELESS_AUGMENT,
        difficulty=2,
        minutes=8,
        hints=(
            mark(
                "The generator must not outlive one call of `__getitem__`: make it there, from numbers that are the same everywhere."
            ),
            mark("`np.random.default_rng` accepts a list of integers as its seed."),
        ),
    ),
    Exercise(
        PROBES["portable"],
        PORTABLE,
        difficulty=3,
        minutes=12,
        hints=(
            mark(
                "Three things here cannot be pickled: an open file, a lambda, and a function defined inside a function."
            ),
            mark(
                "Store the path and set `self.file = None`; open the file in `__getitem__` when it is still `None`, or when another process (`os.getpid()`) has opened it; leave it out in `__getstate__`."
            ),
            mark(
                "Write `pad(rows, padding)` at the top of the module and return `functools.partial(pad, padding=padding)`."
            ),
        ),
        prevented=expect.starved,
    ),
)
