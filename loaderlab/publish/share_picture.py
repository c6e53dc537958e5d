"""The pictures that shared links of the website show: 1200 × 630 pixels, as those who show them ask for."""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont, ImageOps

from loaderlab.publish import first_bet

SIZE = WIDTH, HEIGHT = 1200, 630
_INK, _GROUND, _TRACK = "#1b2430", "#faf8f4", "#e6e1d8"
_BLUE, _GREEN, _WAIT = "#0072b2", "#00795a", "#f6d7c3"
_LEFT, _ROW = 80, 52


def of_lesson(stored: bytes) -> bytes:
    """Return a picture of a lesson, which a notebook has stored as PNG, whole and on white."""
    with Image.open(io.BytesIO(stored)) as picture:
        frame = ImageOps.pad(picture.convert("RGB"), (WIDTH - 80, HEIGHT - 80), color="white")
    return _png(ImageOps.expand(frame, 40, "white"))


def of_course() -> bytes:
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
