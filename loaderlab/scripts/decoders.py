"""From the bytes of a JPEG straight into a place of the batch: only the rows and the size that the crop needs are decoded.

Two decoders, with the same view of every picture: Pillow always works; simplejpeg (libjpeg-turbo, decoding straight
into numpy) is used where it is installed.
"""

from __future__ import annotations

import importlib.util
import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from .images import ImageError
from .words import translate as _

ROWS = 32  # decoded below the crop: a whole row of blocks, so that its last row of colours has its neighbour
TURNS = {2: (0, True), 3: (2, False), 4: (2, True), 5: (3, True), 6: (3, False), 7: (1, True), 8: (1, False)}


@dataclass(frozen=True)
class View:
    """What is to be seen of a picture: a square of ``size`` pixels, anywhere (``u``, ``v`` from 0 to 1), perhaps mirrored.

    The picture is decoded at 1/1, 1/2, 1/4 or 1/8 of its size: the smallest whose shorter side is ``least`` or more.
    These are the scales that cost less (libjpeg-turbo has fast code for them only), and that all decoders have.
    """

    size: int = 224
    least: int = 256
    u: float = 0.5
    v: float = 0.5
    mirrored: bool = False


def available() -> list[str]:
    """The decoders that can be used here, the fastest first."""
    return ["simplejpeg", "pillow"] if importlib.util.find_spec("simplejpeg") else ["pillow"]


def choose(name: str = "auto") -> str:
    """A decoder that is there; raises ImageError for one that is not."""
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
    """The picture as an array [height, width, 3], at 1/``factor`` of its size (``width`` × ``height``)."""
    if decoder == "simplejpeg":
        import simplejpeg

        small = (
            {} if factor == 1 else {"min_width": -(-width // factor), "min_height": 1, "min_factor": factor}
        )
        return simplejpeg.decode_jpeg(data, strict=False, **small)
    return np.asarray(_open(data, factor, width, height).convert("RGB"))


def _open(data: Any, factor: int, width: int, height: int) -> Image.Image:
    image = Image.open(io.BytesIO(data), formats=("JPEG", "MPO"))
    if factor > 1:
        image.draft("RGB", (width // factor, max(1, height // factor)))
    return image


def fill(out: np.ndarray, data: Any, row: Any, view: View, decoder: str) -> None:
    """Decode ``data`` into ``out`` [size, size, 3]. ``row`` has its width, height, orientation and frame, as stored."""
    width, height, size = int(row["width"]), int(row["height"]), view.size
    shorter, least = min(width, height), max(view.least, size)
    factor = next((f for f in (8, 4, 2) if shorter >= f * least), 1)
    turned = int(row["orientation"]) != 1
    if turned or shorter < size:
        _copy(
            out,
            _square(_turn(decode(data, decoder, factor, width, height), int(row["orientation"])), view),
            view,
        )
        return
    # The picture at that size: libjpeg rounds up.
    small_width, small_height = -(-width // factor), -(-height // factor)
    left = int(view.u * (small_width - size + 1))
    top = int(view.v * (small_height - size + 1))
    if row["frame"] >= 0:
        # Rows below the crop are not decoded: the decoder is told that the picture ends here.
        needed = min(height, (top + size) * factor + ROWS)
        if needed < height:
            at = int(row["frame"])
            data[at : at + 2] = _two_bytes(data, needed)
            height = needed
    if decoder == "simplejpeg":
        _copy(out, decode(data, decoder, factor, width, height)[top : top + size, left : left + size], view)
        return
    part = _open(data, factor, width, height).crop((left, top, left + size, top + size))
    if view.mirrored:
        part = part.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    out[:] = np.asarray(part if part.mode == "RGB" else part.convert("RGB"))


def _two_bytes(data: Any, value: int) -> Any:
    pair = value.to_bytes(2, "big")
    return np.frombuffer(pair, dtype=np.uint8) if isinstance(data, np.ndarray) else pair


def _copy(out: np.ndarray, pixels: np.ndarray, view: View) -> None:
    if view.mirrored:
        for colour in range(3):  # pixel by pixel of three bytes, numpy takes four times as long
            out[..., colour] = pixels[:, ::-1, colour]
    else:
        out[:] = pixels


def _turn(pixels: np.ndarray, orientation: int) -> np.ndarray:
    """Upright, as the EXIF orientation says; a view, without a copy."""
    turns, mirrored = TURNS.get(orientation, (0, False))
    pixels = np.rot90(pixels, turns)
    return pixels[:, ::-1] if mirrored else pixels


def _square(pixels: np.ndarray, view: View) -> np.ndarray:
    """The crop; a picture that is smaller than it has to be enlarged first."""
    size, shorter = view.size, min(pixels.shape[:2])
    if shorter < size:
        scale = size / shorter
        wanted = tuple(max(size, round(side * scale)) for side in pixels.shape[1::-1])
        image = Image.fromarray(np.ascontiguousarray(pixels))
        pixels = np.asarray(image.resize(wanted, Image.Resampling.BILINEAR))
    top = int(view.v * (pixels.shape[0] - size + 1))
    left = int(view.u * (pixels.shape[1] - size + 1))
    return pixels[top : top + size, left : left + size]
