"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Ratio, Share
from loaderlab.i18n.language import mark

WITHOUT_GPU = {
    "raises": mark("raises an error"),
    "silent": mark("goes on without a word"),
    "warns": mark("warns, and goes on"),
}

PREDICTIONS = (
    Prediction(
        "waiting", mark("Share of its time that the GPU waits"), "%", computed=True, by=Share(points=5)
    ),
    Prediction(
        "faults",
        mark("Page faults"),
        places=(mark("first copy"), mark("second copy")),
        by=(
            Amount({64: mark("A fault brings one page, of 4 KiB on most machines.")}, factor=1.05),
            Amount({16384: mark("The pages are there since the first copy.")}, nothing=16),
        ),
        order=True,
    ),
    Prediction("slower", mark("Times as long for the first copy"), by=Ratio(factor=1.6)),
    Prediction(
        "transfer",
        mark("Time for 64 MiB"),
        "ms",
        places=(mark("pinned beforehand"), mark("pageable, at best"), mark("pageable, at worst")),
        computed=True,
        by=(
            Amount(factor=1.1),
            Amount({2.68: mark("First the CPU copies, and that takes longer than the link.")}, factor=1.1),
            Amount({6.71: mark("At worst nothing overlaps, and both times add up.")}, factor=1.1),
        ),
        order=True,
    ),
    Prediction(
        "on_the_fly",
        mark("Pinning on the fly is faster than sending pageable memory"),
        choices=TRUE_OR_FALSE,
    ),
    Prediction("tiny", mark("Time of 100 bytes on the link"), "ns", computed=True, by=Amount(factor=1.1)),
    Prediction("shows", mark("A 5×5 tensor shows whether pinned memory is faster"), choices=TRUE_OR_FALSE),
    Prediction(
        "missing",
        mark("Time of one turn of the loop"),
        "ms",
        places=(mark("pageable source"), mark("no second stream"), mark("no non_blocking")),
        computed=True,
        by=Amount({9: mark("9 would be right if nothing at all overlapped.")}, factor=1.05),
    ),
    Prediction(
        "option",
        mark("What `pin_memory=True` does without a GPU"),
        choices=WITHOUT_GPU,
        by=Choice({"raises": mark("Only the method of the tensor raises an error.")}),
    ),
    Prediction("method", mark("What `tensor.pin_memory()` does without a GPU"), choices=WITHOUT_GPU),
    Prediction(
        "to_gpu",
        mark("The loader puts the tensors on the GPU"),
        choices=TRUE_OR_FALSE,
        by=Choice({True: mark("It pins them. The copy to the GPU is for you to order.")}),
    ),
    Prediction(
        "batches",
        mark("Pinned batches"),
        by=Count({4: mark("The batch that the loop holds is pinned, too.")}),
    ),
    Prediction(
        "mib",
        mark("Pinned memory"),
        mark("MiB"),
        places=(mark("5 batches of 64 MiB"), mark("5 batches of 65 MiB")),
        computed=True,
        by=(
            Amount(factor=1.02),
            Amount({325: mark("Each buffer is rounded up to a power of two.")}, factor=1.02),
        ),
    ),
    Prediction("free", mark("Pinning is free"), choices=TRUE_OR_FALSE),
    Prediction(
        "zeros",
        mark("Zeros that the CPU reads"),
        places=(mark("copy ordered"), mark("one piece later"), mark("synchronised")),
        by=(Count({0: mark("The order returns at once, and nothing is copied yet.")}), Count(), Count()),
    ),
)
