"""The room that text takes, without its font: by the table of :mod:`loaderlab.drawing.letter_widths`."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from loaderlab.drawing.letter_widths import (
    ASCENT,
    BOLD_KERNING,
    BOLD_WIDTHS,
    DESCENT,
    EM,
    REGULAR_KERNING,
    REGULAR_WIDTHS,
)
from loaderlab.drawing.operations import SCALE

_Row = tuple[int, str]
_Pairs = tuple[int, str, str]


def _read(widths: Iterable[_Row], kerning: Iterable[_Pairs]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the width of each letter, and the kerning of each pair of letters; in 1/2048 of the size."""
    return (
        {letter: width for width, letters in widths for letter in letters},
        {left + right: kern for kern, lefts, rights in kerning for left in lefts for right in rights},
    )


_LETTERS = _read(REGULAR_WIDTHS, REGULAR_KERNING), _read(BOLD_WIDTHS, BOLD_KERNING)


@lru_cache(maxsize=4096)
def text_width(text: str, size: float = 12, bold: bool = False) -> float:
    """Return the width of a line of text, in pixels."""
    widths, kerning = _LETTERS[bold]
    units = [widths[letter] if letter in widths else _other(letter, widths) for letter in text]
    units += [kerning[pair] for pair in map("".join, pairwise(text)) if pair in kerning]
    # In 64ths of a pixel of the PNG, letter by letter, as FreeType rounds them: the sum is what the letters in the PNG take.
    pixels = round(size * SCALE)
    return sum((64 * pixels * unit + EM // 2) // EM for unit in units) / 64 / SCALE


def base_line(size: float) -> float:
    """Return how far the base line of text lies below its middle, in pixels: as Pillow rounds it, up to whole pixels of the PNG."""
    pixels = round(size * SCALE)
    return (math.ceil(ASCENT * pixels / EM) - math.ceil(DESCENT * pixels / EM)) / 2 / SCALE


def _other(letter: str, widths: dict[str, int]) -> int:
    """Return the width of a letter that the table has not: that of the letter without its accent, or else rather too much."""
    if unicodedata.combining(letter) or unicodedata.category(letter) == "Cf":
        return 0
    plain = unicodedata.normalize("NFKD", letter)[0]
    return widths.get(plain, EM)
