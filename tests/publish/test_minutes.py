"""The minutes that a lesson says are what its text, its code and its guesses take."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from loaderlab import course
from loaderlab.course import outline
from loaderlab.publish import source
from loaderlab.publish.source import DEEPER, PROSE, Cell

WORDS, LINES = 160, 12  # that are read in a minute; a guess takes one, too
ROUNDED = 1.5  # minutes
SLIDERS = 2.0  # minutes, at most, for moving the sliders of an explorer, or running something of one's own


def sections(cells: tuple[Cell, ...]) -> Iterator[list[Cell]]:
    """The cells between two headings of sections; title and set-up belong to the first section."""
    starts = [at for at, cell in enumerate(cells) if cell.role == PROSE and cell.source.startswith("## ")]
    for begin, end in zip([0, *starts[1:]], [*starts[1:], len(cells)], strict=True):
        yield list(cells[begin:end])


def reading(cells: list[Cell]) -> float:
    """Minutes for what is on the way: what is folded, with its code, is not, and an exercise has minutes of its own."""
    minutes, folded = 0.0, False
    for cell in cells:
        lines = [
            line for line in cell.source.split("\n") if line.strip() and not line.lstrip().startswith("#")
        ]
        folded = cell.role == DEEPER if not cell.is_code else folded
        if cell.role == PROSE:
            minutes += len(cell.source.split()) / WORDS
        elif cell.is_code and not cell.exercise and "setup" not in cell.tags:
            guesses = cell.source.count("lab.predict(")
            minutes += guesses or (0 if folded else len(lines) / LINES)
    return minutes


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_the_minutes_of_a_section_are_honest(lesson: course.Lesson) -> None:
    counted = [reading(cells) for cells in sections(source.read(lesson).cells)]
    stated = outline.read(lesson).sections
    assert len(counted) == len(stated)
    for section, minutes in zip(stated, counted, strict=True):
        said = f"{section.heading}: {section.minutes} minutes, and {minutes:.1f} are counted"
        assert not section.minutes or -ROUNDED <= section.minutes - minutes <= SLIDERS, said
    assert lesson.minutes == pytest.approx(sum(counted), rel=0.1)
