"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.shared_memory.filling import MIB, Filling

SHM = 64 * MIB
DEEP = {"batch_mib": 8, "num_workers": 2, "prefetch_factor": 8}


def fitting(mib: int) -> int:
    """Workers that have room with batches of so many MiB."""
    return max(n for n in range(17) if Filling(mib * MIB, n).needed <= SHM)


def full_at() -> float | None:
    """Return when a batch no longer fits, in ms."""
    return Filling(8 * MIB, 2, 8).full_at(SHM)


def shown() -> bool:
    """Return whether a pause still fills /dev/shm with a pin thread."""
    return Filling(8 * MIB, 2, 8, pin_memory=True).full_at(SHM) is not None


QUESTIONS = {
    "filling": (
        Question(
            {"batch_mib": 37},
            Prediction(
                "floats",
                mark("Workers that fit with batches of 37 MiB"),
                by=Count({1: mark("One worker makes two batches ahead, and the loop holds a third.")}),
            ),
            lambda: fitting(37),
            moves=("num_workers",),
        ),
        Question(
            {"batch_mib": 10, "num_workers": 1},
            Prediction(
                "fitting",
                mark("Workers that fit with batches of 10 MiB"),
                by=Count(
                    {
                        3: mark("What 3 workers make ahead takes 60 MiB; but the loop holds one more."),
                        6: mark("6 batches fit, but each worker makes two of them ahead."),
                    }
                ),
            ),
            lambda: fitting(10),
            moves=("num_workers",),
        ),
        Question(
            {"batch_mib": 8, "num_workers": 2},
            Prediction(
                "full_at",
                mark("A batch no longer fits after"),
                "ms",
                by=Amount(
                    {
                        180: mark("At 180 ms the loop pauses: from then on /dev/shm fills."),
                        360: mark("At 360 ms there are 8 batches, which just fit."),
                    },
                    factor=1.05,
                ),
            ),
            full_at,
            moves=("prefetch_factor",),
        ),
        Question(
            DEEP,
            Prediction(
                "shown",
                mark("With pin_memory, the pause still shows the lack of room"),
                choices=TRUE_OR_FALSE,
                by=Choice(
                    {
                        True: mark(
                            "The pin thread goes on while the loop pauses, and releases the segments that it has copied."
                        )
                    }
                ),
            ),
            shown,
            moves=("pin_memory",),
        ),
    )
}
