"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import mark

HABITS = {
    "reads": mark("reads"),
    "makes_new": mark("makes a new tensor"),
    "in_place": mark("writes in place"),
    "in_place_shared": mark("writes in place, shared tensor"),
}

PREDICTIONS = (
    Prediction("bytes", mark("Bytes that differ")),
    Prediction(
        "idle",
        mark("Five processes with one array"),
        mark("MiB"),
        places=(mark("RSS of a worker"), mark("sum of the five RSS"), mark("sum of the five PSS")),
    ),
    Prediction(
        "pages",
        mark("Pages copied"),
        places=(mark("one string"), mark("ten in a row"), mark("ten anywhere")),
    ),
    Prediction("stays", mark("A Dataset that is only read stays shared"), choices=TRUE_OR_FALSE),
    Prediction(
        "tenth",
        mark("Copied after a tenth of the samples"),
        "%",
        places=(mark("list, in order"), mark("list, shuffled"), mark("array, shuffled")),
    ),
    Prediction("elements", mark("Reference counts copy your array"), choices=TRUE_OR_FALSE),
    Prediction("containers", mark("Containers copied, of five")),
    Prediction("rss", mark("RSS shows what is copied"), choices=TRUE_OR_FALSE),
    Prediction(
        "mapped",
        mark("A mapped file, read by one worker"),
        "%",
        places=(mark("USS grew by"), mark("copied")),
    ),
    Prediction(
        "times",
        mark("Memory of 4 workers (times the data)"),
        places=(mark("in order"), mark("shuffled")),
    ),
    Prediction("copies", mark("Which of the four copies pages?"), choices=HABITS),
    Prediction("seen", mark("Which change does the main process see?"), choices=HABITS),
    Prediction(
        "collector",
        mark("Copied by a worker"),
        "%",
        places=(
            mark("gc.collect() alone"),
            mark("gc.collect() after gc.freeze()"),
            mark("after gc.freeze(), with reading"),
        ),
    ),
    Prediction("freeze", mark("gc.freeze() keeps the data shared"), choices=TRUE_OR_FALSE),
    Prediction(
        "shared",
        mark("Not copied into a spawned worker"),
        choices={
            "list": mark("list of strings"),
            "ndarray": mark("NumPy array"),
            "tensor": mark("tensor"),
            "memmap": mark("np.memmap"),
        },
    ),
    Prediction("mapping", mark("Memory mapping always keeps the data shared"), choices=TRUE_OR_FALSE),
)
