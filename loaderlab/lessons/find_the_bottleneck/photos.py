"""The photos that the lesson trains on: small JPEGs, their labels, and the same in one packed file.

Files are few and stand for many photos: photo ``i`` is file ``i % files``. Decoding does not know that.
"""

from __future__ import annotations

import io
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from loaderlab.data import jpegs

SIDE = 72  # pixels of a stored photo
CROP = 64  # pixels of what is trained on
OPEN_SECONDS = 0.0004  # what an open costs on the storage that we imitate


def make(folder: str | Path, files: int = 256, photos: int = 49_152, alike: bool = False) -> Path:
    """Fill ``folder``; returns it. ``alike``: all files show the same, so that only augmentation tells them apart."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    contents = jpegs(count=1 if alike else 16, size=SIDE)
    data = [contents[number % len(contents)] for number in range(files)]
    for number, content in enumerate(data):
        (folder / f"{number:04d}.jpg").write_bytes(content)
        (folder / f"{number:04d}.txt").write_text(str(number))
    (folder / "packed.bin").write_bytes(b"".join(data))
    np.save(folder / "offsets.npy", np.cumsum([0, *map(len, data)]))
    np.save(folder / "labels.npy", np.arange(files))
    (folder / "about.json").write_text(json.dumps({"files": files, "photos": photos}))
    return folder


def about(folder: str | Path) -> tuple[int, int]:
    """Return the number of files, and the number of photos that they stand for."""
    found = json.loads(Path(folder, "about.json").read_text())
    return found["files"], found["photos"]


def read(path: str | Path) -> bytes:
    """Read a whole file, from a file system that asks a server at each open."""
    time.sleep(OPEN_SECONDS)
    with open(path, "rb") as file:
        return file.read()


def decode(content: bytes) -> Any:
    """Return the pixels of a JPEG, uint8 [SIDE, SIDE, 3]."""
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))


def crop(pixels: Any, left: int, top: int, mirrored: bool) -> Any:
    """Return a part of CROP × CROP pixels, mirrored or not."""
    part = pixels[top : top + CROP, left : left + CROP]
    return part[:, ::-1] if mirrored else part
