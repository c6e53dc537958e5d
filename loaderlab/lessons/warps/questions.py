"""The questions to answer with the explorers of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.warps.occupancy import Residency, enough
from loaderlab.lessons.warps.scene import LIMITS
from loaderlab.lessons.warps.tiles import Launch

SMALL = {"channels": 10, "height": 1, "width": 1}
BLOCKS = (255, 256, 257)


def from_batch() -> int:
    """Return the batch size from which on fewer than a tenth of the lanes are idle, for samples of ten elements."""
    return 1 + max(batch for batch in range(1, 513) if Launch(10 * batch, 256).idle_share >= 0.1)


def wasteful() -> int:
    """Return the block size that leaves most lanes of a large tensor idle."""
    return max(BLOCKS, key=lambda block: Launch(33 * 3 * 224 * 224, block).idle_share)


def instructions() -> int:
    """Instructions before each load from which on half of the warps of an A100 are enough."""
    held = Residency("A100", block=128, registers=64).per_scheduler
    return next(count for count in range(1, 201) if enough(count, latency=400) <= held)


def first() -> str:
    """Return the resource that blocks with 40 KiB of shared memory run out of."""
    return Residency("A100", block=128, registers=64, shared_kib=40).strictest[0]


QUESTIONS = {
    "lanes": (
        Question(
            SMALL,
            Prediction("from", mark("Batch size from which less than a tenth is idle"), by=Count()),
            from_batch,
            moves=("batch_size",),
        ),
        Question(
            {"block": 255},
            Prediction(
                "wasteful", mark("Block size that wastes most lanes"), choices={n: str(n) for n in BLOCKS}
            ),
            wasteful,
            moves=("block",),
        ),
    ),
    "warps": (
        Question(
            {},
            Prediction("instructions", mark("Instructions from which 50% is enough"), by=Count()),
            instructions,
            moves=("instructions",),
        ),
        Question(
            {},
            Prediction("first", mark("What runs out first?"), choices=LIMITS),
            first,
            moves=("shared_kib", "gpu"),
        ),
    ),
}
