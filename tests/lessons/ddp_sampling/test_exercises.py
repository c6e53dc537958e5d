"""Lesson 7: what its judges expect is what the samplers do, and their limits are far from luck (answers: the bench)."""

from torch.utils.data import BatchSampler, DistributedSampler

from answers import named
from loaderlab.lessons.ddp_sampling import exercises as lesson
from loaderlab.lessons.ddp_sampling import probes


def buckets(pool):
    """A right sampler that sorts within pools of so many steps."""
    return type(
        "Sampler", (named("ddp_sampling", "DistributedBucketSampler", "right: in parts").made,), {"pool": pool}
    )


def test_what_the_judge_expects_of_coverage_is_what_the_loader_delivers():
    for length, ranks, batch_size, sampler_drops, loader_drops in probes.COVERED.arguments.values():
        flat = [
            index
            for rank in range(ranks)
            for batch in BatchSampler(
                DistributedSampler(range(length), ranks, rank, drop_last=sampler_drops),
                batch_size,
                loader_drops,
            )
            for index in batch
        ]
        seen = set(flat)
        expected = (len(flat) - len(seen), length - len(seen))
        assert lesson.covered(length, ranks, batch_size, sampler_drops, loader_drops) == expected


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
                ranks = [list(buckets(pool)(lengths, *setting[1:], r, seed)) for r in range(setting[2])]
                assert low < lesson.waste(lesson.steps_of(ranks), lengths) / limit < high


def test_shuffled_steps_never_look_ordered():
    samples, size, ranks = probes.SETTINGS["even"]
    sampler = buckets(16)
    lengths = probes.lengths_of(samples)
    for seed in range(200):
        batches = [list(sampler(lengths, size, ranks, r, seed)) for r in range(ranks)]
        assert lesson.order_follows_length(lesson.steps_of(batches), lengths) < 0.55
