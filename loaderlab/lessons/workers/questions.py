"""The questions to answer with the explorer of this lesson."""

from dataclasses import replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.workers.scene import PARAMETERS
from loaderlab.model.pipeline import Setting, enough_workers, long_run, rounds, simulate

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
FEW = {"load_ms": 40, "step_ms": 10, "cores": 8}
UNEVEN = {"num_workers": 4, "load_ms": 40, "step_ms": 10, "cores": 8, "spread": 1.0}
SLOW = {"num_workers": 2, "start_ms": 1500}
EPOCHS = 10


def enough() -> int:
    """Workers that are enough where there are eight cores."""
    return enough_workers(rounds(Setting(**FIRST | FEW)))[0]


def waits() -> str:
    """Return the change of the waits where batches may overtake one another."""
    ordered = long_run(Setting(**FIRST | UNEVEN)).wait_share
    free = long_run(Setting(**FIRST | UNEVEN | {"in_order": False})).wait_share
    return "fewer" if free < ordered - 0.01 else "more" if free > ordered + 0.01 else "same"


def saved() -> float:
    """Return the seconds until the first batches of all epochs that workers save which stay."""
    setting = replace(rounds(Setting(**FIRST | SLOW)), epochs=EPOCHS)
    stay = replace(setting, persistent_workers=True)
    return (sum(simulate(setting).first_ms) - sum(simulate(stay).first_ms)) / 1000


QUESTIONS = {
    "timeline": (
        Question(
            FEW,
            Prediction(
                "enough",
                mark("Workers that are enough with 8 cores"),
                by=Count(
                    {
                        4: mark(
                            "4 is 40 / 10: that would be enough if all load times were alike. They vary, and with 4 workers "
                            "the device still waits for the longer ones."
                        ),
                        **dict.fromkeys(range(6, 17), mark("So many are enough, but so are fewer.")),
                    }
                ),
            ),
            enough,
            moves=("num_workers",),
            hides=(
                "Enough workers: {n}, for {rate} batches/s.",
                "Enough workers: {n}.",
                "The device still waits {share}%: the main process takes {ms} ms to receive a batch, from any number of workers.",
                (
                    "The cores are the limit, whatever the number of workers: at best the device waits {share}%, "
                    "with num_workers = {n}."
                ),
                "No number of workers removes the wait: at best it is {share}%, with num_workers = {n}.",
            ),
        ),
        Question(
            UNEVEN,
            Prediction(
                "waits",
                mark("With in_order off, the device waits"),
                choices={"fewer": mark("less"), "same": mark("as long"), "more": mark("more")},
                by=Choice(
                    dict.fromkeys(
                        ("same", "more"),
                        mark(
                            "In order, a late batch holds up those that are ready behind it. Out of order, these come first."
                        ),
                    )
                ),
            ),
            waits,
            moves=("in_order", "spread"),
        ),
        Question(
            SLOW,
            Prediction(
                "saved",
                mark("What persistent_workers saves in 10 epochs"),
                "s",
                by=Amount(
                    {
                        1.5: mark("That is saved in one epoch, and there are ten."),
                        15: mark("In the first epoch, the workers have to start all the same."),
                    },
                    factor=1.05,
                ),
            ),
            saved,
            moves=("persistent_workers",),
        ),
    )
}
