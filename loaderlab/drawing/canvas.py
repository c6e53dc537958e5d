"""A sheet to draw bars, lines and text on, quickly: Pillow, because a slider leaves 100 ms for a new picture.

matplotlib needs about 1 ms for every piece of text, and a timeline has a hundred. Coordinates are the
pixels that the reader sees; the sheet holds `SCALE` times as many, for sharp letters on dense screens.
"""

from __future__ import annotations

import io
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

SCALE = 2


def fonts() -> tuple[Path, Path]:
    """The files of the plain and the bold letters: matplotlib's have every letter of the course's languages."""
    spec = find_spec("matplotlib")
    assert spec and spec.origin
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf"
    return folder / "DejaVuSans.ttf", folder / "DejaVuSans-Bold.ttf"


@lru_cache(maxsize=32)
def _font(size: float, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(fonts()[bold]), round(size * SCALE))


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """Width of a line of text, in pixels."""
    return _font(size, bold).getlength(text) / SCALE


class Canvas:
    """A white sheet of `width` × `height` pixels."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.image = Image.new("RGB", (width * SCALE, height * SCALE), "white")
        self.draw = ImageDraw.Draw(self.image)

    def box(
        self, left: float, top: float, right: float, bottom: float, fill: str | None, edge: str | None = None
    ) -> None:
        """A rectangle, at least one pixel wide, so that nothing that happened is invisible."""
        x0, y0, x1, y1 = (round(v * SCALE) for v in (left, top, right, bottom))
        self.draw.rectangle((x0, y0, max(x0 + 1, x1 - 1), max(y0, y1 - 1)), fill, edge, SCALE // 2)

    def hatch(
        self, left: float, top: float, right: float, bottom: float, colour: str, gap: float = 5
    ) -> None:
        """Diagonal lines within a rectangle, with its outline: readable without the colour."""
        x0, y0, x1, y1 = (round(v * SCALE) for v in (left, top, right, bottom))
        height, step = y1 - y0 - 1, round(gap * SCALE)
        for foot in range(x0 - x0 % step - height, x1, step):
            start, end = max(foot, x0), min(foot + height, x1 - 1)
            if start < end:
                self.draw.line((start, y1 - 1 - (start - foot), end, y1 - 1 - (end - foot)), colour, SCALE)
        self.draw.rectangle((x0, y0, max(x0 + 1, x1 - 1), max(y0 + 1, y1 - 1)), None, colour, SCALE // 2)

    def line(self, points: list[tuple[float, float]], colour: str, width: float = 1) -> None:
        """A line through `points`."""
        self.draw.line([(x * SCALE, y * SCALE) for x, y in points], colour, max(1, round(width * SCALE)))

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float = 12,
        colour: str = "#222222",
        anchor: str = "lm",
        bold: bool = False,
    ) -> None:
        """Text at a point; `anchor` says which point of it, as in Pillow: l m r, then a m s d."""
        self.draw.text((x * SCALE, y * SCALE), text, colour, _font(size, bold), anchor)

    def png(self) -> bytes:
        """The picture, with few colours, hence small."""
        return shrink(self.image)


def shrink(image: Image.Image) -> bytes:
    """A PNG with a palette of 64 colours: a third of the size, and nothing to see of it in a diagram."""
    file = io.BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(
        file, "PNG", compress_level=6
    )
    return file.getvalue()
