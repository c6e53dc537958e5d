"""A quiz has ten questions of the course's own, in the language that is asked for, as Moodle imports them."""

from __future__ import annotations

import re

import pytest

from loaderlab import cli, course
from loaderlab.i18n import language
from loaderlab.i18n.language import LANGUAGES
from loaderlab.teaching import measured, quiz

LAST = [lesson for lesson in course.lessons() if lesson.number in quiz.AFTER]
_ANSWER = re.compile(r"^([=~])((?:\\.|[^\\#])+)(?:#(.*))?$")


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("lesson", LAST, ids=lambda lesson: lesson.name)
def test_a_quiz_has_ten_questions_with_one_right_answer_and_reasons_for_wrong_ones(
    lesson: course.Lesson, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        assert cli.main(["quiz", lesson.name, "--language", code]) == 0
    finally:
        language.use("en")
    questions = capsys.readouterr().out.strip().split("\n\n")
    assert len(questions) == quiz.MOST and len(set(questions)) == quiz.MOST
    reasons = 0
    for question in questions:
        head, *lines, end = question.split("\n")
        assert re.fullmatch(r"::.+::\[html\]<p>.+</p> \{", head) and end == "}"
        answers = [_ANSWER.fullmatch(line) for line in lines]
        assert all(answers)
        signs, texts, why = zip(*(answer.groups() for answer in answers if answer), strict=True)
        assert signs.count("=") == 1 and signs[0] == "=" and len(lines) >= quiz.LEAST
        assert len(set(texts)) == len(texts)
        reasons += sum(map(bool, why))
    assert reasons >= 10


def test_the_right_answer_is_what_the_notebook_counted() -> None:
    workers = course.lesson("workers")
    found = measured.of(workers, "en")["seen"]
    [item] = [
        item for item in quiz.items(workers, "en") if "num_workers=2" in item.stem and item.name == "seen"
    ]
    assert (
        item.right == str(found[1]) == "0"
        and ("5", "Each worker appended to its own copy of the list.") in item.wrong
    )


def test_signs_of_the_form_are_escaped() -> None:
    item = quiz.Item("a:b", "1 {x}", "<b>n=2</b>", "~#", (("{}", "why: \\"),))
    assert item.gift == "::1 \\{x\\}\\: a\\:b::[html]<b>n\\=2</b> {\n=\\~\\#\n~\\{\\}#why\\: \\\\\n}"


def test_a_lesson_without_a_quiz_is_told_which_have_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--language", "en", "quiz", "warps"]) == 1
    assert "workers, copy_on_write, find_the_bottleneck" in capsys.readouterr().err
