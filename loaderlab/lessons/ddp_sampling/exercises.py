"""The exercises of lesson 7: what is expected of the evidence that the probes return."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations, pairwise, zip_longest
from random import Random
from statistics import mean
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
from loaderlab.lessons.ddp_sampling.probes import SETTINGS, lengths_of
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
            hint="For each rank, divide the length by the number of ranks and round up. How many indices do all ranks get?",
        ),
        Criterion(
            says="The sampler drops samples until all ranks have equally many, and repeats none",
            cases=("dropped", "dropped_more", "few_dropped", "one_dropped"),
            hint="For each rank, divide the length by the number of ranks and round down. The remainder is lost.",
        ),
        Criterion(
            says="The loader drops the incomplete batch of each rank",
            cases=("even_cut", "both_drop", "few_cut", "one_cut"),
            hint="On every rank, only whole batches of the sampler's indices arrive at the loop.",
        ),
        Criterion(
            says="If the sampler pads and the loader drops a batch, repetitions may be dropped as well",
            cases=("padded_cut", "padded_whole", "nothing_lost"),
            drawn=epoch,
            hint="The repetitions come last. Count what arrives on all ranks together, and compare it with the length.",
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
            words = _("steps: {steps}, with your assignment of the shards")
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
            says="Fewer shards than ranks raise a `ValueError`",
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
            says="The batches that are left of the first epoch are returned",
            cases=("middle", "other_rank"),
            hint="Make the sampler of this rank, cut it into batches, and leave out those that are done.",
        ),
        Criterion(
            says="In a later epoch, batches have the order of that epoch and that seed",
            cases=("later_epoch", "late", "seeded"),
            hint="Give the sampler the seed, and tell it the epoch with `set_epoch` before you ask it for indices.",
            points=2,
        ),
        Criterion(
            says="At the end of an epoch the next one begins",
            cases=("start", "boundary", "second_boundary"),
            hint="`divmod(steps, batches)` gives the epoch and the steps done in it: with 5 batches, 5 steps give epoch 1 and 0 steps.",
        ),
        Criterion(
            says="The padding and the incomplete last batch count as well",
            cases=("incomplete", "padded", "whole_and_incomplete"),
            drawn=run,
            hint="The length divided by the number of ranks, rounded up, gives a rank's samples; these divided by the batch size, rounded up, give its batches.",
        ),
        Criterion(
            says="What is left is cut into batches",
            look=in_batches,
            hint="`list(batches)[done:]` is a list of lists; one list of all indices does not say where a batch ends.",
        ),
    ),
)

# ---------------------------------------------------------------- deal_better

MOST = 0.6  # of the tokens with `dealt`
SOME = 0.9  # of them: above it nothing is better, and what is as before earns no points
LEAST = 0.5  # of the change from step to step in random order, which stays above 0.65
SAME = 0.5  # share of batches that may come again

Batches = list[list[list[int]]]  # of each rank


def cut(orders: Sequence[Sequence[int]], size: int) -> Batches:
    """Return the batches of each rank."""
    return [[list(order[at : at + size]) for at in range(0, len(order), size)] for order in orders]


def tokens(batches: Batches, lengths: Sequence[int]) -> int:
    """Return the tokens of an epoch, with padding: of each step those of the rank that has most."""
    return sum(
        max(len(batch) * max((lengths[text] for text in batch), default=0) for batch in step)
        for step in zip_longest(*batches, fillvalue=[])
    )


def steps_of(batches: Batches) -> list[list[int]]:
    """Return all texts that the ranks together compute in each step."""
    return [[text for batch in step for text in batch] for step in zip_longest(*batches, fillvalue=[])]


def change(steps: Sequence[Sequence[int]], lengths: Sequence[int]) -> float:
    """How much the longest text changes from one step to the next: 1 in random order, on average, and near 0 where it grows or falls."""
    tops = [max(lengths[text] for text in step) for step in steps if step]
    apart, random = ([abs(a - b) for a, b in pairs] for pairs in (pairwise(tops), combinations(tops, 2)))
    return mean(apart) / mean(random) if any(random) else 0.0


@dataclass(frozen=True)
class Dealt:
    """The batches that came of one call for each rank, in one of ``SETTINGS``."""

    name: str
    outcome: dict[str, Any]

    @property
    def texts(self) -> int:
        return SETTINGS[self.name][0]

    @property
    def batches(self) -> Batches:
        """The batches of each rank; none where they have not the form."""
        found: Batches = self.outcome.get("value", [])
        return found

    @property
    def problem(self) -> str:
        """Why there is nothing to look at; "" where there is."""
        if "value" not in self.outcome:
            return shown(self.outcome)
        if any(not 0 <= text < self.texts for text in chain(*chain(*self.batches))):
            return _("an index that does not exist")
        return ""

    @property
    def before(self) -> int:
        """Tokens with `dealt`."""
        samples, size, ranks = SETTINGS[self.name]
        return tokens(cut(orders(samples, ranks), size), lengths_of(samples))

    @property
    def after(self) -> int:
        return tokens(self.batches, lengths_of(self.texts))

    @property
    def different(self) -> int:
        """How many different texts come."""
        return len(set(chain(*chain(*self.batches))))

    def saved(self) -> str:
        """Say how many tokens came."""
        words = _("tokens: {tokens}, {share}% of those with `dealt`")
        return words.format(tokens=number(self.after), share=number(100 * self.after / self.before))

    def came(self) -> str:
        """Say how many texts came."""
        return _("different texts: {came} of {texts}").format(came=self.different, texts=self.texts)

    @property
    def in_the_way(self) -> str:
        """Why nothing is to be praised yet; "" where most texts came, and with fewer tokens than `dealt` takes."""
        if self.problem:
            return self.problem
        if self.different < self.texts / 2:
            return self.came()
        return self.saved() if self.after > SOME * self.before else ""


def every(evidence: dict[str, Any]) -> list[Dealt]:
    return [Dealt(name, evidence[name]) for name in SETTINGS]


def drawn_steps(dealt: Dealt) -> Pictures | None:
    """Return the pictures of the lengths in each step: of all texts sorted by rank, the steps shuffled, and of these batches."""
    samples, size, ranks = SETTINGS[dealt.name]
    lengths = lengths_of(samples)
    steps = steps_of(cut([sorted(order, key=lengths.__getitem__) for order in orders(samples, ranks)], size))
    right, came = (
        answer_pictures.steps(each, lengths)
        for each in (Random(0).sample(steps, len(steps)), steps_of(dealt.batches))
    )
    return Pictures(right, came) if right and came else None


def less_to_compute(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Few tokens, and not because texts are left out."""
    for dealt in every(evidence):
        most = number(MOST * dealt.before)
        expected = _("tokens: at most {most}, {share}% of those with `dealt`").format(
            most=most, share=number(100 * MOST)
        )
        if dealt.problem:
            yield Miss(expected, dealt.problem)
        elif dealt.different < dealt.texts:
            yield Miss(expected, dealt.came())
        elif dealt.after > MOST * dealt.before:
            yield Miss(expected, dealt.saved(), draw=partial(drawn_steps, dealt))


def texts_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Whole batches, as many on each rank, and each text once."""
    words = _("batches of each rank: {counts}, texts in a batch: {sizes}, different texts: {texts}")
    for dealt in every(evidence):
        texts, size, ranks = SETTINGS[dealt.name]
        expected = words.format(counts=[texts // (size * ranks)] * ranks, sizes=[size], texts=texts)
        if dealt.in_the_way:
            yield Miss(expected, dealt.in_the_way, hint=expect.FOLLOWS)
            continue
        got = words.format(
            counts=[len(rank) for rank in dealt.batches],
            sizes=sorted({len(batch) for rank in dealt.batches for batch in rank}),
            texts=dealt.different,
        )
        if got != expected:
            yield Miss(expected, got)


def mixed_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Check that it is not the order of lengths, nor up and down."""
    words = _("change of the longest text from step to step: {share}% of that in random order")
    expected = _(
        "change of the longest text from step to step: at least {share}% of that in random order"
    ).format(share=number(100 * LEAST))
    for dealt in every(evidence):
        if dealt.in_the_way:
            yield Miss(expected, dealt.in_the_way, hint=expect.FOLLOWS)
            continue
        share = change(steps_of(dealt.batches), lengths_of(dealt.texts))
        if share < LEAST:
            got = words.format(share=number(100 * share))
            yield Miss(expected, got, draw=partial(drawn_steps, dealt))


def other_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Few batches are the same in the next epoch."""
    expected = _("at most half of the batches come again")
    first, other = Dealt("many", evidence["many"]), Dealt("many", evidence["epoch"])
    if problem := first.in_the_way or other.problem:
        yield Miss(expected, problem, hint=expect.FOLLOWS)
        return
    one, two = ({frozenset(batch) for rank in dealt.batches for batch in rank} for dealt in (first, other))
    same = len(one & two) / max(1, len(one))
    if same > SAME:
        words = _("batches of epoch 0 that come again in epoch 1: {share}%")
        yield Miss(expected, words.format(share=number(100 * same)))


DEAL_BETTER = Exercise(
    name="deal_better",
    difficulty=2,
    minutes=12,
    run=probes.probe_deal,
    seconds=20.0,
    criteria=(
        Criterion(
            says="In each step the busiest rank has little to compute",
            look=less_to_compute,
            hint="Sort the texts by length before you cut them into batches. The long batches of all ranks must come in the same step: change the order of the batches on each rank in the same way.",
            points=3,
        ),
        Criterion(
            says="Each text comes once, in equally many whole batches on each rank",
            look=texts_once,
            hint="Rearrange the texts that `dealt` gives to this rank: leave none out. Or deal all texts anew, on every rank in the same way.",
            points=2,
        ),
        Criterion(
            says="Long and short batches come in mixed order",
            look=mixed_order,
            hint="Shuffle the list of batches after cutting, in the same order on every rank.",
        ),
        Criterion(
            says="Another epoch has other batches",
            look=other_batches,
            hint="Call `set_epoch` of the sampler, or shuffle all texts with a generator made from the epoch, before you sort.",
            points=2,
        ),
    ),
)

EXERCISES = (
    COVERAGE,
    ASSIGN_SHARDS,
    RESUME_AT,
    DEAL_BETTER,
)
