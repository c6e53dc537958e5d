"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Choice, Count
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "evaluated",
        mark("Sum of the 8 counts"),
        by=Count(
            dict.fromkeys(
                (1000, 1001), mark("The sampler repeats samples until all ranks have equally many.")
            )
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
                    "A sampler that drops would lose two samples. Here each loader drops its last batch."
                ),
                42: mark("Each of the ranks drops a last batch of its own."),
                **dict.fromkeys(
                    (58, 59), mark("So many samples are left over on one rank, and there are four ranks.")
                ),
                232: mark("The sampler repeats two samples first, so each rank has 251, and drops 59."),
            },
            close={236: mark("Two of the 4 × 59 samples are repeats, which were seen at the beginning.")},
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
                    mark(
                        "Rank 0 goes on with its second epoch, whose first batch answers the fourth step of rank 1."
                    ),
                ),
                5: mark("Rank 0 has six batches in its two epochs, and each answers a step of rank 1."),
                7: mark("Rank 1 begins a seventh step, in which it waits."),
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
                {
                    0: mark(
                        "The program and its workers share this memory: the worker sees what was written last."
                    )
                }
            ),
        ),
    ),
    Prediction(
        "with_workers",
        mark("Does a loader with 2 workers go on exactly?"),
        choices={
            "never": mark("no"),
            "told": mark("yes, if the new program sets the epoch"),
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
