"""The questions to answer with the explorers of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.warps.occupancy import Residency, enough
from loaderlab.lessons.warps.scene import LIMITS
from loaderlab.lessons.warps.tiles import Launch

SMALL = {"channels": 10, "height": 1, "width": 1}


def from_batch() -> int:
    """Return the batch size from which on fewer than a tenth of the lanes are idle, for samples of ten elements."""
    return 1 + max(batch for batch in range(1, 513) if Launch(10 * batch, 256).idle_share >= 0.1)


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
            Prediction(
                "from",
                mark("Batch size from which under 10% of lanes are idle"),
                by=Count(
                    {
                        24: mark(
                            "24 is the first, but at 26 a new block begins, and half of all lanes are idle."
                        ),
                        185: mark("At 205 a new block begins, and more than a tenth is idle again."),
                        **dict.fromkeys(
                            (231, 256), mark("That holds from there on, but also from a smaller batch size.")
                        ),
                    }
                ),
            ),
            from_batch,
            moves=("batch_size",),
        ),
    ),
    "warps": (
        Question(
            {},
            Prediction(
                "instructions",
                mark("Instructions from which 50% is enough"),
                by=Amount(
                    {
                        50: mark(
                            "50 is 400 / 8. But a warp that waits issues nothing: only 7 others fill its 400 cycles."
                        )
                    },
                    factor=1.05,
                ),
            ),
            instructions,
            moves=("instructions",),
        ),
        Question(
            {},
            Prediction(
                "first",
                mark("What runs out first?"),
                choices=LIMITS,
                by=Choice(
                    {
                        "registers": mark(
                            "Without shared memory, registers ran out first. With 40 KiB for each block, fewer blocks fit."
                        )
                    }
                ),
            ),
            first,
            moves=("shared_kib", "gpu"),
        ),
    ),
}
