"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Count, Found, Share, Speed
from loaderlab.i18n.language import mark

SCRIPTS = (mark("as found"), mark("repaired"))
SUMS = (mark("one number after the other"), mark("all at once"))

PREDICTIONS = (
    Prediction("limit", mark("Highest possible throughput"), mark("samples/s"), by=Amount(factor=1.3)),
    Prediction("printed", mark("It reports its throughput, so we know it"), choices=TRUE_OR_FALSE),
    Prediction("reading", mark("Faults found by reading"), by=Found(high=9)),
    Prediction("reached", mark("Share of the limit that it reaches"), "%", by=Share(points=7)),
    Prediction("wait", mark("Share of its time that the loop waits"), "%", by=Share()),
    Prediction("core_share", mark("Share of a sample's time that needs a core"), "%", by=Share()),
    Prediction(
        "tensors",
        mark("Tensors in a batch"),
        by=Count({2: mark("Nothing is stacked: each photo is a tensor, and so is each label.")}),
    ),
    Prediction(
        "size",
        mark("Size of a batch"),
        mark("MiB"),
        by=Amount({0.375: mark("A pixel is a `float32`, which has 4 bytes.")}, factor=1.05),
    ),
    Prediction(
        "threads",
        mark("Threads of each worker"),
        by=Count({1: mark("PyTorch gives each worker one thread. This script asks for more.")}),
    ),
    Prediction("same", mark("The second epoch has the workers of the first"), choices=TRUE_OR_FALSE),
    Prediction(
        "growth",
        mark("Growth of the memory"),
        mark("MiB"),
        places=SCRIPTS,
        by=Amount(factor=1.5, nothing=1),
        order=True,
    ),
    Prediction(
        "photos",
        mark("What does the rank see in the second epoch?"),
        choices={
            "others": mark("other photos"),
            "ordered": mark("the same photos in the same order"),
            "mixed": mark("the same photos in another order"),
        },
    ),
    Prediction("crops", mark("Both epochs have the same crops"), choices=TRUE_OR_FALSE),
    Prediction("right", mark("What a working script loads is right anyway"), choices=TRUE_OR_FALSE),
    Prediction(
        "largest",
        mark("Which repair adds most samples per second?"),
        choices={
            "workers": mark("workers and threads"),
            "lifetime": mark("persistent workers"),
            "opens": mark("opens"),
            "another": mark("another one"),
        },
    ),
    Prediction("nine", mark("Share of the limit with all nine repairs"), "%", by=Share()),
    Prediction("enough", mark("It is enough to repair the slow function"), choices=TRUE_OR_FALSE),
    Prediction("draw", mark("Share of the draw in the CPU time of a sample"), "%", by=Share(points=3)),
    Prediction(
        "busy", mark("Share of the time in which the core is busy"), "%", places=SUMS, by=Share(points=5)
    ),
    Prediction("at_once", mark("How many times as fast at once"), by=Speed(factor=2)),
    Prediction("efficient", mark("What is busy all the time is used efficiently"), choices=TRUE_OR_FALSE),
    Prediction(
        "kernels",
        mark("Share of the time in which kernels run"),
        "%",
        places=(mark("32 columns"), mark("65,536 columns")),
        by=Share(),
    ),
    Prediction("columns", mark("How many times as fast with 65,536 columns"), by=Speed(factor=3)),
)
