"""The doctor: what is lacking is named with its cure, what is there is not complained about."""

from dataclasses import replace

import pytest

from loaderlab import cli, course, language, machine
from loaderlab.workshop import doctor


@pytest.fixture(scope="module")
def here():
    return machine.look()


def test_a_lack_is_named_with_its_cure(here, english):
    poor = replace(here, cores=1, shm=32 * 2**20, open_files=64)
    found = doctor.problems(course.lesson("workers"), poor)
    assert len(found) == 3
    assert any("32 MiB, needed: 64 MiB" in line and "--shm-size" in line for line in found)
    assert any("64, needed: 256" in line and "ulimit" in line for line in found)


def test_what_a_system_does_not_have_is_no_lack(here, english):
    elsewhere = replace(here, cores=8, ram=64 * 2**30, shm=None, open_files=None, start_method="spawn")
    assert doctor.problems(course.lesson("workers"), elsewhere) == []
    remarks = "\n".join(doctor.remarks(elsewhere))
    assert "/dev/shm" in remarks and "spawn" in remarks


def test_the_report_names_every_lesson(here, english):
    text, _fine = doctor.report(here)
    assert all(lesson.file in text for lesson in course.lessons())


def test_exit_status_tells_whether_all_is_well(here, monkeypatch, capsys):
    monkeypatch.setattr(machine, "look", lambda: replace(here, cores=4, ram=64 * 2**30, open_files=4096))
    assert cli.main(["--language", "en", "doctor"]) == 0
    monkeypatch.setattr(machine, "look", lambda: replace(here, cores=0.5))
    assert cli.main(["--language", "en", "doctor"]) == 1
    assert "✗ 01_workers" in capsys.readouterr().out


@pytest.mark.parametrize("code", ["fr", "pl"])
def test_speaks_the_readers_language(here, code):
    language.use("en")
    english_text, _fine = doctor.report(here)
    language.use(code)
    assert doctor.report(here)[0] != english_text
