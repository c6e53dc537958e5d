"""The exercises of lesson 1: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Look, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.workers import probes
from loaderlab.lessons.workers.probes import (
    BATCH,
    EPOCHS,
    FAR,
    ITEMS,
    LINES,
    PASSES,
    ROWS,
    ROWS_OF_A_BATCH,
    text,
)

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
            says="The answer is the smallest number of workers within the tolerance, not the fastest",
            cases=("plateau", "exact"),
            hint=(
                "First compute the median of each list. Keep the numbers of workers whose median reaches `(1 - tolerance)` × "
                "the best median, and take the smallest."
            ),
        ),
        Criterion(
            says="One lucky repeat does not change the answer, also if the number of repeats is even",
            cases=("outlier", "even", "even_below"),
            drawn=measured,
            hint=(
                "A maximum or a mean follows a single high value; the median does not. With an even number of values, the median "
                "is the mean of the two in the middle."
            ),
        ),
        Criterion(
            says="The answer may be 0 workers, and the dictionary may be in any order",
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

# ---------------------------------------------------------------- tensor_loader

MOST = 16  # tensors for a batch: two with rows and labels, some with indices, and not two for each row
NEIGHBOURS = 50  # of 1000 rows in random order, about one comes after the row that lies before it
SIZES = [ROWS_OF_A_BATCH] * (ROWS // ROWS_OF_A_BATCH) + [ROWS % ROWS_OF_A_BATCH]


def epochs_of(evidence: dict[str, Any]) -> list[list[list[int]]]:
    """Return the rows of each batch of each epoch; none where there was an exception."""
    return evidence["epochs"].get("value") or []


def rows_of(epoch: list[list[int]]) -> list[int]:
    return [row for batch in epoch for row in batch]


def came_once(epoch: list[list[int]]) -> int:
    """Return how many rows came exactly once, with their label."""
    times = Counter(rows_of(epoch))
    return sum(times[row] == 1 for row in range(ROWS))


def tensors_of_a_batch(evidence: dict[str, Any]) -> int:
    return -(-evidence["made"] // (len(SIZES) * PASSES))


def nothing_came(evidence: dict[str, Any]) -> str:
    """Why there is nothing to count; "" where rows came."""
    if error := expect.raised(evidence["epochs"]):
        return error
    return "" if any(map(rows_of, epochs_of(evidence))) else _("no row came")


def few_tensors(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("tensors made for each batch: {count}")
    expected = words.format(count=_("at most {count}").format(count=MOST))
    if nothing := nothing_came(evidence):
        yield Miss(expected, nothing, hint=PAIRS)
    elif tensors_of_a_batch(evidence) > MOST:
        yield Miss(expected, words.format(count=tensors_of_a_batch(evidence)))


def no_workers(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("workers: {count}")
    if nothing := nothing_came(evidence):
        yield Miss(words.format(count=0), nothing, hint=expect.FOLLOWS)
    elif evidence["workers"]:
        yield Miss(words.format(count=0), words.format(count=evidence["workers"]))


def of_a_better_one(look: Look) -> Look:
    """Return a look that waits until there is something better about the loader."""

    def first(evidence: dict[str, Any]) -> Iterator[Miss]:
        if evidence["workers"] and tensors_of_a_batch(evidence) > MOST:
            yield Miss(
                _("a loader that makes fewer tensors, or starts no workers"),
                _("a loader that does the same as the given one"),
                hint=expect.FOLLOWS,
            )
        yield from look(evidence)

    return first


def every_row(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("rows that come once, with their label: {rows}")
    expected = words.format(rows=", ".join([str(ROWS)] * PASSES))
    if error := expect.raised(evidence["epochs"]):
        yield Miss(expected, error)
        return
    came = [came_once(epoch) for epoch in epochs_of(evidence)]
    if came != [ROWS] * PASSES:
        hint = USED_UP if came[0] and not came[1] else ""
        yield Miss(expected, words.format(rows=", ".join(map(str, came))), hint=hint)
    for epoch in epochs_of(evidence):
        sizes = [len(batch) for batch in epoch]
        if sizes != SIZES:
            batches = _("batches: {count}, rows of the first and the last one: {first}, {last}")
            yield Miss(
                batches.format(count=len(SIZES), first=SIZES[0], last=SIZES[-1]),
                batches.format(count=len(sizes), first=sizes[0], last=sizes[-1]) if sizes else "–",
                hint=mark(
                    "Cut the list of indices into parts of `batch_size` each; the last part may be shorter."
                ),
            )


def in_new_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("the first rows of two epochs: {rows}")
    expected = _("rows in random order, and in another one in the next epoch")
    orders = list(map(rows_of, epochs_of(evidence)))
    if not all(orders) or not orders:
        yield Miss(expected, expect.raised(evidence["epochs"]) or _("an epoch without rows"), expect.FOLLOWS)
    elif orders[0] == orders[1] or any(
        sum(b - a == 1 for a, b in pairwise(order)) > NEIGHBOURS for order in orders
    ):
        first = " · ".join(", ".join(map(str, order[:5])) + " …" for order in orders)
        yield Miss(expected, words.format(rows=first))


PAIRS = mark(
    "Return something that a `for` loop can go through in every epoch. It gives pairs: rows of `features`, and their labels."
)
USED_UP = mark(
    "A generator ends with the first epoch. A class with `__iter__`, or a `DataLoader`, begins anew."
)

TENSOR_LOADER = Exercise(
    name="tensor_loader",
    difficulty=2,
    minutes=8,
    run=probes.probe_tensors,
    criteria=(
        Criterion(
            says="Few tensors are made for each batch",
            look=few_tensors,
            hint=(
                "Samples that are taken one by one make two tensors for each row. Take the whole batch in one call: "
                "`features[rows], labels[rows]`, with all its indices in `rows`."
            ),
            points=2,
        ),
        Criterion(
            says="No worker is started",
            look=no_workers,
            hint="Sending a batch from a worker takes longer than taking it out of memory: leave `num_workers` at 0.",
        ),
        Criterion(
            says="Every row comes once in each epoch, with its label, in batches of `batch_size`",
            look=of_a_better_one(every_row),
            hint="Index features and labels with the same rows, and keep the last rows, which fill no batch.",
        ),
        Criterion(
            says="The rows come in a new random order in each epoch",
            look=of_a_better_one(in_new_order),
            hint="Shuffle rows, not batches, and shuffle when an epoch begins, not when the loader is made.",
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
    if evidence["item"] != "torch.float32":
        yield Miss(
            _("for `float32` images, an item that is a `float32` tensor"),
            f"`{evidence['item']}`",
            hint="If the gain is a tensor or an array of `float64`, so is the product: draw the gain as a Python number.",
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
    if evidence["moved"]:
        yield Miss(
            _("after an access the global generators are in the same state as before"),
            _("another state: {which}").format(which=", ".join(f"`{name}`" for name in evidence["moved"])),
            hint=(
                "The training loop draws from the global generators, too: if they are seeded in `__getitem__`, dropout gets "
                "the same numbers in each run. Make a generator of your own in this method."
            ),
        )
    differing = [workers for workers in gains if gains[workers] != gains["0"]]
    # Gains that never change are the same for any number of workers, but nothing was drawn.
    yield from expect.true(len(set(flat(evidence["long"]))) > 1, expected, _(DIFFERENT).format(count=1))
    if differing and all(gains[workers] == gains["0"][:1] * EPOCHS for workers in differing):
        yield Miss(
            _("persistent workers see what `set_epoch` sets"),
            _("in a worker it is always epoch 0"),
            hint=(
                "A worker has a copy of the Dataset, made before the first epoch. A later change reaches this copy only "
                "through shared memory, such as the tensor that the lesson gives."
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
            _("in four epochs for each of two seeds, no value comes twice"),
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
                hint=(
                    "With `1000 * epoch + index`, or with epoch and index written one after the other, two different pairs "
                    "give the same seed. Pass a list: `[seed, epoch, index]`."
                ),
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
            says="The values are the same for any number of workers",
            look=same_for_any_workers,
            hint=(
                "If a generator is global or stored on the Dataset, its numbers depend on the worker and on what was drawn "
                "there before. Make a generator in `__getitem__`."
            ),
            points=2,
        ),
        Criterion(
            says="The values differ from index to index",
            look=other_for_each_index,
            hint="Make the index a part of the seed.",
        ),
        Criterion(
            says="The values differ from epoch to epoch",
            look=other_in_each_epoch,
            hint="Make the epoch a part of the seed.",
        ),
        Criterion(
            says="The values differ from seed to seed",
            look=other_for_each_seed,
            hint="Make the given seed a part of the generator's seed.",
        ),
        Criterion(
            says="Each combination of seed, epoch and index has a value of its own",
            look=no_value_twice,
            hint=(
                "With a sum such as `seed + epoch + index`, index 0 of epoch 1 gets the same draw as index 1 of epoch 0. Pass "
                "a list: `[seed, epoch, index]`."
            ),
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
    shared = _("the forked process moves the position in its parent's file")
    error = failed("read", evidence) or failed("moved", evidence)
    if error or evidence["moved"]["value"]:
        yield Miss(
            expected,
            error or shared,
            hint="Keep the number of the process that opened the file, `os.getpid()`, and open the file anew in any other process.",
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
                "The worker delivers rows, but wrong ones. Compare the first wrong row with the lengths of the words in its "
                "line: the line break does not count, and shorter rows are filled up with `padding`."
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
            hint=(
                "An open file and a lambda cannot be pickled. Leave the file out in `__getstate__`; replace the lambda by a "
                "function of the module."
            ),
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
            says="The text is not pickled with the Dataset",
            look=travels_light,
            hint="Keep the positions where the lines start, not the lines: each spawned worker receives a pickled copy.",
        ),
        Criterion(
            says="A worker started by `spawn` delivers every batch",
            look=every_batch_delivered,
            hint=(
                "A spawned worker imports your module anew, and its Dataset has only what `__getstate__` returned. The worker "
                "has nothing that you left out there, and nothing that the main process put into a global."
            ),
            points=2,
        ),
    ),
    prevented=expect.starved,
)

EXERCISES = (
    CHOOSE_NUM_WORKERS,
    TENSOR_LOADER,
    STATELESS_AUGMENT,
    PORTABLE,
)
