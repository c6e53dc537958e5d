"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark


def _as_they_are(*answers: str) -> dict[str, str]:
    """Choices that are the same in every language, by what is counted."""
    return {answer: answer for answer in answers}


PREDICTIONS = (
    Prediction(
        "evaluated",
        mark("Sum of the 8 counts"),
        choices={count: str(count) for count in (1000, 1001, 1008)},
        by=Choice({1001: mark("The sampler repeats samples until each rank has as many.")}),
    ),
    Prediction(
        "rank_3",
        mark("Samples of rank 3"),
        choices=_as_they_are("9", "9, 0, 1", "3, 7", "3, 7, 1"),
    ),
    Prediction(
        "few",
        mark("Samples of each rank"),
        places=("drop_last=True", "drop_last=False"),
        by=(Count(), Count()),
    ),
    Prediction(
        "forgotten",
        mark("Different samples that rank 0 sees in all"),
        by=Count({40: mark("Without `set_epoch` each epoch has the order of the first.")}),
    ),
    Prediction(
        "unseen",
        mark("Samples that nobody sees, of 40"),
        by=Amount(
            {
                0: mark(
                    "Each rank deals from an order of its own, so what one leaves out another may leave out, too."
                )
            },
            high=40,
            factor=1.3,
        ),
    ),
    Prediction(
        "left_out",
        mark("Samples that nobody sees if only the loader drops"),
        by=Count({42: mark("Each of the ranks drops a last batch of its own.")}),
    ),
    Prediction("even", mark("drop_last in the sampler gives even batches"), choices=TRUE_OR_FALSE),
    Prediction(
        "draws",
        mark("Different numbers, of 20"),
        by=Count({20: mark("The same seed gives each rank the same numbers.")}),
    ),
    Prediction("one_seed", mark("One seed for all ranks is reproducible and fine"), choices=TRUE_OR_FALSE),
    Prediction(
        "fourth",
        mark("What does rank 1 do in its fourth step?"),
        choices={
            "finished": mark("it goes on alone"),
            "blocked": mark("it waits for rank 0"),
            "skipped": mark("it leaves the step out"),
        },
        by=Choice({"finished": mark("Its gradients wait for those of rank 0.")}),
    ),
    Prediction(
        "heard",
        mark("What a worker sees in epoch 2"),
        places=(mark("Attribute"), mark("Shared tensor")),
        by=(Count({2: mark("A worker has a copy of the attribute, made when it started.")}), Count()),
    ),
    Prediction("sampler", mark("The order of the sampler follows"), choices=TRUE_OR_FALSE),
    Prediction("second_host", mark("Ranks on the second host"), choices=_as_they_are("0, 1", "1, 3", "2, 3")),
    Prediction("cares", mark("The sampler deals otherwise than on one host"), choices=TRUE_OR_FALSE),
    Prediction("with_workers", mark("With 2 workers it goes on exactly"), choices=TRUE_OR_FALSE),
    Prediction("without_epoch", mark("Without set_epoch it goes on exactly"), choices=TRUE_OR_FALSE),
)
