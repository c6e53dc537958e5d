"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Speed
from loaderlab.i18n.language import mark

WORKERS = ("num_workers=0", "num_workers=2")
SEEDED = dict.fromkeys((6, 12), mark("PyTorch seeds this generator in each worker, and in each epoch anew."))

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
                        "Half would be right if the loop did nothing but wait. But the workers load while the step runs."
                    )
                },
                nothing=3,
            ),
        ),
        order=True,
    ),
    Prediction(
        "times",
        mark("4 workers against none (times as fast)"),
        places=(mark("Waiting (disk, network)"), mark("Decoding JPEGs (CPU)"), mark("Already in memory")),
        by=(
            Speed(),
            Speed({4: mark("To decode, each worker needs a core, and the loop needs one, too.")}),
            Speed(factor=100),
        ),  # of the last, nobody can know more than the direction
        order=True,
    ),
    Prediction(
        "imports",
        mark("Imports of the script"),
        places=("fork", "spawn"),
        by=(
            Count(
                {3: mark("A forked worker is a copy of the process, modules included: it imports nothing.")}
            ),
            Count(
                {
                    1: mark("A spawned worker is a new interpreter: it imports the script again."),
                    3: mark("3 is right for one epoch. The second one starts two new workers."),
                    4: mark(
                        "The two new workers of each epoch import the script, and the main process does, too."
                    ),
                }
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
            Count(
                {
                    6: mark("When the loop takes a batch, the next one is ordered at once."),
                    12: mark(
                        "Nothing is ordered in a pause: the next batch is ordered only when the loop takes one."
                    ),
                }
            ),
        ),
    ),
    Prediction(
        "draws",
        mark("Different draws, of 24"),
        places=("torch", "random", "numpy", "self.rng"),
        by=(
            Count(SEEDED),
            Count(SEEDED),
            Count(
                {
                    6: mark(
                        "That was right before PyTorch 1.9. Since then, PyTorch seeds NumPy in each worker, too."
                    ),
                    12: mark(
                        "Before PyTorch 1.9, a bug made workers draw the same. Since then, PyTorch seeds NumPy in each worker, too."
                    ),
                }
            ),
            Count(
                {
                    12: mark(
                        "Only persistent workers go on with their copy; others begin each epoch with a new one."
                    ),
                    24: mark(
                        "Each worker has a copy of the same generator, and each epoch begins with that copy."
                    ),
                }
            ),
        ),
    ),
    Prediction(
        "suffer",
        mark("Which steps suffer from busy neighbours?"),
        choices={
            "both": mark("the median step as much as the slowest"),
            "slowest": mark("the slowest, much more than the median"),
        },
        by=Choice(
            {
                "both": mark(
                    "Most steps are over before their core is taken from them; a few have to wait for it."
                )
            }
        ),
    ),
)
