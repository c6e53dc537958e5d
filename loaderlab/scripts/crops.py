"""The part of a picture that is seen, as torchvision chooses it: RandomResizedCrop for training, Resize and CenterCrop after it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

ATTEMPTS = 10  # torchvision's: to find a part of the wanted area and shape that fits into the picture
CHANCES = 3 + 2 * ATTEMPTS  # numbers from 0 to 1 that `random_resized` wants


@dataclass(frozen=True)
class Part:
    """A part of an upright picture, in pixels of that picture, which becomes a square of ``size`` pixels, perhaps mirrored.

    Where it is made smaller, all of its pixels count ("antialias" in torchvision), and with ``neighbours`` those beside it
    as well: there the picture is resized and then cut, elsewhere cut and then resized. ``interpolation`` is "bilinear",
    "bicubic" or another name of Pillow's `Image.Resampling`.
    """

    left: float
    top: float
    width: float
    height: float
    size: int
    mirrored: bool = False
    interpolation: str = "bilinear"
    neighbours: bool = False


def centre(width: int, height: int, size: int, resized: int, interpolation: str = "bilinear") -> Part:
    """Return the part of a picture that Resize(``resized``) and CenterCrop(``size``) show."""
    if width <= height:
        across, down = resized, int(resized * height / width)
    else:
        across, down = int(resized * width / height), resized
    x, y = width / across, height / down
    left, top = round((across - size) / 2), round((down - size) / 2)
    return Part(left * x, top * y, size * x, size * y, size, False, interpolation, neighbours=True)


def random_resized(
    width: int,
    height: int,
    size: int,
    chances: Sequence[float],
    scale: tuple[float, float] = (0.08, 1.0),
    ratio: tuple[float, float] = (3 / 4, 4 / 3),
    interpolation: str = "bilinear",
) -> Part:
    """Return a part of random area (``scale``: as a share of the picture) and shape (``ratio``: width by height), perhaps mirrored.

    As RandomResizedCrop(size, scale, ratio) chooses it: what does not fit is drawn again, ten times at most; then it is
    the largest part in the middle whose shape is allowed. ``chances`` are CHANCES numbers from 0 to 1.
    """
    u, v, mirrored, *drawn = chances
    shapes = (math.log(ratio[0]), math.log(ratio[1]))
    for share, shape in zip(drawn[::2], drawn[1::2], strict=True):
        area = width * height * (scale[0] + share * (scale[1] - scale[0]))
        aspect = math.exp(shapes[0] + shape * (shapes[1] - shapes[0]))
        across, down = round(math.sqrt(area * aspect)), round(math.sqrt(area / aspect))
        if 0 < across <= width and 0 < down <= height:
            left, top = int(u * (width - across + 1)), int(v * (height - down + 1))
            return Part(left, top, across, down, size, mirrored < 0.5, interpolation)
    aspect = min(max(width / height, ratio[0]), ratio[1])
    across, down = min(width, round(height * aspect)), min(height, round(width / aspect))
    left, top = (width - across) // 2, (height - down) // 2
    return Part(left, top, across, down, size, mirrored < 0.5, interpolation)
