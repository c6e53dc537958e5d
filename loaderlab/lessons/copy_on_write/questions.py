"""The questions to answer with the explorer of this lesson."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Count, Share
from loaderlab.i18n.language import mark
from loaderlab.lessons.copy_on_write.model import GIB, Load
from loaderlab.lessons.copy_on_write.scene import STEPS

NAMES = (10_000_000, 100)  # samples, and bytes of each
LARGE = {"items_millions": 0.1, "item_bytes": 100_000, "ram_gib": 32, "done": 0}
CONTAINERS = ("list", "ndarray", "tensor", "memmap", "lazy memmap")


def full_after() -> float:
    """Return the share of the epoch (%) after which 8 GiB are full."""
    load = Load(*NAMES, "list", 8)
    return 100 * next(i for i in range(STEPS + 1) if load.total(i / STEPS) > 8 * GIB) / STEPS


def copied() -> float:
    """GiB that the workers have copied at the end, of a list of large samples."""
    return Load(100_000, 100_000, "list", 8).copies() / GIB


def changed() -> int:
    """Containers whose memory depends on how workers start, but for what each process needs anyhow."""

    def data(container: str, method: str) -> float:
        load = Load(*NAMES, container, 8, start_method=method)
        return load.total() - load.own

    return sum(data(container, "fork") != data(container, "spawn") for container in CONTAINERS)


def of_eight() -> float:
    """GiB that the whole epoch takes with eight ranks."""
    return Load(*NAMES, "list", 8, ranks=8).total() / GIB


QUESTIONS = {
    "epoch": (
        Question(
            {"done": 0},
            Prediction("full", mark("Full after this share of the epoch"), "%", by=Share()),
            full_after,
            moves=("done",),
            hides=("Memory is full after {share}% of the epoch.",),
        ),
        Question(
            LARGE,
            Prediction("copied", mark("Copies of the workers at the end"), mark("GiB")),
            copied,
            within=0.05,
            moves=("done",),
        ),
        Question(
            {"done": 100},
            Prediction("changed", mark("Containers whose data takes another amount under spawn"), by=Count()),
            changed,
            moves=("container", "start_method"),
        ),
        Question(
            {"ram_gib": 512, "done": 100},
            Prediction("ranks", mark("Memory of the whole epoch"), mark("GiB")),
            of_eight,
            within=0.03,
            moves=("ranks",),
        ),
    )
}
