"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

WORKERS = ("num_workers=0", "num_workers=2")

PREDICTIONS = (
    Prediction("seen", mark("Batches in the list"), places=WORKERS),
    Prediction("wait", mark("Wait for a batch"), "ms", places=WORKERS),
    Prediction(
        "order",
        mark("In which order do the batches of three workers arrive?"),
        choices={"ready": mark("as they become ready"), "turns": mark("in turn: worker 0, 1, 2, 0, 1, 2 …")},
    ),
    Prediction(
        "slow",
        mark("What does a worker do that is ten times slower?"),
        choices={
            "fewer": mark("it makes fewer batches"),
            "same": mark("it makes as many, and the others wait for it"),
        },
    ),
    Prediction(
        "times",
        mark("4 workers against none (times as fast)"),
        places=(mark("Waiting (disk, network)"), mark("Decoding JPEGs (CPU)"), mark("Already in memory")),
    ),
    Prediction("four", mark("Four workers are four times faster"), choices=TRUE_OR_FALSE),
    Prediction("imports", mark("Imports of the script"), places=("fork", "spawn")),
    Prediction("again", mark("Each worker re-initialises the Dataset"), choices=TRUE_OR_FALSE),
    Prediction(
        "leave",
        mark("Time after break"),
        "ms",
        places=(mark("leaving the loop"), mark("first batch of the next pass")),
    ),
    Prediction(
        "ordered",
        mark("Batches ordered"),
        places=(mark("before the first batch"), mark("after it"), mark("after a pause")),
    ),
    Prediction(
        "flight",
        mark("In shared memory"),
        mark("MiB"),
        places=(mark("before the first batch"), mark("holding one batch")),
    ),
    Prediction("draws", mark("Different draws, of 24"), places=("torch", "random", "numpy", "self.rng")),
    Prediction(
        "required",
        mark("Without worker_init_fn, all workers draw the same numbers"),
        choices=TRUE_OR_FALSE,
    ),
    Prediction(
        "suffer",
        mark("Which steps suffer from busy neighbours?"),
        choices={
            "both": mark("the median step as much as the slowest"),
            "slowest": mark("the slowest, much more than the median"),
        },
    ),
    Prediction(
        "half", mark("Half of the cores can be busy before any step is slower"), choices=TRUE_OR_FALSE
    ),
    Prediction(
        "threads",
        mark("CPU time against one thread (times)"),
        places=(mark("alone"), mark("beside busy processes")),
    ),
    Prediction("idle", mark("More threads cannot hurt"), choices=TRUE_OR_FALSE),
    Prediction(
        "gain",
        mark("With four workers, the limit promises"),
        choices={
            "less": mark("less than the share of waiting"),
            "same": mark("as much as the share of waiting"),
            "more": mark("more than the share of waiting"),
        },
    ),
)
