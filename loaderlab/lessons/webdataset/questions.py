"""The questions to answer with the explorer of this lesson."""

from collections.abc import Iterator

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.webdataset.model import FILE_MS, TAR_MS, Epoch
from loaderlab.lessons.webdataset.scene import PARAMETERS

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
NEAR = {"latency_ms": 0.0, "shards": 8}
LARGE = {"kilobytes": 200, "latency_ms": 4.0, "shards": 8}


def fewest() -> int:
    """Return the smallest number of shards with which no worker is idle, and all ranks end in step."""
    epochs = ((n, Epoch(**FIRST | {"shards": n})) for n in range(1, 30))
    return next(n for n, epoch in epochs if not epoch.idle and len(set(epoch.steps)) == 1)


def crossover() -> tuple[float, float]:
    """Return the first latency (ms) on the slider at which shards are faster, and that at which both are equal."""
    first = next(value for value in _steps("latency_ms") if _times(**NEAR | {"latency_ms": value}) > 1)
    mine = Epoch(**FIRST | NEAR)
    samples, shards = mine.samples_of(0) / mine.workers, mine.shards / mine.ranks / mine.workers
    return first, (TAR_MS - FILE_MS) * samples / (samples - shards)


def twice() -> tuple[float, float]:
    """Return the steps of the slider (MB/s) between which shards become only twice as fast, the nearer one first."""

    def off(value: float) -> float:
        return abs(_times(**LARGE | {"mb_per_s": value}) - 2)

    nearest, other = sorted(_steps("mb_per_s"), key=off)[:2]
    return nearest, other


def _steps(name: str) -> Iterator[float]:
    """Yield the values of a slider, from its lower end on."""
    (parameter,) = (each for each in PARAMETERS if each.name == name)
    for step in range(round((parameter.high - parameter.low) / parameter.step) + 1):
        yield parameter.on_step(parameter.low + step * parameter.step)


def _times(**values: float) -> float:
    """Return how many times as fast shards are."""
    epoch = Epoch(**FIRST | values)
    return epoch.files_ms / epoch.shards_ms


QUESTIONS = {
    "epoch": (
        Question(
            {},
            Prediction(
                "fewest",
                mark("Smallest number of shards with which all ranks end in step"),
                by=Count(
                    {
                        4: mark(
                            "With 4 shards, one worker of each rank gets none, and webdataset stops with an error."
                        )
                    }
                ),
            ),
            fewest,
            moves=("shards",),
        ),
        Question(
            NEAR,
            Prediction(
                "crossover",
                mark("Latency from which on shards are faster"),
                "ms",
                by=Amount(
                    {
                        0.05: mark(
                            "At 0.05 ms files are still a little faster: parsing a sample costs 0.055 ms more than reading a file."
                        )
                    },
                    factor=1.05,
                ),
            ),
            crossover,
            moves=("latency_ms",),
        ),
        Question(
            LARGE,
            Prediction(
                "twice",
                mark("Bandwidth at which shards are twice as fast"),
                "MB/s",
                by=Amount(
                    {
                        500: mark(
                            "At 500 MB/s a sample of 200 kB takes 0.4 ms, but a file waits for 4 ms: the wait still decides."
                        )
                    },
                    factor=1.05,
                ),
            ),
            twice,
            moves=("mb_per_s",),
        ),
    )
}
