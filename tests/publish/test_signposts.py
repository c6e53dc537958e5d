"""What lesson 0 says of the others comes from them, and from the paths."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loaderlab.course import outline
from loaderlab.course.paths import CoursePath
from loaderlab.publish import regions, signposts, source
from loaderlab.publish.checkout import Checkout, here


def page(checkout: Checkout) -> str:
    return signposts.files(checkout)[checkout.lessons[0].folder / "lesson.md"]


def test_what_is_committed_is_what_the_lessons_say() -> None:
    for path, text in signposts.files(here()).items():
        assert path.read_text("utf-8") == text


def test_a_lesson_that_says_something_else_changes_table_and_map() -> None:
    checkout = here()
    *others, last = checkout.lessons
    changed = replace(checkout, lessons=(*others, replace(last, symptom="It snows", about="snow & ice")))
    assert f"| It snows | [{outline.read(last).name}]({last.file}.ipynb) |" in page(changed)
    assert "It snows" not in page(checkout)
    assert "snow &amp; ice" in signposts.files(changed)[checkout.diagram("start_here_map", "en")]


@pytest.mark.parametrize(
    ("path", "row"),
    [
        (CoursePath("a week", ("start_here",)), "| a week | lesson 0 | {zero} |"),
        (
            CoursePath("a week", ("start_here", "warps", "webdataset")),
            "| a week | lessons 0, 3 and 6 | {all} |",
        ),
        (
            CoursePath("ten minutes", ("start_here",), (5,)),
            "| ten minutes | the cells of the opening and section 5 of this lesson ({five} minutes) | {five} |",
        ),
        (
            CoursePath("ten minutes", ("start_here", "warps", "webdataset"), (5, 6)),
            "| ten minutes | the cells of the opening and sections 5 and 6 of this lesson ({both} minutes), then lessons 3 and 6 | {then} |",
        ),
    ],
)
def test_a_path_is_told_in_words(monkeypatch: pytest.MonkeyPatch, path: CoursePath, row: str) -> None:
    monkeypatch.setattr(signposts, "PATHS", (path,))
    lessons = {lesson.name: lesson for lesson in here().lessons}
    zero, *others = (lessons[name].minutes for name in ("start_here", "warps", "webdataset"))
    five, six = (
        next(
            part.minutes
            for part in outline.read(lessons["start_here"]).parts
            if part.heading.startswith(number)
        )
        for number in ("5. ", "6. ")
    )
    both = five + six
    assert row.format(
        zero=zero, all=zero + sum(others), five=five, both=both, then=both + sum(others)
    ) in page(here())


def test_no_notebook_has_the_comments() -> None:
    lesson, last = here().lessons[0], here().lessons[-1].file
    assert regions.has((lesson.folder / "lesson.md").read_text("utf-8"), "paths")
    assert not any("<!--" in cell.source for cell in source.read(lesson).cells)
    assert any(cell.source.endswith(f"({last}.ipynb) |") for cell in source.read(lesson).cells)
