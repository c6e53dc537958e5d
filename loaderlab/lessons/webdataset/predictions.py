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
            Amount(
                {0.02: mark("Each file needs a request of its own, and you wait for each answer.")}, factor=2
            ),
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
                    mark("This way parses nothing, so there is next to no work for each sample."),
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
                        "200 samples share one wait, 0.02 ms for each, but parsing a sample takes several times as long."
                    )
                },
                factor=1.6,
            ),
            Speed(
                {
                    16: mark(
                        "Sixteen threads wait at once, but the work on their requests is done one after the other: client and server are one Python process each."
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
        by=Count({500: mark("Shards are dealt out whole, and 10 is not divisible by 4.")}),
    ),
    Prediction(
        "batches",
        mark("Batches, with 2 workers"),
        places=(mark("before batched(10)"), mark("after batched(10)"), mark("on the WebLoader")),
        by=(
            Count(
                {
                    3: mark("`with_epoch` counts what comes out of the whole pipeline: batches."),
                    6: mark("`with_epoch` counts what comes out of the whole pipeline: batches."),
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
                        "A batch drawn from all images has so many classes. The buffer holds images of only a few classes at a time."
                    ),
                ),
                close={
                    4: mark(
                        "A buffer of 1000 that is full at the beginning holds so many classes. This one begins with 100 samples of one class, and grows."
                    )
                },
                factor=1.25,
            ),
            Count({8: mark("The buffer is not full yet when the first batch is drawn.")}),
        ),
    ),
)
