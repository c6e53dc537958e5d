"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Ratio, Speed
from loaderlab.i18n.language import mark

WORKERS = ("num_workers=0", "num_workers=2")

PREDICTIONS = (
    Prediction(
        "seen",
        mark("Batches in the list"),
        places=WORKERS,
        by=(Count(), Count({5: mark("Each worker appended to its own copy of the list.")})),
    ),
    Prediction(
        "wait",
        mark("Wait for a batch"),
        "ms",
        places=WORKERS,
        by=(
            Amount(factor=1.3),
            Amount(
                {
                    8: mark(
                        "Half would be right if the loop still stood and waited. The workers load while the step runs."
                    )
                },
                nothing=3,
            ),
        ),
        order=True,
    ),
    Prediction(
        "order",
        mark("In which order do the batches of three workers arrive?"),
        choices={"ready": mark("as they become ready"), "turns": mark("in turn: worker 0, 1, 2, 0, 1, 2 …")},
        by=Choice({"ready": mark("A batch that is ready too early waits until it is its turn.")}),
    ),
    Prediction(
        "slow",
        mark("What does a worker do that is ten times slower?"),
        choices={
            "fewer": mark("it makes fewer batches"),
            "same": mark("it makes as many, and the others wait for it"),
        },
        by=Choice({"fewer": mark("Batches are dealt in turn, whoever is slow.")}),
    ),
    Prediction(
        "times",
        mark("4 workers against none (times as fast)"),
        places=(mark("Waiting (disk, network)"), mark("Decoding JPEGs (CPU)"), mark("Already in memory")),
        by=(Speed(), Speed(), Speed()),
        order=True,
    ),
    Prediction("four", mark("Four workers are four times faster"), choices=TRUE_OR_FALSE),
    Prediction(
        "imports",
        mark("Imports of the script"),
        places=("fork", "spawn"),
        by=(
            Count(
                {3: mark("A forked worker is a copy of the process, modules included: it imports nothing.")}
            ),
            Count({3: mark("3 is right for one epoch. The second one starts two new workers.")}),
        ),
    ),
    Prediction(
        "again",
        mark("Each worker re-initialises the Dataset"),
        choices=TRUE_OR_FALSE,
        by=Choice(
            {True: mark("A worker gets a copy of the Dataset: forked or pickled, it is not made anew.")}
        ),
    ),
    Prediction(
        "leave",
        mark("Time after break"),
        "ms",
        places=(mark("leaving the loop"), mark("first batch of the next pass")),
        by=(
            Amount(
                {0: mark("Leaving waits until the workers have ended, and each first finishes its batch.")},
                factor=1.3,
                nothing=20,
            ),
            Amount(
                {0: mark("The next pass starts new workers, and they begin with an empty queue.")},
                factor=1.3,
                nothing=20,
            ),
        ),
    ),
    Prediction(
        "ordered",
        mark("Batches ordered"),
        places=(mark("before the first batch"), mark("after it"), mark("after a pause")),
        by=(
            Count({3: mark("`prefetch_factor` is a number for each worker.")}),
            Count({6: mark("When the loop takes a batch, the next one is ordered at once.")}),
            Count(),
        ),
    ),
    Prediction(
        "flight",
        mark("In shared memory"),
        mark("MiB"),
        places=(mark("before the first batch"), mark("holding one batch")),
        by=(
            Amount({8: mark("`prefetch_factor` is a number for each worker.")}, factor=1.1),
            Amount({16: mark("The batch that the loop holds still takes its place.")}, factor=1.1),
        ),
    ),
    Prediction(
        "draws",
        mark("Different draws, of 24"),
        places=("torch", "random", "numpy", "self.rng"),
        by=(
            Count(),
            Count(),
            Count({6: mark("That was so before PyTorch 1.9, which seeds NumPy in each worker, too.")}),
            Count(
                {
                    24: mark(
                        "Each worker has a copy of the same generator, and each epoch begins with that copy."
                    )
                }
            ),
        ),
    ),
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
        by=Ratio(factor=1.5),
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
