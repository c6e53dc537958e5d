"""Lesson 8: the case of its script: guilty lines, repairs that change their own count and no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from loaderlab import course
from loaderlab.i18n.errors import LabError
from loaderlab.lessons.find_the_bottleneck import found, photos, repaired
from loaderlab.lessons.find_the_bottleneck.case import CASE
from loaderlab.lessons.find_the_bottleneck.counts import counts
from loaderlab.notebook import case, session


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return photos.make(tmp_path_factory.mktemp("photos"), files=8, photos=256)


def of(folder: Path, *names: str) -> dict[str, Any]:
    return counts(repaired.only(*names)[1](folder, ranks=2))


def test_the_case_has_the_nine_repairs_in_the_order_of_the_course() -> None:
    assert [repair.name for repair in CASE.repairs] == list(repaired.REPAIRS)
    assert course.lesson("find_the_bottleneck").case() is CASE and course.lesson("workers").case() is None


def test_each_fault_and_each_innocent_has_lines_of_its_own() -> None:
    groups = [CASE.numbers(repair.guilty) for repair in CASE.repairs]
    groups += [CASE.numbers([beginning]) for beginning in CASE.innocent]
    assert all(groups) and len({n for group in groups for n in group}) == sum(map(len, groups))
    text = Path(found.__file__).read_text("utf-8").splitlines()
    assert all(text[number - 1] == line for number, line in CASE.lines.items())


def test_the_counts_are_those_that_the_prose_names(folder: Path) -> None:
    numbers = {"tensors": (64, 2), "opens": (2, 0), "floats": (4, 1), "index": (256, 1)}
    before, after = of(folder), of(folder, *repaired.REPAIRS)
    assert {name: (before[name], after[name]) for name in before} == {
        name: numbers.get(name, (False, True)) for name in repaired.REPAIRS
    }


@pytest.mark.parametrize("name", repaired.REPAIRS)
def test_a_repair_changes_its_own_count_and_no_other(folder: Path, name: str) -> None:
    before, after = of(folder), of(folder, name)
    assert [each for each in before if before[each] != after[each]] == [name]


def test_a_session_remembers_the_case_and_runs_what_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "progress.json").write_text('{"version": 1, "lessons": {}}')
    session.begin("find_the_bottleneck", "en")
    file, asked = case.case(), []

    def run(repairs: Any) -> tuple[float, float, float]:
        asked.append(list(repairs))
        return 700.0, 10.0 * (1 + len(repairs)), 100.0

    with pytest.raises(LabError, match="desk"):
        file.repair("opens")
    file.accuse(CASE.numbers(CASE.repairs[0].guilty)[0])
    file.desk(run)
    file.repair("opens", bet=20)
    session.begin("find_the_bottleneck", "en")
    again = case.case()
    assert (again.inquiry.made, again.inquiry.seen) == (["opens"], {"clock"})
    again.desk(run)
    closing = again.rest()
    assert asked == [[], ["opens"], *(["opens", *again.inquiry.made[1:n]] for n in range(2, 10))]
    assert "From 10% to 100% of the limit. Repairs: 9 of 9." in repr(closing)
    assert again.again().inquiry.made == [] and case.case().inquiry.seen == {"clock"}
    session.forget()
    assert case.case().inquiry.seen == set()
