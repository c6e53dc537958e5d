"""The recipe side by side with other loaders: same JPEGs, same work, in turns, each in a process of its own.

The work is the standard one of training, a crop as torchvision's RandomResizedCrop and a flip (``job.standard``), which each does
with its own decoder; or, with one decoder for all, a window: a square of fixed size at a random place, and a flip.

Each peer is a module of this package, which may import its library, with

- ``prepare(job)``: writes its own format of the images into ``job.store``, where it has one (`Peer.writes`);
- ``source(job)``: a function that takes the number of an epoch and yields its batches, (uint8 [B, 3, S, S], int64 [B]);
- ``work(job)``: what it does with a JPEG, for the limit, where no other module does the same (`Peer.work`): a function of a few
  JPEGs in memory, each with its number, that drops what it makes.

The label of an image is its number, so that it can be told whether each came once.
``job.decoder`` is ``pillow`` or ``simplejpeg``: then the peer decodes with the function of the recipe, like all others;
or ``own``: then it decodes as its documentation does.
"""

from __future__ import annotations

from dataclasses import dataclass

from loaderlab.i18n.language import mark


@dataclass(frozen=True)
class Peer:
    """A peer: its name, its packages for pip (the first that is installed counts), and the parts that it takes part in.

    ``work``: the module that has the work of its limit, where it decodes as its documentation has it.
    ``note``: its decoder there, where that is not the usual one, and what it decodes.
    """

    title: str
    packages: tuple[str, ...] = ("torch",)
    parts: tuple[str, ...] = ("standard", "same")
    writes: bool = True  # a format of its own
    work: str = "plain"
    note: str = ""


KNOWN = {
    "plain": Peer("DataLoader", writes=False),
    "webdataset": Peer("WebDataset", ("webdataset",)),
    "spdl": Peer("SPDL", ("spdl-core",), writes=False, work="spdl", note="FFmpeg"),
    "litdata": Peer("LitData", ("litdata",)),
    "streaming": Peer("MosaicML Streaming", ("mosaicml-streaming",)),
    "ffcv": Peer("FFCV", ("ffcv",), parts=("standard",), work="ffcv", note=mark("TurboJPEG, encoded anew")),
    "dali": Peer(
        "DALI",
        ("nvidia-dali-cuda130", "nvidia-dali-cuda120", "nvidia-dali-cuda110"),
        parts=("standard",),
        writes=False,
        work="dali",
    ),
    "recipe": Peer("recipe", parts=("standard", "same", "stored"), work="recipe"),
}
PEERS = tuple(KNOWN)
TITLES = {name: peer.title for name, peer in KNOWN.items()}
