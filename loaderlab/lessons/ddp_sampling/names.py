"""The names of the columns of this lesson's tables, and of the values in them."""

from loaderlab.i18n.language import mark

NAMES = {
    "rank": mark("Rank"),
    "ranks": mark("Ranks"),
    "gpus": mark("GPUs"),
    "epoch": mark("Epoch"),
    "indices": mark("Indices"),
    "host": mark("Host"),
    "samples": mark("Samples"),
    "duplicates": mark("Duplicates"),
    "lost": mark("Seen by nobody"),
    "sampler_drops": mark("drop_last of the sampler"),
    "loader_drops": mark("drop_last of the loader"),
    "batches": mark("Batches of each rank"),
    "last_batch": mark("Samples in the last"),
    "part": mark("Part"),
    "alone": mark("without Join"),
    "join": mark("with Join"),
    "two_epochs": mark("without Join, two epochs"),
    "given": mark("Batches given"),
    "steps": mark("Steps done"),
    "ended": mark("Ended"),
    "finished": mark("finished"),
    "blocked": mark("blocked until the time limit"),
    "attribute": mark("Attribute"),
    "shared": mark("Shared tensor"),
    "sampler": mark("Order of the sampler is new"),
    "new_workers": mark("Attribute, new workers"),
    "most_wait_share": mark("Wait of the rank that waits most (%)"),
    "weight": mark("Weight after the epoch"),
}
