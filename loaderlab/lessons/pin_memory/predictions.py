"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Share
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "waiting",
        mark("Share of its time that the GPU waits"),
        "%",
        computed=True,
        by=Share(
            {
                0: mark(
                    "0% would need pinned memory and a second stream: here sending and computing take turns."
                )
            },
            points=5,
        ),
    ),
    Prediction(
        "missing",
        mark("Time of one turn of the loop"),
        "ms",
        places=(mark("pageable source"), mark("no second stream"), mark("no non_blocking")),
        computed=True,
        by=Amount(
            {
                3: mark("Here the copy is issued before the step, so what delays the copy delays the step."),
                9: mark("9 would be right if nothing at all overlapped."),
            },
            factor=1.05,
        ),
    ),
    Prediction(
        "option",
        mark("`pin_memory=True` without a GPU"),
        choices={
            "raises": mark("raises an error"),
            "silent": mark("goes on without a warning"),
            "warns": mark("warns, and goes on"),
        },
        by=Choice(
            {
                "raises": mark("Only the method of the tensor raises an error."),
                "silent": mark("The loader goes on, but warns that it pins nothing."),
            }
        ),
    ),
    Prediction(
        "batches",
        mark("Pinned batches"),
        by=Count(
            {
                1: mark("That is the one that the loop holds. The pin thread goes on meanwhile."),
                2: mark(
                    "`prefetch_factor` is a number for each worker, and the batch that the loop holds is pinned, too."
                ),
                4: mark("The batch that the loop holds is pinned, too."),
                6: mark(
                    "Four batches are ordered, and the loop holds one: the loader orders another when the loop takes one."
                ),
            }
        ),
    ),
    Prediction(
        "zeros",
        mark("Zeros that the CPU reads"),
        places=(mark("copy ordered"), mark("one piece later"), mark("synchronised")),
        by=(
            Count({0: mark("The call returns at once, and nothing is copied yet.")}),
            Count(
                {
                    0: mark("One of the four pieces is copied, and not yet the others."),
                    250: mark("250 ones are copied. The zeros are the rest."),
                    1000: mark("One of the four pieces is copied already."),
                }
            ),
            Count({1000: mark("To synchronise is to wait until all of it is copied.")}),
        ),
    ),
)
