"""The questions to answer with the explorer of this lesson."""

from dataclasses import replace

from loaderlab.course.prediction import Prediction
from loaderlab.course.question import Question
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark
from loaderlab.lessons.find_the_bottleneck.model import Profile
from loaderlab.lessons.find_the_bottleneck.scene import PARAMETERS, WORDS

FIRST = {parameter.name: parameter.default for parameter in PARAMETERS}
READING = {"read_ms": 5.0, "decode_ms": 0.5, "cores": 2}
LONG = {"step_ms": 100.0, "cores": 2, "workers": 2}


def bound() -> str:
    """Return the resource that bounds at first."""
    return Profile(**FIRST).bound[0]


def workers() -> int:
    """Workers with which something else bounds."""
    profile = Profile(**FIRST | READING)
    return next(n for n in range(1, 17) if replace(profile, workers=n).bound[0] != "workers")


def decoding() -> float:
    """Return the slowest decoding (ms) that a long step hides."""
    profile = Profile(**FIRST | LONG)
    steps = [tenth / 10 for tenth in range(101)]
    return max(ms for ms in steps if replace(profile, decode_ms=ms).bound[0] == "loop")


QUESTIONS = {
    "stages": (
        Question(
            {},
            Prediction(
                "bound",
                mark("What is the bottleneck?"),
                choices=WORDS,
                by=Choice(
                    {
                        "loop": mark("The loop needs 16 ms for a batch. Another resource needs more."),
                        "cores": mark("The cores need 10 ms for a batch. Another resource needs more."),
                    }
                ),
            ),
            bound,
            moves=("read_ms", "decode_ms", "workers"),
            hides=("The bottleneck is {resource}: {ms} ms for a batch.",),
        ),
        Question(
            READING,
            Prediction(
                "workers",
                mark("Fewest workers with another bottleneck"),
                by=Count(
                    {
                        11: mark("With 11, the workers still need a little longer than the loop."),
                        **dict.fromkeys(
                            range(13, 17),
                            mark("With so many, another resource is the bottleneck, but with fewer, too."),
                        ),
                    }
                ),
            ),
            workers,
            moves=("workers",),
        ),
        Question(
            LONG,
            Prediction(
                "decoding",
                mark("Slowest decoding that nobody notices"),
                "ms",
                by=Amount(
                    {
                        2.3: mark("That is for one worker, and there are two."),
                        6.3: mark("A worker also reads each sample, which takes 0.8 ms."),
                    },
                    factor=1.05,
                ),
            ),
            decoding,
            moves=("decode_ms",),
        ),
    )
}
