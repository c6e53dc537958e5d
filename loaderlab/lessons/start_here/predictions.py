"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Share, Speed
from loaderlab.i18n.language import mark

WORKERS = ("num_workers=0", "num_workers=2")

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
        "calls",
        mark("Number of calls"),
        places=("__getitems__", "__getitem__"),
        by=(
            Count({10: mark("It is called once for each batch, with all indices of the batch.")}),
            Count({10: mark("Where there is `__getitems__`, `__getitem__` is not called at all.")}),
        ),
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
        "epoch",
        mark("Time for 12 batches"),
        "ms",
        places=WORKERS,
        by=Amount(factor=1.3, nothing=20),
        order=True,
    ),
    Prediction(
        "gain",
        mark("Gain at most (times)"),
        places=("4 ms", "40 ms"),
        by=(
            Speed(
                {4: mark("4 is loading divided by the step. But now the loop takes the sum of both.")},
                factor=1.15,
            ),
            Speed(factor=1.15),
        ),
        order=True,
    ),
    Prediction(
        "faster",
        mark("A loader that is twice as fast makes training twice as fast"),
        choices=TRUE_OR_FALSE,
        by=Choice({True: mark("Only the wait gets shorter; the step takes as long as before.")}),
    ),
    Prediction(
        "late",
        mark("Loading time by the late clock"),
        "ms",
        by=Amount({16: mark("16 ms is the truth. This clock starts when they are over.")}, nothing=1),
    ),
    Prediction("rate", mark("Rate too high (times)"), by=Amount(factor=1.1)),
    Prediction(
        "clock",
        mark("Which clock gives the larger share of waiting?"),
        choices={
            "launched": mark("stopped when the step is launched"),
            "finished": mark("stopped when the step has finished"),
        },
    ),
)
