"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.webdataset.model import Epoch
from loaderlab.lessons.webdataset.scene import PARAMETERS

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
EPOCHS = {shards: Epoch(**FIRST | {"shards": shards}) for shards in range(1, 30)}


def fewest() -> int:
    """Return the smallest number of shards with which no worker is idle, and all ranks end in step."""
    return min(n for n, epoch in EPOCHS.items() if not epoch.idle and len(set(epoch.steps)) == 1)


def even() -> int:
    """Return the largest number of shards below 30 of which all workers get as many."""

    def parts(epoch: Epoch) -> set[int]:
        return {
            len(epoch.shards_of(rank, worker))
            for rank in range(epoch.ranks)
            for worker in range(epoch.workers)
        }

    return max(n for n, epoch in EPOCHS.items() if len(parts(epoch)) == 1)


QUESTIONS = {
    "epoch": (
        Question(
            {},
            Prediction(
                "fewest",
                mark("Smallest number of shards with which all ranks end in step"),
                by=Count(
                    {4: mark("Of 4 shards, one worker of each rank gets none, and webdataset stops there.")}
                ),
            ),
            fewest,
            moves=("shards",),
        ),
        Question(
            {"shards": 29},
            Prediction(
                "even",
                mark("Largest number of shards that gives all workers as many"),
                by=Count(
                    {28: mark("28 are 7 for each rank, and its two workers cannot share these evenly.")}
                ),
            ),
            even,
            moves=("shards",),
        ),
    )
}
