"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Choice, Count
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "evaluated",
        mark("Sum of the 8 counts"),
        choices={count: str(count) for count in (1000, 1001, 1008)},
        by=Choice(
            dict.fromkeys((1000, 1001), mark("The sampler repeats samples until each rank has as many."))
        ),
    ),
    Prediction(
        "forgotten",
        mark("Different samples that rank 0 sees in all"),
        by=Count({40: mark("Without `set_epoch` each epoch has the order of the first.")}),
    ),
    Prediction(
        "left_out",
        mark("Samples that nobody sees if only the loader drops"),
        by=Count(
            {
                42: mark("Each of the ranks drops a last batch of its own."),
                **dict.fromkeys((58, 59), mark("So many are left over on one rank, and there are four.")),
                232: mark("The sampler repeats two samples first, so each rank has 251, and drops 59."),
            },
            close={236: mark("Two of the 4 × 59 are repeats, and their samples were seen at the beginning.")},
        ),
    ),
    Prediction(
        "draws",
        mark("Different numbers, of 20"),
        by=Count({20: mark("The same seed gives each rank the same numbers.")}),
    ),
    Prediction(
        "fourth",
        mark("What does rank 1 do in its fourth step?"),
        choices={
            "finished": mark("it goes on alone"),
            "blocked": mark("it waits for rank 0"),
            "skipped": mark("it leaves the step out"),
        },
        by=Choice(dict.fromkeys(("finished", "skipped"), mark("Its gradients wait for those of rank 0."))),
    ),
    Prediction(
        "heard",
        mark("What a worker sees in epoch 2"),
        places=(mark("Attribute"), mark("Shared tensor")),
        by=(
            Count({2: mark("A worker has a copy of the attribute, made when it started.")}),
            Count(
                {0: mark("This memory is the same for all of them: the worker sees what was written last.")}
            ),
        ),
    ),
    Prediction(
        "with_workers",
        mark("With 2 workers it goes on exactly"),
        choices={
            "never": mark("no"),
            "told": mark("if the new program sets the epoch"),
            "always": mark("yes, whatever the new program sets"),
        },
        by=Choice(
            {
                "never": mark("The state says how far each worker was."),
                "always": mark("The state does not hold the order: that comes from the epoch."),
            }
        ),
    ),
)
