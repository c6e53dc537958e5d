"""A case is measured: each state in turns, again where other programs disturb it, and nothing that does not hold is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from loaderlab.course import Lesson
from loaderlab.course.case import Case, Rates, Repair
from loaderlab.i18n.errors import LabError
from loaderlab.notebook import recordings
from loaderlab.publish import case_recording, replays
from loaderlab.publish.source import CODE, Cell, Source

CASE = Case(
    "slow()\nwrong()\n",
    (
        Repair("slow", "slow part", ("slow",), "It is gone."),
        Repair("wrong", "wrong part", ("wrong",), "It is right.", speed=False),
    ),
    {},
)


def rates(repairs: Sequence[str]) -> Rates:
    return Rates(900, 50 if "slow" in repairs else 5, 100)


def quiet() -> Callable[[], bool]:
    return lambda: False


def measured(states: Sequence[str], rounds: int, **how: Any) -> list[dict[str, Any]]:
    how = {"busy": quiet, "run": rates} | how
    return list(case_recording.measured(states, rounds=rounds, say=lambda _text: None, **how))


class Slow(Lesson):
    """A lesson with that case, whose script takes no time."""

    def case(self) -> Case:
        return CASE

    def trial(self) -> Any:
        @contextmanager
        def trial() -> Iterator[Callable[[Sequence[str]], Rates]]:
            yield self.run

        return trial

    run = staticmethod(rates)


@pytest.fixture
def lesson(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(case_recording, "_disturbed", quiet)
    return Slow("slow", 1, 1, folder_root=tmp_path)


def test_each_state_is_measured_in_each_round_and_in_another_order() -> None:
    states = list("abcdefgh")
    asked: list[str] = []

    def run(repairs: Sequence[str]) -> Rates:
        asked.extend(repairs)
        return rates(repairs)

    found = measured(states, 3, run=run)
    rounds = [asked[at : at + 8] for at in (0, 8, 16)]
    assert [sorted(each) for each in rounds] == [states] * 3 and len({tuple(each) for each in rounds}) == 3
    assert [(row["repairs"], row["round"]) for row in found] == [
        (name, at) for at, each in enumerate(rounds, 1) for name in each
    ]


def test_a_run_that_others_disturb_is_made_again_and_left_out_where_that_does_not_help() -> None:
    disturbed = iter([True, False] + [True] * 9)
    asked: list[Sequence[str]] = []

    def run(repairs: Sequence[str]) -> Rates:
        asked.append(repairs)
        return Rates(900, len(asked), 100)

    found = measured(["slow"], 2, run=run, busy=lambda: lambda: next(disturbed))
    assert [(row["round"], row["true"]) for row in found] == [(1, 2)]
    assert len(asked) == 2 + case_recording.TRIES


def test_a_round_that_would_take_too_long_is_not_begun() -> None:
    clock = iter([0.0, 300.0, 600.0])
    assert {row["round"] for row in measured(["slow"], 9, now=lambda: next(clock))} == {1, 2}


def test_a_recording_names_its_machine_and_is_what_the_page_is_given(lesson: Slow) -> None:
    path = case_recording.record(lesson, 2, say=lambda _text: None)
    assert path is not None
    kept = recordings.read(path)
    assert (kept["benchmark"], kept["arguments"]) == ("case", {"rounds": 2, "states": 4})
    states, stamp = case_recording.stored(lesson)
    assert states is not None and states.of(["wrong", "slow"]) == rates(["slow"])
    device = kept["device"].rpartition(" × ")[0]
    for part in (
        "another machine",
        device,
        kept["date"],
        kept["versions"]["torch"],
        "Rounds: 2",
        "wrong part",
    ):
        assert part in stamp
    assert case_recording.record(lesson, 1, say=lambda _text: None) != path and not path.exists()


def test_without_a_recording_a_page_is_given_nothing(lesson: Slow) -> None:
    assert case_recording.stored(lesson) == (None, "")


def test_without_the_script_as_it_was_found_a_page_is_given_nothing(lesson: Slow) -> None:
    rows = [{"repairs": "slow", "round": 1, "claimed": 9.0, "true": 5.0, "limit": 10.0}]
    recordings.write(lesson.folder / "recordings", "slow", "case", {"rounds": 1}, {}, "PC × 2", rows)
    assert case_recording.stored(lesson) == (None, "")


def test_where_a_repair_changes_the_rate_that_should_change_none_nothing_is_written(lesson: Slow) -> None:
    lesson.__dict__["run"] = lambda repairs: Rates(900, 70 if "wrong" in repairs else 50, 100)
    with pytest.raises(LabError, match=r"by a factor of 1\.4\d?: wrong"):
        case_recording.record(lesson, 1, say=lambda _text: None)
    assert lesson.recordings == []


def test_where_nothing_is_measured_nothing_is_written_and_what_is_missing_is_said(
    lesson: Slow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(case_recording, "_disturbed", lambda: lambda: True)
    said: list[str] = []
    with pytest.raises(LabError, match="idle machine"):
        case_recording.record(lesson, 1, say=said.append)
    assert "slow" in said[-1] and lesson.recordings == []


@pytest.mark.parametrize(("cell", "shown"), [("case = lab.case()\ncase", True), ("lab.recorded('x')", False)])
def test_a_recording_of_a_case_is_shown_by_the_page_of_its_lesson(
    lesson: Slow, cell: str, shown: bool
) -> None:
    case_recording.record(lesson, 1, say=lambda _text: None)
    source = Source(lesson, (Cell(CODE, cell, "", (), "", ""),))
    assert (list(replays.unasked(source)) == []) == shown
