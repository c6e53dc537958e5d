"""The map of the course that lesson 0 shows: a box for each lesson, drawn from what the lessons say of themselves.

A lesson without a theme has a row of its own. The others stand below their theme, in a column, and can be taken in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from xml.sax.saxutils import escape

from loaderlab.course import outline
from loaderlab.course.syllabus import Lesson

NAME = "start_here_map"  # the diagram's, in images/

# In the SVG's units: pixels at its own size.
WIDTH, HEIGHT = 800, 66  # of the map, of a box
_LEFT, _TOP, _RIGHT = 6, 10, 794
# Below a row, between columns, below the columns, above them.
_GAP, _GUTTER, _BELOW, _HEADING = 28, 16, 46, 60

# What fills a box, and its outline.
_FIRST, _WIDE = ("#f4f4f4", "#666666"), ("#e8f1f8", "#0072b2")
_COLUMN, _LAST = ("#fdf3df", "#e69f00"), ("#e5f4ee", "#009e73")

_ROLE = (
    'role="img" aria-labelledby="title desc" font-family="DejaVu Sans, Verdana, sans-serif" font-size="14"'
)
_ARROW = (
    '    <marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" '
    'orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="#222222"/></marker>'
)


@dataclass(frozen=True)
class Box:
    """The place of a lesson on the map: its upper left corner and its width; all are ``HEIGHT`` high."""

    lesson: Lesson
    left: int
    top: int
    width: int

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + HEIGHT

    @property
    def middle(self) -> int:
        return self.left + self.width // 2


def boxes(lessons: Sequence[Lesson]) -> list[Box]:
    """Return the box of each lesson, row by row: those before the columns, the columns, those after them."""
    before, columns, after = _parts(lessons)
    found, top = [], _TOP
    for lesson in before:
        found.append(Box(lesson, _LEFT, top, _RIGHT - _LEFT))
        top += HEIGHT + _GAP
    if columns:
        top += _HEADING - _GAP if before else _HEADING
        width = (_RIGHT - _LEFT - _GUTTER * (len(columns) - 1)) // len(columns)
        for place, column in enumerate(columns):
            left = _LEFT + place * (width + _GUTTER)
            found += [
                Box(lesson, left, top + row * (HEIGHT + _GUTTER), width) for row, lesson in enumerate(column)
            ]
        top = max(box.bottom for box in found) + _BELOW
    for lesson in after:
        found.append(Box(lesson, _LEFT, top, _RIGHT - _LEFT))
        top += HEIGHT + _GAP
    return found


def svg(lessons: Sequence[Lesson]) -> str:
    """Return the map in English; its translations are made of it like those of any diagram."""
    placed = boxes(lessons)
    height = max(box.bottom for box in placed) + _TOP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" {_ROLE}>',
            "  <!-- Made by `loaderlab build` from LESSON of each lesson: edit those. -->",
            '  <title id="title">A map of the course</title>',
            f'  <desc id="desc">{escape(described(lessons))}</desc>',
            "  <defs>",
            _ARROW,
            "  </defs>",
            f'  <rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            '  <g fill="none" stroke="#222222" stroke-width="1.5" marker-end="url(#arrow)">',
            *(f'    <path d="M{x} {start}V{end - 3}"/>' for x, start, end in _arrows(placed)),
            "  </g>",
            *_headings(placed),
            *(line for box in placed for line in _drawn(box, placed)),
            "</svg>\n",
        ]
    )


def described(lessons: Sequence[Lesson]) -> str:
    """Return the map in words, for those who do not see it."""
    before, columns, after = _parts(lessons)
    themes = (f"{column[0].theme} ({_named(column)})" for column in columns)
    sentences = [
        f"First come {_named(before)}." if before else "",
        f"Then, in any order: {'; '.join(themes)}." if columns else "",
        f"Last come {_named(after)}." if after else "",
    ]
    return " ".join(["The lessons and their order.", *filter(None, sentences)])


def title(lesson: Lesson) -> str:
    """Return the lesson's title on the map, which is the first part of its own."""
    return outline.read(lesson).name.removeprefix(f"{lesson.number} ")


def _named(lessons: Sequence[Lesson]) -> str:
    return ", ".join(outline.read(lesson).name for lesson in lessons)


def _parts(lessons: Sequence[Lesson]) -> tuple[list[Lesson], list[list[Lesson]], list[Lesson]]:
    """Return the lessons before the columns, those of each column, and the lessons after them."""
    themes = dict.fromkeys(lesson.theme for lesson in lessons if lesson.theme)
    columns = [[lesson for lesson in lessons if lesson.theme == theme] for theme in themes]
    first = min((lesson.number for lesson in lessons if lesson.theme), default=len(lessons))
    wide = [lesson for lesson in lessons if not lesson.theme]
    return (
        [lesson for lesson in wide if lesson.number < first],
        columns,
        [lesson for lesson in wide if lesson.number > first],
    )


def _arrows(placed: Sequence[Box]) -> Iterator[tuple[int, int, int]]:
    """Yield an arrow from each row to the next: where it stands, begins and ends."""
    columns: dict[str, list[Box]] = {}
    for box in placed:
        if box.lesson.theme:
            columns.setdefault(box.lesson.theme, []).append(box)
    rows = [box for box in placed if not box.lesson.theme]
    top = min((column[0].top for column in columns.values()), default=0)
    for upper, lower in pairwise(rows):
        if not upper.top < top < lower.top:
            yield upper.middle, upper.bottom, lower.top
    above = [row for row in rows if row.top < top]
    below = [row for row in rows if row.top > top]
    for column in columns.values():
        if above:
            yield column[0].middle, above[-1].bottom, column[0].top
        if below:
            yield column[-1].middle, column[-1].bottom, below[0].top


def _headings(placed: Sequence[Box]) -> list[str]:
    first: dict[str, Box] = {}
    for box in placed:
        if box.lesson.theme:
            first.setdefault(box.lesson.theme, box)
    texts = (
        f'    <text x="{box.left + 14}" y="{box.top - 10}">{escape(theme)}</text>'
        for theme, box in first.items()
    )
    return ['  <g text-anchor="start" font-size="13" fill="#444444">', *texts, "  </g>"] if first else []


def _drawn(box: Box, placed: Sequence[Box]) -> list[str]:
    lesson = box.lesson
    begin = box.left + 14
    fill, stroke = (
        _COLUMN if lesson.theme else _FIRST if box == placed[0] else _LAST if box == placed[-1] else _WIDE
    )
    filled = f'rx="6" fill="{fill}" stroke="{stroke}" stroke-width="2"'
    return [
        f'  <g id="lesson-{lesson.number}">',
        f'    <rect x="{box.left}" y="{box.top}" width="{box.width}" height="{HEIGHT}" {filled}/>',
        f'    <text x="{begin}" y="{box.top + 26}" font-weight="bold">{lesson.number}</text>',
        f'    <text x="{begin + 20}" y="{box.top + 26}" font-weight="bold">{escape(title(lesson))}</text>',
        f'    <text x="{begin}" y="{box.top + 50}" font-size="13">{escape(lesson.about)}</text>',
        "  </g>",
    ]
