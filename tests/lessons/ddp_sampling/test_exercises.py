"""Lesson 7: the limits of its judges are far from luck (answers: the bench)."""

from answers import named
from loaderlab.lessons.ddp_sampling import exercises as lesson
from loaderlab.lessons.ddp_sampling import probes


def buckets(pool):
    """A right sampler that sorts within pools of so many steps."""
    return type(
        "Sampler",
        (named("ddp_sampling", "DistributedBucketSampler", "right: in parts").made,),
        {"pool": pool},
    )


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
