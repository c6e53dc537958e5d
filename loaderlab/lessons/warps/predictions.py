"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Count, Ratio
from loaderlab.i18n.language import mark

TILE = mark("32 threads are a warp. But the time grows with the waves, and a row of tiles has 128 rows.")

PREDICTIONS = (
    Prediction(
        "last_warp",
        mark("Threads of the last warp that have nothing to do"),
        computed=True,
        by=Count(
            dict.fromkeys((1, 31), mark("That takes an image for a thread; there is one for each element."))
        ),
    ),
    Prediction(
        "doubled",
        mark("Time of the larger batch, divided by that of the smaller"),
        places=("1 → 2", "1024 → 2048"),
        by=(
            Ratio(
                {2: mark("Twice the samples, but as many operations: these cost here.")}, factor=1.3, even=1.3
            ),
            Ratio(factor=1.3, even=1.3),
        ),
    ),
    Prediction(
        "one_row",
        mark("Time of 129 rows, divided by that of 128"),
        places=(mark("in whole tiles"), mark("PyTorch's own product")),
        by=Ratio(factor=1.2),
    ),
    Prediction(
        "waves",
        mark("Time for so many tiles"),
        "ms",
        places=("4", "5", "8", "9"),
        by=(
            Amount(factor=1.15),
            Amount(
                {25: mark("The fifth tile needs a second wave, and that takes as long as the first.")},
                factor=1.15,
            ),
            Amount(factor=1.15),
            Amount({45: mark("The ninth tile begins a third wave.")}, factor=1.15),
        ),
        top=80,
    ),
    Prediction(
        "steps",
        mark("Rows before the first step"),
        places=(mark("a row of tiles is a wave"), mark("a row of tiles is a quarter of a wave")),
        computed=True,
        by=(Count({32: TILE}), Count({32: TILE, 128: mark("Four rows of tiles fit into one wave.")})),
    ),
    Prediction(
        "saved",
        mark("Saved bytes of a batch of 16, divided by those of 8"),
        by=Ratio(
            {2: mark("2 would be right if all of it depended on the batch.")}, factor=1.2, even=1.02
        ),  # counted: a tenth more is a difference
    ),
)
