"""The images that all peers read: made here, or of a folder; JPEGs, upright, each in a sub-folder of its own, so that its class is its number."""

from __future__ import annotations

import io
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.peers.job import LEAST
from loaderlab.scripts.images import QUALITY, ImageError, find, read, stored, synthetic


@dataclass(frozen=True)
class Material:
    """The images: their folder, number, mean size, and by how much most are made smaller before the crop."""

    folder: Path
    count: int
    kilobytes: float
    factor: int


def make(folder: Path, count: int) -> Material:
    """Write so many images into a folder, and return them."""
    return _described(synthetic(folder, count, classes=count))


def take(folder: Path, source: Path, count: int, say: Callable[[str], None]) -> Material:
    """Write at most ``count`` images of ``source`` into a folder, spread over all of it; what cannot be read is named and left out."""
    try:
        found = find(source)
    except ImageError as error:
        raise LabError(str(error)) from None
    for problem in found.problems:
        say(_("left out: {problem}").format(problem=problem))
    paths = [path for path, _label in found.images]
    paths = [paths[k * len(paths) // count] for k in range(count)] if len(paths) > count else paths
    for number, path in enumerate(paths):
        try:
            data = _upright(path)
        except ImageError as error:
            say(_("left out: {problem}").format(problem=f"{path}: {error}"))
            continue
        place = folder / f"{number:07d}"
        place.mkdir(parents=True)
        (place / "image.jpg").write_bytes(data)
    if not folder.exists():
        raise LabError(_("{folder}: no readable image in it.").format(folder=source))
    return _described(folder)


def _upright(path: Path) -> bytes:
    """Return an image as JPEG, as it is unless it has to be turned."""
    picture = stored(path, cuts=False)
    if picture.orientation == 1:
        return picture.data
    file = io.BytesIO()
    read(path).save(file, "JPEG", quality=QUALITY)
    return file.getvalue()


def _described(folder: Path) -> Material:
    paths = [path for path, _label in find(folder).images]
    factors = []
    for path in paths[:: max(1, len(paths) // 100)]:
        with Image.open(path) as image:
            factors.append(next((f for f in (8, 4, 2) if min(image.size) >= f * LEAST), 1))
    kilobytes = statistics.fmean(path.stat().st_size for path in paths) / 1000
    return Material(folder, len(paths), kilobytes, statistics.mode(factors))
