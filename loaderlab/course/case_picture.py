"""The closing card of a case as a picture, to keep: the bars of the board, the bets on them, and what was found by reading."""

from __future__ import annotations

from collections.abc import Iterator

from loaderlab.course.case import Inquiry, Rates
from loaderlab.course.case_card import GREEN, Board, Closing, percent
from loaderlab.course.markup import plain
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import GREY, INK, ORANGE, PALE, WIDTH
from loaderlab.i18n.language import translate as _

MARGIN = 40  # pixels from the edge
ROW, LINE, SMALL = 25, 22, 17  # pixels for a bar, and for a line of large and of small text
NAME = "Loader Lab"
LARGE, MIDDLE, FINE = 30, 14, 12  # sizes of text
_DARK = "#b35c00"  # the edge of what is orange


def picture(inquiry: Inquiry, stamp: str) -> Picture:
    """Draw the closing card; ``stamp`` says on which machine the script ran, and when."""
    title, *told = map(plain, Closing(inquiry).summary)
    room = WIDTH - 2 * MARGIN
    lines = [
        (mark, line) for mark, text in _marked(inquiry, told) for line in _wrapped(text, MIDDLE, room - 20)
    ]
    stamps = list(_wrapped(stamp, FINE, room - text_width(NAME, FINE) - 30))
    rows = list(_rows(inquiry))
    top = 112
    below = top + ROW * len(rows) + 24
    foot = below + LINE * len(lines) + 16
    canvas = Canvas(WIDTH, round(foot + SMALL * len(stamps) + 16))
    size = LARGE
    while text_width(title, size, bold=True) > room:
        size -= 1
    canvas.text(MARGIN, 38, _("The case is closed"), MIDDLE, GREY, "lm")
    canvas.text(MARGIN, 68, title, size, INK, "lm", bold=True)
    _board(canvas, rows, top)
    mark = ""
    for at, (kind, line) in enumerate(lines):
        y = below + LINE * at
        if kind != mark:
            _draw(canvas, kind, MARGIN + 6, y)
        mark = kind
        canvas.text(MARGIN + 20, y, line, MIDDLE, INK, "lm")
    canvas.line([(MARGIN, foot), (WIDTH - MARGIN, foot)], PALE)
    for at, line in enumerate(stamps):
        canvas.text(MARGIN, foot + SMALL * (at + 1), line, FINE, GREY, "lm")
    canvas.text(WIDTH - MARGIN, foot + SMALL, NAME, FINE, GREY, "rm")
    canvas.box(0, 0, 8, canvas.height, GREEN)
    return Picture(canvas, " ".join([*map(plain, Closing(inquiry).summary), stamp]))


def _rows(inquiry: Inquiry) -> Iterator[tuple[str, str, Rates, float | None]]:
    """Yield of each state its mark, its label, its rates, and the bet on it."""
    marks, bets = [""], [None, *(step.bet for step in inquiry.steps)]
    read = bool(inquiry.accused or inquiry.seen)
    marks += [("seen" if step.name in inquiry.seen else "missed") if read else "" for step in inquiry.steps]
    for mark, bet, (label, rates, _said) in zip(marks, bets, Board(inquiry).rows(), strict=True):
        yield mark, plain(label), rates, bet


def _marked(inquiry: Inquiry, told: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each sentence with the mark that it explains in the bars."""
    marks = [
        *(["bet"] if any(step.bet is not None for step in inquiry.steps) else []),
        *(["seen", "missed"] if inquiry.accused or inquiry.seen else [""]),
    ]
    yield from zip(marks, told, strict=False)


def _board(canvas: Canvas, rows: list[tuple[str, str, Rates, float | None]], top: float) -> None:
    left = MARGIN + 32 + max(text_width(label, MIDDLE) for _mark, label, _rates, _bet in rows)
    right = WIDTH - MARGIN - 52
    canvas.text(right, top - 10, _("limit"), FINE, GREY, "rm")
    for at, (mark, label, rates, bet) in enumerate(rows):
        y = top + ROW * at + ROW / 2
        _draw(canvas, mark, MARGIN + 6, y)
        canvas.text(MARGIN + 20, y, label, MIDDLE, INK, "lm")
        canvas.box(left, y - 8, right, y + 8, "white", GREY)
        canvas.box(left, y - 8, left + min(1.0, rates.true / rates.limit) * (right - left), y + 8, GREEN)
        if bet is not None:
            _draw(canvas, "bet", left + min(1.0, bet / rates.limit) * (right - left), y)
        canvas.text(WIDTH - MARGIN, y, percent(rates), MIDDLE, INK, "rm")


def _draw(canvas: Canvas, mark: str, x: float, y: float) -> None:
    """Draw a mark: a bet is a line, a fault that was found by reading a disc, one that was not a ring."""
    if mark == "bet":
        canvas.box(x - 2, y - 10, x + 2, y + 10, ORANGE, _DARK)
    elif mark:
        canvas.disc(x, y, 5, ORANGE if mark == "seen" else "white", _DARK, 1.5)


def _wrapped(text: str, size: float, room: float) -> Iterator[str]:
    """Yield the lines of a text that are no wider than ``room``."""
    line = ""
    for word in text.split(" "):
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size) > room:
            yield line
            longer = word
        line = longer
    yield line
