"""Decoders that fill a place of the batch straight from the bytes of a JPEG: only the blocks and the size that the crop needs.

Two decoders, with the same view of every picture: Pillow always works; simplejpeg (libjpeg-turbo, decoding straight
into numpy) is used where it is installed.
"""

from __future__ import annotations

import importlib.util
import io
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from PIL import Image
from torch.nn.functional import interpolate

from .crops import Part
from .cuts import Box, cut
from .images import ImageError, reason
from .words import translate as _

BORDER = 2  # pixels around the crop: where colours are stored at half the size, the two on each side count
REACH = 3  # pixels beside a pixel that count at most (Lanczos) where neither size is larger
# Here torch resizes bytes faster than Pillow, in one thread. Elsewhere it has no fast code for bytes; and its "bicubic" is another.
VECTORISED = torch.backends.cpu.get_cpu_capability().startswith("AVX")
TURNS = {2: (0, True), 3: (2, False), 4: (2, True), 5: (3, True), 6: (3, False), 7: (1, True), 8: (1, False)}


@dataclass(frozen=True)
class View:
    """A window on a picture: a square of ``size`` pixels, anywhere (``u``, ``v`` from 0 to 1), perhaps mirrored.

    The picture is decoded at 1/1, 1/2, 1/4 or 1/8 of its size: the smallest whose shorter side is ``least`` or more.
    These are the scales that cost less (libjpeg-turbo has fast code for them only), and that all decoders have.
    """

    size: int = 224
    least: int = 256
    u: float = 0.5
    v: float = 0.5
    mirrored: bool = False


def available() -> list[str]:
    """Return the decoders that can be used here, the fastest first."""
    return ["simplejpeg", "pillow"] if importlib.util.find_spec("simplejpeg") else ["pillow"]


def choose(name: str = "auto") -> str:
    """Return a decoder that is there; raises ImageError for one that is not."""
    if name == "auto":
        return available()[0]
    if name not in available():
        raise ImageError(
            _(
                "There is no decoder {name} here. There are: {known}. For simplejpeg: `pip install simplejpeg`."
            ).format(name=name, known=", ".join(available()))
        )
    return name


def decode(
    data: Any, decoder: str = "pillow", factor: int = 1, width: int = 0, height: int = 0
) -> np.ndarray:
    """Return the picture as an array [height, width, 3], at 1/``factor`` of its size (``width`` × ``height``)."""
    if decoder == "simplejpeg":
        import simplejpeg

        small = (
            {} if factor == 1 else {"min_width": -(-width // factor), "min_height": 1, "min_factor": factor}
        )
        return simplejpeg.decode_jpeg(data, strict=False, **small)
    return np.asarray(_open(data, factor, width, height).convert("RGB"))


def _open(data: Any, factor: int, width: int, height: int) -> Image.Image:
    # Pillow opens an MPO as the JPEG that it begins with, and knows no other name for it before it has met one.
    image = Image.open(io.BytesIO(data), formats=("JPEG",))
    if factor > 1:
        image.draft("RGB", (width // factor, max(1, height // factor)))
    return image


def upright(row: Any) -> tuple[int, int]:
    """Width and height of a picture as it is to be seen."""
    width, height = int(row["width"]), int(row["height"])
    return (height, width) if int(row["orientation"]) >= 5 else (width, height)


def fill(out: np.ndarray, data: Any, row: Any, view: View | Part, decoder: str) -> None:
    """Decode ``data`` into ``out`` [size, size, 3]. ``row`` has its width, height, orientation and frame, as stored.

    Raises ImageError where the image is damaged.
    """
    try:
        if isinstance(view, Part):
            _part(out, data, row, view, decoder)
        else:
            _window(out, data, row, view, decoder)
    except MemoryError:
        raise
    except Exception as error:  # what a decoder raises depends on where the damage is
        raise ImageError(reason(error)) from error


def _part(out: np.ndarray, data: Any, row: Any, part: Part, decoder: str) -> None:
    size = part.size
    factor = next((f for f in (8, 4, 2) if min(part.width, part.height) >= f * size), 1)
    left, top = part.left / factor, part.top / factor
    right, bottom = left + part.width / factor, top + part.height / factor
    across, down = (
        (math.ceil(REACH * max(1, side / factor / size)) for side in (part.width, part.height))
        if part.neighbours
        else (0, 0)
    )
    width, height = (-(-side // factor) for side in upright(row))
    box = (
        max(0, math.floor(left) - across),
        max(0, math.floor(top) - down),
        min(width, math.ceil(right) + across),
        min(height, math.ceil(bottom) + down),
    )
    pixels = _box(data, row, factor, box, decoder)
    whole = (left, top, right, bottom) == box  # and not a part of a pixel, nor a neighbour
    if VECTORISED and whole and isinstance(pixels, np.ndarray) and part.interpolation == "bilinear":
        _copy(out, _resized(pixels, size), part.mirrored)
        return
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(np.ascontiguousarray(pixels))
    image = image.resize(
        (size, size),
        Image.Resampling[part.interpolation.upper()],
        (left - box[0], top - box[1], right - box[0], bottom - box[1]),
    )
    if part.mirrored:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    out[:] = np.asarray(image)


def _resized(pixels: np.ndarray, size: int) -> np.ndarray:
    """Return a square of ``size`` pixels, by torch: its values are at most 1 beside those of Pillow."""
    # A copy: torch takes no negative stride, and where one side is a single pixel, NumPy leaves it even in what is contiguous.
    image = torch.from_numpy(np.array(pixels, order="C")).permute(2, 0, 1)[None]
    image = interpolate(image, (size, size), mode="bilinear", antialias=True)
    return image[0].permute(1, 2, 0).numpy()


def _window(out: np.ndarray, data: Any, row: Any, view: View, decoder: str) -> None:
    width, height = upright(row)
    shorter, least, size = min(width, height), max(view.least, view.size), view.size
    factor = next((f for f in (8, 4, 2) if shorter >= f * least), 1)
    if shorter < size:
        pixels = np.asarray(_box(data, row, 1, (0, 0, width, height), decoder))
        _copy(out, _square(pixels, view), view.mirrored)
        return
    # The picture at that size: libjpeg rounds up.
    left = int(view.u * (-(-width // factor) - size + 1))
    top = int(view.v * (-(-height // factor) - size + 1))
    window = np.asarray(_box(data, row, factor, (left, top, left + size, top + size), decoder))
    _copy(out, window, view.mirrored)


def _box(data: Any, row: Any, factor: int, box: Box, decoder: str) -> np.ndarray | Image.Image:
    """Return the pixels of ``box`` in the upright picture at 1/``factor`` of its size; hardly more than it needs is decoded."""
    orientation, full = int(row["orientation"]), (int(row["width"]), int(row["height"]))
    size = (-(-full[0] // factor), -(-full[1] // factor))
    left, top, right, bottom = _laid(box, orientation, size)
    needed = (
        max(0, left - BORDER) * factor,
        max(0, top - BORDER) * factor,
        min(full[0], (right + BORDER) * factor),
        min(full[1], (bottom + BORDER) * factor),
    )
    data, found = _only(data, int(row["frame"]), *full, needed)
    left, top, right, bottom = (-(-side // factor) for side in found)
    there = turned((left, top, right, bottom), orientation, size)
    left, top, right, bottom = (side - there[k % 2] for k, side in enumerate(box))
    across, down = found[2] - found[0], found[3] - found[1]
    if orientation != 1 or decoder == "simplejpeg":
        return _turn(decode(data, decoder, factor, across, down), orientation)[top:bottom, left:right]
    image = _open(data, factor, across, down).crop((left, top, right, bottom))
    return image if image.mode == "RGB" else image.convert("RGB")


def _only(data: Any, frame: int, width: int, height: int, needed: Box) -> tuple[Any, Box]:
    """Return as little of a JPEG as has the box that is needed; and the box that it has."""
    if frame < 0:
        return data, (0, 0, width, height)
    if found := cut(data, frame, width, height, needed):
        return found
    # It cannot be cut: tell the decoder that it ends below the rows that are needed.
    data[frame : frame + 2] = _two_bytes(data, needed[3])
    return data, (0, 0, width, needed[3])


def _two_bytes(data: Any, value: int) -> Any:
    pair = value.to_bytes(2, "big")
    return np.frombuffer(pair, dtype=np.uint8) if isinstance(data, np.ndarray) else pair


def _copy(out: np.ndarray, pixels: np.ndarray, mirrored: bool) -> None:
    if mirrored:
        for colour in range(3):  # pixel by pixel of three bytes, numpy takes four times as long
            out[..., colour] = pixels[:, ::-1, colour]
    else:
        out[:] = pixels


def turned(box: Box, orientation: int, size: tuple[int, int]) -> Box:
    """Return where a box of a picture of this size, as stored, lies when the picture has been turned upright."""
    turns, mirrored = TURNS.get(orientation, (0, False))
    (left, top, right, bottom), (width, height) = box, size
    for _quarter in range(turns):
        left, top, right, bottom = top, width - right, bottom, width - left
        width, height = height, width
    return (width - right, top, width - left, bottom) if mirrored else (left, top, right, bottom)


def _laid(box: Box, orientation: int, size: tuple[int, int]) -> Box:
    """Return where a box of the upright picture lies in the stored one, which has this size: the inverse of `turned`."""
    upright_size = size[::-1] if orientation >= 5 else size
    return turned(box, {6: 8, 8: 6}.get(orientation, orientation), upright_size)


def _turn(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """Upright, as the EXIF orientation says; a view, without a copy."""
    turns, mirrored = TURNS.get(orientation, (0, False))
    pixels = np.rot90(pixels, turns)
    return pixels[:, ::-1] if mirrored else pixels


def _square(pixels: np.ndarray, view: View) -> np.ndarray:
    """Return the crop of a picture that is smaller than it, and so has to be enlarged first."""
    size = view.size
    scale = size / min(pixels.shape[:2])
    wanted = tuple(max(size, round(side * scale)) for side in pixels.shape[1::-1])
    image = Image.fromarray(np.ascontiguousarray(pixels))
    pixels = np.asarray(image.resize(wanted, Image.Resampling.BILINEAR))
    top = int(view.v * (pixels.shape[0] - size + 1))
    left = int(view.u * (pixels.shape[1] - size + 1))
    return pixels[top : top + size, left : left + size]
