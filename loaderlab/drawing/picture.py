"""A picture of a notebook: a drawing, and the sentence that says what it shows."""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.style import WIDTH


@dataclass(frozen=True)
class Bitmap:
    """A drawing that is there as a PNG only, such as a plot of matplotlib's; it is shown ``width`` pixels wide."""

    data: bytes
    width: int = WIDTH

    @property
    def height(self) -> float:
        """The height in pixels as shown, read from the head of the PNG, which has the size after its signature."""
        wide, high = struct.unpack(">II", self.data[16:24])
        return self.width * float(high / wide)

    def svg(self, title: str = "") -> str:
        """Return an SVG that shows the PNG, which a screen reader calls ``title``."""
        size = f'width="{self.width}" height="{self.height:g}"'
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>'
            f'<image {size} href="data:image/png;base64,{base64.b64encode(self.data).decode()}"/></svg>'
        )

    def png(self) -> bytes:
        return self.data


@dataclass(frozen=True)
class Picture:
    """A drawing and the sentence that says what it shows, for readers who hear it instead of seeing it."""

    drawing: Canvas | Bitmap
    text: str

    @property
    def canvas(self) -> Canvas:
        """The sheet that the picture is drawn on; raises ``TypeError`` for a bitmap."""
        if not isinstance(self.drawing, Canvas):
            raise TypeError("This picture is a bitmap: there is no canvas. Draw it on one.")
        return self.drawing

    @property
    def width(self) -> float:
        """The width in pixels, as shown."""
        return self.drawing.width

    @property
    def height(self) -> float:
        """The height in pixels, as shown."""
        return self.drawing.height

    @property
    def spots(self) -> list[tuple[float, float, float, float, str]]:
        """The parts that say something under a pointer: left, top, width and height in percent of the picture, and the text."""
        if isinstance(self.drawing, Bitmap):
            return []
        across, down = 100 / self.width, 100 / self.height
        return [
            (
                round(spot.left * across, 2),
                round(spot.top * down, 2),
                round((spot.right - spot.left) * across, 2),
                round((spot.bottom - spot.top) * down, 2),
                spot.text,
            )
            for spot in self.drawing.spots
        ]

    @cached_property
    def svg(self) -> str:
        """The picture as SVG, for a front end that shows it now: small, and drawn at once."""
        return self.drawing.svg(self.text)

    @cached_property
    def png(self) -> bytes:
        """The picture as PNG, to be stored, in twice as many pixels: a front end shows no SVG of a notebook that it does not trust."""
        return self.drawing.png()

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {"image/png": self.png, "text/plain": self.text}
        return data, {"image/png": {"alt": self.text, "width": self.width}}
