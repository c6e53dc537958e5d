"""The questions to answer with the explorer of this lesson."""

from dataclasses import replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice
from loaderlab.i18n.language import mark
from loaderlab.lessons.pin_memory.model import pace
from loaderlab.lessons.pin_memory.scene import INGREDIENTS, PARAMETERS, setting_of

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
LARGE = {"batch_mib": 256, "link": "PCIe 3 x16"}
UNREAD = {"read_loss": False}
IDLE = mark("It holds up the host, which now has time: it waits for no step any more.")


def step() -> tuple[float, int]:
    """Return the shortest step (ms) for which the device does not wait: what all but the step take; and on the slider."""
    setting = setting_of(**FIRST | LARGE)
    slider = next(ms for ms in range(1, 101) if pace(replace(setting, step_ms=ms)) <= ms)
    return pace(replace(setting, step_ms=1)), slider


def ingredient() -> str:
    """Return the ingredient without which the loop is slower, although nobody reads the loss."""
    setting = setting_of(**FIRST | UNREAD)
    return max(INGREDIENTS, key=lambda name: pace(replace(setting, **{name: False})))


def slowest() -> tuple[float, int]:
    """Return the slowest copy by the CPU (GB/s) that the loop does not notice: one that takes as long as the step; and on the slider."""
    setting = setting_of(**FIRST)
    slider = next(rate for rate in range(1, 51) if pace(replace(setting, host_gb=rate)) <= pace(setting))
    return setting.host_gb * setting.copy_ms / setting.step_ms, slider


QUESTIONS = {
    "overlap": (
        Question(
            LARGE,
            Prediction(
                "step",
                mark("Shortest step without a wait"),
                "ms",
                by=Amount(
                    {
                        21.3: mark("That is the link alone. The copy by the CPU takes longer."),
                        48.1: mark(
                            "That is both copies, one after the other. But the pin thread copies while the link sends."
                        ),
                    },
                    factor=1.05,
                ),
            ),
            step,
            moves=("step_ms",),
            hides=(
                "Per batch: copy by the CPU {copy} ms, link {link} ms, step {step} ms.",
                "One turn of the loop takes {ms} ms; the device waits {share}% of the time.",
            ),
        ),
        Question(
            UNREAD,
            Prediction(
                "ingredient",
                mark("Without loss.item(), the ingredient that matters"),
                choices=INGREDIENTS,
                by=Choice({"pinned": IDLE, "non_blocking": IDLE}),
            ),
            ingredient,
            moves=("pinned", "non_blocking", "second_stream"),
        ),
        Question(
            {},
            Prediction(
                "slowest",
                mark("Slowest copy by the CPU that costs nothing"),
                mark("GB/s"),
                by=Amount(
                    {
                        10: mark("At 10 GB/s the copy takes 3.4 ms, and the step 5 ms: there is time left."),
                        25: mark("25 GB/s is the link. The copy only has to be as fast as the step."),
                    },
                    factor=1.05,
                ),
            ),
            slowest,
            moves=("host_gb",),
        ),
    )
}
