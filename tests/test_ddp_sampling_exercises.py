"""Lesson 7: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import math

import pytest
import torch
from answers import check_failing, check_solved
from torch.utils.data import BatchSampler, DistributedSampler

from loaderlab.lessons.ddp_sampling import exercises as lesson
from loaderlab.lessons.ddp_sampling import probes

COVERAGES = {
    "always pads": (lambda n, r, d: (-n % r, 0), {1, 3}),
    "always drops": (lambda n, r, d: (0, n % r), {0, 3}),
    "the other way round": (lambda n, r, d: (0, n % r) if not d else (-n % r, 0), {0, 1, 3}),
    "remainder for both": (lambda n, r, d: (0, n % r) if d else (n % r, 0), {0, 3}),
    "a whole round too many": (lambda n, r, d: (0, n % r) if d else (r - n % r, 0), {2}),
    "losses first": (lambda n, r, d: (n % r, 0) if d else (0, -n % r), {0, 1, 3}),
    "repeats at most all": (lambda n, r, d: (0, n % r) if d else (min(n, -n % r), 0), {3}),
    "nothing lost when few": (lambda n, r, d: (0, n % r if n >= r else 0) if d else (-n % r, 0), {3}),
    "also without drop_last": (lambda n, r, d: (0 if d else -n % r, n % r), {0, 3}),
    "no return": (lambda n, r, d: None, {0, 1, 2, 3}),
}


class Bucket:
    """A right answer in parts, so that each wrong one changes a single one of them."""

    pool = 16

    def __init__(self, lengths, batch_size, ranks, rank, seed=0):
        self.lengths, self.batch_size, self.ranks, self.rank, self.seed = (
            lengths,
            batch_size,
            ranks,
            rank,
            seed,
        )
        self.epoch = 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def generator(self):
        return torch.Generator().manual_seed(1000 * self.seed + self.epoch)

    def __len__(self):
        return math.ceil(len(self.lengths) / (self.batch_size * self.ranks))

    def shuffled(self, generator):
        return torch.randperm(len(self.lengths), generator=generator).tolist()

    def fill(self, indices):
        total = len(self) * self.batch_size * self.ranks
        return (indices * math.ceil(total / len(indices)))[:total]

    def grouped(self, indices, step):
        for start in range(0, len(indices), self.pool * step):
            pool = sorted(indices[start : start + self.pool * step], key=lambda i: self.lengths[i])
            yield from (pool[k : k + step] for k in range(0, len(pool), step))

    def part(self, step):
        return step[self.rank * self.batch_size : (self.rank + 1) * self.batch_size]

    def order(self, steps, generator):
        return [steps[k] for k in torch.randperm(len(steps), generator=generator).tolist()]

    def __iter__(self):
        generator = self.generator()
        indices = self.fill(self.shuffled(generator))
        steps = list(self.grouped(indices, self.batch_size * self.ranks))
        for step in self.order(steps, generator):
            yield self.part(step)


def bucket(**changes):
    return type("Wrong", (Bucket,), changes)


class Unfilled(Bucket):
    """Each rank takes every so-many-th batch of the list, which nobody has filled up."""

    def __iter__(self):
        generator = self.generator()
        steps = list(self.grouped(self.shuffled(generator), self.batch_size))
        yield from self.order(steps, generator)[self.rank :: self.ranks]


class OwnPart(Bucket):
    """Samples are dealt first, then each rank sorts and shuffles its own with a generator of its own."""

    def __iter__(self):
        generator = self.generator()
        mine = self.fill(self.shuffled(generator))[self.rank :: self.ranks]
        steps = list(self.grouped(mine, self.batch_size))
        yield from self.order(steps, torch.Generator().manual_seed(self.epoch + 77 * self.rank))


BUCKETS = {
    "right": (Bucket, set()),
    "smaller pools": (bucket(pool=8), set()),
    "no length": (bucket(__len__=None), {0, 1, 2, 3, 4, 5}),
    "length in samples": (
        bucket(
            __len__=lambda self: len(self.lengths) // self.ranks,
            fill=lambda self, i: (i * 9)[: Bucket.__len__(self) * self.batch_size * self.ranks],
        ),
        {0},
    ),
    "drops the rest": (
        bucket(
            __len__=lambda self: len(self.lengths) // (self.batch_size * self.ranks),
            fill=lambda self, i: i[: len(self) * self.batch_size * self.ranks],
        ),
        {0, 1},
    ),
    "not filled up": (Unfilled, {0, 1, 2}),
    "fills with one sample": (
        bucket(fill=lambda self, i: i + i[:1] * (len(self) * self.batch_size * self.ranks - len(i))),
        {1},
    ),
    "every rank the same part": (bucket(part=lambda self, step: step[: self.batch_size]), {1}),
    "not sorted": (bucket(pool=1), {2}),
    "each rank by itself": (OwnPart, {2}),
    "sorted as a whole": (bucket(pool=10**6), set()),
    "steps not shuffled": (bucket(pool=10**6, order=lambda self, steps, g: steps), {3}),
    "sorted as a whole, and nothing else": (
        bucket(
            pool=10**6,
            shuffled=lambda self, g: list(range(len(self.lengths))),
            order=lambda self, steps, g: steps,
        ),
        {3, 4},
    ),
    "ignores the epoch": (
        bucket(generator=lambda self: torch.Generator().manual_seed(self.seed)),
        {4},
    ),
    "ignores the seed": (bucket(generator=lambda self: torch.Generator().manual_seed(self.epoch)), {4}),
    "global generator": (bucket(generator=lambda self: None), {1, 2, 5}),
    "yields indices": (bucket(part=lambda self, step: step[0]), {0, 1, 2, 3, 4, 5}),
}


def shards(order, steps=None, check=True, assign=None):
    """An answer: shards in this order to the emptiest rank, or as `assign` says; so many steps."""

    def answer(sizes, ranks, batch_size):
        if check and len(sizes) < ranks:
            raise ValueError
        parts, loads = [[] for _ in range(ranks)], [0] * ranks
        if assign:
            parts = assign(sizes, ranks)
        else:
            for shard in order(sizes):
                rank = loads.index(min(loads))
                parts[rank].append(shard)
                loads[rank] += sizes[shard]
        loads = [sum(sizes[i] for i in part) for part in parts]
        return parts, (steps or (lambda loads, size: -(-max(loads) // size)))(loads, batch_size)

    return answer


def largest_first(sizes):
    return sorted(range(len(sizes)), key=lambda i: -sizes[i])


def even_parts(sizes, ranks):
    each = len(sizes) // ranks
    return [list(range(rank * each, (rank + 1) * each)) for rank in range(ranks)]


def wrapped(sizes, ranks):
    each = -(-len(sizes) // ranks)
    return [[(rank + k * ranks) % len(sizes) for k in range(each)] for rank in range(ranks)]


SHARDS = {
    "right": (shards(largest_first), set()),
    "forgets the remainder": (shards(None, assign=even_parts), {0, 1}),
    "in turn": (shards(None, assign=lambda s, r: [list(range(k, len(s), r)) for k in range(r)]), {1}),
    "in the given order": (shards(lambda sizes: range(len(sizes))), {1}),
    "smallest first": (shards(lambda sizes: largest_first(sizes)[::-1]), {1}),
    "fills up with repetitions": (shards(None, assign=wrapped), {0, 1}),
    "steps of the poorest": (shards(largest_first, lambda loads, size: -(-min(loads) // size)), {2}),
    "rounds down": (shards(largest_first, lambda loads, size: max(loads) // size), {2}),
    "steps by the mean": (
        shards(largest_first, lambda loads, size: math.ceil(sum(loads) / len(loads) / size)),
        {2},
    ),
    "steps as fractions": (shards(largest_first, lambda loads, size: max(loads) / size), {2}),
    "no error": (shards(largest_first, check=False), {3}),
    "only the shards": (lambda s, r, b: shards(largest_first)(s, r, b)[0], {0, 1, 2}),
    "all to everybody": (lambda s, r, b: ([list(range(len(s)))] * r, -(-sum(s) // b)), {0, 1, 3}),
}


def resume(
    steps, length, batch_size, ranks, rank, seed=0, *, told=True, own_seed=True, per_epoch=None, shift=0
):
    sampler = DistributedSampler(range(length), ranks, rank, seed=seed if own_seed else 0)
    batches = BatchSampler(sampler, batch_size, drop_last=False)
    epoch, done = divmod(steps, per_epoch(length, batch_size, ranks) if per_epoch else len(batches))
    if told:
        sampler.set_epoch(epoch)
    return epoch, list(batches)[done + shift :]


def late_epoch(steps, *rest):
    """At the end of an epoch nothing is left of it."""
    epoch, left = resume(steps, *rest)
    per_epoch = len(resume(0, *rest)[1])
    return (epoch - 1, []) if steps and steps % per_epoch == 0 else (epoch, left)


def whole_batches(*given):
    """As with `drop_last=True` in the loader, for what is left."""
    epoch, left = resume(*given)
    return epoch, [batch for batch in left if len(batch) == given[2]]


def variant(**changes):
    return lambda *given: resume(*given, **changes)


RESUMES = {
    "right": (resume, set()),
    "forgets set_epoch": (variant(told=False), {1, 2}),
    "ignores the seed": (variant(own_seed=False), {1}),
    "one too few left": (variant(shift=1), {0, 1, 2, 3}),
    "epoch with nothing left": (late_epoch, {2}),
    "rounds down": (variant(per_epoch=lambda n, b, r: n // (b * r)), {1, 3}),
    "forgets the ranks": (variant(per_epoch=lambda n, b, r: -(-n // b)), {1, 2}),
    "drops the incomplete batch": (whole_batches, {1, 3}),
    "without padding": (lambda s, n, b, r, k, seed=0: resume(s, n // r * r, b, r, k, seed), {1, 3}),
    "always rank 0": (lambda s, n, b, r, k, seed=0: resume(s, n, b, r, 0, seed), {0, 1, 2, 3}),
    "only the batches": (lambda *given: resume(*given)[1], {0, 1, 2, 3}),
    "what is done": (lambda *given: (resume(*given)[0], resume(0, *given[1:])[1][: given[0]]), {0, 1, 2, 3}),
}

ALL = {
    "coverage": COVERAGES,
    "DistributedBucketSampler": BUCKETS,
    "assign_shards": SHARDS,
    "resume_at": RESUMES,
}


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in ALL.items() for case in cases], ids=lambda value: value
)
def test_an_answer_fails_with_the_findings_meant_for_it(name, case, code):
    answer, failing = ALL[name][case]
    check_failing("ddp_sampling", name, answer, failing, code)


def test_what_the_judge_expects_of_coverage_is_what_the_sampler_does():
    for length, ranks, drop_last in probes.COVERED.arguments.values():
        orders = [
            list(DistributedSampler(range(length), ranks, rank, drop_last=drop_last)) for rank in range(ranks)
        ]
        flat = [index for order in orders for index in order]
        assert lesson.covered(length, ranks, drop_last) == (
            len(flat) - len(set(flat)),
            length - len(set(flat)),
        )


def test_resuming_is_what_a_run_without_interruption_would_do():
    length, size, ranks, seed = 41, 4, 2, 3
    for rank in range(ranks):
        sampler = DistributedSampler(range(length), ranks, rank, seed=seed)
        run = []
        for epoch in range(3):
            sampler.set_epoch(epoch)
            run += [(epoch, batch) for batch in BatchSampler(sampler, size, False)]
        for steps, (epoch, _batch) in enumerate(run):
            left = [batch for at, batch in run[steps:] if at == epoch]
            assert lesson.resumed(steps, length, size, ranks, rank, seed) == (epoch, left)


def test_the_limit_on_padding_is_far_from_right_and_from_random_answers():
    for name, setting in probes.SETTINGS.items():
        if name == "alone":
            continue
        lengths = probes.lengths_of(setting[0])
        limit = lesson.WASTE * lesson._random_waste(name, lengths)
        for pool, low, high in ((16, 0, 0.8), (1, 1.5, 9)):
            for seed in range(5):
                ranks = [list(bucket(pool=pool)(lengths, *setting[1:], r, seed)) for r in range(setting[2])]
                assert low < lesson.waste(lesson.steps_of(ranks), lengths) / limit < high


def test_shuffled_steps_never_look_ordered():
    samples, size, ranks = probes.SETTINGS["even"]
    lengths = probes.lengths_of(samples)
    for seed in range(200):
        batches = [list(Bucket(lengths, size, ranks, r, seed)) for r in range(ranks)]
        assert lesson.order_follows_length(lesson.steps_of(batches), lengths) < 0.55


def test_the_right_answers_are_solved():
    check_solved("ddp_sampling", "coverage", lesson.covered)
    check_solved("ddp_sampling", "resume_at", lesson.resumed)
