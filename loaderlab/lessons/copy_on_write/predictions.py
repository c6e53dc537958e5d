"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.yardstick import Amount, Choice, Count, Share
from loaderlab.i18n.language import mark

HABITS = {
    "reads": mark("reads"),
    "makes_new": mark("makes a new tensor"),
    "in_place": mark("writes in place"),
    "in_place_shared": mark("writes in place, shared tensor"),
}

USS = mark("USS counts each page that only one process maps, those of a file, too.")

PREDICTIONS = (
    Prediction(
        "bytes",
        mark("Bytes that differ"),
        by=Count(
            {
                0: mark("To read an object is to write: its reference count goes up by one."),
                8: mark("The counter has 8 bytes, but one more changes only the lowest of them."),
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
            Amount({320: mark("PSS divides a shared page among those who share it.")}, factor=1.5),
        ),
    ),
    Prediction(
        "pages",
        mark("Pages copied"),
        places=(mark("one string"), mark("ten in a row"), mark("ten anywhere")),
        by=(
            Count({0: mark("To read an object is to write: its reference count goes up by one.")}),
            Count({10: mark("Ten strings in a row lie on one page, or two.")}),
            Amount({1: mark("Ten strings anywhere lie on ten pages, or nearly so.")}, factor=1.3),
        ),
        order=True,
    ),
    Prediction(
        "stays",
        mark("A Dataset that is only read stays shared"),
        choices=TRUE_OR_FALSE,
        by=Choice({True: mark("To read an object is to write: its reference count goes up by one.")}),
    ),
    Prediction(
        "tenth",
        mark("Copied after a tenth of the samples"),
        "%",
        places=(mark("list, in order"), mark("list, shuffled"), mark("array, shuffled")),
        by=(
            Share(),
            Share({10: mark("Each string that is read copies its whole page, for all strings on it.")}),
            Share({10: mark("The elements of an array have no reference counts.")}, points=5),
        ),
        order=True,
    ),
    Prediction("elements", mark("Reference counts copy your array"), choices=TRUE_OR_FALSE),
    Prediction(
        "containers",
        mark("Containers copied, of five"),
        by=Count({5: mark("What has no object for each element is not copied.")}),
    ),
    Prediction("rss", mark("RSS shows what is copied"), choices=TRUE_OR_FALSE),
    Prediction(
        "mapped",
        mark("A mapped file, read by one worker"),
        "%",
        places=(mark("USS grew by"), mark("copied")),
        by=(
            Share({0: USS}, high=200, points=25),
            Share({100: USS}, high=200, points=10),
        ),
    ),
    Prediction(
        "times",
        mark("Memory of 4 workers (times the data)"),
        places=(mark("in order"), mark("shuffled")),
        by=(
            Amount({4: mark("In order, each worker reads a part of its own.")}, factor=1.25, nothing=0.1),
            Amount(
                {1: mark("Shuffled, what a worker reads lies on nearly all pages.")}, factor=1.25, nothing=0.1
            ),
        ),
        order=True,
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
        by=(
            Share({0: mark("The collector writes into each object that it visits.")}, high=200, points=20),
            Share(high=200, points=10),
            Share({0: mark("Reading still writes reference counts.")}, high=200, points=20),
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
        by=Choice({"memmap": mark("It is pickled like an array, with all that is in it.")}),
    ),
    Prediction("mapping", mark("Memory mapping always keeps the data shared"), choices=TRUE_OR_FALSE),
)
