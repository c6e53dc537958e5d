"""The recipe side by side with other loaders: same JPEGs, same crop and flip, in turns, each in a process of its own.

A peer is a module of this package with

- ``PACKAGES``: what pip installs for it, and ``LINK``: the documentation that its configurations are taken from;
- ``prepare(job)``: writes its own format of the images into ``job.store``, where it has one;
- ``source(job)``: a function that takes the number of an epoch and yields its batches, (uint8 [B, 3, S, S], int64 [B]).

The label of an image is its number, so that ``check`` can tell whether each came once.
``job.decoder`` is ``pillow`` or ``simplejpeg``: then the peer decodes with the function of the recipe, like all others;
or ``own``: then it decodes as its documentation does.
"""

PEERS = ("plain", "webdataset", "spdl", "litdata", "streaming", "ffcv", "dali", "recipe")
TITLES = {
    "limit": "limit",
    "step": "step",
    "plain": "DataLoader",
    "webdataset": "WebDataset",
    "spdl": "SPDL",
    "litdata": "LitData",
    "streaming": "MosaicML Streaming",
    "ffcv": "FFCV",
    "dali": "DALI",
    "recipe": "recipe",
}
