"""The room that text takes, without its font: by the widths of the letters of DejaVu Sans, regular and bold.

``letter_widths.json`` has them, measured by tools/letter_widths.py in the fonts that matplotlib ships (DejaVu 2.37), which
draw the PNG. What a font moves letters closer together is not in it: a line is 0.3 pixels narrower by it, 4 at most.
"""

from __future__ import annotations

import json
import math
import unicodedata
from functools import lru_cache
from pathlib import Path

from loaderlab.drawing.operations import SCALE

EM = 2048  # units of the font to the size of the text
# From the base line to the top and the bottom of a line, in these units.
_ASCENT, _DESCENT = 1901, 483
WIDTHS = Path(__file__).with_name("letter_widths.json")


@lru_cache(maxsize=2)
def letter_widths(bold: bool) -> dict[str, int]:
    """Return the width of each letter in units of the font."""
    rows = json.loads(WIDTHS.read_text("utf-8"))["bold" if bold else "regular"]
    return {letter: width for width, letters in rows for letter in letters}


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """Return the width of a line of text, in pixels."""
    widths = letter_widths(bold)
    units = sum(widths[letter] if letter in widths else _other(letter, widths) for letter in text)
    # The letters of the PNG have a size of whole pixels.
    return units * round(size * SCALE) / SCALE / EM


def base_line(size: float) -> float:
    """Return how far the base line of text lies below its middle, in pixels: as Pillow rounds it, up to whole pixels of the PNG."""
    pixels = round(size * SCALE)
    return (math.ceil(_ASCENT * pixels / EM) - math.ceil(_DESCENT * pixels / EM)) / 2 / SCALE


def _other(letter: str, widths: dict[str, int]) -> int:
    """Return the width of a letter that the table has not: that of the letter without its accent, or else rather too much."""
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    plain = unicodedata.normalize("NFKD", letter)[0]
    return widths.get(plain, EM)
