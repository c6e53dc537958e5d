"""The groups of peers that are measured in turns, and what each of a group is told to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.peers import KNOWN
from loaderlab.peers.job import Job
from loaderlab.peers.material import LEAST, Material

STORED = 256
# The parts, each with its heading. With a window, ``own`` has the recipe with its fastest decoder.
HEADS = {
    "standard": mark("RandomResizedCrop and a flip, each as its documentation has it"),
    "same": mark("A window and a flip, the same decoder for all: {decoder}"),
    "own": mark("A window and a flip, each as its documentation has it"),
    "stored": mark("Images stored at 256 px ({decoder})"),
}
PARTS = tuple(HEADS)


def head(configuration: str, decoder: str) -> str:
    """Return the heading of a group."""
    return _(HEADS[configuration]).format(decoder={"pillow": "Pillow"}.get(decoder, decoder))


@dataclass(frozen=True)
class Group:
    """Peers of one part, with one decoder."""

    configuration: str
    decoder: str
    peers: tuple[str, ...]

    def work(self, peer: str) -> str:
        """Return whose work a peer's limit does: its own; where all decode alike, the recipe's; empty where there is none."""
        return KNOWN[peer].work if self.decoder == "own" else "recipe"

    def job(self, name: str, place: Path, material: Material, of: str = "", **sizes: int) -> Job:
        """Return the job of a peer, or of the ``limit`` that does the work ``of`` one."""
        cuttable, shorter = self.configuration != "same", STORED if self.configuration == "stored" else None
        store = "-".join([of or name, str(shorter or "all"), *([] if cuttable else ["whole"])])
        return Job(
            name,
            str(material.folder),
            str(place / store),
            self.decoder,
            least=LEAST,
            factor=material.factor,
            shorter=shorter,
            of=of,
            standard=self.configuration == "standard",
            cuttable=cuttable,
            **sizes,
        )


def groups(peers: Sequence[str], decoders: Sequence[str], parts: Sequence[str]) -> list[Group]:
    """Return the groups to measure: of each part one, of ``same`` one for each decoder; none without a peer."""
    with_decoders = {"same": tuple(decoders), "stored": decoders[-1:]}
    found = [
        Group(part, decoder, tuple(peer for peer in peers if part in KNOWN[peer].parts))
        for part in PARTS
        if part in parts
        for decoder in with_decoders.get(part, ("own",))
    ]
    return [group for group in found if group.peers]
