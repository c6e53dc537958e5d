"""Lesson 8: the case of its script: guilty lines, repairs that change their own count and no other."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from loaderlab import course
from loaderlab.course.case import Inquiry, Rates
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


# Rates on two cores, in percent of the limit, lowest, median and highest of five epochs, as they were recorded.
RECORDED = {
    "": (12.6, 12.9, 13.1),
    "lifetime": (38.6, 40.7, 41.2),
    "workers": (34.6, 37.2, 40.7),
    "lifetime floats": (8.2, 8.4, 8.7),
    "lifetime opens": (39.5, 43.7, 45.6),
    "lifetime workers": (39.9, 42.8, 44.2),
    "lifetime tensors": (62.7, 63.9, 70.6),
    "lifetime tensors floats": (62.1, 66.2, 70.9),
    "lifetime tensors workers": (50.4, 56.2, 58.4),
    "lifetime tensors opens": (70.6, 71.4, 77.0),
    "lifetime tensors opens workers": (85.4, 85.9, 86.7),
    "lifetime tensors opens workers floats": (80.1, 83.2, 88.0),
}


@pytest.mark.parametrize(
    ("made", "name", "verdict", "reason"),
    [
        ("", "lifetime", "The script became faster by a factor of 3.2", ""),
        ("", "workers", "The script became faster by a factor of 2.9", "fewer have to start"),
        ("workers", "lifetime", "No change", "start quickly"),
        ("lifetime", "floats", "The script became slower by a factor of 4.8", "spinning"),
        ("lifetime", "opens", "No change", "wait for opens at the same time"),
        ("lifetime", "workers", "No change", "now the opens matter"),
        ("lifetime tensors", "floats", "No change", "memory first"),
        ("lifetime tensors", "workers", "The script became slower", "now the opens matter"),
        ("lifetime tensors opens", "workers", "The script became faster", "fewer have to start"),
        ("lifetime tensors opens workers", "floats", "No change", "already at 86% of the limit"),
    ],
)
def test_the_reasons_say_what_was_recorded(made: str, name: str, verdict: str, reason: str) -> None:
    def rates(names: str) -> Rates:
        key = names if names in RECORDED else " ".join(reversed(names.split()))
        low, middle, high = RECORDED[key]
        return Rates(900, middle, 100, 130, low, high, 1)

    inquiry = Inquiry(CASE)
    inquiry.found = rates("")
    for done in made.split():
        inquiry.note(done, rates(made))
    inquiry.note(name, rates(f"{made} {name}".strip()))
    said = inquiry.why(len(inquiry.steps) - 1)
    assert said.startswith(verdict) and reason in said and ("spinning" in said) is (reason == "spinning")


def test_half_of_a_fault_is_not_innocent() -> None:
    inquiry = Inquiry(CASE)
    labels = CASE.numbers(["return self.finish("])
    inquiry.accuse([*labels, *CASE.numbers(["def collate", "names = ["])])
    assert inquiry.wronged == 0 and inquiry.seen == ["tensors", "index"]


def test_a_header_is_a_line_of_the_only_fault_of_its_function() -> None:
    headers = {"def lifetime": ["lifetime"], "def collate": ["tensors"], "def make_generator": ["generator"]}
    headers |= {"def begin(": ["epoch"], "def __getitem__": [], "def prepare": ["tensors"], "def step": []}
    assert {header: CASE.seen(CASE.numbers([header])) for header in headers} == headers


def test_a_session_remembers_the_case_and_runs_what_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "progress.json").write_text('{"version": 1, "lessons": {}}')
    session.begin("find_the_bottleneck", "en")
    file, asked = case.case(), []

    def run(repairs: Any) -> Any:
        asked.append(list(repairs))
        while True:
            yield 700.0, 10.0 * (1 + len(repairs)), 100.0, 90.0

    monkeypatch.setattr(case, "Others", lambda: SimpleNamespace(free=lambda: 1.0))

    with pytest.raises(LabError, match="desk"):
        file.repair("opens")
    file.accuse(CASE.numbers(CASE.repairs[0].guilty)[0])
    file.desk(run)
    file.repair("opens", bet=20)
    session.begin("find_the_bottleneck", "en")
    again = case.case()
    assert (again.inquiry.made, again.inquiry.seen) == (["opens"], ["clock"])
    again.desk(run)
    closing = again.rest()
    assert asked == [[], ["opens"], *(["opens", *again.inquiry.made[1:n]] for n in range(2, 10))]
    assert "The script went from 10% to 100% of the limit. Repairs: 9 of 9." in repr(closing)
    assert again.again().inquiry.made == [] and case.case().inquiry.seen == ["clock"]
    session.forget()
    assert case.case().inquiry.seen == []


def test_a_state_of_the_script_is_measured_some_times_and_its_run_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = []

    def run(repairs: Any) -> Any:
        try:
            for true in (30.0, 10.0, 20.0, 90.0, 15.0, 25.0, 17.0, 1000.0):
                yield 700.0, true, 100.0, 90.0
        finally:
            ended.append(list(repairs))

    quick = case.measure(run, "opens")
    assert (quick.low, quick.true, quick.high) == (10.0, 20.0, 90.0) and ended == [["opens"]]
    monkeypatch.setattr(case, "SECONDS", -1)
    slow = case.measure(run)
    assert (slow.low, slow.true, slow.high) == (10.0, 20.0, 30.0)
