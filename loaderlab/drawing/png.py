"""A drawing as a PNG, with Pillow: for what is stored, since a front end shows no SVG of a notebook that it does not trust.

Imported only where a PNG is asked for. :mod:`loaderlab.drawing.svg` draws the same operations.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageColor, ImageDraw, ImageFont

from loaderlab.drawing.operations import SCALE, Box, Cells, Disc, Hatch, Operation, Polyline, Text


def fonts() -> tuple[Path, Path]:
    """Return the files of the plain and the bold letters: matplotlib's have every letter of the course's languages."""
    spec = find_spec("matplotlib")
    assert spec and spec.origin
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return folder / "DejaVuSans.ttf", folder / "DejaVuSans-Bold.ttf"


@lru_cache(maxsize=32)
def _font(size: float, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(fonts()[bold]), round(size * SCALE))


def drawn(width: int, height: int, operations: Iterable[Operation]) -> Image.Image:
    """Return the drawing on white, `SCALE` times as many pixels wide and high."""
    image = Image.new("RGB", (width * SCALE, height * SCALE), "white")
    draw = ImageDraw.Draw(image)
    for operation in operations:
        _put(image, draw, operation)
    return image


def _put(image: Image.Image, draw: ImageDraw.ImageDraw, operation: Operation) -> None:
    match operation:
        case Box(fill=fill, edge=edge):
            draw.rectangle(_within(operation), fill, edge, SCALE // 2)
        case Hatch():
            _hatch(draw, operation)
        case Polyline(points=points, colour=colour):
            draw.line([(x * SCALE, y * SCALE) for x, y in points], colour, operation.thickness)
        case Disc(x=x, y=y, radius=radius):
            box = [SCALE * value for value in (x - radius, y - radius, x + radius, y + radius)]
            draw.ellipse(box, operation.fill, operation.edge, round(operation.width * SCALE))
        case Text(x=x, y=y, text=text, colour=colour):
            font = _font(operation.size, operation.bold)
            draw.text((x * SCALE, y * SCALE), text, colour, font, operation.anchor)
        case Cells(left=left, top=top):
            image.paste(_cells(operation), (round(left * SCALE), round(top * SCALE)))


def _within(rectangle: Box | Hatch) -> tuple[int, int, int, int]:
    """Return the corners of the rectangle for Pillow, which counts the last pixel in."""
    x0, y0, x1, y1 = rectangle.corners
    return x0, y0, x1 - 1, y1 - 1


def _hatch(draw: ImageDraw.ImageDraw, hatch: Hatch) -> None:
    # Of a rectangle of less than two pixels there is the edge alone.
    x0, y0, x1, y1 = (round(v * SCALE) for v in (hatch.left, hatch.top, hatch.right, hatch.bottom))
    height, step = y1 - y0 - 1, round(hatch.gap * SCALE)
    for foot in range(x0 - x0 % step - height, x1, step):
        start, end = max(foot, x0), min(foot + height, x1 - 1)
        if start < end:
            draw.line((start, y1 - 1 - (start - foot), end, y1 - 1 - (end - foot)), hatch.colour, SCALE)
    draw.rectangle(_within(hatch), None, hatch.colour, SCALE // 2)


def _cells(cells: Cells) -> Image.Image:
    """Return all cells, drawn at once: one pixel each, then enlarged."""
    columns = max(map(len, cells.rows), default=1)
    colours = {colour: ImageColor.getrgb(colour or "white")[:3] for row in cells.rows for colour in row}
    white = (255, 255, 255)
    image = Image.new("RGB", (columns, max(1, len(cells.rows))), white)
    image.putdata(
        [
            pixel
            for row in cells.rows
            for pixel in (*(colours[colour] for colour in row), *[white] * (columns - len(row)))
        ]
    )
    size = columns * cells.wide * SCALE, image.height * cells.tall * SCALE
    return image.resize(size, Image.Resampling.NEAREST)


def shrink(image: Image.Image) -> bytes:
    """Return a PNG with a palette of 64 colours: a third of the size, and nothing to see of it in a diagram."""
    file = io.BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        file, "PNG", compress_level=6
    )
    return file.getvalue()
