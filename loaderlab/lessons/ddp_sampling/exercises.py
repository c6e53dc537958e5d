"""The exercises of lesson 7: what is expected of the evidence that the probes return."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.calls import Calls
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import shown
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.ddp_sampling import answer_pictures, probes
from loaderlab.lessons.ddp_sampling.probes import FEW, SETTINGS, lengths_of
from loaderlab.lessons.ddp_sampling.sampling import orders

# ---------------------------------------------------------------- coverage


def epoch(random: Random) -> tuple[int, int, int, bool, bool]:
    """Draw samples, ranks and a batch size, and who drops."""
    length = random.choice((random.randint(1, 12), random.randint(13, 300)))
    return length, random.randint(1, 9), random.randint(1, 20), random.random() < 0.5, random.random() < 0.5


COVERAGE = Exercise(
    name="coverage",
    difficulty=1,
    minutes=8,
    table=Table(
        {
            "padded": (10, 4, 2, False, False),
            "padded_more": (1001, 8, 16, False, False),
            "few": (3, 8, 4, False, False),
            "very_few": (2, 7, 1, False, False),
            "even": (12, 4, 5, False, False),
            "one": (5, 1, 2, False, False),
            "dropped": (10, 4, 2, True, False),
            "dropped_more": (1007, 8, 16, True, False),
            "few_dropped": (3, 8, 4, True, False),
            "one_dropped": (5, 1, 2, True, False),
            "even_cut": (12, 4, 2, True, True),
            "both_drop": (1002, 4, 64, True, True),
            "few_cut": (7, 2, 4, True, True),
            "one_cut": (5, 1, 2, True, True),
            "padded_cut": (1002, 4, 64, False, True),
            "padded_whole": (1002, 4, 251, False, True),
            "nothing_lost": (12, 4, 3, False, True),
        },
        right=solution(__file__, "coverage"),
    ),
    criteria=(
        Criterion(
            says="Padding repeats samples and loses none",
            cases=("padded", "padded_more", "few", "very_few", "even", "one"),
            hint="Every rank gets the length divided by the ranks, rounded up. How many indices are that in all?",
        ),
        Criterion(
            says="The sampler drops what does not divide by the ranks, and repeats none",
            cases=("dropped", "dropped_more", "few_dropped", "one_dropped"),
            hint="Every rank gets the length divided by the ranks, rounded down. What remains is lost.",
        ),
        Criterion(
            says="The loader drops the incomplete batch of each rank",
            cases=("even_cut", "both_drop", "few_cut", "one_cut"),
            hint="Of what the sampler gives to a rank, only whole batches arrive; and this happens on every rank.",
        ),
        Criterion(
            says="With padding and a loader that drops, repetitions may be dropped as well",
            cases=("padded_cut", "padded_whole", "nothing_lost"),
            drawn=epoch,
            hint="The repetitions come last. Count what arrives on all ranks together, and compare it with the length.",
        ),
    ),
)

# ---------------------------------------------------------------- DistributedBucketSampler

ALL_SETTINGS = {"few": FEW, **SETTINGS}  # the one that can be drawn comes first
WASTE = 0.5  # of the padding that random batches have
TREND = 0.6  # steps in random order stay below 0.55
SAME = 0.5  # share of batches that may come again


def waste(steps: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """Share of padding: of each group every sample is padded to the longest of its group."""
    padded = sum(max(lengths[i] for i in group) * len(group) for group in steps if group)
    return 1 - sum(lengths[i] for group in steps for i in group) / padded if padded else 0.0


def _random_waste(name: str, lengths: list[int]) -> float:
    samples, size, ranks = SETTINGS[name]
    indices = Random(0).sample(range(samples), samples)
    group = size * ranks
    return waste([indices[k : k + group] for k in range(0, samples, group)], lengths)


def steps_of(batches: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """Return all samples that the ranks together compute in each step."""
    return [[index for batch in step for index in batch] for step in zip(*batches, strict=False)]


def order_follows_length(steps: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """How strongly the longest sample of a step grows or falls over the epoch: 0 not at all, 1 always."""
    tops = [max(lengths[i] for i in step) for step in steps]
    pairs = [(a, b) for k, a in enumerate(tops) for b in tops[k + 1 :] if a != b]
    return abs(sum(1 if a < b else -1 for a, b in pairs)) / max(1, len(pairs))


def batches_in(evidence: dict[str, Any], name: str) -> list[list[list[int]]]:
    """Return the batches of each rank."""
    found: list[list[list[int]]] = evidence[name]["value"]["batches"]
    return found


def no_value(outcome: dict[str, Any]) -> str:
    """Why an :func:`attempt` returned nothing to look at; "" where it did."""
    return "" if "value" in outcome else shown(outcome)


def unusable(evidence: dict[str, Any], *names: str) -> str:
    """Why the first of these has no batches to look at; "" where all have."""
    for name in names:
        if problem := no_value(evidence[name]):
            return problem
        samples = ALL_SETTINGS.get(name, SETTINGS["even"])[0]
        if any(not 0 <= i < samples for rank in batches_in(evidence, name) for batch in rank for i in batch):
            return _("an index that does not exist")
    return ""


def bucketed(samples: int, size: int, ranks: int) -> list[list[list[int]]]:
    """Return batches of each rank as they may be: sorted by length in pools of 8 steps, the steps shuffled."""
    rng, lengths, step = Random(0), lengths_of(samples), size * ranks
    order = rng.sample(range(samples), samples)
    total = math.ceil(samples / step) * step
    padded = (order * math.ceil(total / samples))[:total]
    pools = [padded[k : k + 8 * step] for k in range(0, total, 8 * step)]
    ordered = [index for pool in pools for index in sorted(pool, key=lengths.__getitem__)]
    groups = [ordered[k : k + step] for k in range(0, total, step)]
    rng.shuffle(groups)
    return [[group[rank * size : (rank + 1) * size] for group in groups] for rank in range(ranks)]


def drawn_ranks(batches: list[list[list[int]]]) -> Pictures | None:
    """Return the pictures of the samples of each rank, in the setting with few samples."""
    right, came = (answer_pictures.ranks(each, FEW[0], FEW[1]) for each in (bucketed(*FEW), batches))
    return Pictures(right, came) if right and came else None


def drawn_steps(name: str, batches: list[list[list[int]]]) -> Pictures | None:
    """Return the pictures of the lengths in each step of a setting."""
    lengths = lengths_of(SETTINGS[name][0])
    right, came = (
        answer_pictures.steps(steps_of(each), lengths) for each in (bucketed(*SETTINGS[name]), batches)
    )
    return Pictures(right, came) if right and came else None


def number_of_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Whole batches, the same number on every rank, and as many as `len` says."""
    for name, (samples, size, ranks) in ALL_SETTINGS.items():
        count = math.ceil(samples / (size * ranks))
        expected = _("samples {samples}, batch size {size}, ranks {ranks}: batches per rank {count}").format(
            samples=samples, size=size, ranks=ranks, count=count
        )
        if problem := unusable(evidence, name):
            yield Miss(expected, problem)
            continue
        batches, told = batches_in(evidence, name), evidence[name]["value"]["len"]
        counts, sizes = [len(rank) for rank in batches], {len(batch) for rank in batches for batch in rank}
        if counts != [count] * ranks or told != counts or sizes != {size}:
            words = _("batches per rank {counts}, `len` {lens}, samples in a batch {sizes}")
            yield Miss(
                expected,
                words.format(counts=counts, lens=told, sizes=sorted(sizes)),
                draw=partial(drawn_ranks, batches) if name == "few" else None,
            )


def samples_seen(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Every sample, and none more often than the padding needs."""
    words = _("different samples {samples}, repeated {again}, one sample at most {most} times")
    for name, (samples, size, ranks) in ALL_SETTINGS.items():
        total = math.ceil(samples / (size * ranks)) * size * ranks
        at_most = math.ceil(total / samples)
        expected = words.format(samples=samples, again=total - samples, most=at_most)
        if problem := unusable(evidence, name):
            yield Miss(expected, problem)
            continue
        batches = batches_in(evidence, name)
        seen = Counter(index for rank in batches for batch in rank for index in batch)
        drawn, most = sum(seen.values()), max(seen.values(), default=0)
        if len(seen) != samples or drawn != total or most > at_most:
            yield Miss(
                expected,
                words.format(samples=len(seen), again=drawn - len(seen), most=most),
                draw=partial(drawn_ranks, batches) if name == "few" else None,
            )


def padding(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Little of it in what the ranks compute at the same time."""
    for name in ("even", "odd"):
        lengths = lengths_of(SETTINGS[name][0])
        limit = WASTE * _random_waste(name, lengths)
        expected = _("padding: at most {share}% of all positions").format(share=number(100 * limit, 1))
        if problem := unusable(evidence, name):
            yield Miss(expected, problem)
            continue
        share = waste(steps_of(batches_in(evidence, name)), lengths)
        if share > limit:
            got = _("padding: {share}% of all positions").format(share=number(100 * share, 1))
            yield Miss(expected, got, draw=partial(drawn_steps, name, batches_in(evidence, name)))


def order_of_steps(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Check that it is not the order of lengths."""
    expected = _("no trend from short to long over the epoch, nor the other way round")
    if problem := unusable(evidence, "even"):
        yield Miss(expected, problem)
        return
    trend = order_follows_length(steps_of(batches_in(evidence, "even")), lengths_of(SETTINGS["even"][0]))
    if trend >= TREND:
        words = _("pairs of steps that are ordered by length, more than in the other direction: {share}%")
        drawn = partial(drawn_steps, "even", batches_in(evidence, "even"))
        yield Miss(expected, words.format(share=number(100 * trend)), draw=drawn)


def come_again(evidence: dict[str, Any], first: str, other: str) -> float:
    """Return the share of the batches of one pass that are in another one, too."""
    one, two = (
        {frozenset(batch) for rank in batches_in(evidence, name) for batch in rank} for name in (first, other)
    )
    return len(one & two) / max(1, len(one))


def other_batches(pairs: Sequence[tuple[str, str, str]], evidence: dict[str, Any]) -> Iterator[Miss]:
    """Few batches are the same in another pass."""
    expected = _("at most half of the batches come again")
    if problem := unusable(evidence, *dict.fromkeys(name for *both, _words in pairs for name in both)):
        yield Miss(expected, problem)
        return
    for first, other, words in pairs:
        same = come_again(evidence, first, other)
        if same > SAME:
            yield Miss(expected, _(words).format(share=number(100 * same)))


other_in_each_epoch = partial(
    other_batches,
    (
        ("even", "epoch", mark("batches of epoch 0 that come again in epoch 1: {share}%")),
        ("even", "later", mark("batches of epoch 0 that come again in epoch 2: {share}%")),
        ("epoch", "later", mark("batches of epoch 1 that come again in epoch 2: {share}%")),
    ),
)
other_for_each_seed = partial(
    other_batches, (("even", "seed", mark("batches of seed 0 that come again with seed 5: {share}%")),)
)


def same_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Again for the same seed and epoch, also with the same object, and not because they never change."""
    expected = _("epoch 0 twice: the same batches")
    if problem := unusable(evidence, "even", "again", "epoch", "seed") or no_value(evidence["returning"]):
        yield Miss(expected, problem)
        return
    first, _other_epoch, third = evidence["returning"]["value"]
    if batches_in(evidence, "even") != batches_in(evidence, "again") or first != third:
        yield Miss(expected, _("epoch 0 twice: other batches"))
    elif all(batches_in(evidence, "even") == batches_in(evidence, name) for name in ("epoch", "seed")):
        yield Miss(expected, _("the same batches in each epoch and for each seed"), hint=expect.FOLLOWS)


DISTRIBUTED_BUCKET_SAMPLER = Exercise(
    name="DistributedBucketSampler",
    difficulty=3,
    minutes=30,
    run=probes.probe_bucket,
    kind="class",
    seconds=20.0,
    parts=("__len__", "__iter__"),
    criteria=(
        Criterion(
            says="Each rank has the same number of whole batches, and `len` says how many",
            look=number_of_batches,
            hint="Pad the list of indices to a multiple of batch size × ranks before you cut it; `len` is the length divided by that, rounded up.",
        ),
        Criterion(
            says="All ranks together see every sample, and only the padding comes again",
            look=samples_seen,
            hint="Fill up one common list from its own beginning. Then rank `r` takes its part of every step, and no part is taken by two ranks.",
            points=2,
        ),
        Criterion(
            says="What the ranks compute in the same step has similar lengths",
            look=padding,
            hint="Sort by length within a pool of some steps, then cut the pool into steps, and each step into the batches of the ranks.",
            points=2,
        ),
        Criterion(
            says="Long and short batches come in mixed order",
            look=order_of_steps,
            hint="After cutting, shuffle the steps as a whole, in the same order on every rank.",
        ),
        Criterion(
            says="Other batches in every epoch",
            look=other_in_each_epoch,
            hint="Shuffle all indices with a generator made from seed and epoch, before you sort within pools.",
            points=2,
        ),
        Criterion(
            says="Other batches for every seed",
            look=other_for_each_seed,
            hint="Let the seed that was given take part in the seed of the generator.",
        ),
        Criterion(
            says="The same seed and epoch give the same batches again",
            look=same_batches,
            hint="Make a new generator in `__iter__`; a stored or a global one is in another state each time.",
        ),
    ),
)

# ---------------------------------------------------------------- assign_shards


SIZES: dict[str, tuple[list[int], int, int]] = {
    "equal": ([100] * 8, 4, 10),
    "remainder": ([100] * 10, 4, 10),
    "one_each": ([100] * 7, 7, 16),
    "sizes": ([90, 10, 80, 20, 70, 30, 60, 40], 4, 10),
    "ascending": ([10, 20, 30, 40, 50, 60, 70, 80, 90], 3, 8),
    "one_large": ([400, 100, 100, 100, 100, 50, 50], 3, 16),
    "incomplete": ([33, 33, 33, 33], 2, 8),
    "single": ([25, 5], 1, 8),
}
TOO_FEW = ([100] * 7, 8, 10)


def best(sizes: Sequence[int], ranks: int) -> int:
    """Return the samples of the busiest rank in the best of all assignments."""
    loads = {(0,) * ranks}  # in order, since ranks are alike: that leaves few
    for size in sizes:
        loads = {
            tuple(sorted((*load[:rank], load[rank] + size, *load[rank + 1 :])))
            for load in loads
            for rank in range(ranks)
        }
    return min(map(max, loads))


def assigned(evidence: dict[str, Any], name: str) -> list[list[int]] | None:
    """Return the shards of each rank, where the answer has that form."""
    found = evidence[name].get("value")
    if not isinstance(found, list) or len(found) != 2 or not isinstance(found[0], list):
        return None
    if not all(isinstance(part, list) for part in found[0]):
        return None
    known, shards = range(len(SIZES[name][0])), [shard for part in found[0] for shard in part]
    right = all(isinstance(i, int) and not isinstance(i, bool) and i in known for i in shards)
    return found[0] if right else None


def samples_of_ranks(evidence: dict[str, Any], name: str) -> list[int]:
    """By the learner's own assignment; none where it has not that form."""
    sizes = SIZES[name][0]
    return [sum(sizes[shard] for shard in part) for part in assigned(evidence, name) or []]


def came(outcome: dict[str, Any], sizes: Sequence[int], ranks: int, size: int) -> str:
    return f"{shown(outcome)} · `assign_shards({sizes}, {ranks}, {size})`"


def shards_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, (sizes, ranks, size) in SIZES.items():
        parts = assigned(evidence, name) or []
        every = sorted(shard for part in parts for shard in part) == list(range(len(sizes)))
        if len(parts) != ranks or not all(parts) or not every:
            words = _("each of the shards 0 to {last} once, in {ranks} lists")
            yield Miss(
                words.format(last=len(sizes) - 1, ranks=ranks),
                came(evidence[name], sizes, ranks, size),
                hint=mark("Name a shard by its place in `sizes`, from 0 on, not by its size.")
                if assigned(evidence, name) is None and "value" in evidence[name]
                else "",
            )


def busiest_rank(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, (sizes, ranks, size) in SIZES.items():
        most = best(sizes, ranks) * 11 // 10
        samples = max(samples_of_ranks(evidence, name), default=0)
        if assigned(evidence, name) is None or samples > most:
            words = _("samples of the busiest rank: at most {most}")
            yield Miss(words.format(most=most), came(evidence[name], sizes, ranks, size))


def steps_of_busiest(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Return the consequences of the learner's own assignment."""
    for name, (sizes, ranks, size) in SIZES.items():
        samples = max(samples_of_ranks(evidence, name), default=best(sizes, ranks))
        steps = math.ceil(samples / size)
        told = None if assigned(evidence, name) is None else evidence[name]["value"][1]
        if isinstance(told, bool) or told != steps:
            words = _("steps: {steps}, for your shards")
            yield Miss(words.format(steps=steps), came(evidence[name], sizes, ranks, size))


def refusal(evidence: dict[str, Any]) -> Iterator[Miss]:
    outcome = evidence["too_few"]
    refused = outcome.get("raised", "").startswith("ValueError")
    yield from expect.true(refused, "`ValueError`", came(outcome, *TOO_FEW))


ASSIGN_SHARDS = Exercise(
    name="assign_shards",
    difficulty=2,
    minutes=8,
    run=Calls({**SIZES, "too_few": TOO_FEW}).probe,
    criteria=(
        Criterion(
            says="Every shard belongs to exactly one rank",
            look=shards_once,
            hint="`len(sizes) // ranks` forgets the remainder. Go through all shards, and give each one to a rank.",
            points=2,
        ),
        Criterion(
            says="No rank has more to do than it must",
            look=busiest_rank,
            hint="Take the shards from the largest to the smallest, and give each to the rank with fewest samples so far.",
        ),
        Criterion(
            says="All ranks take as many steps as the busiest one needs",
            look=steps_of_busiest,
            hint="Divide the samples of the busiest rank by the batch size, and round up: else samples are lost.",
            points=2,
        ),
        Criterion(
            says="Fewer shards than ranks: a `ValueError`",
            look=refusal,
            hint="A rank without a shard has no step to take. Raise the error before you assign anything.",
        ),
    ),
)

# ---------------------------------------------------------------- resume_at


CALLS: dict[str, tuple[int, ...]] = {
    "middle": (2, 40, 4, 2, 0),
    "other_rank": (3, 40, 4, 2, 1),
    "later_epoch": (7, 40, 4, 2, 0),
    "late": (23, 41, 4, 2, 1),
    "seeded": (6, 40, 4, 2, 1, 7),
    "start": (0, 24, 4, 2, 0),
    "boundary": (5, 40, 4, 2, 0),
    "second_boundary": (10, 40, 4, 2, 1),
    "incomplete": (2, 30, 4, 3, 2),
    "padded": (1, 22, 4, 4, 3),
    "whole_and_incomplete": (1, 30, 4, 3, 1),
}


def run(random: Random) -> tuple[int, ...]:
    """Draw steps that are done, samples for all ranks, a batch size, ranks, one of them, and a seed."""
    ranks = random.randint(1, 5)
    samples, size = random.randint(ranks, 70), random.randint(1, 9)
    return random.randint(0, 40), samples, size, ranks, random.randrange(ranks), random.randint(0, 999)


def resumed(
    steps: int, length: int, batch_size: int, ranks: int, rank: int, seed: int = 0
) -> tuple[int, list[list[int]]]:
    """Return what is right: the solution would import torch, while the judge's time runs."""
    epoch, done = divmod(steps, math.ceil(math.ceil(length / ranks) / batch_size))
    order = orders(length, ranks, epoch=epoch, seed=seed)[rank]
    return epoch, [order[at : at + batch_size] for at in range(0, len(order), batch_size)][done:]


def same_order(value: Any, expected: Any, *_call: Any) -> bool:
    """Return whether the epoch and the indices are right, however these are cut into batches."""
    if not isinstance(value, list) or len(value) != 2 or not isinstance(value[1], list):
        return False
    epoch, left = value
    return [epoch, _indices(left)] == [expected[0], _indices(expected[1])]


def _indices(batches: list[Any]) -> list[Any]:
    return [i for batch in batches for i in (batch if isinstance(batch, list) else [batch])]


def in_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Each is a list, and none but the last is smaller than the others: which indices they have is said elsewhere."""
    for name, call in CALLS.items():
        size, value = call[2], evidence[name].get("value")
        left = value[1] if isinstance(value, list) and len(value) == 2 else None
        batches = left if isinstance(left, list) else []
        sizes = [len(batch) if isinstance(batch, list) else 0 for batch in batches]
        if (
            not isinstance(left, list)
            or not all(sizes)
            or max(sizes, default=size) > size
            or {*sizes[:-1]} - {size}
        ):
            words = _("the epoch, and a list of batches, each a list of at most {size} indices")
            yield Miss(words.format(size=size), f"{shown(evidence[name])} · `resume_at{call}`")


RESUME_AT = Exercise(
    name="resume_at",
    difficulty=2,
    minutes=8,
    table=Table(CALLS, right=resumed, same=same_order),
    seconds=20.0,
    criteria=(
        Criterion(
            says="The batches that are left of the first epoch",
            cases=("middle", "other_rank"),
            hint="Make the sampler of this rank, cut it into batches, and leave out those that are done.",
        ),
        Criterion(
            says="In a later epoch, in the order of that epoch and that seed",
            cases=("later_epoch", "late", "seeded"),
            hint="Give the sampler the seed, and tell it the epoch with `set_epoch` before you ask it for indices.",
            points=2,
        ),
        Criterion(
            says="At the end of an epoch the next one begins",
            cases=("start", "boundary", "second_boundary"),
            hint="`divmod(steps, batches)` gives the epoch and what is done of it; 5 of 5 is epoch 1 with 0 done.",
        ),
        Criterion(
            says="The padding and the incomplete last batch count as well",
            cases=("incomplete", "padded", "whole_and_incomplete"),
            drawn=run,
            hint="Each rank has the length divided by the ranks, rounded up; its batches are that divided by the batch size, rounded up.",
        ),
        Criterion(
            says="What is left is cut into batches",
            look=in_batches,
            hint="`list(batches)[done:]` is a list of lists; one list of all indices does not say where a batch ends.",
        ),
    ),
)

EXERCISES = (
    COVERAGE,
    DISTRIBUTED_BUCKET_SAMPLER,
    ASSIGN_SHARDS,
    RESUME_AT,
)
