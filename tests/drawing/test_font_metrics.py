"""Text is about as wide as the table says, and the table has every letter of the course."""

from __future__ import annotations

import unicodedata

import pytest
from PIL import ImageFont

from loaderlab import course
from loaderlab.drawing import png
from loaderlab.drawing.font_metrics import base_line, letter_widths, text_width
from loaderlab.drawing.operations import SCALE
from loaderlab.i18n import language


def font(size: float, bold: bool) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(png.fonts()[bold]), round(size * SCALE))


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """All that Python says, in all languages, line by line."""
    said = set()
    for code in ("fr", "pl"):
        for folder in (language.LOCALE, *(lesson.folder for lesson in course.lessons())):
            for pair in language.messages(code, folder, prose=False).items():
                said |= {line for text in pair for line in text.split("\n")}
    return sorted(said)


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("size", [11.5, 12, 18])
def test_every_message_has_the_room_that_the_font_takes(lines: list[str], size: float, bold: bool) -> None:
    letters = font(size, bold)
    drawn = {line: letters.getlength(line) / SCALE for line in lines}
    off = {line: abs(text_width(line, size, bold) - width) for line, width in drawn.items()}
    assert len(off) > 1000
    assert {line: gap for line, gap in off.items() if gap > 0.03 * drawn[line] + size / 8} == {}


@pytest.mark.parametrize("size", [8, 11.5, 12, 13, 18, 40])
def test_the_base_line_is_that_of_the_font(size: float) -> None:
    """Halfway between the top and the bottom of its lines."""
    ascent, descent = font(size, bold=False).getmetrics()
    assert base_line(size) == pytest.approx((ascent - descent) / 2 / SCALE)


@pytest.mark.parametrize("bold", [False, True])
def test_every_letter_of_every_message_is_in_the_table(lines: list[str], bold: bool) -> None:
    known = letter_widths(bold).keys()
    letters = {letter for line in lines for letter in line if unicodedata.category(letter) != "Cc"}
    assert letters - known == set()
    assert set("ąćęłńóśźżàâçéèêëîïôùûüœ«»’…×−→⚠✓ \u00a0\u202f") <= known


@pytest.mark.parametrize(
    ("other", "like"),
    [("ș", "s"), ("e\u0301", "e"), ("a\u200db", "ab"), ("\u65e5", 12.0), ("\U0001f642", 12.0)],
)
def test_a_letter_that_is_not_in_the_table_has_room(other: str, like: str | float) -> None:
    expected = text_width(like) if isinstance(like, str) else like
    assert text_width(other) == pytest.approx(expected)
