"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

WITHOUT_GPU = {
    "raises": mark("raises an error"),
    "silent": mark("goes on without a word"),
    "warns": mark("warns, and goes on"),
}

PREDICTIONS = (
    Prediction("waiting", mark("Share of its time that the GPU waits"), "%", computed=True),
    Prediction("faults", mark("Page faults"), places=(mark("first copy"), mark("second copy"))),
    Prediction("slower", mark("Times as long for the first copy")),
    Prediction(
        "transfer",
        mark("Time for 64 MiB"),
        "ms",
        places=(mark("pinned beforehand"), mark("pageable, at best"), mark("pageable, at worst")),
        computed=True,
    ),
    Prediction(
        "on_the_fly",
        mark("Pinning on the fly is faster than sending pageable memory"),
        choices=TRUE_OR_FALSE,
    ),
    Prediction("tiny", mark("Time of 100 bytes on the link"), "ns", computed=True),
    Prediction("shows", mark("A 5×5 tensor shows whether pinned memory is faster"), choices=TRUE_OR_FALSE),
    Prediction(
        "missing",
        mark("Time of one turn of the loop"),
        "ms",
        places=(mark("pageable source"), mark("no second stream"), mark("no non_blocking")),
        computed=True,
    ),
    Prediction("option", mark("What `pin_memory=True` does without a GPU"), choices=WITHOUT_GPU),
    Prediction("method", mark("What `tensor.pin_memory()` does without a GPU"), choices=WITHOUT_GPU),
    Prediction("to_gpu", mark("The loader puts the tensors on the GPU"), choices=TRUE_OR_FALSE),
    Prediction("batches", mark("Pinned batches")),
    Prediction(
        "mib",
        mark("Pinned memory"),
        mark("MiB"),
        places=(mark("5 batches of 64 MiB"), mark("5 batches of 65 MiB")),
        computed=True,
    ),
    Prediction("free", mark("Pinning is free"), choices=TRUE_OR_FALSE),
    Prediction(
        "zeros",
        mark("Zeros that the CPU reads"),
        places=(mark("copy ordered"), mark("one piece later"), mark("synchronised")),
    ),
)
