"""Pictures in a folder: found, read upright and as RGB whatever they are, and what cannot be read is named."""

from __future__ import annotations

import hashlib
import io
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from .cuts import cuttable, layout, markers_every
from .words import translate as _

SUFFIXES = {".jpg", ".jpeg", ".jpe", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".mpo"}
QUALITY = 95  # of a picture that has to be encoded again


class ImageError(Exception):
    """An error in the pictures, and what to do about it."""


@dataclass(frozen=True)
class Problem:
    """A file that is left out, and why."""

    path: Path
    why: str

    def __str__(self) -> str:
        return f"{self.path}: {self.why}"


def left_out(problem: Problem | str) -> None:
    """Name a file that is left out, on standard error."""
    print(_("left out: {problem}").format(problem=problem), file=sys.stderr, flush=True)


@dataclass
class LeaveOut:
    """Notes and reports each problem; with ``strict``, the first one raises ImageError."""

    strict: bool = False
    report: Callable[[Problem], None] | None = None
    problems: list[Problem] = field(default_factory=list)

    def __call__(self, problem: Problem) -> None:
        if self.strict:
            raise ImageError(str(problem))
        self.problems.append(problem)
        if self.report:
            self.report(problem)


@dataclass
class Found:
    """The pictures of a folder, each with its class; the classes; and what was left out."""

    images: list[tuple[Path, int]] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    def mapped(self, classes: Sequence[str]) -> Found:
        """Return the same pictures with the class numbers of a training that has these classes.

        Raises ImageError where there is a class that it has not.
        """
        unknown = [name for name in self.classes if name not in classes]
        if unknown:
            raise ImageError(
                _(
                    "Folders that are no class of the training: {unknown}. Its classes: {classes}. "
                    "Rename these folders, or give a folder without them."
                ).format(unknown=", ".join(unknown), classes=", ".join(classes))
            )
        images = [(path, classes.index(self.classes[label])) for path, label in self.images]
        return Found(images, list(classes), self.problems)


def find(folder: str | Path) -> Found:
    """Return all pictures below ``folder``, in a fixed order. Each sub-folder is a class; without any there is one class.

    A file that is no picture by its name, an empty sub-folder, and a picture beside the folders of the classes are named as
    problems. Hidden files are passed over, and a link that leads back to a folder above it is not followed.
    """
    folder = Path(folder)
    if not folder.exists():
        raise ImageError(_("{folder}: there is no such folder.").format(folder=folder))
    if not folder.is_dir():
        raise ImageError(_("{folder}: this is a file; give the folder of the images.").format(folder=folder))
    found = Found()
    by_class: dict[str, list[Path]] = {}

    def unreadable(error: OSError) -> None:
        found.problems.append(Problem(Path(error.filename or "?"), error.strerror or str(error)))

    for place, folders, files in os.walk(folder, followlinks=True, onerror=unreadable):
        here = Path(place)
        above = {os.path.realpath(parent) for parent in (here, *here.parents)}
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and os.path.realpath(here / name) not in above
        )
        kept = sorted(name for name in files if not name.startswith("."))
        parts = here.relative_to(folder).parts
        name = parts[0] if parts else "."
        if not kept and not folders:
            found.problems.append(Problem(here, _("an empty folder")))
        for file in kept:
            path = here / file
            if path.suffix.lower() not in SUFFIXES:
                found.problems.append(Problem(path, _("no image, by its name")))
            elif not path.is_file():
                found.problems.append(Problem(path, _("no file, or a link that leads nowhere")))
            else:
                by_class.setdefault(name, []).append(path)
    if len(by_class) > 1:
        why = _("beside the folders of the classes, so of no class")
        found.problems += [Problem(path, why) for path in by_class.pop(".", [])]
    found.classes = sorted(by_class)
    found.images = [(path, label) for label, name in enumerate(found.classes) for path in by_class[name]]
    return found


def fingerprint(found: Found, folder: Path, shorter: int | None) -> str:
    """Return a digest that changes with each file's name, size and time of change."""
    digest = hashlib.sha256(repr(shorter).encode())
    for path, label in found.images:
        try:
            status = path.stat()
        except OSError:
            continue
        digest.update(
            repr((str(path.relative_to(folder)), label, status.st_size, status.st_mtime_ns)).encode()
        )
    return digest.hexdigest()


def nothing_left(folder: str | Path, problems: list[Problem]) -> ImageError:
    """Return the error for a folder without a single readable picture."""
    lines = [_("{folder}: no readable image in it.").format(folder=folder), *map(str, problems[:20])]
    return ImageError("\n".join(lines))


def rgb(image: Image.Image) -> Image.Image:
    """Return the picture upright (as its EXIF orientation says) and in RGB. Transparent places become white."""
    image = ImageOps.exif_transpose(image)
    if image.mode in ("I;16", "I;16L", "I;16B", "I"):
        # Pillow would cut off everything above 255; of 16 bits the upper 8 are wanted.
        image = Image.fromarray((np.asarray(image).astype(np.int64).clip(0, 65535) >> 8).astype(np.uint8))
    elif image.mode == "F":
        values = np.nan_to_num(np.asarray(image))
        image = Image.fromarray(
            (values * (255 if values.max(initial=0) <= 1 else 1)).clip(0, 255).astype(np.uint8)
        )
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image = image.convert("RGBA")
        white = Image.new("RGBA", image.size, "white")
        image = Image.alpha_composite(white, image)
    return image if image.mode == "RGB" else image.convert("RGB")


def read(path: str | Path) -> Image.Image:
    """Return the picture of a file, decoded to its last pixel, upright and in RGB. Raises ImageError with the reason."""
    return _decoded(Path(path).read_bytes())[0]


@dataclass(frozen=True)
class Stored:
    """A picture as it is kept: JPEG bytes, its size as stored, and how it has to be turned.

    Where it can be cut, there is an index behind the bytes (`cuts`). ``frame`` is where its height stands in them, so that
    a reader can ask for the upper rows only; -1 where not even that is possible (progressive JPEG).
    """

    data: bytes
    width: int
    height: int
    orientation: int = 1
    frame: int = -1


def stored(path: str | Path, shorter: int | None = None, cuts: bool = True) -> Stored:
    """Return the picture of a file as JPEG bytes: as they are, where every decoder makes RGB of them; else encoded again.

    In both cases with restart markers, so that it can be cut, as far as that is possible without a change of pixels; without
    ``cuts``, no JPEG is changed. With ``shorter``, a picture whose shorter side is longer than that is made smaller. The whole
    picture is decoded once, so what comes back is known to be readable. Raises ImageError with the reason.
    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ImageError(error.strerror or str(error)) from None
    image, form, mode, size, orientation = _decoded(data)
    if shorter and min(size) > shorter:
        scale = shorter / min(image.size)
        small = image.resize(
            (max(shorter, round(image.width * scale)), max(shorter, round(image.height * scale))),
            Image.Resampling.LANCZOS,
            reducing_gap=3.0,
        )
        return _encoded(small)
    if form not in ("JPEG", "MPO") or mode not in ("RGB", "L"):
        return _encoded(image)
    return _kept(data, size, orientation, cuts)


def _encoded(image: Image.Image) -> Stored:
    file = io.BytesIO()
    across = -(-image.width // 16)  # blocks in a row: Pillow stores colours at half the size
    markers = markers_every(across)
    image.save(file, "JPEG", quality=QUALITY, subsampling="4:2:0", restart_marker_blocks=markers)
    return _kept(file.getvalue(), image.size, 1)


def _kept(data: bytes, size: tuple[int, int], orientation: int, cuts: bool = True) -> Stored:
    data = (cuttable(data) if cuts else None) or data
    return Stored(data, *size, orientation, frame(data))


def _decoded(data: bytes) -> tuple[Image.Image, str, str, tuple[int, int], int]:
    """Return the picture, its format, mode and size as stored, and its EXIF orientation."""
    if not data:
        raise ImageError(_("an empty file"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about EXIF data that is not used here
            image = Image.open(io.BytesIO(data))
            form, mode, size = image.format or "", image.mode, image.size
            image.load()
            orientation = image.getexif().get(0x0112, 1)
            return rgb(image), form, mode, size, orientation if orientation in range(1, 9) else 1
    except Exception as error:  # noqa: BLE001 (what Pillow raises depends on the format and on where the damage is)
        raise ImageError(reason(error)) from None


def reason(error: Exception) -> str:
    """Return in one line why Pillow could not read a file."""
    if isinstance(error, Image.UnidentifiedImageError):
        return _("no image, by its content")
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def frame(data: bytes | bytearray) -> int:
    """Return where the height of a JPEG stands in its bytes; -1 where its rows do not simply follow one another."""
    found = layout(data)
    return found.frame if found and found.codes >= 0 else -1


def synthetic(
    folder: str | Path, count: int = 256, width: int = 500, height: int = 375, classes: int = 4, seed: int = 0
) -> Path:
    """Write ``count`` JPEG files of about 115 kB (at this size) into a sub-folder for each class: a coarse pattern and noise."""
    folder, rng = Path(folder), np.random.default_rng(seed)
    noise = rng.integers(-44, 45, (2 * height, 2 * width, 3), dtype=np.int16)
    for number in range(count):
        label = number * classes // count
        coarse = Image.fromarray(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8))
        smooth = np.asarray(coarse.resize((width, height), Image.Resampling.BICUBIC), dtype=np.int16)
        top, left = rng.integers(0, height + 1), rng.integers(0, width + 1)
        pixels = np.clip(smooth + noise[top : top + height, left : left + width], 0, 255).astype(np.uint8)
        place = folder / f"class {label}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(pixels).save(place / f"{number:06d}.jpg", "JPEG", quality=90)
    return folder
