"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Speed
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "moved",
        mark("Augmenting on the GPU, times as fast"),
        places=(mark("2 workers"), mark("8 workers")),
        computed=True,
        by=(
            Speed(
                {
                    1: mark(
                        "Two workers make 61 samples/s, and the GPU could take 192: here it waits for them."
                    ),
                    4.6: mark("Without augmentation, the workers still decode: 182 samples/s."),
                },
                factor=1.15,
            ),
            Speed(
                {
                    3: mark(
                        "Eight workers make 242 samples/s, more than the GPU takes. They were never the limit."
                    ),
                    1: mark("The GPU never waited, and now it has 35 ms more to do for each batch."),
                },
                factor=1.05,
                even=1.02,
            ),
        ),
    ),
    Prediction(
        "flipped",
        mark("Mirrored pictures of a batch of 64"),
        choices={
            "each": mark("about 32, and in each batch other ones"),
            "half": mark("32 in each batch"),
            "together": mark("none or 64"),
        },
        by=Choice(
            dict.fromkeys(
                ("each", "half"),
                mark(
                    "For that, the transform would have to draw a number for each picture, but it draws only one."
                ),
            )
        ),
    ),
    Prediction(
        "whole",
        mark("The batch on one core"),
        choices={
            "no": mark("as fast, or slower"),
            "some": mark("2 to 10 times as fast"),
            "much": mark("more than 10 times as fast"),
        },
        by=Choice(
            {
                "some": mark("There are 63 fewer calls, but each pixel is computed all the same."),
                "much": mark(
                    "That is so on a GPU. A core has no computing units that one picture would leave idle."
                ),
            }
        ),
    ),
    Prediction(
        "lock",
        mark("One turn of the loop"),
        "ms",
        places=(mark("beside a process"), mark("beside a thread")),
        by=(
            Amount(factor=2, nothing=1),
            Amount(
                {
                    0.6: mark("There is a core for the thread, but only one lock."),
                    1.2: mark("Fair turns would double the time. But the thread keeps the lock for longer."),
                },
                factor=2.5,
            ),
        ),
    ),
    Prediction(
        "beside",
        mark("Throughput of the training"),
        mark("samples/s"),
        places=(mark("the cores decode"), mark("the device decodes")),
        computed=True,
        by=(
            Amount(
                {
                    21333: mark("That is the rate of the step alone. The cores make a batch in 5.2 ms."),
                    7805: mark(
                        "That is the rate of decoding and step, one after the other. But cores and device work at the same time."
                    ),
                },
                factor=1.1,
            ),
            Amount(
                {
                    22857: mark("That is the rate of decoding alone. The device has the step to do, too."),
                    21333: mark(
                        "That is the rate of the step alone. The device has to decode, too, and it has one queue."
                    ),
                },
                factor=1.15,
            ),
        ),
    ),
    Prediction(
        "damaged",
        mark("Batches with bytes of another one"),
        places=(mark("without the line"), mark("with the line")),
        by=(
            Count(
                {
                    0: mark(
                        "A thread writes the next batch into the slot before the device has read the one in it."
                    ),
                    12: mark("After the last three batches, nobody writes into their slots."),
                }
            ),
            Count(),
        ),
    ),
)
