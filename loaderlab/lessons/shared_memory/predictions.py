"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction("message", mark("Through the pipe"), mark("bytes")),
    Prediction(
        "crossing",
        mark("Through the pipe"),
        mark("bytes"),
        places=(mark("a NumPy array"), mark("a PIL image"), mark("100 small tensors")),
    ),
    Prediction("avoided", mark("Shared memory avoids pickling"), choices=TRUE_OR_FALSE),
    Prediction(
        "longest",
        mark("What takes longest?"),
        choices={
            "default_collate": mark("the default collate function"),
            "torch.stack": "torch.stack",
            "np.stack": "np.stack",
            "fields": mark("100 small tensors"),
        },
    ),
    Prediction("array", mark("Times as long for the array")),
    Prediction(
        "filled",
        mark("In /dev/shm"),
        mark("KiB"),
        places=(mark("before the first batch"), mark("the loop holds one"), mark("the loop keeps 4")),
    ),
    Prediction(
        "pinned",
        mark("In /dev/shm"),
        mark("KiB"),
        places=(mark("the pin thread is held up"), mark("the loop pauses"), mark("the loop keeps 4")),
    ),
    Prediction("small", mark("In /dev/shm"), mark("bytes")),
    Prediction(
        "fits",
        mark("Which loops run through?"),
        choices={2: mark("both loops"), 1: mark("only the one with one worker"), 0: mark("neither loop")},
    ),
    Prediction("bus_error", mark("No bus error, no problem with `/dev/shm`"), choices=TRUE_OR_FALSE),
    Prediction(
        "lost",
        mark("What does the main process see?"),
        choices={
            "error": mark("the same error"),
            "finished": mark("the end of the loop, some batches too early"),
            "stopped": mark("nothing, it waits"),
        },
    ),
    Prediction(
        "printed",
        mark("Which lines are printed?"),
        choices={0: mark("no line"), 1: mark("only `created`"), 2: mark("`created` and `written`")},
    ),
    Prediction("through", mark("Runs that come to their end")),
    Prediction("enough", mark("Nearly empty in a test means large enough"), choices=TRUE_OR_FALSE),
    Prediction("kept", mark("Batches kept"), places=("file_descriptor", "file_system")),
    Prediction(
        "left",
        mark("Segments that stay"),
        places=(mark("the process is killed"), mark("its helper, too")),
    ),
)
