"""The way through a lesson is short, and nothing on it needs what only a section that goes deeper has made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl

import nbformat
import pytest

from loaderlab import course
from loaderlab.course.panel import linked
from loaderlab.course.prediction import TRUE_OR_FALSE
from loaderlab.publish import source
from loaderlab.publish.source import ASIDE, CODE, PROSE, Cell
from making import made, needed
from places import ROOT


def cell(role: str, text: str, *, deeper: bool = False) -> Cell:
    return Cell(role, text, "", (), "id", "a cell", deeper)


def strayed(cells: tuple[Cell, ...]) -> Iterator[str]:
    """What cells on the way take from a section that goes deeper: only there, or last there, it was made."""
    makers: dict[str, Cell] = {}
    for each in cells:
        if not each.is_code:
            continue
        if not each.off_the_way:
            for name in sorted(needed(each.source) & makers.keys()):
                if makers[name].off_the_way:
                    yield f"{each.where}: {name}, which {makers[name].where} has made"
        makers |= dict.fromkeys(made(each.source), each)


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_the_way_through_a_lesson_is_short(lesson: course.Lesson) -> None:
    words = [
        len(each.source.split())
        for each in source.read(lesson).cells
        if each.role == PROSE and not each.off_the_way
    ]
    assert sum(words) <= 1800


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_asks_few_questions_in_few_cells(lesson: course.Lesson) -> None:
    asked = (
        lesson.predictions().values()
    )  # of which the course has five at least; one that is added may begin with fewer
    assert len(asked) <= 7
    assert sum(prediction.choices == TRUE_OR_FALSE for prediction in asked) <= 1
    assert len(nbformat.read(ROOT / "notebooks" / f"{lesson.file}.ipynb", as_version=4).cells) <= 95


def test_a_link_in_the_prose_sets_what_an_explorer_has() -> None:
    found = 0
    for lesson in course.lessons():
        for name, query in re.findall(
            r"\]\(#(\w+)\?([^)]+)\)", (lesson.folder / "lesson.md").read_text("utf-8")
        ):
            values = dict(parse_qsl(query))
            assert linked(lesson.scenes()[name], values).keys() == values.keys()
            found += 1
    assert found > 5


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_nothing_on_the_way_needs_what_goes_deeper(lesson: course.Lesson) -> None:
    assert not list(strayed(source.read(lesson).cells))


@pytest.mark.parametrize(
    ("before", "deeper", "after", "missing"),
    [
        ("", "rows = [1]", "print(rows)", ["rows"]),
        ("rows = []", "rows = [1]", "print(rows)", ["rows"]),
        ("rows = []", "rows = [1]", "rows = [2]\nprint(rows)", []),
        ("", "import gc", "def clean():\n    gc.collect()", ["gc"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "import one", ["one.py"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "run(lab.scratch / 'one.py')", ["one.py"]),
        ("", "%%writefile {lab.scratch}/one.py\nx = 1", "print(x)", []),
    ],
)
def test_whoever_skips_what_goes_deeper_misses_it(
    before: str, deeper: str, after: str, missing: list[str]
) -> None:
    told = cell(CODE, before), cell(CODE, deeper, deeper=True), cell(CODE, after)
    assert [line.split(": ")[1].split(",")[0] for line in strayed(told)] == missing


def test_a_section_that_goes_deeper_ends_where_one_of_its_level_or_a_higher_begins() -> None:
    told = (
        (PROSE, "## 1."), (ASIDE, "### One"), (CODE, "a"), (PROSE, "### Two"), (CODE, "b"),
        (ASIDE, "## 2."), (CODE, "c"), (PROSE, "### Three"), (CODE, "d"), (PROSE, "Text."), (PROSE, "## 3."), (CODE, "e"),
    )  # fmt: skip
    placed = source.placed(cell(role, text) for role, text in told)
    assert [number for number, each in enumerate(placed) if each.off_the_way] == [1, 2, 5, 6, 7, 8, 9]


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_hint_that_the_text_names_is_of_an_exercise(lesson: course.Lesson) -> None:
    text = (lesson.folder / "lesson.md").read_text(encoding="utf-8")
    named = set(re.findall(r'lab\.(?:hint|check)\("(\w+)"', text))
    assert named <= set(lesson.exercises())
