"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction("last_warp", mark("Threads of the last warp that have nothing to do"), computed=True),
    Prediction(
        "multiples",
        mark("Batch sizes must be multiples of 32, or better, powers of two"),
        choices=TRUE_OR_FALSE,
    ),
    Prediction(
        "more_idle",
        mark("Batch that leaves more lanes idle"),
        choices={33: "33", 32: "32", "equal": mark("both leave the same number")},
        computed=True,
    ),
    Prediction(
        "classes",
        mark("Batch size with the smallest share of idle lanes"),
        choices={batch_size: str(batch_size) for batch_size in (32, 33, 128, 1000)},
        computed=True,
    ),
    Prediction(
        "spin",
        mark("Time in blocks of 100, divided by that in blocks of 128"),
        places=(mark("much arithmetic"), mark("only reading and writing")),
    ),
    Prediction("busy", mark("Share of the cycles with something to issue"), "%", computed=True),
    Prediction("enough", mark("Warps that would be enough"), computed=True),
    Prediction("loads", mark("Time of 32 warps, divided by that of one")),
    Prediction(
        "sectors",
        mark("Sectors for each distance of the elements"),
        places=("1", "2", "8", "32"),
        computed=True,
    ),
    Prediction("apart", mark("Time at distance 16, divided by that of neighbours")),
    Prediction(
        "doubled",
        mark("Time of the larger batch, divided by that of the smaller"),
        places=("1 → 2", "1024 → 2048"),
    ),
    Prediction(
        "graph",
        mark("Time one by one, divided by that of the graph"),
        places=(mark("batch of 1"), mark("batch of 524,288")),
    ),
    Prediction("tiles", mark("Tiles for each M"), places=("32", "33", "128", "129"), computed=True),
    Prediction(
        "one_row",
        mark("Time of 129 rows, divided by that of 128"),
        places=(mark("in whole tiles"), mark("PyTorch's own product")),
    ),
    Prediction("waves", mark("Time for so many tiles"), "ms", places=("4", "5", "8", "9")),
    Prediction(
        "steps",
        mark("Rows before the first step"),
        places=(mark("a row of tiles is a wave"), mark("a row of tiles is a quarter of a wave")),
        computed=True,
    ),
    Prediction(
        "vit",
        mark("How much of the device does a batch of 33 use?"),
        choices={
            "less": mark("less than one of 32"),
            "same": mark("as much as one of 32"),
            "more": mark("more than one of 32"),
        },
        computed=True,
    ),
    Prediction("saved", mark("Saved bytes of a batch of 16, divided by those of 8")),
)
