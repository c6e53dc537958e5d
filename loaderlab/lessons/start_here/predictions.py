"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

WORKERS = ("num_workers=0", "num_workers=2")

PREDICTIONS = (
    Prediction("share", mark("Share of its time that the loop waits"), "%"),
    Prediction("batches", mark("Batches in an epoch")),
    Prediction("calls", mark("Number of calls"), places=("__getitems__", "__getitem__")),
    Prediction("samples", mark("Samples that arrive")),
    Prediction("epoch", mark("Time for 12 batches"), "ms", places=WORKERS),
    Prediction("gain", mark("Gain at most (times)"), places=("4 ms", "40 ms")),
    Prediction(
        "faster", mark("A loader that is twice as fast makes training twice as fast"), choices=TRUE_OR_FALSE
    ),
    Prediction("late", mark("Loading time by the late clock"), "ms"),
    Prediction("rate", mark("Rate too high (times)")),
    Prediction(
        "clock",
        mark("Which clock gives the larger share of waiting?"),
        choices={
            "launched": mark("stopped when the step is launched"),
            "finished": mark("stopped when the step has finished"),
        },
    ),
)
