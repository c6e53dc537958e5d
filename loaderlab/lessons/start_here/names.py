"""The names of the columns and values of this lesson's rows in pictures and tables."""

from loaderlab.i18n.language import mark

NAMES = {
    "alone": "num_workers=0",
    "helped": "num_workers=2",
    "loop": mark("loop"),
    "wait": mark("waits for a batch"),
    "gain": mark("Gain at most (times)"),
    "from_share": mark("Gain from wait share"),
    "clock": mark("Clock"),
    "before": mark("before the batch is asked for"),
    "after": mark("after the batch has arrived"),
    "launched": mark("stopped when the step is launched"),
    "finished": mark("stopped when the step has finished"),
    "epoch_ms": mark("Whole epoch (ms)"),
}
