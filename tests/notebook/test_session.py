"""How a lesson begins: what it says of the machine, and what it changes so that the lesson can be held."""

from __future__ import annotations

import dataclasses

import pytest

from loaderlab import course
from loaderlab.course import needs
from loaderlab.i18n.language import LANGUAGES, use
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import session


@pytest.fixture(autouse=True)
def nothing_is_changed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What would be changed of this process and its temporary folder is only noted."""
    done: list[str] = []
    monkeypatch.setattr(machine, "allow_open_files", lambda: done.append("open files"))
    monkeypatch.setattr(machine, "preload_forkserver", lambda: done.append("preload"))
    monkeypatch.setattr(temporary, "shorten", lambda: done.append("shorten"))
    monkeypatch.setattr(temporary, "sweep", lambda: done.append("sweep"))
    return done


def begun(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], language: str, **facts: object
) -> str:
    """What the lesson on shards says at its beginning on a machine, plainly a fixture, that has enough but for these."""
    rich: dict[str, object] = {
        "cores": 8, "logical_cores": 8, "ram": 2**36, "shm": 2**30, "temporary": 2**30, "open_files": 4096,
    }  # fmt: skip
    here = dataclasses.replace(machine.look(), **{**rich, **facts})
    monkeypatch.setattr(machine, "look", lambda: here)
    session.begin("webdataset", language)
    said = capsys.readouterr().out
    assert said.startswith(here.card())
    return said.removeprefix(here.card())


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_lesson_will_lack_is_said_with_its_cure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], language: str
) -> None:
    said = begun(monkeypatch, capsys, language, shm=2**25, temporary=2**20, ram=2**30, open_files=100)
    lines = said.strip().splitlines()
    assert len(lines) == 4 and all(line.startswith("✗ ") for line in lines)
    assert [cure for cure in ("--shm-size=1g", "TMPDIR", "ulimit -n 4096") if cure not in said] == []
    use("en")
    english = needs.problems(course.lesson("webdataset"), machine.look())
    assert (lines == [f"✗ {line}" for line in english]) == (language == "en")


def test_where_nothing_lacks_only_the_machine_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], nothing_is_changed: list[str]
) -> None:
    assert begun(monkeypatch, capsys, "en") == "\n"
    assert sorted(nothing_is_changed) == ["open files", "preload", "shorten", "sweep"]
