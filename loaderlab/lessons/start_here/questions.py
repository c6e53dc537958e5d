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
                        5: mark("5 ms is half of the step, but a third of the time per batch: 5 of 15 ms."),
                        20: mark("At 20 ms the loop waits for two thirds of its time: 20 of 30 ms."),
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
                        9: mark("At 9 ms the loop does not wait, and at a little more it does not either."),
                        11: mark("At 11 ms the loop already waits: 1 ms for each batch."),
                        20: mark("At 20 ms the loop waits for half of its time."),
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
                mark("Gain from overlap (times)"),
                by=Amount(
                    {
                        1: mark("There is a small gain: the step no longer adds its time."),
                        2: mark(
                            "2 would be right if loading and step took equally long. Here loading takes ten times as long."
                        ),
                        10: mark(
                            "10 is the load time divided by the step time. But loading remains: overlap hides only the "
                            "shorter of the two."
                        ),
                        11: mark(
                            "11 is the gain from a perfect loader. Overlap hides only the shorter of loading and step."
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
