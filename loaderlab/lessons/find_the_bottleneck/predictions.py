"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

SCRIPTS = (mark("as found"), mark("repaired"))
SUMS = (mark("one number after the other"), mark("all at once"))

PREDICTIONS = (
    Prediction("limit", mark("Highest possible throughput"), mark("samples/s")),
    Prediction("printed", mark("It reports its throughput, so we know it"), choices=TRUE_OR_FALSE),
    Prediction("reading", mark("Faults found by reading"), computed=True),
    Prediction("reached", mark("Share of the limit that it reaches"), "%"),
    Prediction("wait", mark("Share of its time that the loop waits"), "%"),
    Prediction("core_share", mark("Share of a sample's time that needs a core"), "%"),
    Prediction("tensors", mark("Tensors in a batch")),
    Prediction("size", mark("Size of a batch"), mark("MiB")),
    Prediction("threads", mark("Threads of each worker")),
    Prediction("same", mark("The second epoch has the workers of the first"), choices=TRUE_OR_FALSE),
    Prediction("growth", mark("Growth of the memory"), mark("MiB"), places=SCRIPTS),
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
    Prediction("nine", mark("Share of the limit with all nine repairs"), "%"),
    Prediction("enough", mark("It is enough to repair the slow function"), choices=TRUE_OR_FALSE),
    Prediction("draw", mark("Share of the draw in the CPU time of a sample"), "%"),
    Prediction("busy", mark("Share of the time in which the core is busy"), "%", places=SUMS),
    Prediction("at_once", mark("How many times as fast at once")),
    Prediction("efficient", mark("What is busy all the time is used efficiently"), choices=TRUE_OR_FALSE),
    Prediction(
        "kernels",
        mark("Share of the time in which kernels run"),
        "%",
        places=(mark("32 columns"), mark("65,536 columns")),
    ),
    Prediction("columns", mark("How many times as fast with 65,536 columns")),
)
