"""The images that all peers read: made here, or of a folder; JPEGs, upright, each in a sub-folder of its own."""

from __future__ import annotations

import io
import shutil
import statistics
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.scripts.images import QUALITY, ImageError, find, read, stored, synthetic

LEAST = 256  # the shorter side of a decoded image is this or more, where the image has that many
KILOBYTES = 115


@dataclass(frozen=True)
class Material:
    """The images: their folder, number, mean size, and by how much most are made smaller before the crop."""

    folder: Path
    count: int
    kilobytes: float
    factor: int


def make(work: Path, count: int, kilobytes: float, processes: int) -> Material:
    """``count`` JPEG files of about that size: a coarse pattern and noise."""
    scale = (kilobytes / KILOBYTES) ** 0.5
    size = (max(LEAST, round(500 * scale)), max(LEAST, round(375 * scale)))
    parts = [(str(work / f"part-{k}"), len(range(k, count, processes)), *size, k) for k in range(processes)]
    parts = [part for part in parts if part[1]]
    folder = work / "images"
    with ProcessPoolExecutor(len(parts)) as pool:
        list(pool.map(_part, parts))
    number = 0
    for part in parts:
        for path in sorted(Path(part[0]).rglob("*.jpg")):
            path.rename(_place(folder, number))
            number += 1
        shutil.rmtree(part[0])
    return _described(folder)


def _part(part: tuple[str, int, int, int, int]) -> None:
    folder, count, width, height, seed = part
    synthetic(folder, count, width, height, classes=1, seed=seed)


def take(work: Path, source: Path, count: int, say: Callable[[str], None]) -> Material:
    """Return at most ``count`` images of a folder, spread over all of it; what cannot be read is named and left out."""
    try:
        found = find(source)
    except ImageError as error:
        raise LabError(str(error)) from None
    for problem in found.problems:
        say(_("left out: {problem}").format(problem=problem))
    paths = [path for path, _label in found.images]
    paths = [paths[k * len(paths) // count] for k in range(count)] if len(paths) > count else paths
    number = 0
    for path in paths:
        try:
            picture = stored(path, cuts=False)
            data = picture.data
            if picture.orientation != 1:
                file = io.BytesIO()
                read(path).save(file, "JPEG", quality=QUALITY)
                data = file.getvalue()
        except ImageError as error:
            say(_("left out: {problem}").format(problem=f"{path}: {error}"))
            continue
        _place(work / "images", number).write_bytes(data)
        number += 1
    if not number:
        raise LabError(_("{folder}: no readable image in it.").format(folder=source))
    return _described(work / "images")


def _place(folder: Path, number: int) -> Path:
    path = folder / f"{number:07d}" / f"{number:07d}.jpg"
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _described(folder: Path) -> Material:
    paths = [path for path, _label in find(folder).images]
    some = paths[:: max(1, len(paths) // 100)]
    factors = []
    for path in some:
        with Image.open(path) as image:
            factors.append(next((f for f in (8, 4, 2) if min(image.size) >= f * LEAST), 1))
    kilobytes = statistics.fmean(path.stat().st_size for path in paths) / 1000
    return Material(folder, len(paths), kilobytes, statistics.mode(factors))
