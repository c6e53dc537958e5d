"""The guesses that learners of this lesson make before they measure."""

from loaderlab.course.prediction import Prediction
from loaderlab.course.yardstick import Amount, Choice, Count
from loaderlab.i18n.language import mark

PREDICTIONS = (
    Prediction(
        "crossing",
        mark("Through the pipe"),
        mark("bytes"),
        places=(mark("a tensor"), mark("a NumPy array"), mark("100 small tensors")),
        by=(
            Amount(
                {1_024_000: mark("The data lies in shared memory. Only its location goes through the pipe.")},
                factor=2,
                nothing=500,
            ),
            Amount(
                {
                    0: mark("Only tensors are moved into shared memory."),
                    340: mark("Only tensors are moved into shared memory."),
                },
                factor=1.05,
            ),
            Amount(
                {
                    0: mark("Each tensor has its own place, and the message gives each of these places."),
                    340: mark("Each tensor has its own place, and the message gives each of these places."),
                    34_000: mark(
                        "What all tensors have in common is pickled once: each further tensor adds less than the first."
                    ),
                    1_024_000: mark(
                        "The data lies in shared memory. Only its location goes through the pipe."
                    ),
                },
                factor=2,
            ),
        ),
    ),
    Prediction(
        "longest",
        mark("What takes longest?"),
        choices={
            "default_collate": mark("the default collate function"),
            "torch.stack": "torch.stack",
            "np.stack": "np.stack",
            "fields": mark("100 small tensors"),
        },
        by=Choice(
            {
                "np.stack": mark(
                    "The bytes of the array go through the pipe, but that costs less than a hundred segments."
                ),
                **dict.fromkeys(
                    ("torch.stack", "default_collate"),
                    mark("This batch has one segment only, and what takes time is to open and map segments."),
                ),
            }
        ),
    ),
    Prediction(
        "filled",
        mark("In /dev/shm"),
        mark("KiB"),
        places=(mark("before the first batch"), mark("the loop holds one"), mark("the loop keeps 4")),
        by=(
            Amount({1024: mark("`prefetch_factor` is a number for each worker.")}, factor=1.02),
            Amount({2048: mark("The batch that the loop holds still takes room.")}, factor=1.02),
            Amount(
                {2048: mark("Batches that the loop keeps take room, and other batches are made meanwhile.")},
                factor=1.02,
            ),
        ),
        order=True,
    ),
    Prediction(
        "pinned",
        mark("In /dev/shm"),
        mark("KiB"),
        places=(mark("the pin thread is held up"), mark("the loop pauses"), mark("the loop keeps 4")),
        by=(
            Amount(factor=1.02),
            Amount(
                {
                    2048: mark(
                        "The pin thread copies each batch at once, and then the room of the batch is free."
                    )
                },
                factor=1.02,
            ),
            Amount({2048: mark("The batches that the loop keeps are pinned copies.")}, factor=1.02),
        ),
    ),
    Prediction(
        "lost",
        mark("What does the main process see?"),
        choices={
            "error": mark("the same error"),
            "died": mark("an error: a worker has died"),
            "finished": mark("the end of the loop, some batches too early"),
            "stopped": mark("nothing, it waits"),
        },
        by=Choice(
            {
                "error": mark("Only a thread of the worker meets the error, and the worker goes on."),
                "died": mark(
                    "The worker is alive: only one of its threads has met the error, and this thread goes on, too."
                ),
                "finished": mark("The main process knows that a batch is missing, and waits for it."),
            }
        ),
    ),
    Prediction(
        "kept",
        mark("Batches kept"),
        places=("file_descriptor", "file_system"),
        by=(Amount({400: mark("Each batch keeps a file open.")}, factor=1.3), Count()),
    ),
)
