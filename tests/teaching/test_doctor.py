"""The doctor: what is lacking is named with its cure, what is there is not complained about."""

import io
import json
import sys
from dataclasses import replace
from email.message import Message
from importlib import metadata

import pytest

from loaderlab import cli, course
from loaderlab.course import needs
from loaderlab.i18n import language
from loaderlab.measuring import machine, temporary
from loaderlab.publish import checkout
from loaderlab.publish.checkout import TRANSLATIONS
from loaderlab.teaching import doctor, entry
from places import ROOT


@pytest.fixture(scope="module")
def here():
    return machine.look()


def test_a_lack_is_named_with_its_cure(here, english):
    poor = replace(here, cores=1, ram=64 * 2**30, temporary=2**30, shm=32 * 2**20, open_files=64)
    found = needs.problems(course.lesson("workers"), poor)
    assert len(found) == 3
    assert any("32 MiB, needed: 64 MiB" in line and "--shm-size" in line for line in found)
    assert any("64, needed: 256" in line and "ulimit" in line for line in found)


def test_a_full_temporary_folder_is_a_lack_and_a_torch_without_libuv_is_named(rich, english):
    found = needs.problems(course.lesson("webdataset"), replace(rich, temporary=20 * 2**20))
    assert len(found) == 1 and "20 MiB, needed: 160 MiB" in found[0] and "TMPDIR" in found[0]
    assert not any("libuv" in line for line in doctor.remarks(rich))
    assert any("torchrun" in line for line in doctor.remarks(replace(rich, libuv=False)))


def test_what_lessons_change_for_themselves_is_said_for_programs_of_ones_own(monkeypatch, english):
    monkeypatch.setattr(temporary, "place", lambda: "/short")
    monkeypatch.setattr(machine, "open_files_limit", lambda: 256)
    monkeypatch.setattr(machine, "attainable_open_files", lambda: 4096)
    folder, files = doctor.hints()
    assert "/short" in folder and "256 open files" in files


def test_what_a_system_does_not_have_is_no_lack(here, english):
    elsewhere = replace(
        here, cores=8, ram=64 * 2**30, shm=None, open_files=None, start_method="spawn", temporary=2**30
    )
    assert needs.problems(course.lesson("workers"), elsewhere) == []
    remarks = "\n".join(doctor.remarks(elsewhere))
    assert "/dev/shm" in remarks and "spawn" in remarks


def test_the_report_names_every_lesson(here, english):
    text, _fine = doctor.report(here)
    assert all(lesson.file in text for lesson in course.lessons())


def test_no_lesson_is_ticked_whose_notebook_is_not_installed(here, english, monkeypatch, tmp_path):
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    about = Message()
    about["Project-URL"] = "Repository, https://github.com/owner/name"
    monkeypatch.setattr(metadata, "metadata", lambda _name: about)
    monkeypatch.setattr(
        doctor, "problems", lambda lesson, _machine: ["no cores"] * (lesson.name == "workers")
    )
    text, fine = doctor.report(here)
    assert "✓ 0" not in text and "✗ 01_workers\n    no cores\n" in text and not fine
    *_lines, last = text.splitlines()
    count = len(course.lessons())
    assert last.startswith(
        f"• The notebooks of the lessons are not installed; this machine can run {count - 1} of the {count}."
    )
    assert "`make lab`" in last and last.endswith(" Repository: https://github.com/owner/name.")
    for place in (ROOT, ROOT / "notebooks"):  # a clone, and beside a lesson
        monkeypatch.chdir(place)
        assert "✓ 00_start_here\n✗ 01_workers\n    no cores\n✓ 02" in doctor.report(here)[0]


def test_exit_status_tells_whether_all_is_well(here, monkeypatch, capsys):
    monkeypatch.setattr(
        machine, "look", lambda: replace(here, cores=4, ram=64 * 2**30, temporary=2**30, open_files=4096)
    )
    assert cli.main(["--language", "en", "doctor"]) == 0
    monkeypatch.setattr(machine, "look", lambda: replace(here, cores=0.5))
    assert cli.main(["--language", "en", "doctor"]) == 1
    assert "✗ 01_workers" in capsys.readouterr().out


@pytest.mark.parametrize("code", TRANSLATIONS)
def test_speaks_the_readers_language(here, code):
    language.use("en")
    english_text, _fine = doctor.report(here)
    language.use(code)
    assert doctor.report(here)[0] != english_text


INSTALLED = {"torch": "2.13.0", "jupyterlab": "4.6.6", "ipywidgets": "8.1.9"}


@pytest.fixture
def rich(here):
    """A machine, plainly a fixture, that has enough for every lesson."""
    return replace(
        here, cores=8, logical_cores=8, ram=64 * 2**30, shm=2**30, open_files=4096, start_method="fork",
        temporary=2**30, libuv=True,
    )  # fmt: skip


def merge(*files):
    return cli.main(["--language", "en", "doctor", "--merge", *map(str, files)])


def test_the_line_for_the_class_is_one_line_of_plain_json(capsys):
    assert cli.main(["doctor", "--class", "--name", "Zoë\n#3"]) == 0
    said = capsys.readouterr().out
    assert said.isascii() and said.count("\n") == 1
    found = json.loads(said)
    assert (
        set(found) == {"loaderlab-doctor", "id", "name", "machine", "packages"} and found["name"] == "Zoë #3"
    )
    assert set(found["machine"]) == {
        "cores", "logical_cores", "ram", "shm", "temporary", "open_files", "libuv", "start_method", "start_methods",
        "gpus", "system", "python", "torch",
    }  # fmt: skip


def test_a_line_says_neither_who_nor_on_which_computer(monkeypatch, capsys):
    import getpass
    import platform

    monkeypatch.setattr(platform, "node", lambda: "my-secret-host")
    monkeypatch.setattr(getpass, "getuser", lambda: "my-secret-user")
    monkeypatch.setenv("USER", "my-secret-user")
    assert cli.main(["doctor", "--class"]) == 0
    said = capsys.readouterr().out
    assert "my-secret" not in said and json.loads(said)["name"] == ""


def test_the_table_says_who_will_have_which_trouble(rich, tmp_path, capsys):
    poor = replace(rich, shm=32 * 2**20, start_method="spawn", cores=1)
    lines = [entry.line(rich, INSTALLED, "anna"), entry.line(poor, INSTALLED | {"ipywidgets": "7.1"}, "ben")]
    (tmp_path / "lines.txt").write_text("\n".join(lines))
    assert merge(tmp_path / "lines.txt") == 1
    said = capsys.readouterr().out
    rows = {line.split()[0]: line for line in said.splitlines() if line.startswith(("anna", "ben"))}
    assert rows["anna"].count("✓") == len(course.lessons()) and rows["anna"].endswith("–")
    assert rows["ben"].count("✗") == len(course.lessons()) and "32 MiB, needed: 64 MiB" in rows["ben"]
    assert "shared memory (1 of 2 machines)" in said and "ipywidgets: missing or too old on 1 of 2" in said
    assert said.count("--shm-size=1g") == 1 and said.count("pip install ipywidgets") == 1
    assert "workers do not start by fork" in said


def test_when_all_is_well_the_exit_status_says_so(rich, tmp_path, capsys):
    (tmp_path / "lines.txt").write_text(entry.line(rich, INSTALLED))
    assert merge(tmp_path / "lines.txt") == 0
    assert "✗" not in capsys.readouterr().out


def test_equal_machines_stay_apart_and_a_line_pasted_twice_counts_once(rich, tmp_path, capsys):
    one, other = entry.line(rich, INSTALLED), entry.line(rich, INSTALLED)
    (tmp_path / "lines.txt").write_text(f"{one}\n{other}\n{one}")
    merge(tmp_path / "lines.txt")
    assert "Machines: 2" in capsys.readouterr().out


@pytest.mark.parametrize(
    "wrap",
    [
        lambda line: f"[10:12] Anna: here it is: {line} thanks!",
        lambda line: f"\r\n```json\r\n{line}\r\n```\r\n",
        lambda line: line.replace('"', "”"),
        lambda line: f"\ufeff{line}",
        lambda line: json.dumps(json.loads(line), indent=2),
        lambda line: line.replace("Linux x86_64", "Linux\nx86_64"),
    ],
    ids=["chat", "fenced-crlf", "typographic", "bom", "indented", "broken-line"],
)
def test_a_line_is_found_in_whatever_surrounds_it(rich, wrap):
    line = entry.line(replace(rich, system="Linux x86_64"), INSTALLED, "anna")
    (found,) = entry.entries(wrap(line), "chat.txt")
    assert found.machine == replace(rich, system="Linux x86_64") and found.name == "anna"


def test_lines_are_read_from_standard_input_and_from_powershell(rich, tmp_path, monkeypatch, capsys):
    line = entry.line(rich, INSTALLED)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(line.encode())))
    assert merge("-") == 0
    (tmp_path / "powershell.txt").write_text(line, encoding="utf-16")
    assert merge(tmp_path / "powershell.txt") == 0
    assert capsys.readouterr().out.count("Machines: 1") == 2


HOSTILE = {
    "cut": lambda line: line[:150],
    "nan": lambda line: line.replace('"cores": 8', '"cores": NaN'),
    "negative": lambda line: line.replace('"cores": 8', '"cores": -8'),
    "bool": lambda line: line.replace('"cores": 8', '"cores": true'),
    "text": lambda line: line.replace('"cores": 8', '"cores": "8"'),
    "huge": lambda line: line.replace('"cores": 8', '"cores": 1' + "0" * 5000),
    "deep": lambda line: line.replace('"cores": 8', '"cores": ' + "[" * 100_000),
    "no-machine": lambda line: line.replace('"machine"', '"machines"'),
    "missing-fact": lambda line: line.replace('"ram"', '"rom"'),
    "version": lambda line: line.replace('"loaderlab-doctor": 2', '"loaderlab-doctor": 1'),
    "gpus": lambda line: line.replace('"gpus": [', '"gpus": 3, "other": ['),
}


@pytest.mark.parametrize("spoil", HOSTILE.values(), ids=HOSTILE)
def test_a_line_that_cannot_be_read_is_named_and_stops_no_other(rich, tmp_path, monkeypatch, capsys, spoil):
    monkeypatch.chdir(tmp_path)
    line = entry.line(rich, INSTALLED)
    assert spoil(line) != line
    (tmp_path / "chat.txt").write_text(f"hello\n{spoil(line)}\n{line}\n")
    assert merge("chat.txt") == 1
    said = capsys.readouterr().out
    assert "Machines: 1" in said and "chat.txt, line 2, was not read" in said


def test_a_file_without_a_line_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.txt").write_text("nothing here {}")
    assert merge("empty.txt") == 1
    assert "empty.txt: no line" in capsys.readouterr().out
    assert merge(tmp_path / "no such file") == 1
    assert "cannot be read" in capsys.readouterr().err


def test_what_a_line_says_cannot_steer_the_terminal(rich, tmp_path, capsys):
    line = entry.line(replace(rich, system="\x1b[2J\u202eLinux\r\ud800"), INSTALLED, "x" * 5000)
    (tmp_path / "lines.txt").write_text(line)
    merge(tmp_path / "lines.txt")
    said = capsys.readouterr().out
    assert not {"\x1b", "\u202e", "\r", "\ud800"} & set(said) and max(map(len, said.splitlines())) < 400


def test_where_a_package_is_missing_no_lesson_is_fine(rich, tmp_path, capsys):
    (tmp_path / "lines.txt").write_text(entry.line(rich, INSTALLED | {"torch": "1.0"}, "anna"))
    assert merge(tmp_path / "lines.txt") == 1
    (row,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("anna")]
    assert row.count("✗") == len(course.lessons())


def test_without_jupyterlab_another_program_may_show_the_lessons(rich, tmp_path, capsys):
    versions = {name: version for name, version in INSTALLED.items() if name != "jupyterlab"}
    (tmp_path / "lines.txt").write_text(entry.line(rich, versions, "anna"))
    assert merge(tmp_path / "lines.txt") == 0
    said = capsys.readouterr().out
    assert "✗" not in said and "In Colab and VS Code it is not needed." in said


def test_a_name_without_a_line_is_refused(capsys):
    assert cli.main(["--language", "en", "doctor", "--name", "Anna"]) == 1
    assert "Add --class" in capsys.readouterr().err


def test_two_machines_with_one_id_stay_two_and_a_fault_is_said_once(rich, tmp_path, capsys):
    line = entry.line(rich, INSTALLED, "anna")
    garbage = '{"loaderlab-doctor" ' * 500
    (tmp_path / "lines.txt").write_text(f"{line}\n{line.replace('anna', 'ben')}\n{garbage}")
    merge(tmp_path / "lines.txt")
    said = capsys.readouterr().out
    assert "Machines: 2" in said and said.count("not read") == 1
