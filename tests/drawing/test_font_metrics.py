"""Text is as wide as the table says: as the font draws it, with every letter of the course."""

from __future__ import annotations

import unicodedata

import pytest
from PIL import ImageFont, features

from loaderlab import course
from loaderlab.drawing import letter_widths, png
from loaderlab.drawing.font_metrics import base_line, text_width
from loaderlab.drawing.operations import SCALE
from loaderlab.i18n import language

KERNED = pytest.mark.skipif(not features.check("raqm"), reason="Without Raqm, Pillow does not kern.")
TABLES = (letter_widths.REGULAR_WIDTHS, letter_widths.BOLD_WIDTHS)


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


@KERNED
@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("size", [11.5, 12, 18])
def test_every_message_is_as_wide_as_the_font_draws_it(lines: list[str], size: float, bold: bool) -> None:
    letters = font(size, bold)
    drawn = {line: letters.getlength(line) / SCALE for line in lines}
    off = {line: abs(text_width(line, size, bold) - width) for line, width in drawn.items()}
    assert len(off) > 1000
    assert max(off.values()) <= size / 10  # a ligature before a space, which the table has not
    assert sum(gap > 0.05 for gap in off.values()) <= len(off) / 50


@KERNED
@pytest.mark.parametrize("bold", [False, True])
def test_the_table_is_that_of_the_font(bold: bool) -> None:
    letters = ImageFont.truetype(str(png.fonts()[bold]), letter_widths.EM)
    wrong = {
        letter: width for width, row in TABLES[bold] for letter in row if letters.getlength(letter) != width
    }
    assert wrong == {}
    kerning = (letter_widths.REGULAR_KERNING, letter_widths.BOLD_KERNING)[bold]
    apart = {
        (left, right): kern
        for kern, lefts, rights in kerning
        for left in lefts
        for right in rights
        if letters.getlength(left + right) - letters.getlength(left) - letters.getlength(right) != kern
    }
    assert apart == {} and kerning


@pytest.mark.parametrize("size", [8, 11.5, 12, 13, 18, 40])
def test_the_base_line_is_that_of_the_font(size: float) -> None:
    """Halfway between the top and the bottom of its lines."""
    ascent, descent = font(size, bold=False).getmetrics()
    assert base_line(size) == pytest.approx((ascent - descent) / 2 / SCALE)


@pytest.mark.parametrize("bold", [False, True])
def test_every_letter_of_every_message_is_in_the_table(lines: list[str], bold: bool) -> None:
    known = {letter for _width, row in TABLES[bold] for letter in row}
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
