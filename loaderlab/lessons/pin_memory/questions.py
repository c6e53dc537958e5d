"""The questions to answer with the explorer of this lesson."""

from dataclasses import dataclass, replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice
from loaderlab.i18n.language import mark
from loaderlab.lessons.pin_memory.model import pace
from loaderlab.lessons.pin_memory.scene import INGREDIENTS, PARAMETERS, setting_of


@dataclass(frozen=True)
class Least(Amount):
    """The yardstick of the least that suffices: what lies below it does not, and is never near."""

    factor: float = 1.05

    def near(self, guess: float, measured: float) -> bool:
        """Return whether the guess suffices, and is within the factor."""
        return guess >= measured and super().near(guess, measured)


FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
LARGE = {"batch_mib": 256, "link": "PCIe 3 x16"}
LARGER = {"batch_mib": 32}
UNREAD = {"batch_mib": 24, "step_ms": 10, "read_loss": False}
IDLE = mark(
    "Without `non_blocking=True` the host waits for each copy, but now it has the time: it waits for no step any more."
)
STAGES = mark(
    "Here the host has time: to receive and to stage a batch takes less time than the step. With a step of 8 ms, pinned memory would matter most."
)


def step() -> tuple[float, int]:
    """Return the shortest step (ms) for which the device does not wait: exactly, what the slowest of the others takes; and on the slider."""
    setting = setting_of(**FIRST | LARGE)
    slider = next(ms for ms in range(1, 101) if pace(replace(setting, step_ms=ms)) <= ms)
    return pace(replace(setting, step_ms=1)), slider


def ingredient() -> str:
    """Return the ingredient without which the loop is slower, although nobody reads the loss."""
    setting = setting_of(**FIRST | UNREAD)
    return max(INGREDIENTS, key=lambda name: pace(replace(setting, **{name: False})))


def slowest() -> tuple[float, float]:
    """Return the slowest pin thread (GB/s) that the loop does not notice: on the slider, and exactly, where it takes as long as the step."""
    setting = setting_of(**FIRST | LARGER)
    exact = setting.pin_gb * setting.pin_ms / setting.step_ms
    (slider,) = (parameter for parameter in PARAMETERS if parameter.name == "pin_gb")
    stops = (slider.on_step(slider.low + number * slider.step) for number in range(1000))
    return next(rate for rate in stops if pace(replace(setting, pin_gb=rate)) <= setting.step_ms), exact


QUESTIONS = {
    "overlap": (
        Question(
            LARGE,
            Prediction(
                "step",
                mark("Shortest step without a wait"),
                "ms",
                by=Least(
                    {
                        21.3: mark("That is the link alone. The pin thread takes longer."),
                        26.8: mark("That is staging. But the loader pins, and nothing is staged."),
                        110.8: mark(
                            "That is pin thread and link, one after the other. But they work on two batches at once."
                        ),
                    }
                ),
            ),
            step,
            moves=("step_ms",),
            hides=(
                "Per batch: pin thread {copy} ms, link {link} ms, step {step} ms.",
                "One turn of the loop takes {ms} ms; the device waits {share}% of the time.",
            ),
        ),
        Question(
            UNREAD,
            Prediction(
                "ingredient",
                mark("Without loss.item(), the ingredient that matters"),
                choices=INGREDIENTS,
                by=Choice({"pinned": STAGES, "non_blocking": IDLE}),
            ),
            ingredient,
            moves=("pinned", "non_blocking", "second_stream"),
        ),
        Question(
            LARGER,
            Prediction(
                "slowest",
                mark("Slowest pin thread that costs nothing"),
                mark("GB/s"),
                by=Least(
                    {
                        6.4: mark("That counts a MiB as a million bytes: 32 MiB are 33.6 million."),
                        10: mark(
                            "At 10 GB/s the pin thread takes 3.4 ms, and the step 5 ms: there is time left."
                        ),
                        25: mark("25 GB/s is the link. The pin thread only has to be as fast as the step."),
                    }
                ),
            ),
            slowest,
            moves=("pin_gb",),
        ),
    )
}
