"""The head of a page of the website: its style, and what a link to it shows where it is shared.

The style stands in the page, so that nothing but the page has to come before it is painted.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw, ImageFont, ImageOps

from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish import first_bet

_COMMENT, _SPACE = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"\s+")
_AROUND = re.compile(r" ?([{};,]) ?")
# Of the picture of a shared link, as those who show it ask for.
SIZE = WIDTH, HEIGHT = 1200, 630
_INK, _GROUND, _TRACK = "#1b2430", "#faf8f4", "#e6e1d8"
_BLUE, _GREEN, _WAIT = "#0072b2", "#00795a", "#f6d7c3"
_LEFT, _ROW = 80, 52


class Shared(NamedTuple):
    """The things that a shared link shows: a title, a sentence, and a picture of 1200 × 630 pixels, by its place in the website."""

    title: str
    description: str
    picture: str


def style(files: Sequence[Path]) -> str:
    """Return style sheets as one element, without what only their readers need."""
    sheet = _COMMENT.sub("", "\n".join(file.read_text("utf-8") for file in files))
    return f"<style>{_AROUND.sub(lambda mark: mark[1], _SPACE.sub(' ', sheet)).strip()}</style>"


def tags(shared: Shared, language: str, page: str, address: str) -> str:
    """Return the elements that say what ``page`` is about; ``address``: that of the website, empty where it has none.

    A shared picture has to be found from anywhere: without an address there is none.
    """
    return "".join(_tags(shared, language, page, address))


def _tags(shared: Shared, language: str, page: str, address: str) -> Iterator[str]:
    base = address.rstrip("/")
    yield f'<meta name="description" content="{escape(shared.description)}">'
    says = {
        "og:site_name": "Loader Lab",
        "og:type": "website",
        "og:title": shared.title,
        "og:description": shared.description,
    }
    if address:
        says |= {
            "og:url": f"{base}/{language}/{page}.html",
            "og:image": f"{base}/{shared.picture}",
            "og:image:width": "1200",
            "og:image:height": "630",
        }
        yield f'<link rel="canonical" href="{base}/{language}/{page}.html">'
        for code in LANGUAGES:
            yield f'<link rel="alternate" hreflang="{code}" href="{base}/{code}/{page}.html">'
    for name, content in says.items():
        yield f'<meta property="{name}" content="{escape(content)}">'
    yield f'<meta name="twitter:card" content="{"summary_large_image" if address else "summary"}">'


def picture_of_lesson(stored: bytes) -> bytes:
    """Return a picture of a lesson, which a notebook has stored as PNG, whole and on white."""
    with Image.open(io.BytesIO(stored)) as picture:
        frame = ImageOps.pad(picture.convert("RGB"), (WIDTH - 80, HEIGHT - 80), color="white")
    return _png(ImageOps.expand(frame, 40, "white"))


def picture_of_course() -> bytes:
    """Return the loops of the first bet, of which one is the question, under the name of the course: the same in every language."""
    image = Image.new("RGB", SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.text((_LEFT, 92), "Loader Lab", _INK, ImageFont.load_default(64), "lm")
    top = 160
    for workers in (first_bet.FEWEST, first_bet.ASKED):
        *loads, gpu = first_bet.rows(workers)
        for row, colour in [*((row, _BLUE) for row in loads), (gpu, _GREEN)]:
            asked = row is gpu and workers == first_bet.ASKED
            _row(draw, top, [] if asked else row, colour, "?" if asked else "")
            top += _ROW + 10
        top += 42
    return _png(image)


def _row(draw: ImageDraw.ImageDraw, top: int, row: list[first_bet.Bar], colour: str, word: str) -> None:
    scale, middle = (WIDTH - 2 * _LEFT) / first_bet.length(), top + _ROW / 2
    draw.rectangle((_LEFT, top, WIDTH - _LEFT, top + _ROW), _TRACK)
    draw.text((_LEFT + 20, middle), word, _INK, ImageFont.load_default(40), "lm")
    for bar in row:
        left, right = _LEFT + bar.start * scale, _LEFT + bar.end * scale
        if bar.batch is None:
            draw.rectangle((left, top, right, top + _ROW), _WAIT)
        else:
            draw.rectangle((left + 1, top, right - 2, top + _ROW), colour)
            number = str(bar.batch + 1)
            draw.text(((left + right) / 2, middle), number, "white", ImageFont.load_default(30), "mm")


def _png(image: Image.Image) -> bytes:
    file = io.BytesIO()
    image.quantize(64, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
    return file.getvalue()
