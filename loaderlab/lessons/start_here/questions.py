"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount
from loaderlab.i18n.language import mark
from loaderlab.lessons.start_here.scene import period

STEP = 10
LOADS = range(1, 101)


def half() -> int:
    """Return the load time with which a loop without overlap waits for half of its time."""
    return next(load for load in LOADS if 2 * load >= period(load, STEP, overlap=False))


def hidden() -> int:
    """Return the longest load time that a loop with overlap does not wait for."""
    return max(load for load in LOADS if period(load, STEP, overlap=True) == STEP)


def gain() -> float:
    """Return the gain of overlap where loading takes ten times as long as the step."""
    return period(100, STEP, overlap=False) / period(100, STEP, overlap=True)


QUESTIONS = {
    "waiting": (
        Question(
            {"load_ms": 40, "step_ms": STEP},
            Prediction(
                "half",
                mark("Load time at which half of the time is wait"),
                "ms",
                by=Amount(
                    {
                        5: mark("5 ms is half of the step, but a third of the batch: 5 of 15 ms."),
                        20: mark("At 20 ms it waits for two thirds: 20 of 30 ms."),
                    },
                    factor=1.05,
                ),
            ),
            half,
            moves=("load_ms",),
        ),
        Question(
            {"load_ms": 4, "step_ms": STEP, "overlap": True},
            Prediction(
                "hidden",
                mark("Longest load time without a wait"),
                "ms",
                by=Amount(
                    {
                        9: mark("At 9 ms it does not wait, and at a little more it does not either."),
                        11: mark("At 11 ms it waits already: 1 ms for each batch."),
                        20: mark("At 20 ms it waits for half of its time."),
                    },
                    factor=1.05,
                ),
            ),
            hidden,
            moves=("load_ms",),
        ),
        Question(
            {"load_ms": 100, "step_ms": STEP},
            Prediction(
                "gain",
                mark("Overlap makes it faster by the factor"),
                by=Amount(
                    {
                        1: mark("A little does change: the step no longer adds its time."),
                        2: mark("2 is right where both take as long. Here one takes ten times as long."),
                        10: mark(
                            "10 is loading divided by the step. But loading is still there: only the shorter of the two is hidden."
                        ),
                        11: mark(
                            "11 is what a perfect loader would bring. Overlap hides only the shorter of the two."
                        ),
                    },
                    factor=1.03,
                ),
            ),
            gain,
            moves=("overlap",),
        ),
    )
}
