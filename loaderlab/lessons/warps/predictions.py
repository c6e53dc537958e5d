"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Ratio, Share
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "last_warp", mark("Threads of the last warp that have nothing to do"), computed=True, by=Count()
    ),
    Prediction(
        "multiples",
        mark("Batch sizes must be multiples of 32, or better, powers of two"),
        choices=TRUE_OR_FALSE,
        computed=True,
    ),
    Prediction(
        "more_idle",
        mark("Batch that leaves more lanes idle"),
        choices={33: "33", 32: "32", "equal": mark("both leave the same number")},
        computed=True,
        by=Choice({33: mark("33 is no multiple of 32. But warps are made of elements, not of images.")}),
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
        by=Ratio(factor=1.12, even=1.1),
    ),
    Prediction(
        "busy",
        mark("Share of the cycles with something to issue"),
        "%",
        computed=True,
        by=Share({4.8: mark("4.8% is the share of one warp.")}, points=3),
    ),
    Prediction(
        "enough",
        mark("Warps that would be enough"),
        computed=True,
        by=Count({20: mark("20 others fill the wait; the warp that waits is one more.")}),
    ),
    Prediction(
        "loads",
        mark("Time of 32 warps, divided by that of one"),
        by=Ratio({32: mark("The loads of 32 warps wait at the same time.")}, factor=1.5, even=1.3),
    ),
    Prediction(
        "sectors",
        mark("Sectors for each distance of the elements"),
        places=("1", "2", "8", "32"),
        computed=True,
        by=(
            Count(),
            Count(),
            Count(),
            Count({128: mark("A warp has 32 lanes, so it touches 32 sectors at most.")}),
        ),
        top=64,
    ),
    Prediction("apart", mark("Time at distance 16, divided by that of neighbours"), by=Ratio(factor=2)),
    Prediction(
        "doubled",
        mark("Time of the larger batch, divided by that of the smaller"),
        places=("1 → 2", "1024 → 2048"),
        by=Ratio(factor=1.3, even=1.3),
    ),
    Prediction(
        "graph",
        mark("Time one by one, divided by that of the graph"),
        places=(mark("batch of 1"), mark("batch of 524,288")),
        by=Ratio(factor=2, even=1.2),
    ),
    Prediction(
        "tiles",
        mark("Tiles for each M"),
        places=("32", "33", "128", "129"),
        computed=True,
        by=(
            Count({8: mark("A tile that is a quarter full is a tile.")}),
            Count({8: mark("A tile that is a quarter full is a tile.")}),
            Count(),
            Count({33: mark("One more row begins a whole new row of tiles.")}),
        ),
        top=80,
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
        by=(Count(), Count({128: mark("Four rows of tiles fit into one wave.")})),
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
    Prediction("saved", mark("Saved bytes of a batch of 16, divided by those of 8"), by=Ratio(factor=1.2)),
)
