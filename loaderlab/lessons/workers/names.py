"""The names of the columns and values of this lesson's rows in pictures and tables."""

from loaderlab.i18n.language import mark

NAMES = {
    "first_ms": mark("First batch (ms)"),
    "batches_by_worker": mark("Batches by worker"),
    "in_order": mark("In order"),
    "start_method": mark("Start method"),
    "imported": mark("Module imported"),
    "initialised": mark("__init__ run"),
    "unpickled": mark("Dataset unpickled"),
    "persistent_workers": mark("Persistent workers"),
    "generator": mark("Generator"),
    "draws": mark("Draws"),
    "distinct": mark("Distinct"),
    "busy_processes": mark("Other busy processes"),
    "mean_ms": mark("Mean step (ms)"),
    "p99_ms": mark("99th percentile (ms)"),
    "variable": mark("Environment variable"),
    "threads": mark("Threads"),
    "sample_ms": mark("Time per sample (ms)"),
    "sample_cpu_ms": mark("CPU time per sample (ms)"),
    "wait": mark("Waiting (disk, network)"),
    "decode": mark("Decoding JPEGs (CPU)"),
    "memory": mark("Already in memory"),
}
