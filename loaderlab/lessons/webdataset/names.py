"""The names of the columns of this lesson's tables, and of the values in them."""

from loaderlab.i18n.language import mark

NAMES = {
    "layout": mark("Layout"),
    "files": mark("Files"),
    "shards": mark("Shards (webdataset)"),
    "plain": mark("Shards (plain read)"),
    "packed": mark("Packed file"),
    "many": mark("Files, 16 at a time"),
    "pieces": mark("Pieces delivered"),
    "opens": mark("Opens"),
    "reads": mark("Read calls"),
    "us_per_sample": mark("Time per sample (µs)"),
    "times_warm": mark("Cold time / warm time"),
    "latency_ms": mark("Latency (ms)"),
    "where": mark("Place of with_epoch(30)"),
    "on samples": mark("before batched(10)"),
    "on batches": mark("after batched(10)"),
    "on loader": mark("on the WebLoader"),
    "batches": mark("Batches"),
    "unshuffled": mark("no shuffle"),
    "everything": mark("everything shuffled"),
    "source": mark("Source"),
}
