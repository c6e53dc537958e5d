"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
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
            Prediction("half", mark("Load time at which half of the time is wait"), "ms"),
            half,
            moves=("load_ms",),
        ),
        Question(
            {"load_ms": 4, "step_ms": STEP, "overlap": True},
            Prediction("hidden", mark("Longest load time without a wait"), "ms"),
            hidden,
            moves=("load_ms",),
        ),
        Question(
            {"load_ms": 100, "step_ms": STEP},
            Prediction("gain", mark("Overlap makes it faster by the factor")),
            gain,
            within=0.02,
            moves=("overlap",),
        ),
    )
}
