"""The questions to answer with the explorer of this lesson."""

from dataclasses import replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.i18n.language import mark
from loaderlab.lessons.pin_memory.model import pace
from loaderlab.lessons.pin_memory.scene import INGREDIENTS, PARAMETERS, setting_of

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
LARGE = {"batch_mib": 256, "link": "PCIe 3 x16"}
UNREAD = {"read_loss": False}


def step() -> int:
    """Return the shortest step (ms) for which the device does not wait."""
    setting = setting_of(**FIRST | LARGE)
    return next(ms for ms in range(1, 101) if pace(replace(setting, step_ms=ms)) <= 1.005 * ms)


def ingredient() -> str:
    """Return the ingredient without which the loop is slower, although nobody reads the loss."""
    setting = setting_of(**FIRST | UNREAD)
    return max(INGREDIENTS, key=lambda name: pace(replace(setting, **{name: False})))


def slowest() -> int:
    """Return the slowest copy by the CPU (GB/s) that the loop does not notice."""
    setting = setting_of(**FIRST)
    return next(
        rate for rate in range(1, 51) if pace(replace(setting, host_gb=rate)) <= 1.005 * pace(setting)
    )


QUESTIONS = {
    "overlap": (
        Question(
            LARGE,
            Prediction("step", mark("Shortest step without a wait"), "ms"),
            step,
            within=0.04,
            moves=("step_ms",),
            hides=(
                "Per batch: copy by the CPU {copy} ms, link {link} ms, step {step} ms.",
                "One turn of the loop takes {ms} ms; the device waits {share}% of the time.",
            ),
        ),
        Question(
            UNREAD,
            Prediction(
                "ingredient", mark("Without loss.item(), the ingredient that matters"), choices=INGREDIENTS
            ),
            ingredient,
            moves=("pinned", "non_blocking", "second_stream"),
        ),
        Question(
            {},
            Prediction("slowest", mark("Slowest copy by the CPU that costs nothing"), mark("GB/s")),
            slowest,
            moves=("host_gb",),
        ),
    )
}
