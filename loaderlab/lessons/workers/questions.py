"""The questions to answer with the explorer of this lesson."""

from dataclasses import replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.workers.scene import PARAMETERS
from loaderlab.model.pipeline import Setting, enough_workers, long_run, rounds, simulate

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
FEW = {"load_ms": 40, "step_ms": 10, "cores": 2}
UNEVEN = {"num_workers": 4, "load_ms": 40, "step_ms": 10, "cores": 8, "spread": 1.0}
SLOW = {"num_workers": 2, "start_ms": 1500}


def enough() -> int:
    """Workers that are enough where there are eight cores."""
    return enough_workers(rounds(Setting(**FIRST | FEW | {"cores": 8})))[0]


def waits() -> str:
    """Return the change of the waits where batches may overtake one another."""
    ordered = long_run(Setting(**FIRST | UNEVEN)).wait_share
    free = long_run(Setting(**FIRST | UNEVEN | {"in_order": False})).wait_share
    return "fewer" if free < ordered - 0.01 else "more" if free > ordered + 0.01 else "same"


def saved() -> float:
    """Return the milliseconds until the first batch of a later epoch that workers save which stay."""
    setting = replace(rounds(Setting(**FIRST | SLOW)), epochs=2)
    return simulate(setting).first_ms[1] - simulate(replace(setting, persistent_workers=True)).first_ms[1]


QUESTIONS = {
    "timeline": (
        Question(
            FEW,
            Prediction("enough", mark("Workers that are enough with 8 cores"), by=Count()),
            enough,
            moves=("num_workers", "cores"),
            hides=(
                "Enough workers: {n}, for {rate} batches/s.",
                "Enough workers: {n}.",
                "The cores are the limit, whatever the number of workers: at best it waits {share}%, with num_workers = {n}.",
                "No number of workers removes the wait: at best it is {share}%, with num_workers = {n}.",
            ),
        ),
        Question(
            UNEVEN,
            Prediction(
                "waits",
                mark("With in_order off, the device waits"),
                choices={"fewer": mark("less"), "same": mark("as long"), "more": mark("more")},
            ),
            waits,
            moves=("spread", "in_order"),
        ),
        Question(
            SLOW,
            Prediction("saved", mark("What persistent_workers saves in each later epoch"), "ms"),
            saved,
            within=0.05,
            moves=("persistent_workers",),
            hides=("Until the first batch of each epoch: {first} ms.",),
        ),
    )
}
