"""The map of the course has a place for any lesson: none covers another, and each is reached by an arrow."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loaderlab import course
from loaderlab.course import Lesson, course_map

SVG = "{http://www.w3.org/2000/svg}"
COURSES = [
    [""],
    ["", "", ""],
    ["", "", "a", "a", "b", "b", "c", "c", ""],
    ["", "a", "b", "a", "a", "b", "", ""],
    ["a", "b"],
    ["", "a"],
    ["", "a", "b", "c", "d"],
]


def invented(folder: Path, themes: list[str]) -> list[Lesson]:
    lessons = []
    for number, theme in enumerate(themes):
        lessons.append(Lesson(f"l{number}", number, 1, about="a < b", theme=theme, folder_root=folder))
        (folder / f"l{number}").mkdir()
        (folder / f"l{number}" / "lesson.md").write_text(
            f'# Lesson & {number}: why?\n\n+++ {{"minutes": 1}}\n\n## One\n'
        )
    return lessons


@pytest.mark.parametrize("themes", COURSES, ids="|".join)
def test_each_lesson_has_a_box_of_its_own_inside_the_map(tmp_path: Path, themes: list[str]) -> None:
    lessons = invented(tmp_path, themes)
    placed = course_map.boxes(lessons)
    height = float(ElementTree.fromstring(course_map.svg(lessons)).get("height"))
    assert sorted(box.lesson.number for box in placed) == list(range(len(themes)))
    assert all(
        0 <= box.left < box.right <= course_map.WIDTH and 0 <= box.top < box.bottom <= height
        for box in placed
    )
    for one, other in combinations(placed, 2):
        apart = one.right <= other.left or other.right <= one.left
        assert apart or one.bottom <= other.top or other.bottom <= one.top
        if one.lesson.theme == other.lesson.theme:
            assert one.left == other.left


@pytest.mark.parametrize("themes", COURSES, ids="|".join)
def test_an_arrow_leads_to_each_box_but_the_first_ones_and_to_those_below_another(
    tmp_path: Path, themes: list[str]
) -> None:
    lessons = invented(tmp_path, themes)
    placed = course_map.boxes(lessons)
    drawn = ElementTree.fromstring(course_map.svg(lessons))
    arrows = [
        tuple(map(int, re.findall(r"\d+", path.get("d")))) for path in drawn.findall(f"{SVG}g/{SVG}path")
    ]
    ends = {(x, end + 3) for x, _start, end in arrows}
    below = [box for box in placed if any(other.bottom <= box.top for other in placed)]
    heads = [
        box
        for box in below
        if not any(
            other.lesson.theme and other.lesson.theme == box.lesson.theme and other.top < box.top
            for other in placed
        )
    ]
    assert all(any(box.left < x < box.right and end == box.top for x, end in ends) for box in heads)
    for x, start, end in arrows:  # and none crosses a box
        assert not any(box.left < x < box.right and start < box.bottom and box.top < end for box in placed)


def test_the_map_says_the_lessons_in_words(tmp_path: Path) -> None:
    words = course_map.described(invented(tmp_path, ["", "a", "b", "a", ""]))
    assert words.endswith(
        "First come 0 Lesson & 0. Then, in any order: a (1 Lesson & 1, 3 Lesson & 3); b (2 Lesson & 2). Last come 4 Lesson & 4."
    )


def test_the_titles_fit_into_their_boxes() -> None:
    """A bold letter of 14 pixels is 11 pixels wide at most, in the mean of a title less than 10."""
    for box in course_map.boxes(course.lessons()):
        assert 10 * len(course_map.title(box.lesson)) < box.width - 34
        assert 8 * len(box.lesson.about) < box.width - 14
