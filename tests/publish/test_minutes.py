"""The minutes that a lesson says are what its text, its code and its guesses take, and on the way they are few."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from loaderlab import course
from loaderlab.course import outline
from loaderlab.publish import source
from loaderlab.publish.source import ASIDE, DEEPER, PROSE, Cell

WORDS, LINES = 160, 12  # that are read in a minute; a guess takes one, too
ROUNDED = 1.5  # minutes
SLIDERS = 2.0  # minutes, at most, for moving the sliders of an explorer, or running something of one's own
LONGEST = 35  # minutes, of the way through a lesson


def sections(cells: Sequence[Cell], begins: Callable[[Cell], bool]) -> Iterator[Sequence[Cell]]:
    """The cells from one heading of a section to the next; what stands before all of them belongs to the first."""
    starts = [at for at, cell in enumerate(cells) if begins(cell)]
    for begin, end in zip([0, *starts[1:]], [*starts[1:], len(cells)], strict=True):
        yield cells[begin:end]


def reading(cells: Sequence[Cell]) -> float:
    """Minutes for what is in sight: what is folded, with its code, is not, and an exercise has minutes of its own."""
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
    cells, stated = source.read(lesson).cells, outline.read(lesson)
    on_the_way = [cell for cell in cells if not cell.off_the_way]
    way = [
        reading(each)
        for each in sections(on_the_way, lambda cell: cell.role == PROSE and cell.source.startswith("## "))
    ]
    off_the_way = [cell for cell in cells if cell.off_the_way]
    deeper = [reading(each) for each in sections(off_the_way, lambda cell: cell.role == ASIDE) if each]
    for section, minutes in zip([*stated.sections, *stated.deeper], [*way, *deeper], strict=True):
        said = f"{section.heading}: {section.minutes} minutes, and {minutes:.1f} are counted"
        assert not section.minutes or -ROUNDED <= section.minutes - minutes <= SLIDERS, said
    assert lesson.minutes == pytest.approx(sum(way), rel=0.1)
    assert max(lesson.minutes, round(sum(way))) <= LONGEST
