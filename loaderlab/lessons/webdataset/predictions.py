"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

LAYOUTS = {
    "files": mark("Files"),
    "shards": mark("Shards (webdataset)"),
    "plain": mark("Shards (plain read)"),
    "packed": mark("Packed file"),
}

PREDICTIONS = (
    Prediction(
        "request", mark("Time for an image"), "ms", places=(mark("2000 files"), mark("one large file"))
    ),
    Prediction("bytes", mark("Bytes that a sample takes in the archive")),
    Prediction("samples", mark("Samples that the reader finds")),
    Prediction("opens", mark("Opens for 2000 samples"), places=tuple(LAYOUTS.values())),
    Prediction("reads", mark("Read calls for 2000 samples"), places=(LAYOUTS["files"], LAYOUTS["shards"])),
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
    ),
    Prediction(
        "network",
        mark("How many times as fast as files one by one"),
        places=(LAYOUTS["shards"], mark("Files, 16 at a time")),
    ),
    Prediction(
        "shard",
        mark("Which shard does worker 1 of rank 3 read?"),
        choices={number: str(number) for number in (3, 6, 7, 9)},
    ),
    Prediction("ranks", mark("Samples that a rank reads"), places=(mark("rank 0"), mark("rank 3"))),
    Prediction("noticed", mark("webdataset reports an error in both cases"), choices=TRUE_OR_FALSE),
    Prediction(
        "left", mark("Samples that come"), places=(mark("1,000,000 bytes"), mark("exactly 102 samples"))
    ),
    Prediction("distinct", mark("Different samples in the first epoch")),
    Prediction(
        "batches",
        mark("Batches, with 2 workers"),
        places=(mark("before batched(10)"), mark("after batched(10)"), mark("on the WebLoader")),
    ),
    Prediction("counts", mark("with_epoch counts samples"), choices=TRUE_OR_FALSE),
    Prediction(
        "classes", mark("Classes in a batch"), places=(mark("on average"), mark("in the first batch"))
    ),
    Prediction("shuffles", mark("shuffle(1000) shuffles samples sorted by class"), choices=TRUE_OR_FALSE),
    Prediction("order", mark("The second epoch has another order of shards"), choices=TRUE_OR_FALSE),
)
