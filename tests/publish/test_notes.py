"""Notes for the instructor: in every solution, in no learner's notebook."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from loaderlab import course
from loaderlab.i18n.language import LANGUAGES, messages
from loaderlab.publish import blocks, checkout, notebook, source
from loaderlab.publish.checkout import EXERCISES, SOLUTIONS
from loaderlab.publish.edition import Edition
from loaderlab.publish.source import NOTE

HERE = checkout.here()
_package = cache(messages)


@pytest.fixture(params=LANGUAGES)
def code(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=[lesson.name for lesson in course.lessons()])
def edition(request: pytest.FixtureRequest, code: str) -> Edition:
    found = source.read(course.lesson(request.param))
    texts = messages(code, found.lesson.folder)
    return Edition(HERE, found, code, texts, _package(code, HERE.locale), ())


def notes(edition: Edition) -> list[str]:
    """The text of each note in the language of the edition."""
    cells = (cell.source for cell in edition.source.cells if cell.role == NOTE)
    return [blocks.render(blocks.split(text), edition.lesson_texts.get) for text in cells]


def sentences(text: str) -> Iterator[str]:
    return (" ".join(line.lstrip("> ").split()) for line in text.split("\n") if line.strip("> "))


def test_no_note_is_in_a_learners_notebook_and_all_are_in_the_solution(edition: Edition) -> None:
    said = notes(edition)
    learners = {
        line for cell in notebook.assemble(edition, EXERCISES).cells for line in sentences(cell.source)
    }
    solution = notebook.assemble(edition, SOLUTIONS)
    label = edition.say("For the instructor.")
    boxes = [cell.source for cell in solution.cells if cell.source.startswith(f"> **{label}** ")]
    for note in said:
        for sentence in sentences(note):
            assert not any(sentence in line for line in learners)
        (box,) = (box for box in boxes if list(sentences(note))[-1] in " ".join(sentences(box)))
        assert all(line.startswith(">") for line in box.split("\n"))
    assert len(boxes) == len(said)


def test_a_note_is_offered_for_translation_as_one_paragraph() -> None:
    from loaderlab.publish import catalog

    found = source.read(course.lesson("workers"))
    offered = {message.text for message in catalog.of_lesson(HERE, found, [])}
    for cell in found.cells:
        if cell.role == NOTE:
            assert cell.source.replace("\n", " ") in offered
