"""The job of one peer, as it is told to its process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from loaderlab.scripts.images import find

AT_ONCE = 16  # images that a process of the limit takes
LEAST = 256  # the shorter side of a decoded image is this or more, where the image has that many


@dataclass(frozen=True)
class Job:
    """One peer with one decoder: where the images are, where its own format goes, and the sizes that all share.

    ``of``: whose work a limit does. ``cuttable``: the recipe packs the images
    so that no more than the crop is decoded.
    """

    peer: str
    images: str  # a folder with a sub-folder for each image, so that an image's class is its number
    store: str  # a folder of this peer's own
    decoder: str = "pillow"
    workers: int = 2
    batch: int = 64
    size: int = 224
    factor: int = 1  # by which most of the images are made smaller before the crop
    shorter: int | None = None  # the recipe stores the images with this shorter side
    seed: int = 0
    of: str = ""
    cuttable: bool = True

    @property
    def standard(self) -> bool:
        """Return whether the work is a crop as RandomResizedCrop, not a window: where each decodes as its documentation has it."""
        return self.decoder == "own"

    def files(self) -> list[Path]:
        """Return the images in the order of their numbers."""
        return [path for path, _label in find(self.images).images]

    def order(self, epoch: int) -> list[int]:
        """Return the numbers of the images in the order of an epoch, for peers that are told one."""
        rng = np.random.default_rng([self.seed, epoch])
        return rng.permutation(len(self.files())).tolist()

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        return cls(**json.loads(text))
