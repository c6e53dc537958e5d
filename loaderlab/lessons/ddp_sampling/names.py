"""The names of the columns of this lesson's tables, and of the values in them."""

from loaderlab.i18n.language import mark

NAMES = {
    "rank": mark("Rank"),
    "epoch": mark("Epoch"),
    "indices": mark("Indices"),
    "host": mark("Host"),
    "lost": mark("Seen by nobody"),
    "sampler_drops": mark("drop_last of the sampler"),
    "loader_drops": mark("drop_last of the loader"),
    "batches": mark("Batches of each rank"),
    "last_batch": mark("Size of the last batch"),
    "part": mark("Case"),
    "alone": mark("without Join"),
    "join": mark("with Join"),
    "given": mark("Batches in an epoch"),
    "steps": mark("Steps finished in each epoch"),
    "ended": mark("Ended"),
    "finished": mark("finished"),
    "blocked": mark("blocked until the time limit"),
    "attribute": mark("Attribute"),
    "shared": mark("Shared tensor"),
    "sampler": mark("Order of the sampler is new"),
    "new_workers": mark("Attribute, new workers"),
    "weight": mark("Weight after the epoch"),
    "forgotten": mark("set_epoch forgotten"),
    "told": mark("set_epoch called"),
    "set_to": mark("Epoch that the new program sets"),
    "exact": mark("Goes on exactly"),
}
