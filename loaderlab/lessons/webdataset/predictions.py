"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Count, Ratio, Speed
from loaderlab.i18n.language import mark

LAYOUTS = {
    "files": mark("Files"),
    "shards": mark("Shards (webdataset)"),
    "plain": mark("Shards (plain read)"),
    "packed": mark("Packed file"),
}

PREDICTIONS = (
    Prediction(
        "request",
        mark("Time for an image"),
        "ms",
        places=(mark("2000 files"), mark("one large file")),
        by=(
            Amount(factor=1.3),
            Amount({4: mark("One request brings many images.")}, factor=1.5, nothing=0.2),
        ),
        order=True,
    ),
    Prediction(
        "bytes",
        mark("Bytes that a sample takes in the archive"),
        by=Count(
            {
                8113: mark("8113 forgets two headers."),
                9137: mark("Each file is filled up to a multiple of 512 bytes, too."),
            }
        ),
    ),
    Prediction(
        "samples",
        mark("Samples that the reader finds"),
        by=Count({2: mark("The key ends at the first point: both are called `cat`.")}),
    ),
    Prediction(
        "opens",
        mark("Opens for 2000 samples"),
        places=tuple(LAYOUTS.values()),
        by=(Count(), Count(), Count(), Count({1: mark("Its index is a file, too.")})),
    ),
    Prediction(
        "reads",
        mark("Read calls for 2000 samples"),
        places=(LAYOUTS["files"], LAYOUTS["shards"]),
        by=(
            Amount({2000: mark("A file is read until nothing more comes.")}, factor=1.2),
            Amount({10: mark("webdataset asks for a shard in small pieces.")}, factor=1.2),
        ),
    ),
    Prediction("fastest", mark("Which is fastest?"), choices=LAYOUTS),
    Prediction("slowest", mark("Which is slowest?"), choices=LAYOUTS),
    Prediction("tar", mark("A tar is read at the speed of the disk"), choices=TRUE_OR_FALSE),
    Prediction(
        "grows",
        mark("Which time grows most?"),
        choices={
            "files": LAYOUTS["files"],
            "shards": LAYOUTS["shards"],
            "decoding": mark("Decoding (Pillow)"),
        },
    ),
    Prediction(
        "decoding",
        mark("Decoding, as a multiple of reading from the shard"),
        places=(mark("smallest JPEGs"), mark("largest JPEGs")),
        by=Ratio(factor=2),
        order=True,
    ),
    Prediction(
        "network",
        mark("How many times as fast as files one by one"),
        places=(LAYOUTS["shards"], mark("Files, 16 at a time")),
        by=(
            Speed(
                {200: mark("The shard has more bytes than one file, and to read it takes time, too.")},
                factor=1.6,
            ),
            Speed(factor=1.6),
        ),
        order=True,
    ),
    Prediction(
        "shard",
        mark("Which shard does worker 1 of rank 3 read?"),
        choices={number: str(number) for number in (3, 6, 7, 9)},
    ),
    Prediction(
        "ranks",
        mark("Samples that a rank reads"),
        places=(mark("rank 0"), mark("rank 3")),
        by=Count({500: mark("Whole shards are dealt, and 10 of them are not divisible by 4.")}),
    ),
    Prediction("noticed", mark("webdataset reports an error in both cases"), choices=TRUE_OR_FALSE),
    Prediction(
        "left",
        mark("Samples that come"),
        places=(mark("1,000,000 bytes"), mark("exactly 102 samples")),
        by=Count({200: mark("What came before the break still counts.")}),
    ),
    Prediction("distinct", mark("Different samples in the first epoch"), by=Count()),
    Prediction(
        "batches",
        mark("Batches, with 2 workers"),
        places=(mark("before batched(10)"), mark("after batched(10)"), mark("on the WebLoader")),
        by=(
            Count(
                {
                    3: mark("It counts what comes out of the whole pipeline: batches."),
                    6: mark("It counts what comes out of the whole pipeline: batches."),
                    30: mark("Each worker counts for itself."),
                }
            ),
            Count({30: mark("Each worker counts for itself.")}),
            Count(),
        ),
    ),
    Prediction("counts", mark("with_epoch counts samples"), choices=TRUE_OR_FALSE),
    Prediction(
        "classes",
        mark("Classes in a batch"),
        places=(mark("on average"), mark("in the first batch")),
        by=(
            Amount(factor=1.1),
            Count({8: mark("The buffer is not full yet when the first batch is drawn.")}),
        ),
    ),
    Prediction("shuffles", mark("shuffle(1000) shuffles samples sorted by class"), choices=TRUE_OR_FALSE),
    Prediction("order", mark("The second epoch has another order of shards"), choices=TRUE_OR_FALSE),
)
