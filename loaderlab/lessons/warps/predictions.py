"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Count, Ratio
from loaderlab.i18n.language import mark

WARPS = mark(
    "1.5 would be three warps of 32 rows instead of two. But a warp is 32 threads, and no row is a thread."
)

PREDICTIONS = (
    Prediction(
        "last_warp",
        mark("Threads of the last warp that have nothing to do"),
        computed=True,
        by=Count(
            dict.fromkeys(
                (1, 31), mark("That counts images as threads, but there is a thread for each element.")
            )
        ),
    ),
    Prediction(
        "doubled",
        mark("Time of the larger batch, divided by that of the smaller"),
        places=("1 → 2", "1024 → 2048"),
        by=(
            Ratio(
                {
                    2: mark(
                        "There are twice the samples, but as many operations, and these take the time here."
                    )
                },
                factor=1.3,
                even=1.3,
            ),
            Ratio(factor=1.3, even=1.1),
        ),
    ),
    Prediction(
        "one_more",
        mark("Time of 65 rows, divided by that of 64"),
        places=(mark("wide product"), mark("narrow product")),
        computed=True,  # from a recording, where the reader has no GPU
        by=(
            Ratio(
                {
                    1.5: WARPS,
                    2: mark(
                        "There may be twice the tiles. But the time goes into reading the weights, for 1 row as for 65."
                    ),
                },
                factor=1.2,
                even=1.1,
            ),
            Ratio(
                {
                    1.5: WARPS,
                    1: mark(
                        "One row is little work. But the library computes 65 rows in another way than 64."
                    ),
                },
                factor=1.2,
                even=1.1,
            ),
        ),
    ),
    Prediction(
        "wider",
        mark("Time of so many inputs, divided by that of 1000"),
        places=("K = 1001", "K = 1008"),
        computed=True,
        by=(
            Ratio(
                {1: mark("The work is the same, but these rows begin at unaligned addresses.")},
                factor=1.3,
                even=1.1,
            ),
            Ratio(factor=1.2, even=1.1),
        ),
    ),
    Prediction(
        "saved",
        mark("Saved bytes of a batch of 16, divided by those of 8"),
        by=Ratio(
            {2: mark("2 would be right if all of it depended on the batch.")}, factor=1.2, even=1.02
        ),  # counted: a tenth more is a difference
    ),
)
