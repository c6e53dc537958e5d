"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Speed
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
        places=(mark("a file each"), mark("one large file")),
        by=(
            Amount({0.02: mark("Each file is asked for by itself, and each request waits.")}, factor=2),
            Amount({4: mark("One request brings many images.")}, factor=1.5, nothing=0.2),
        ),
        order=True,
    ),
    Prediction(
        "slowest",
        mark("Which is slowest?"),
        choices=LAYOUTS,
        by=Choice(
            {
                "files": mark(
                    "In the page cache, to open a file costs less than to find a sample in a tar in Python."
                ),
                **dict.fromkeys(
                    ("plain", "packed"),
                    mark("There nothing is parsed, so there is next to no work for each sample."),
                ),
            }
        ),
    ),
    Prediction(
        "network",
        mark("How many times as fast as files one by one"),
        places=(LAYOUTS["shards"], mark("Files, 16 at a time")),
        by=(
            Speed(
                {
                    200: mark(
                        "200 samples share one wait, 0.02 ms each, but each has to be parsed, which takes several times as long."
                    )
                },
                factor=1.6,
            ),
            Speed(
                {
                    16: mark(
                        "Sixteen wait at the same time, but the work on a request is done one after the other: client and server are one Python process each."
                    )
                },
                factor=1.6,
            ),
        ),
        order=True,
    ),
    Prediction(
        "ranks",
        mark("Samples that a rank reads"),
        places=(mark("rank 0"), mark("rank 3")),
        by=Count({500: mark("Whole shards are dealt, and 10 of them are not divisible by 4.")}),
    ),
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
    Prediction(
        "classes",
        mark("Classes in a batch"),
        places=(mark("on average"), mark("in the first batch")),
        by=(
            Amount(
                dict.fromkeys(
                    (7.9, 8),
                    mark(
                        "So many has a batch of all images. The buffer holds the images of a few classes at a time."
                    ),
                ),
                close={
                    4: mark(
                        "So many are in a buffer of 1000 that is full at the beginning. This one begins with 100, of one class, and grows."
                    )
                },
                factor=1.25,
            ),
            Count({8: mark("The buffer is not full yet when the first batch is drawn.")}),
        ),
    ),
)
