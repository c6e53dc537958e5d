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
    "kilobytes": mark("Size of a JPEG (kB)"),
    "decoding": mark("Decoding (Pillow)"),
    "latency_ms": mark("Latency (ms)"),
    "crossover": mark("Crossover"),
    "mb_per_s": mark("Bandwidth of a connection (MB/s)"),
    "where": mark("with_epoch(30) stands"),
    "on samples": mark("before batched(10)"),
    "on batches": mark("after batched(10)"),
    "on loader": mark("on the WebLoader"),
    "batches": mark("Batches"),
    "unshuffled": mark("no shuffle"),
    "everything": mark("everything shuffled"),
    "library": mark("Library"),
    "version": mark("Version"),
    "outcome": mark("Outcome"),
    "source": mark("Fed from"),
    "not installed": mark("not installed"),
}
