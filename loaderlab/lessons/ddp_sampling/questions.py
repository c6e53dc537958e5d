"""The questions to answer with the explorer of this lesson."""

from itertools import count

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.ddp_sampling.sampling import Epoch, orders, visits

SAMPLES, RANKS = 26, 4


def whole() -> int:
    """Return the largest batch size with which the loader drops nothing."""
    order = orders(SAMPLES, RANKS)
    return max(size for size in range(1, 9) if not Epoch(order, SAMPLES, size, loader_drops=True).lost)


def _seen(epochs: int, tell: bool) -> int:
    """Return the samples that rank 0 has seen after so many epochs."""
    table = visits([orders(SAMPLES, RANKS, epoch=epoch if tell else 0) for epoch in range(epochs)], SAMPLES)
    return sum(map(bool, table[0]))


def for_ever() -> int:
    """Return the samples that rank 0 has seen after twenty epochs without `set_epoch`."""
    return _seen(20, tell=False)


def epochs() -> int:
    """Epochs until rank 0 has seen at least 90% of the samples."""
    return next(number for number in count(1) if _seen(number, tell=True) >= 0.9 * SAMPLES)


QUESTIONS = {
    "ranks": (
        Question(
            {"loader_drop_last": True},
            Prediction(
                "whole",
                mark("Largest batch size that loses nothing"),
                by=Count(
                    {
                        1: mark("1 loses nothing, but a larger batch size loses nothing either."),
                        **dict.fromkeys(
                            (2, 13),
                            mark("This size divides the 26 samples evenly. But each rank has 7 of them."),
                        ),
                        6: mark("Each rank has 7 samples: one is left over."),
                        8: mark("Each rank has 7 samples: too few for one batch of 8."),
                    }
                ),
            ),
            whole,
            moves=("batch_size",),
        ),
        Question(
            {"epoch": 19},
            Prediction(
                "ever",
                mark("Samples that rank 0 has seen after epoch 19"),
                by=Count({26: mark("Without `set_epoch` each epoch has the order of the first.")}),
            ),
            for_ever,
            moves=("set_epoch",),
        ),
        Question(
            {"epoch": 0},
            Prediction(
                "epochs",
                mark("Epochs until rank 0 of 4 has seen 90%"),
                by=Count(
                    {
                        4: mark(
                            "4 epochs would be enough if none gave rank 0 a sample that it has seen before."
                        ),
                        7: mark("7 is the number of the last epoch, and epochs count from 0."),
                    }
                ),
            ),
            epochs,
            moves=("epoch",),
        ),
    )
}
