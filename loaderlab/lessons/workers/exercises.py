"""The exercises of lesson 1: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.workers import probes
from loaderlab.lessons.workers.answer_pictures import Load, arriving
from loaderlab.lessons.workers.probes import BATCH, EPOCHS, FAR, ITEMS, LINES, text

# ---------------------------------------------------------------- choose_num_workers


def measured(random: Random) -> tuple[dict[int, list[float]], float]:
    """Draw what was measured with some numbers of workers, and a tolerance."""
    repeats, top = random.choice((1, 1, 2, 3, 4)), random.choice((2, 20, 900)) * random.uniform(0.5, 1)
    table = {
        workers: [round(top * random.uniform(0.8, 1.2), 3) for _repeat in range(repeats)]
        for workers in random.sample(range(17), random.randint(1, 6))
    }
    return table, random.choice((0.0, 0.01, 0.05, 0.2))


CHOOSE_NUM_WORKERS = Exercise(
    name="choose_num_workers",
    difficulty=1,
    minutes=6,
    table=Table(
        {
            "plateau": (
                {
                    0: [101, 99, 100],
                    1: [98, 97, 99],
                    2: [192, 195, 193],
                    4: [198, 201, 199],
                    8: [200, 203, 202],
                },
                0.05,
            ),
            "outlier": ({1: [100, 101, 99], 2: [150, 151, 400], 4: [196, 198, 197]}, 0.05),
            "workers_hurt": ({0: [900, 910, 905], 1: [250, 260, 255], 2: [300, 310, 305]}, 0.05),
            "unsorted": ({8: [300, 301, 299], 4: [299, 300, 298], 2: [180, 181, 179]}, 0.05),
            "even": ({1: [94, 98], 2: [101, 99], 4: [100, 100]}, 0.05),
            "even_below": ({1: [90, 96], 2: [101, 99], 4: [100, 100]}, 0.05),
            "exact": ({1: [95, 95, 95], 2: [100, 100, 100]}, 0.05),
            "strict": ({1: [96, 97, 96], 2: [99, 100, 99], 4: [100, 100, 101]}, 0.0),
        },
        right=solution(__file__, "choose_num_workers"),
    ),
    criteria=(
        Criterion(
            says="The smallest number of workers within the tolerance, not the fastest",
            cases=("plateau", "exact"),
            hint="First compute the median of each list, keep those that reach `(1 - tolerance)` × the best median, take the smallest.",
        ),
        Criterion(
            says="One lucky repeat does not decide, also where the repeats are even in number",
            cases=("outlier", "even", "even_below"),
            drawn=measured,
            hint="A maximum or a mean follows a single high value; the median does not. Of an even number of values it is the mean of the two in the middle.",
        ),
        Criterion(
            says="Zero workers may win, and the table may come in any order",
            cases=("workers_hurt", "unsorted"),
            hint="Take the smallest of the keys that qualify; do not rely on the order of the dictionary, and do not skip 0.",
        ),
        Criterion(
            says="The tolerance is respected",
            cases=("strict",),
            hint="Use the argument `tolerance`. With tolerance 0 the best itself must still qualify: `>=`, not `>`.",
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


def pictures(setting: tuple[Any, ...], value: Any) -> Pictures | None:
    got, loads = schedule(*setting)
    return arriving(loads, setting[1], setting[2], got, value)


def setting(random: Random) -> tuple[list[float], float, int, int | None]:
    """Draw what each batch takes to load, a step, workers, and what each of them loads ahead."""
    loads = [round(random.uniform(1, 90), 1) for _batch in range(random.randint(1, 12))]
    workers = random.randint(0, 4)
    return loads, round(random.uniform(1, 60), 1), workers, random.randint(1, 3) if workers else None


ARRIVALS = Exercise(
    name="arrivals",
    difficulty=2,
    minutes=9,
    table=Table(
        {
            # So much is ordered at once that only loads and steps decide.
            "slow_loads": ([20, 20, 20, 20], 10, 1, 8),
            "slow_steps": ([20, 20, 20, 20], 35, 1, 8),
            "two_workers": ([20, 20, 20, 20, 20], 8, 2, 4),
            # A worker that is free would take another's batch, and a batch that is ready would be first.
            "uneven": ([30, 10, 20, 30, 10, 20, 30], 4, 3, 3),
            "slow_first": ([50, 10, 10, 10], 5, 2, 2),
            "slow_worker": ([40, 10, 40, 10, 40, 10, 40, 10], 5, 2, 4),
            # Ordered late.
            "one_ahead": ([10, 40, 10, 40], 30, 1, 1),
            "two_ahead": ([10, 10, 10, 60, 10, 60], 20, 2, 1),
            "four_ahead": ([10, 10, 10, 10, 10, 10, 120, 120, 10, 10], 15, 2, 2),
            "no_workers": ([20, 10, 30], 15, 0, None),
            "fewer_than_ordered": ([10, 20], 5, 4, 2),
            "no_batch": ([], 10, 2, 2),
            "no_batch_no_workers": ([], 10, 0, None),
        },
        right=solution(__file__, "arrivals"),
        rel=1e-9,
    ),
    criteria=(
        Criterion(
            says="The loop waits only for what is not ready",
            cases=("slow_loads", "slow_steps", "two_workers"),
            hint="The loop gets a batch when it has asked for it and a worker has loaded it, the later of the two. It asks when its last step is done.",
            draw=pictures,
        ),
        Criterion(
            says="Each worker loads its own batches, and they come in order",
            cases=("uneven", "slow_first", "slow_worker"),
            hint="Keep a time for each worker, at which it is free: batch `i` goes to worker `i % num_workers`, also where another one is free earlier.",
            draw=pictures,
        ),
        Criterion(
            says="No batch is begun before it is ordered",
            cases=("one_ahead", "two_ahead", "four_ahead"),
            drawn=setting,
            hint="With `ahead = num_workers * prefetch_factor`, batch `i` is ordered at the moment at which the loop gets batch `i - ahead`.",
            points=2,
            draw=pictures,
        ),
        Criterion(
            says="No workers, no batch, or fewer than are ordered",
            cases=("no_workers", "fewer_than_ordered", "no_batch", "no_batch_no_workers"),
            hint="Without workers loads and steps add up. Of an empty list, return an empty list.",
            draw=pictures,
        ),
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
            hint="Do not round what you draw: `rng.uniform(0.8, 1.2)` can give any number between them.",
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
            hint="A worker has a copy of the Dataset, made before the first epoch. Only what lies in shared memory reaches it, such as the tensor that the lesson gives.",
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
                hint="With `1000 * epoch + index`, or with both written one after the other, two pairs give the same seed. Pass a list: `[seed, epoch, index]`.",
            )


STATELESS_AUGMENT = Exercise(
    name="StatelessAugment",
    difficulty=2,
    minutes=8,
    run=probes.probe_augment,
    kind="class",
    parts=("__getitem__",),
    criteria=(
        Criterion(
            says="Every image is multiplied by one random number between 0.8 and 1.2",
            look=one_factor_each,
            hint="`rng.uniform(0.8, 1.2)` draws one such number.",
        ),
        Criterion(
            says="The same values for any number of workers",
            look=same_for_any_workers,
            hint="What a global generator gives, or one stored on the Dataset, depends on the worker and on what was drawn there before. Make one in `__getitem__`.",
            points=2,
        ),
        Criterion(
            says="Different for every index",
            look=other_for_each_index,
            hint="Let the index take part in the seed.",
        ),
        Criterion(
            says="Different in every epoch",
            look=other_in_each_epoch,
            hint="Let the epoch take part in the seed.",
        ),
        Criterion(
            says="Different for another seed",
            look=other_for_each_seed,
            hint="Let the seed that was given take part in the seed.",
        ),
        Criterion(
            says="Seed, epoch and index do not run into each other",
            look=no_value_twice,
            hint="A sum such as `seed + epoch + index` gives epoch 1, index 0 the draw of epoch 0, index 1. Pass a list: `[seed, epoch, index]`.",
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
            hint="Keep the number of the process that opened the file, `os.getpid()`, and open it anew in another one.",
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
            hint="Some letters take two bytes. Read bytes, not text: open the file with the mode `rb`.",
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
        yield Miss(expected, found, hint=expect.FOLLOWS if follows else hint)


def other_row(batches: list[list[list[int]]], came: list[Any]) -> tuple[str, str]:
    """Return the first row that is not as it should be, and as it came; "" where only their number differs."""
    for batch, other in zip(batches, came, strict=False):
        rows = other if isinstance(other, list) else []
        for right, row in zip(batch, [*rows, *[[]] * len(batch)], strict=False):
            if right != row:
                return repr(right), repr(row)[:100]
    return "", ""


PORTABLE = Exercise(
    name="portable",
    difficulty=3,
    minutes=12,
    run=probes.probe_portable,
    kind="file",
    seconds=70.0,
    parts=probes.PARTS,
    criteria=(
        Criterion(
            says="The Dataset can be pickled, also after an item has been read",
            look=dataset_pickled,
            hint="An open file and a lambda cannot be pickled. Leave the file out in `__getstate__`; use a function of the module.",
        ),
        Criterion(
            says="The collate function can be pickled",
            look=collate_pickled,
            hint="A function defined inside a function cannot be pickled. `functools.partial` of a module's function can.",
        ),
        Criterion(
            says="No two processes share a position in the file",
            look=position_of_its_own,
            hint="Under `fork` all workers would share one file position. Open the file at the first `__getitem__`, in the worker.",
        ),
        Criterion(
            says="The text does not travel with the Dataset",
            look=travels_light,
            hint="Keep where the lines start, not the lines: each spawned worker receives a pickled copy.",
        ),
        Criterion(
            says="A worker started by `spawn` delivers every batch",
            look=every_batch_delivered,
            hint="A spawned worker imports your module anew, and has of the Dataset what `__getstate__` returned: what you left out, or what the main process put into a global, is not there.",
            points=2,
        ),
    ),
    prevented=expect.starved,
)

EXERCISES = (
    CHOOSE_NUM_WORKERS,
    ARRIVALS,
    STATELESS_AUGMENT,
    PORTABLE,
)
