"""The questions to answer with the explorer of this lesson."""

from typing import Any

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.beyond_workers.model import Setting, rate
from loaderlab.lessons.beyond_workers.scene import PARAMETERS, setting_of

FIRST: dict[str, Any] = {parameter.name: parameter.default for parameter in PARAMETERS}
AUGMENTED = {"augment_on_device": True}
THREADS = {"threads": True, "augment_on_device": True}
TAKEN = {
    "nothing": {},
    "augmenting": AUGMENTED,
    "both": AUGMENTED | {"decode_on_device": True},
}


def setting(**values: Any) -> Setting:
    """Return the setting of the first controls with these values."""
    return setting_of(**FIRST | values)


def taken() -> str:
    """Return what the device should take over for the most samples/s."""
    return max(TAKEN, key=lambda name: rate(setting(**TAKEN[name])))


def enough() -> int:
    """Return the fewest cores that make more samples/s by decoding than the device does."""
    device = rate(setting(**TAKEN["both"]))
    return next(cores for cores in range(1, 65) if rate(setting(**AUGMENTED | {"cores": cores})) > device)


def locked() -> tuple[float, float]:
    """Return the most ms of a sample that may hold the lock: on the slider, and exactly."""
    exact = setting(**THREADS).loop_ms / FIRST["batch"]
    return int(exact / 0.01) * 0.01, exact


QUESTIONS = {
    "idle": (
        Question(
            {},
            Prediction(
                "taken",
                mark("The device should take over"),
                choices={
                    "nothing": mark("nothing"),
                    "augmenting": mark("augmenting"),
                    "both": mark("augmenting and decoding"),
                },
                by=Choice(
                    {
                        "nothing": mark(
                            "Then the cores are the limit, and the device waits for most of its time."
                        ),
                        "both": mark("Then the cores are idle, and the device has too much to do."),
                    }
                ),
            ),
            taken,
            moves=("augment_on_device", "decode_on_device"),
        ),
        Question(
            AUGMENTED | {"cores": 4},
            Prediction(
                "fewest_cores",
                mark("Fewest cores that are faster"),
                by=Count(
                    {
                        30: mark(
                            "30 would be right if the device did nothing but decode. It has the step to do, too."
                        ),
                        **dict.fromkeys(range(11, 17), mark("So many cores are faster, but fewer are, too.")),
                    }
                ),
            ),
            enough,
            moves=("cores", "decode_on_device"),
        ),
        Question(
            THREADS,
            Prediction(
                "locked",
                mark("Longest time of a sample with the lock"),
                "ms",
                by=Amount(
                    {
                        1.3: mark(
                            "Then 64 samples take 83 ms, since one thread after the other has the lock."
                        ),
                        6.4: mark("That is for all 64 samples of a batch."),
                    },
                    factor=1.05,
                ),
            ),
            locked,
            moves=("locked_ms",),
            hides=("The interpreter's lock sets the pace: {ms} ms for a batch, one thread after the other.",),
        ),
    )
}
