"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Count, Share, Speed
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "share",
        mark("Share of its time that the loop waits"),
        "%",
        by=Share({38: mark("38% is the share of the step: the rest is the wait.")}),
    ),
    Prediction(
        "batches",
        mark("Batches in an epoch"),
        by=Count({2: mark("2 is what `//` gives: it forgets the last, smaller batch.")}),
    ),
    Prediction(
        "samples",
        mark("Samples that arrive"),
        by=Count(
            {
                6: mark(
                    "6 would be right if the workers shared the work. Each has a copy of its own, and yields all of it."
                )
            }
        ),
    ),
    Prediction(
        "gain",
        mark("Gain at most (times)"),
        places=("4 ms", "40 ms"),
        by=(
            Speed(
                {
                    4: mark(
                        "4 is the load time divided by the step time. But without workers the two times add up."
                    )
                },
                factor=1.15,
            ),
            Speed(
                {
                    0.4: mark(
                        "0.4 is the load time divided by the step time. But without workers the two times add up."
                    )
                },
                factor=1.15,
            ),
        ),
        order=True,
    ),
    Prediction(
        "late",
        mark("Loading time by the late clock"),
        "ms",
        by=Amount(
            {16: mark("Loading really takes 16 ms. But this clock starts when loading is over.")}, nothing=1
        ),
    ),
)
