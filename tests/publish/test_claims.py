"""What lessons say in numbers, or as an order, is true of every recording and of each of the six stored notebooks; each can be refuted."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest

import claimed
from loaderlab import course
from loaderlab.i18n.language import messages
from loaderlab.publish.checkout import TRANSLATIONS
from places import ROOT

EVIDENCE = {"RECORDED": claimed.recorded, "LIVE": claimed.live}


def told(lesson: course.Lesson, table: str) -> dict[str, Any]:
    """Return a table of `claims.py` beside a lesson's tests: an empty one where there is none."""
    path = ROOT / "tests" / "lessons" / lesson.name / "claims.py"
    found = runpy.run_path(str(path)) if path.is_file() else {}
    return dict(found.get(table, {}))


CLAIMS = [
    pytest.param(lesson, kind, words, claim, id=f"{lesson.name}-{words[:40]}")
    for lesson in course.lessons()
    for kind in EVIDENCE
    for words, claim in told(lesson, kind).items()
]


@pytest.mark.parametrize(("lesson", "kind", "words", "claim"), CLAIMS)
def test_what_a_lesson_says_of_its_figures_is_so_in_every_stored_output(
    lesson: course.Lesson, kind: str, words: str, claim: claimed.Claim
) -> None:
    found = claimed.pattern(words).search(claimed.prose(lesson))
    assert found, "lesson.md no longer says it: correct claims.py"
    evidence = list(EVIDENCE[kind](lesson, claim[0]))
    assert evidence, f"nothing stored is of {claim[0]}"
    assert [where for where, rows in evidence if not claimed.holds(claim, found, rows)] == []
    for _where, rows in evidence:
        refuted = [not claimed.holds(claim, found, turned(rows, by)) for by in (-1, 3)]
        assert any(refuted), "nothing that could have been measured refutes it"


@pytest.mark.parametrize("code", TRANSLATIONS)
@pytest.mark.parametrize(("lesson", "kind", "words", "claim"), CLAIMS)
def test_its_numbers_are_the_same_in_each_language(
    lesson: course.Lesson, kind: str, words: str, claim: claimed.Claim, code: str
) -> None:
    for said, translated in messages(code, lesson.folder).items():
        if found := claimed.pattern(words).search(said):
            plain = re.sub(r"(?<=\d)[\s\u202f](?=\d{3})", "", translated).replace(",", ".")
            numbers = re.findall(r"\d+(?:\.\d+)?", plain)
            assert {number.replace(",", "") for number in found.groups()} <= set(numbers), translated


def turned(rows: claimed.Rows, by: int) -> list[dict[str, Any]]:
    """Return rows that say the contrary: three times of what was measured, from the last of them to the first, or a third further on."""
    made = [dict(row) for row in rows]
    for column in {name for row in rows for name in row}:
        own = [row for row in made if column in row]
        values = [row[column] for row in own]
        if len(set(values)) < min(50, len(values) / 2) or not isinstance(values[0], float):
            continue  # it was not measured
        at = len(values) // by
        for row, value in zip(own, values[::-1] if by < 0 else values[at:] + values[:at], strict=True):
            row[column] = 3 * value
    return made


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_figure_of_a_recorded_device_is_claimed_or_its_source_is_named(lesson: course.Lesson) -> None:
    recorded, elsewhere = told(lesson, "RECORDED"), told(lesson, "ELSEWHERE")
    sentences = list(claimed.of_a_device(lesson))
    assert [
        sentence
        for sentence in sentences
        if not any(claimed.pattern(words).search(sentence) for words in [*recorded, *elsewhere])
    ] == [], f"add them to tests/lessons/{lesson.name}/claims.py, with what their recording says"
    assert [words for words in elsewhere if not any(words in sentence for sentence in sentences)] == []


def test_a_figure_that_nothing_bears_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "An H200 copies 7 GB/s. An H200 copies. A GPU copies 7 GB/s.\nSo says lesson 7."
    monkeypatch.setattr(claimed, "prose", lambda _lesson: said)
    assert list(claimed.of_a_device(course.lesson("pin_memory"))) == ["An H200 copies 7 GB/s."]


@pytest.mark.parametrize(
    ("number", "text", "same"),
    [(2.71, "2.7", True), (2.76, "2.7", False), (369.0, "370", True), (363.0, "370", False), (609.6, "610", True),
     (2095.2, "2,095", True), (10.4, "10", True), (16.0, "10", False)],
)  # fmt: skip
def test_a_number_is_true_in_the_digits_that_it_is_written_with(number: float, text: str, same: bool) -> None:
    assert claimed.is_written(number, text) == same
