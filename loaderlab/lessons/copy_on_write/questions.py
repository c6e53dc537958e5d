"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Share
from loaderlab.i18n.language import mark
from loaderlab.lessons.copy_on_write.model import GIB, Load
from loaderlab.lessons.copy_on_write.scene import STEPS

NAMES = (10_000_000, 100)  # samples, and bytes of each
LARGE = {"items_millions": 0.1, "item_bytes": 100_000, "ram_gib": 32, "done": 0}


def full_after() -> tuple[float, float]:
    """Return the share of the epoch (%) after which 8 GiB are full: at the slider's step, and between it and the one before."""
    load = Load(*NAMES, "list", 8)
    step = next(i for i in range(STEPS + 1) if load.total(i / STEPS) > 8 * GIB)
    before, after = load.total((step - 1) / STEPS), load.total(step / STEPS)
    return 100 * step / STEPS, 100 * (step - 1 + (8 * GIB - before) / (after - before)) / STEPS


def copied() -> float:
    """GiB that the workers have copied at the end, of a list of large samples."""
    return Load(100_000, 100_000, "list", 8).copies() / GIB


def of_eight() -> float:
    """Return how many times the memory of one rank the whole epoch takes with eight."""
    return Load(*NAMES, "list", 8, ranks=8).total() / Load(*NAMES, "list", 8).total()


QUESTIONS = {
    "epoch": (
        Question(
            {"done": 0},
            Prediction(
                "full",
                mark("Share of the epoch until memory is full"),
                "%",
                by=Share(
                    {53: mark("53% would be right if the copies grew evenly. Most pages are copied early.")},
                    points=2,
                ),
            ),
            full_after,
            moves=("done",),
            hides=("Memory is full after {share}% of the epoch.",),
        ),
        Question(
            LARGE,
            Prediction(
                "copied",
                mark("Copies of the workers at the end"),
                mark("GiB"),
                by=Amount(
                    {
                        3.05: mark("Each sample is read by one of the 8 workers only."),
                        9.32: mark(
                            "Reading a sample writes to its count, and only the page with the count is copied."
                        ),
                    },
                    factor=1.1,
                ),
            ),
            copied,
            moves=("done",),
        ),
        Question(
            {"ram_gib": 512, "done": 100},
            Prediction(
                "ranks",
                mark("Memory with 8 ranks, divided by that with one"),
                by=Amount(
                    {
                        1: mark("Each rank has a list of its own."),
                        8: mark(
                            "Each rank has its own list, but reads only an eighth of the samples: its workers copy less."
                        ),
                    },
                    factor=1.05,
                ),
            ),
            of_eight,
            moves=("ranks",),
        ),
    )
}
