"""Lesson 7: the limits of its judge are far from luck (answers: the bench)."""

from random import Random

from loaderlab.lessons.ddp_sampling import exercises as lesson
from loaderlab.lessons.ddp_sampling import probes, sampling


def dealt(name, epoch, order_of):
    """The batches of each rank, sorted by length; each rank shuffles them with the generator that belongs to it."""
    texts, size, ranks = probes.SETTINGS[name]
    lengths = probes.lengths_of(texts)
    batches = []
    for rank, order in enumerate(sampling.orders(texts, ranks, epoch=epoch)):
        [mine] = lesson.cut([sorted(order, key=lengths.__getitem__)], size)
        order_of(rank).shuffle(mine)
        batches.append(mine)
    return lesson.Dealt(name, {"value": batches})


def test_the_limit_on_tokens_is_far_from_right_answers_and_from_ranks_that_wait_for_each_other():
    for name in probes.SETTINGS:
        for epoch in range(5):
            right = dealt(name, epoch, lambda rank, epoch=epoch: Random(epoch))
            apart = dealt(name, epoch, lambda rank, epoch=epoch: Random(epoch + 1000 * rank))
            assert (
                right.after / right.before
                < 0.52
                < lesson.MOST
                < 0.64
                < apart.after / apart.before
                < lesson.SOME
            )


def test_shuffled_steps_never_look_ordered():
    for seed in range(200):
        for name, (texts, _size, _ranks) in probes.SETTINGS.items():
            steps = lesson.steps_of(dealt(name, 0, lambda rank, seed=seed: Random(seed)).batches)
            assert lesson.change(steps, probes.lengths_of(texts)) > 0.65
