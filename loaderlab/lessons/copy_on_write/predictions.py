"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Share
from loaderlab.i18n.language import mark

_IN_A_ROW = mark("Ten strings in a row lie on one page, or two.")

PREDICTIONS = (
    Prediction(
        "bytes",
        mark("Bytes that differ"),
        by=Count(
            {
                0: mark("To read an object is to write: its reference count goes up by one."),
                8: mark("The counter has 8 bytes, but adding 1 changes only the lowest of them."),
            }
        ),
    ),
    Prediction(
        "idle",
        mark("Five processes with one array"),
        mark("MiB"),
        places=(mark("RSS of a worker"), mark("sum of the five RSS"), mark("sum of the five PSS")),
        by=(
            Amount({16: mark("RSS counts a shared page in full, in each process.")}, factor=1.5),
            Amount({64: mark("RSS counts a shared page in full, in each process.")}, factor=1.5),
            Amount({320: mark("PSS divides a shared page among those who share it.")}, factor=2),
        ),
    ),
    Prediction(
        "pages",
        mark("Pages copied"),
        places=(mark("one string"), mark("ten in a row"), mark("ten at random")),
        by=(
            Count({0: mark("To read an object is to write: its reference count goes up by one.")}),
            Count(
                {10: _IN_A_ROW}, close=dict.fromkeys((1, 2), _IN_A_ROW)
            ),  # the first of them may begin a page
            Amount({1: mark("Ten strings at random lie on ten pages, or nearly ten.")}, factor=1.3),
        ),
        order=True,
    ),
    Prediction(
        "tenth",
        mark("Copied after a tenth of the samples"),
        "%",
        places=(mark("list, in order"), mark("list, shuffled"), mark("array, shuffled")),
        by=(
            Share(),
            Share({10: mark("Reading a string copies its whole page, with all strings on it.")}),
            Amount({10: mark("The elements of an array have no reference counts.")}, high=100, nothing=5),
        ),
        order=True,
    ),
    Prediction(
        "times",
        mark("Memory of 4 workers (times the data)"),
        places=(mark("in order"), mark("shuffled")),
        by=(
            Amount(
                {4: mark("When reading in order, each worker reads a part of its own.")},
                factor=1.25,
                nothing=0.1,
            ),
            Amount(
                {1: mark("In shuffled order, a worker reads from nearly all pages.")},
                factor=1.25,
                nothing=0.1,
            ),
        ),
        order=True,
    ),
    Prediction(
        "shared",
        mark("What is not copied into a spawned worker?"),
        choices={
            "list": mark("list of strings"),
            "ndarray": mark("NumPy array"),
            "tensor": mark("tensor"),
            "memmap": mark("np.memmap"),
        },
        by=Choice(
            {
                **dict.fromkeys(
                    ("list", "ndarray"), mark("Lists and arrays are pickled, with all that is in them.")
                ),
                "memmap": mark("A memmap is pickled like an array, with all that is in it."),
            }
        ),
    ),
)
