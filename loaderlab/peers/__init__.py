"""The recipe side by side with other loaders: same JPEGs, same crop and flip, in turns, each in a process of its own.

Each peer is a module of this package, which may import its library, with

- ``prepare(job)``: writes its own format of the images into ``job.store``, where it has one (`Peer.writes`);
- ``source(job)``: a function that takes the number of an epoch and yields its batches, (uint8 [B, 3, S, S], int64 [B]).

The label of an image is its number, so that ``check`` can tell whether each came once.
``job.decoder`` is ``pillow`` or ``simplejpeg``: then the peer decodes with the function of the recipe, like all others;
or ``own``: then it decodes as its documentation does.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Peer:
    """What a peer is called, what pip installs for it (the first that is there counts), and whether it can use our decoder.

    ``crop_only``: it decodes no more than the crop, which is less work than the limit does, so it may lie above it.
    """

    title: str
    packages: tuple[str, ...] = ("torch",)
    own_only: bool = False
    writes: bool = True  # a format of its own
    crop_only: bool = False


KNOWN = {
    "plain": Peer("DataLoader", writes=False),
    "webdataset": Peer("WebDataset", ("webdataset",)),
    "spdl": Peer("SPDL", ("spdl-core",), writes=False),
    "litdata": Peer("LitData", ("litdata",)),
    "streaming": Peer("MosaicML Streaming", ("mosaicml-streaming",)),
    "ffcv": Peer("FFCV", ("ffcv",), own_only=True),
    "dali": Peer(
        "DALI",
        ("nvidia-dali-cuda130", "nvidia-dali-cuda120", "nvidia-dali-cuda110"),
        own_only=True,
        writes=False,
        crop_only=True,
    ),
    "recipe": Peer("recipe"),
}
PEERS = tuple(KNOWN)
TITLES = {"limit": "limit", "step": "step", **{name: peer.title for name, peer in KNOWN.items()}}
