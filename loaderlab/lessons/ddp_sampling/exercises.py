"""The exercises of lesson 7: what is expected of the evidence that the probes return."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, shown
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.ddp_sampling import probes
from loaderlab.lessons.ddp_sampling.probes import FEW, SETTINGS, SIZES, TOO_FEW, lengths_of

# ---------------------------------------------------------------- coverage


def covered(length: int, ranks: int, drop_last: bool) -> tuple[int, int]:
    if drop_last:
        return 0, length % ranks
    return -length % ranks, 0


COVERED = Cases(probes.COVERED, right=covered)


def judge_coverage(evidence: dict[str, Any]) -> list[Finding]:
    return [
        COVERED.finding(
            evidence,
            ("padded", "padded_more"),
            _("Padding repeats samples and loses none"),
            _(
                "Every rank gets the length divided by the ranks, rounded up. How many indices are that in all?"
            ),
        ),
        COVERED.finding(
            evidence,
            ("dropped", "dropped_more"),
            _("Dropping loses samples and repeats none"),
            _("Every rank gets the length divided by the ranks, rounded down. What remains is lost."),
        ),
        COVERED.finding(
            evidence,
            ("even", "even_dropped", "one", "one_dropped"),
            _("What divides evenly needs neither"),
            _("With 12 samples and 4 ranks the remainder is 0, so nothing is repeated and nothing is lost."),
        ),
        COVERED.finding(
            evidence,
            ("few", "very_few", "few_dropped"),
            _("Fewer samples than ranks"),
            _("Padding goes on until each rank has one sample; with `drop_last` no rank gets any."),
        ),
    ]


# ---------------------------------------------------------------- DistributedBucketSampler

WASTE = 0.5  # of the padding that random batches have


def waste(steps: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """Share of padding: of each group every sample is padded to the longest of its group."""
    padded = sum(max(lengths[i] for i in group) * len(group) for group in steps if group)
    return 1 - sum(lengths[i] for group in steps for i in group) / padded if padded else 0.0


def steps_of(batches: Sequence[Sequence[Sequence[int]]]) -> list[list[int]]:
    """What all ranks together compute in each step."""
    return [[index for batch in step for index in batch] for step in zip(*batches, strict=False)]


def order_follows_length(steps: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """How strongly the longest sample of a step grows or falls over the epoch: 0 not at all, 1 always."""
    tops = [max(lengths[i] for i in step) for step in steps]
    pairs = [(a, b) for k, a in enumerate(tops) for b in tops[k + 1 :] if a != b]
    return abs(sum(1 if a < b else -1 for a, b in pairs)) / max(1, len(pairs))


def judge_bucket(evidence: dict[str, Any]) -> list[Finding]:
    def value(name: str) -> Any:
        return evidence[name].get("value")

    def bad(name: str) -> bool:
        got = value(name)
        flat = [i for b in got["batches"] for batch in b for i in batch] if got else []
        samples = {**SETTINGS, "few": FEW}.get(name, SETTINGS["even"])[0]
        return not got or any(not 0 <= i < samples for i in flat)

    def came(name: str) -> str:
        if "value" not in evidence[name]:
            return shown(evidence[name])
        return _("an index that does not exist") if name != "returning" and bad(name) else ""

    return [
        _alike(value, bad, came),
        _partition(value, bad, came),
        _short(value, bad, came),
        _in_step(value, bad, came),
        _shuffled(value, bad, came),
        _agreed(value, bad, came),
    ]


Look = Callable[[str], Any]


def _alike(value: Look, bad: Look, came: Look) -> Finding:
    """Whole batches, the same number on every rank, and as many as `len` says."""
    criterion = _("Each rank has the same number of whole batches, and `len` says how many")
    hint = _(
        "Pad the list of indices to a multiple of batch size × ranks before you cut it; `len` is the length divided by that, rounded up."
    )
    for name, (samples, size, ranks) in {**SETTINGS, "few": FEW}.items():
        count = math.ceil(samples / (size * ranks))
        expected = _("samples {samples}, batch size {size}, ranks {ranks}: batches per rank {count}").format(
            samples=samples, size=size, ranks=ranks, count=count
        )
        if bad(name):
            return Finding(False, 1, criterion, expected, came(name), hint)
        got = value(name)
        counts, sizes = [len(b) for b in got["batches"]], {len(batch) for b in got["batches"] for batch in b}
        if counts != [count] * ranks or got["len"] != counts or sizes != {size}:
            words = _("batches per rank {counts}, `len` {lens}, samples in a batch {sizes}").format(
                counts=counts, lens=got["len"], sizes=sorted(sizes)
            )
            return Finding(False, 1, criterion, expected, words, hint)
    return Finding(True, 1, criterion)


def _partition(value: Look, bad: Look, came: Look) -> Finding:
    """Every sample, and none more often than the padding needs."""
    criterion = _("All ranks together see every sample, and only the padding comes again")
    hint = _(
        "Fill up one common list from its own beginning. Then rank `r` takes its part of every step, and no part is taken by two ranks."
    )
    for name, (samples, size, ranks) in {**SETTINGS, "few": FEW}.items():
        total = math.ceil(samples / (size * ranks)) * size * ranks
        words = _("different samples {samples}, repeated {again}, one sample at most {most} times")
        expected = words.format(samples=samples, again=total - samples, most=math.ceil(total / samples))
        if bad(name):
            return Finding(False, 2, criterion, expected, came(name), hint)
        seen = Counter(i for b in value(name)["batches"] for batch in b for i in batch)
        uneven = max(seen.values(), default=0) > math.ceil(total / samples)
        if len(seen) != samples or sum(seen.values()) != total or uneven:
            got = words.format(
                samples=len(seen), again=sum(seen.values()) - len(seen), most=max(seen.values(), default=0)
            )
            return Finding(False, 2, criterion, expected, got, hint)
    return Finding(True, 2, criterion)


def _random_waste(name: str, lengths: list[int]) -> float:
    import random

    samples, size, ranks = SETTINGS[name]
    indices = random.Random(0).sample(range(samples), samples)
    group = size * ranks
    return waste([indices[k : k + group] for k in range(0, samples, group)], lengths)


def _short(value: Look, bad: Look, came: Look) -> Finding:
    """Little padding in what the ranks compute at the same time."""
    criterion = _("What the ranks compute in the same step has similar lengths")
    hint = _(
        "Sort by length within a pool of some steps, then cut the pool into steps, and each step into the batches of the ranks."
    )
    for name in ("even", "odd"):
        lengths = lengths_of(SETTINGS[name][0])
        limit = WASTE * _random_waste(name, lengths)
        expected = _("padding: at most {share}% of all positions").format(share=number(100 * limit, 1))
        if bad(name):
            return Finding(False, 2, criterion, expected, came(name), hint)
        got = waste(steps_of(value(name)["batches"]), lengths)
        if got > limit:
            words = _("padding: {share}% of all positions").format(share=number(100 * got, 1))
            return Finding(False, 2, criterion, expected, words, hint)
    return Finding(True, 2, criterion)


def _in_step(value: Look, bad: Look, came: Look) -> Finding:
    """The order of the steps is not the order of lengths."""
    criterion = _("Long and short batches come in mixed order")
    hint = _("After cutting, shuffle the steps as a whole, in the same order on every rank.")
    expected = _("no trend from short to long over the epoch, nor the other way round")
    if bad("even"):
        return Finding(False, 1, criterion, expected, came("even"), hint)
    trend = order_follows_length(steps_of(value("even")["batches"]), lengths_of(SETTINGS["even"][0]))
    return Finding(
        trend < 0.6,
        1,
        criterion,
        expected,
        _("pairs of steps that are ordered by length, more than in the other direction: {share}%").format(
            share=number(100 * trend)
        ),
        hint,
    )


def _groups(got: Any) -> set[frozenset[int]]:
    return {frozenset(batch) for b in got["batches"] for batch in b}


def _shuffled(value: Look, bad: Look, came: Look) -> Finding:
    """Other batches in another epoch and for another seed."""
    criterion = _("Other batches in every epoch, and for every seed")
    hint = _("Shuffle all indices with a generator made from seed and epoch, before you sort within pools.")
    expected = _("at most half of the batches come again")
    for name in ("even", "epoch", "seed"):
        if bad(name):
            return Finding(False, 1, criterion, expected, came(name), hint)
    base = _groups(value("even"))
    for other, words in (
        ("epoch", _("batches of epoch 0 that come again in epoch 1: {share}%")),
        ("seed", _("batches of seed 0 that come again with seed 5: {share}%")),
    ):
        same = len(base & _groups(value(other))) / max(1, len(base))
        if same > 0.5:
            return Finding(False, 1, criterion, expected, words.format(share=number(100 * same)), hint)
    return Finding(True, 1, criterion)


def _agreed(value: Look, bad: Look, came: Look) -> Finding:
    """The same again for the same seed and epoch, also with the same object."""
    criterion = _("The same seed and epoch give the same batches again")
    hint = _("Make a new generator in `__iter__`; a stored or a global one is in another state each time.")
    expected = _("epoch 0 twice: the same batches")
    for name in ("even", "again"):
        if bad(name):
            return Finding(False, 1, criterion, expected, came(name), hint)
    passes = value("returning")
    if passes is None:
        return Finding(False, 1, criterion, expected, came("returning"), hint)
    same = value("even")["batches"] == value("again")["batches"] and passes[0] == passes[2]
    return Finding(same, 1, criterion, expected, _("epoch 0 twice: other batches"), hint)


# ---------------------------------------------------------------- assign_shards


def balanced(sizes: Sequence[int], ranks: int) -> int:
    """Samples of the busiest rank when each shard, the largest first, goes to the rank with fewest samples."""
    loads = [0] * ranks
    for size in sorted(sizes, reverse=True):
        loads[loads.index(min(loads))] += size
    return max(loads)


def judge_shards(evidence: dict[str, Any]) -> list[Finding]:
    def parts(name: str) -> list[list[int]] | None:
        """The shards of each rank, where the answer has that form."""
        found = evidence[name].get("value")
        if not isinstance(found, list) or len(found) != 2 or not isinstance(found[0], list):
            return None
        every = (
            [i for part in found[0] for i in part] if all(isinstance(p, list) for p in found[0]) else [None]
        )
        known = range(len(SIZES[name][0]))
        whole = all(isinstance(i, int) and not isinstance(i, bool) and i in known for i in every)
        return found[0] if whole else None

    def call(name: str) -> str:
        sizes, ranks, size = SIZES[name]
        return f"`assign_shards({sizes}, {ranks}, {size})`"

    def got(name: str) -> str:
        return f"{shown(evidence[name])} · {call(name)}"

    def first(wrong: Callable[[str], bool]) -> str | None:
        return next((name for name in SIZES if wrong(name)), None)

    def lost(name: str) -> bool:
        found = parts(name)
        sizes, ranks, _size = SIZES[name]
        if found is None or len(found) != ranks or not all(found):
            return True
        return sorted(i for part in found for i in part) != list(range(len(sizes)))

    def loads(name: str) -> list[int]:
        return [sum(SIZES[name][0][i] for i in part) for part in parts(name) or []]

    def crowded(name: str) -> bool:
        sizes, ranks, _size = SIZES[name]
        return parts(name) is None or max(loads(name), default=0) > balanced(sizes, ranks)

    def steps(name: str) -> int:
        """What follows from the learner's own assignment."""
        sizes, ranks, size = SIZES[name]
        return math.ceil(max(loads(name), default=balanced(sizes, ranks)) / size)

    def out_of_step(name: str) -> bool:
        told = (evidence[name].get("value") or [None, None])[1] if parts(name) is not None else None
        return isinstance(told, bool) or told != steps(name)

    all_there, even, in_step = first(lost), first(crowded), first(out_of_step)
    raised = evidence["too_few"].get("raised", "")
    sizes, ranks, size = TOO_FEW
    return [
        Finding(
            all_there is None,
            2,
            _("Every shard belongs to exactly one rank"),
            _("each of the shards 0 to {last} once, in {ranks} lists").format(
                last=len(SIZES[all_there or "equal"][0]) - 1, ranks=SIZES[all_there or "equal"][1]
            ),
            got(all_there or "equal"),
            _("`len(sizes) // ranks` forgets the remainder. Go through all shards, and give each one to a rank."),
        ),
        Finding(
            even is None,
            1,
            _("No rank has more to do than it must"),
            _("samples of the busiest rank: at most {most}").format(
                most=balanced(*SIZES[even or "equal"][:2])
            ),
            got(even or "equal"),
            _("Take the shards from the largest to the smallest, and give each to the rank with fewest samples so far."),
        ),
        Finding(
            in_step is None,
            2,
            _("All ranks take as many steps as the busiest one needs"),
            _("steps: {steps}, for your shards").format(steps=steps(in_step or "equal")),
            got(in_step or "equal"),
            _("Divide the samples of the busiest rank by the batch size, and round up: else samples are lost."),
        ),
        Finding(
            raised.startswith("ValueError"),
            1,
            _("Fewer shards than ranks: a `ValueError`"),
            "`ValueError`",
            f"{shown(evidence['too_few'])} · `assign_shards({sizes}, {ranks}, {size})`",
            _("A rank without a shard has no step to take. Raise the error before you assign anything."),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- resume_at


def resumed(
    steps: int, length: int, batch_size: int, ranks: int, rank: int, seed: int = 0
) -> tuple[int, Any]:
    from torch.utils.data import BatchSampler, DistributedSampler

    sampler: DistributedSampler[int] = DistributedSampler(range(length), ranks, rank, seed=seed)
    batches = BatchSampler(sampler, batch_size, drop_last=False)
    epoch, done = divmod(steps, len(batches))
    sampler.set_epoch(epoch)
    return epoch, list(batches)[done:]


RESUMED = Cases(probes.RESUMED, right=resumed)


def judge_resume(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str, points: int = 1) -> Finding:
        return RESUMED.finding(evidence, names, criterion, hint, points)

    return [
        finding(
            ("middle", "other_rank"),
            _("The batches that are left of the first epoch"),
            _("Make the sampler of this rank, cut it into batches, and leave out those that are done."),
        ),
        finding(
            ("later_epoch", "late", "seeded"),
            _("In a later epoch, in the order of that epoch and that seed"),
            _("Give the sampler the seed, and tell it the epoch with `set_epoch` before you ask it for indices."),
            2,
        ),
        finding(
            ("start", "boundary", "second_boundary"),
            _("At the end of an epoch the next one begins"),
            _("`divmod(steps, batches)` gives the epoch and what is done of it; 5 of 5 is epoch 1 with 0 done."),
        ),
        finding(
            ("incomplete", "padded"),
            _("The padding and the incomplete last batch count as well"),
            _("Each rank has the length divided by the ranks, rounded up; its batches are that divided by the batch size, rounded up."),
        ),
    ]  # fmt: skip


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["coverage"],
        points=4,
        difficulty=1,
        minutes=5,
        hints=(
            mark("Count first what each rank gets: the length divided by the ranks, rounded up or down."),
            mark("What is missing to the next multiple of the ranks is repeated; what is over the last multiple is lost."),
            mark("The remainder is `length % ranks`, and what is missing to the next multiple is `-length % ranks`."),
        ),
        judge=judge_coverage,
    ),
    Exercise(
        PROBES["DistributedBucketSampler"],
        points=8,
        difficulty=3,
        minutes=15,
        hints=(
            mark("Everything except the last line is the same on every rank: shuffle, pad, sort within pools, cut into steps, shuffle the steps."),
            mark("A step has batch size × ranks samples. Sorted, the first `batch_size` of them are the batch of rank 0, the next those of rank 1, and so on."),
            mark("A pool of 8 to 16 steps is a good compromise here: `sorted(pool, key=lambda index: self.lengths[index])`."),
        ),
        judge=judge_bucket,
    ),
    Exercise(
        PROBES["assign_shards"],
        points=6,
        difficulty=2,
        minutes=8,
        hints=(
            mark("Keep a list of shards and a sum of samples for each rank."),
            mark("`sorted(range(len(sizes)), key=lambda shard: -sizes[shard])` is the order in which to assign them."),
            mark("The steps are those of the busiest rank, rounded up; the others begin their shards again."),
        ),
        judge=judge_shards,
    ),
    Exercise(
        PROBES["resume_at"],
        points=5,
        difficulty=2,
        minutes=8,
        hints=(
            mark("`BatchSampler(sampler, batch_size, drop_last=False)` cuts a sampler into batches, and has a length."),
            mark("The number of batches in an epoch is the same in each epoch, so `divmod` tells how many epochs are over."),
            mark("Call `set_epoch` first, then make a list of the batches, then cut off those that are done."),
        ),
        judge=judge_resume,
    ),
)  # fmt: skip
