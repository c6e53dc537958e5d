"""The names of the columns of this lesson's tables, and of the values in them."""

from loaderlab.i18n.language import mark

NAMES = {
    "kind": mark("The batch is"),
    "tensor": mark("a tensor"),
    "ndarray": mark("a NumPy array"),
    "bytes": mark("a bytes object"),
    "image": mark("a PIL image"),
    "fields": mark("100 small tensors"),
    "message_bytes": mark("Through the pipe (bytes)"),
    "segments": mark("Segments"),
    "batch_ms": mark("Time per batch (ms)"),
    "times_best": mark("Ratio to the first"),
    "sent_as": mark("Batch made by"),
    "held": mark("Batches held"),
    "formula_kib": mark("Formula (KiB)"),
    "found_kib": mark("Found (KiB)"),
    "moment": mark("Moment"),
    "held_up": mark("the pin thread is held up"),
    "pause": mark("the loop pauses"),
    "kept_4": mark("the loop keeps 4"),
    "shm_kib": mark("In /dev/shm (KiB)"),
    "pinned_kib": mark("Pinned (KiB)"),
    "shm_bytes": mark("In /dev/shm (bytes)"),
}
