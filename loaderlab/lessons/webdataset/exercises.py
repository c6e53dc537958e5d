"""The exercises of lesson 6: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Finding, Look, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.webdataset import probes, shuffle_buffer, store
from loaderlab.lessons.webdataset.answer_pictures import dealt
from loaderlab.lessons.webdataset.library import COMMAND, sentence
from loaderlab.lessons.webdataset.probes import DEALT, WRITTEN, digest, named_samples
from loaderlab.lessons.webdataset.shuffle_buffer import shuffled

# ---------------------------------------------------------------- write_shards


def least_bytes(members: Sequence[int]) -> int:
    """How large an archive of members of these sizes has to be: headers, whole blocks, its end, whole records."""
    blocks = sum(512 + -(-size // 512) * 512 for size in members)
    return -(-(blocks + 1024) // 10_240) * 10_240


def shard_names(shards: int) -> list[str]:
    return [f"train-{i:06d}.tar" for i in range(shards)]


def fields_of(count: int) -> list[dict[str, str]]:
    """Return the three fields of each sample, as the probe notes them."""
    return [
        {"bin": digest(image), "cls": str(label), "txt": name} for name, image, label in named_samples(count)
    ]


@dataclass(frozen=True)
class Writing:
    """The files that came of one call, which asked for ``count`` samples in ``shards`` of them."""

    count: int
    shards: int
    files: list[dict[str, Any]]
    raised: str

    @property
    def where(self) -> str:
        return _("{count} samples in {shards} shards").format(count=self.count, shards=self.shards)

    @property
    def samples(self) -> list[dict[str, Any]]:
        return [sample for file in self.files for sample in file["samples"]]

    @property
    def unreadable(self) -> str:
        """Say the fault of the first file that is no archive; "" where all are."""
        return next((file["unreadable"] for file in self.files if "unreadable" in file), "")


def writings(evidence: list[dict[str, Any]]) -> list[Writing]:
    return [
        Writing(count, shards, case["files"], case.get("raised", ""))
        for (count, shards), case in zip(WRITTEN, evidence, strict=True)
    ]


def without_library(evidence: list[dict[str, Any]]) -> Finding | None:
    if "missing" not in evidence[0]:
        return None
    return Finding(False, 0, _("webdataset is installed"), f"`{COMMAND}`", _("not installed"), sentence())


def any_samples(evidence: list[dict[str, Any]], expected: str) -> Iterator[Miss]:
    there = any(writing.samples for writing in writings(evidence))
    yield from expect.true(there, expected, _("no samples"))


def files_and_names(evidence: list[dict[str, Any]]) -> Iterator[Miss]:
    for writing in writings(evidence):
        names, due = [file["name"] for file in writing.files], shard_names(writing.shards)
        if names != due:
            listed = ", ".join(f"`{name}`" for name in names[:6]) or _("no file")
            raised = f"; {writing.raised}" if writing.raised else ""
            asked = ", ".join(f"`{name}`" for name in due)
            yield Miss(f"{writing.where}: {asked}", f"{writing.where}: {listed}{raised}")


def balance(evidence: list[dict[str, Any]]) -> Iterator[Miss]:
    for writing in writings(evidence):
        # How many samples a file has: one `cls` for each, whatever the keys are.
        sizes = [
            sum(field.split(".")[-1] == "cls" for sample in file["samples"] for field in sample["fields"])
            for file in writing.files
        ]
        low, high = writing.count // writing.shards, -(-writing.count // writing.shards)
        whole = len(sizes) == writing.shards and sum(sizes) == writing.count
        if not (whole and set(sizes) <= {low, high}) and not writing.unreadable:
            expected = _("{where}: {low} or {high} in each").format(where=writing.where, low=low, high=high)
            yield Miss(expected, f"{writing.where}: {sizes}")
    yield from any_samples(evidence, _("numbers that differ by at most 1"))


def keys_of(writing: Writing) -> Iterator[Miss]:
    count, found = writing.count, len(writing.samples)
    different = len({sample["key"] for sample in writing.samples})
    words = _("{where}: {found} samples found, {keys} different keys")
    if writing.unreadable or (found, different) != (count, count):
        yield Miss(
            words.format(where=writing.where, found=count, keys=count),
            writing.unreadable or words.format(where=writing.where, found=found, keys=different),
        )


def keys(evidence: list[dict[str, Any]]) -> Iterator[Miss]:
    for writing in writings(evidence):
        yield from keys_of(writing)


def order_and_fields(evidence: list[dict[str, Any]]) -> Iterator[Miss]:
    expected = _("`bin`, `cls` and `txt` of each sample, in the order given")
    for writing in writings(evidence):
        above = [Miss(expected, miss.got, hint=expect.FOLLOWS) for miss in keys_of(writing)]
        came = [sample["fields"] for sample in writing.samples]
        if len(came) == writing.count:
            for place, (found, given) in enumerate(zip(came, fields_of(writing.count), strict=True)):
                if found != given:
                    hint = expect.FOLLOWS if above else ""
                    yield Miss(f"{place}: {given}", f"{place}: {found}", hint=hint)
        yield from above


def bytes_on_disk(evidence: list[dict[str, Any]]) -> Iterator[Miss]:
    words = _("{name}: {size} bytes")
    files = [file for writing in writings(evidence) for file in writing.files]
    for file in files:
        least = least_bytes(file["members"]) if "members" in file else 0
        if file.get("compressed"):
            expected = _("{name}: an uncompressed tar file").format(name=file["name"])
            yield Miss(expected, _("{name}: a compressed file").format(name=file["name"]))
        elif file["size"] > least:
            yield Miss(
                _("{name}: {size} bytes at most").format(name=file["name"], size=number(least)),
                words.format(name=file["name"], size=number(file["size"])),
            )
    yield from expect.true(files, _("at most the size that section 1 computes"), _("no file"))


WRITE_SHARDS = Exercise(
    name="write_shards",
    difficulty=2,
    minutes=10,
    run=probes.probe_write,
    seconds=30.0,
    criteria=(
        Criterion(
            says="There are as many files as asked for, with the right names",
            look=files_and_names,
            hint="`ShardWriter` with `maxcount` may fill too few shards: 9 samples, at most 3 in each, fill 3 and not 4. Write each shard with its own `TarWriter`.",
        ),
        Criterion(
            says="The shards are balanced",
            look=balance,
            hint="Shard `i` gets the samples from `len(samples) * i // shards` to `len(samples) * (i + 1) // shards`.",
        ),
        Criterion(
            says="webdataset finds every sample, each with a key of its own",
            look=keys,
            hint="Make the key from the position in the whole list, in digits; the name goes into the field `txt`.",
            points=2,
        ),
        Criterion(
            says="Every sample comes in its order, with its three fields",
            look=order_and_fields,
            hint="The fields are called `bin`, `cls` and `txt`; what follows a dot in a key becomes part of their names.",
        ),
        Criterion(
            says="No archive is larger than what section 1 computes, and none is compressed",
            look=bytes_on_disk,
            hint="Pass `mtime=0`: a time with fractions of a second needs an extended header for each member. Compress nothing, and close each archive: use `with`.",
        ),
    ),
    prevented=without_library,
)

# ---------------------------------------------------------------- mix


def by_class(classes: int, each: int, rest: int = 0) -> list[int]:
    """Return labels sorted by class, ``each`` of each; with ``rest`` of a last class of its own."""
    return [label for label in range(classes) for _i in range(each)] + [classes] * rest


def buffers(random: Random) -> tuple[list[int], int, float, list[int]]:
    """Draw labels and sizes of a buffer, and a target that one of these just reaches, or just does not."""
    labels, sizes = by_class(random.randint(2, 6), random.randint(12, 40)), random.sample(range(1, 200), 3)
    batch, order = random.randint(2, 12), list(shuffled(labels, sizes[0]))
    counts = [len(set(order[i : i + batch])) for i in range(0, len(order) - batch + 1, batch)]
    return labels, batch, sum(counts) / len(counts) + random.choice((-0.03, 0.03)), sizes


def by_counts(labels: list[int], batch: int, target: float, sizes: list[int]) -> str:
    """Tell a call by the number of its labels: they are too many to be shown."""
    words = _("classes: {classes}, samples of each: {each}, batch {batch}, target {target}, sizes {sizes}")
    counts = Counter(labels)
    return words.format(
        classes=len(counts), each=counts[0], batch=batch, target=number(target, 2), sizes=sizes
    )


MIX = Exercise(
    name="mix",
    difficulty=2,
    minutes=8,
    table=Table(
        {
            "typical": (by_class(8, 100), 32, 5.0, [1, 50, 100, 200, 400, 800]),
            "strict": (by_class(8, 100), 16, 6.5, [100, 200, 400, 600, 800]),
            "unsorted": (by_class(6, 80), 20, 4.0, [480, 60, 240, 120]),
            "little": (by_class(5, 60), 10, 1.0, [1, 10, 100]),
            "impossible": (by_class(8, 50), 8, 7.9, [10, 100, 400]),
            "partial": (by_class(4, 24, rest=2), 32, 3.3, [4, 16, 48, 96]),
            "exact": (by_class(2, 32), 64, 2.0, [1, 8]),
        },
        right=solution(__file__, "mix", data=shuffle_buffer),
        call=by_counts,
    ),
    criteria=(
        Criterion(
            says="The buffer is the smallest one that reaches the target on average",
            cases=("typical", "strict"),
            drawn=buffers,
            hint="For each size: shuffle the labels, count the different classes in each batch, take the mean, compare it with the target.",
        ),
        Criterion(
            says="The sizes may come in any order",
            cases=("unsorted",),
            hint="Look at the sizes from the smallest to the largest: `sorted(sizes)`.",
        ),
        Criterion(
            says="The target is also met when it is reached exactly, and it may be out of reach",
            cases=("little", "exact", "impossible"),
            hint="Compare with `>=`, not `>`; return `None` where no size reaches the target.",
        ),
        Criterion(
            says="Only full batches count",
            cases=("partial",),
            hint="A last batch with fewer samples has fewer classes, and would lower the mean. Leave it out.",
        ),
    ),
)

# ---------------------------------------------------------------- read_better

BATCH = 32
LEAST = 6.0  # classes of a batch, on average
MOST = 400  # images that are read and not yet yielded


def counted(outcome: dict[str, Any]) -> str:
    """Say what came of how many requests."""
    words = _("requests: {requests}, for {came} different images")
    return words.format(requests=outcome["value"]["requests"], came=different(outcome))


def different(outcome: dict[str, Any]) -> int:
    """How many of the store's images came."""
    return len({index for index, _label in outcome["value"]["came"]} - {-1})


def in_the_way(outcome: dict[str, Any]) -> str:
    """Why nothing is to be praised yet: little is better than before, or little came; "" where there is something."""
    if "value" not in outcome:
        return shown(outcome)
    better = outcome["value"]["requests"] <= 1.5 * store.IMAGES and different(outcome) >= store.IMAGES / 2
    return "" if better else counted(outcome)


def few_requests(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Few requests, and not because images are left out."""
    expected = _("requests: at most {most}").format(most=store.SHARDS)
    for outcome in evidence.values():
        if "value" not in outcome:
            yield Miss(expected, shown(outcome))
            continue
        if outcome["value"]["requests"] > store.SHARDS or different(outcome) < store.IMAGES:
            yield Miss(expected, counted(outcome))


def images_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("images: {count}, different: {different}, with a wrong class: {wrong}")
    for outcome in evidence.values():
        expected = words.format(count=store.IMAGES, different=store.IMAGES, wrong=0)
        if problem := in_the_way(outcome):
            yield Miss(expected, problem, hint=expect.FOLLOWS)
            continue
        came = outcome["value"]["came"]
        wrong = sum(label != store.label(index) for index, label in came)
        got = words.format(count=len(came), different=different(outcome), wrong=wrong)
        if got != expected:
            yield Miss(expected, got)


def well_mixed(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Many classes in a batch, and an order that belongs to the seed."""
    expected = _("classes in a batch of {batch}, on average: at least {classes}").format(
        batch=BATCH, classes=number(LEAST)
    )
    for outcome in evidence.values():
        if problem := in_the_way(outcome):
            yield Miss(expected, problem, hint=expect.FOLLOWS)
            continue
        classes = [store.label(index) for index, _label in outcome["value"]["came"]]
        counts = [len(set(classes[i : i + BATCH])) for i in range(0, len(classes) - BATCH + 1, BATCH)]
        found = sum(counts) / max(1, len(counts))
        if found < LEAST:
            words = _("classes in a batch of {batch}, on average: {classes}")
            yield Miss(expected, words.format(batch=BATCH, classes=number(found, 1)))
    if not any(map(in_the_way, evidence.values())):
        first, other = (evidence[name]["value"]["came"] for name in ("seed 0", "seed 1"))
        yield from expect.true(
            first != other,
            _("another order with another seed"),
            _("the same order with the seeds 0 and 1"),
        )


def read_ahead(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Check that memory holds a part of the images only; one shard more is not counted, since some read it as a whole."""
    words = _("images that are read and not yet yielded: {count}")
    for outcome in evidence.values():
        expected = _("images that are read and not yet yielded: at most {most}").format(most=MOST)
        if problem := in_the_way(outcome):
            yield Miss(expected, problem, hint=expect.FOLLOWS)
        elif outcome["value"]["ahead"] > MOST + store.IMAGES // store.SHARDS:
            yield Miss(expected, words.format(count=outcome["value"]["ahead"]))


READ_BETTER = Exercise(
    name="read_better",
    difficulty=2,
    minutes=12,
    run=probes.probe_read,
    criteria=(
        Criterion(
            says="An epoch takes few requests",
            look=few_requests,
            hint="Ask for the shards, with one request for each, and not for the two files of each image.",
            points=2,
        ),
        Criterion(
            says="Each image comes once, with its class",
            look=images_once,
            hint="In a shard, the `bin` and the `cls` of an image follow each other. Pair them, and apply `int` to the second.",
        ),
        Criterion(
            says="The classes are mixed, in another order for each seed",
            look=well_mixed,
            hint="Shuffle the names of the shards with the seed, and send the pairs of all shards through one buffer: a buffer for each shard mixes less.",
            points=2,
        ),
        Criterion(
            says="Memory holds a part of the images only",
            look=read_ahead,
            hint="Yield pairs while there are still shards to read: a list of all images would hold all of them in memory.",
        ),
    ),
)

# ---------------------------------------------------------------- once_each

Batch = list[tuple[int, int]]


@dataclass(frozen=True)
class Deal:
    """The batches of each worker, rank by rank, in one setting of ``DEALT``."""

    counts: Sequence[int]
    batch_size: int
    world: int
    workers: int
    batches: list[list[Batch]]

    @property
    def where(self) -> str:
        return _("shards {counts}, batches of {batch}, ranks: {world}, workers: {workers}").format(
            counts=self.counts, batch=self.batch_size, world=self.world, workers=self.workers
        )

    @property
    def samples(self) -> set[tuple[int, int]]:
        """All that the shards hold."""
        return {(shard, position) for shard, count in enumerate(self.counts) for position in range(count)}

    @property
    def loads(self) -> list[list[int]]:
        """For each rank, how many batches each of its workers makes."""
        counts = [len(batches) for batches in self.batches]
        return [counts[rank * self.workers : (rank + 1) * self.workers] for rank in range(self.world)]

    def right(self) -> list[list[Batch]]:
        """Return batches as they may be: cut evenly, those of a worker one after the other."""
        everything = sorted(self.samples)
        steps = -(-len(everything) // (self.world * self.batch_size))
        cuts = [len(everything) * b // (self.world * steps) for b in range(self.world * steps + 1)]
        made = [everything[begin:end] for begin, end in pairwise(cuts)]
        return [
            made[
                rank * steps + steps * worker // self.workers : rank * steps
                + steps * (worker + 1) // self.workers
            ]
            for rank in range(self.world)
            for worker in range(self.workers)
        ]

    def drawn(self, by_shard: bool) -> Pictures | None:
        """Return the pictures of right batches and of these."""
        right, came = (
            dealt(batches, self.workers, self.samples, by_shard) for batches in (self.right(), self.batches)
        )
        return Pictures(right, came) if right and came else None


def is_pair(thing: Any) -> bool:
    two = isinstance(thing, list) and len(thing) == 2
    return two and all(isinstance(i, int) and not isinstance(i, bool) for i in thing)


def batches_of(outcome: dict[str, Any]) -> list[Batch] | None:
    """Return the batches of one worker where they have the right form."""
    value = outcome.get("value")
    if not isinstance(value, list) or not all(isinstance(batch, list) for batch in value):
        return None
    if not all(is_pair(pair) for batch in value for pair in batch):
        return None
    return [[(shard, position) for shard, position in batch] for batch in value]


def in_each_setting(look: Callable[[Deal], Iterator[Miss]], by_shard: bool = False) -> Look:
    """Return a look at all settings, one by one; what is no list of batches misses whatever is looked for.

    The picture of a miss shows the batches, or ``by_shard`` the shards.
    """

    def looked(evidence: dict[str, Any]) -> Iterator[Miss]:
        for name, setting in DEALT.items():
            made = [batches_of(outcome) for outcome in evidence[name]]
            deal = Deal(*setting, [batches for batches in made if batches is not None])
            for outcome, batches in zip(evidence[name], made, strict=True):
                if batches is None:
                    expected = _("a list of batches, each a list of pairs")
                    yield Miss(expected, f"{shown(outcome)[:300]} · {deal.where}")
            if len(deal.batches) == len(made):
                for miss in look(deal):
                    yield replace(miss, draw=partial(deal.drawn, by_shard))

    return looked


@in_each_setting
def samples_once(deal: Deal) -> Iterator[Miss]:
    came = Counter(sample for batches in deal.batches for batch in batches for sample in batch)
    missing, strange = len(deal.samples - came.keys()), len(came.keys() - deal.samples)
    twice = sum(count > 1 for count in came.values())
    if missing or twice or strange:
        yield Miss(
            _("each of the {count} samples once").format(count=len(deal.samples)),
            _("missing: {missing}, more than once: {twice}, not in the shards: {strange} · {where}").format(
                missing=missing, twice=twice, strange=strange, where=deal.where
            ),
        )


@in_each_setting
def batches_of_ranks(deal: Deal) -> Iterator[Miss]:
    steps = [sum(loads) for loads in deal.loads]
    least = -(-len(deal.samples) // (deal.world * deal.batch_size))
    if set(steps) != {least}:
        yield Miss(
            _("batches of each rank: {steps}").format(steps=least),
            _("batches of the ranks: {steps} · {where}").format(steps=steps, where=deal.where),
        )


@in_each_setting
def batch_sizes(deal: Deal) -> Iterator[Miss]:
    sizes = [len(batch) for batches in deal.batches for batch in batches]
    low, high = min(sizes, default=0), max(sizes, default=0)
    if not 1 <= low <= high <= deal.batch_size:
        yield Miss(
            _("batches of 1 to {size} samples").format(size=deal.batch_size),
            _("batches of {low} to {high} samples · {where}").format(low=low, high=high, where=deal.where),
        )


@partial(in_each_setting, by_shard=True)
def openings(deal: Deal) -> Iterator[Miss]:
    """Check that a worker opens each shard once of which it has samples."""
    opened = sum(len({shard for batch in batches for shard, _p in batch}) for batches in deal.batches)
    most = len(deal.counts) + deal.world * deal.workers - 1
    if opened > most or not any(deal.batches):
        yield Miss(
            _("at most {most} openings").format(most=most),
            _("openings: {openings} · {where}").format(openings=opened, where=deal.where),
        )


@in_each_setting
def batches_of_workers(deal: Deal) -> Iterator[Miss]:
    for loads in deal.loads:
        if max(loads) - min(loads) > 1 or not any(loads):
            yield Miss(
                _("numbers that differ by at most 1"),
                _("batches of the workers of a rank: {loads} · {where}").format(
                    loads=loads, where=deal.where
                ),
            )


ONCE_EACH = Exercise(
    name="once_each",
    difficulty=3,
    minutes=20,
    run=probes.probe_once,
    criteria=(
        Criterion(
            says="Each sample comes exactly once",
            look=samples_once,
            hint="Write all samples down in one list, `(shard, position)`, and cut it into pieces that do not overlap and leave nothing out.",
            points=2,
        ),
        Criterion(
            says="All ranks make the same number of batches, the smallest possible one",
            look=batches_of_ranks,
            hint="The number of batches of a rank follows from the total: samples / (`world` × `batch_size`), rounded up. Cut the samples into that many pieces for each rank.",
        ),
        Criterion(
            says="No batch is empty or too large",
            look=batch_sizes,
            hint="Batch `b` of `n` goes from `samples * b // n` to `samples * (b + 1) // n`: so batch sizes differ by at most 1.",
        ),
        Criterion(
            says="Neighbours stay together, so that workers open few shards",
            look=openings,
            hint="Give each rank, and each worker of it, batches that follow each other, instead of every n-th one.",
        ),
        Criterion(
            says="The workers of a rank share its batches",
            look=batches_of_workers,
            hint="Worker `w` takes the batches of its rank from `steps * w // workers` to `steps * (w + 1) // workers`.",
        ),
    ),
)

EXERCISES = (
    WRITE_SHARDS,
    MIX,
    READ_BETTER,
    ONCE_EACH,
)
