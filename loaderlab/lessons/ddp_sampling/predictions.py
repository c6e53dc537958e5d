"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Choice, Count
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "evaluated",
        mark("Sum of the 8 counts"),
        by=Count(
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
                0: mark(
                    "Nothing is lost by the sampler: it repeats two samples. But each loader drops its last batch."
                ),
                2: mark(
                    "The sampler would lose two if it dropped. Here the loaders drop, each its last batch."
                ),
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
        "alone",
        mark("Steps that rank 1 finishes"),
        by=Count(
            {
                **dict.fromkeys(
                    (3, 4),
                    mark("Rank 0 goes on with its second epoch, and that answers the fourth step of rank 1."),
                ),
                5: mark("Rank 0 has six batches in its two epochs, and each answers a step of rank 1."),
                7: mark("It begins a seventh, in which it waits."),
                **dict.fromkeys(
                    (8, 10),
                    mark("Rank 0 has six batches in its two epochs, and then nothing answers rank 1."),
                ),
            }
        ),
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
