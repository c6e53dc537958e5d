"""Every answer of the bench gets what it deserves: right ones their points, wrong ones the findings meant for them."""

from __future__ import annotations

import pytest

from answers import Answer, answers, exercises, solution, stub
from loaderlab.i18n.language import LANGUAGES

pytestmark = pytest.mark.minutes(9)

LONG = 30.0  # seconds that a probe may take from which on its answers are for `make long`


def cases(found: list[Answer]) -> list[object]:
    """What takes long is for `make long`, except the solutions."""

    def marks(answer: Answer) -> list[pytest.MarkDecorator]:
        probe = answer.judge.probe
        long = probe.seconds > LONG and answer.name != "solution"
        return [pytest.mark.long] * long + [pytest.mark.serial] * probe.serial

    return [pytest.param(answer, id=answer.id, marks=marks(answer)) for answer in found]


BENCH = [answer for where in exercises() for answer in (solution(*where), *answers(*where))]


@pytest.mark.parametrize("answer", cases([answer for answer in BENCH if answer.right]))
def test_a_right_answer_gets_full_points_in_whatever_style(answer: Answer) -> None:
    found = answer.verdict()
    assert found.findings, found
    assert all(finding.passed or not finding.judged for finding in found.findings), found


@pytest.mark.parametrize("answer", cases([answer for answer in BENCH if not answer.right]))
def test_a_wrong_answer_fails_with_the_findings_meant_for_it_in_every_language(answer: Answer) -> None:
    for code in LANGUAGES:
        found = answer.verdict(code)
        failing = {index: finding for index, finding in enumerate(found.findings) if not finding.passed}
        assert failing.keys() == answer.fails, found
        assert sum(finding.points for finding in found.findings) == found.maximum
        assert all(finding.expected and finding.got and finding.hint for finding in failing.values()), found


@pytest.mark.parametrize("where", [pytest.param(where, id="-".join(where)) for where in exercises()])
def test_the_stub_is_not_called_wrong(where: tuple[str, str]) -> None:
    untouched = stub(*where).verdict()
    assert (untouched.points, untouched.attempted, untouched.findings) == (0, False, ())
