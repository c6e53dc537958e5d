"""A lap on a machine with a GPU: what fails is said and is no reason to stop, and what was measured is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest

from loaderlab import publish
from loaderlab.cli import main
from loaderlab.course import Lesson
from loaderlab.i18n.errors import LabError
from loaderlab.publish import lap, wheels
from places import ROOT
from publish_course import LESSON_MD, Course, course_at

NO_GPU = "assert False, 'there is no such GPU'"
RECORDS = "open(os.environ['LOADERLAB_RECORD'] + '/later.json', 'w').write('{}')"


class Plain(Lesson):
    """A lesson without exercises."""

    def exercises(self) -> dict[str, Any]:
        return {}


def source(*cells: str, tags: str = "gpu") -> str:
    """A lesson of these code cells; the header is that of the tiny lesson."""
    header = LESSON_MD[: LESSON_MD.index("```")]
    first = "```{code-cell} ipython3\n:tags: [setup]\n\nimport os\nimport loaderlab as lab\n"
    first += 'assert lab or lab.begin("tiny", language="en")\n```\n\n'
    return (
        header + first + "".join(f"```{{code-cell}} ipython3\n:tags: [{tags}]\n\n{c}\n```\n\n" for c in cells)
    )


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of two lessons, "tiny" and "other", which the tests fill."""
    checkout = course_at(tmp_path).checkout
    lessons = tuple(
        Plain(name, n, 5, folder_root=tmp_path / "lessons") for n, name in enumerate(("tiny", "other"))
    )
    for lesson in lessons:
        lesson.folder.mkdir(parents=True)
        (lesson.folder / "lesson.md").write_text(source("'nothing'"), "utf-8")
    return Course(type(checkout)(checkout.root, lessons, checkout.repository, checkout.ref), [])


def run(course: Course, out: Path) -> tuple[list[lap.Ran], str]:
    """The lap, and all that it said."""
    said: list[str] = []
    done = lap.run(course.checkout, ["tiny", "other"], out, say=said.append)
    assert json.loads((out / "cells.json").read_text()) == [vars(ran) for ran in done]
    return done, "\n".join(said)


def test_a_cell_that_fails_is_said_and_what_comes_after_it_is_kept(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source(NO_GPU, RECORDS), "utf-8")
    done, said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.failed) for ran in done] == [("tiny", True), ("tiny", False), ("other", False)]
    assert "there is no such GPU" in done[0].said and "✗ tiny [" in said and NO_GPU in said
    assert (tmp_path / "out" / "recordings" / "tiny" / "later.json").read_text() == "{}"
    executed = nbformat.read(tmp_path / "out" / "executed" / course.lesson.file, as_version=4)
    assert "AssertionError" in str(executed.cells)


def test_a_cell_for_every_machine_is_said_only_where_it_fails(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source("1 + 1", "1 / 0", tags="nbval-ignore-output"), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.code, ran.failed, ran.gpu) for ran in done] == [
        ("other", "'nothing'", False, True),  # first: it has more cells for a GPU
        ("tiny", "1 / 0", True, False),
    ]


def test_a_cell_that_hangs_is_stopped_and_the_next_one_runs(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lap, "SECONDS_PER_CELL", 3)
    course.source.write_text(source("import time; time.sleep(100)", RECORDS), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [ran.failed for ran in done if ran.lesson == "tiny"] == [True, False]
    assert "KeyboardInterrupt" in done[0].said


def test_a_kernel_that_dies_ends_its_lesson_and_not_the_lap(course: Course, tmp_path: Path) -> None:
    course.source.write_text(source(RECORDS, "os._exit(3)", "1 + 1"), "utf-8")
    done, _said = run(course, tmp_path / "out")
    assert [(ran.lesson, ran.failed) for ran in done] == [
        ("tiny", False),
        ("tiny", True),
        ("tiny", True),
        ("other", False),
    ]
    assert "died" in done[1].said.lower()
    assert (tmp_path / "out" / "recordings" / "tiny" / "later.json").exists()


# The command.


def test_the_exit_status_says_whether_a_cell_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = [lap.Ran("tiny", 3, True, True, 0.1, "1 / 0", "ZeroDivisionError")]
    monkeypatch.setattr(publish, "attempt", lambda out, names: failed if names == ["tiny"] else [])
    assert main(["record", "--keep-going", "--out", str(tmp_path), "tiny"]) == 1
    assert main(["record", "--keep-going", "--out", str(tmp_path)]) == 0


@pytest.mark.parametrize("words", [["--keep-going"], ["--out", "x"]])
def test_keep_going_and_out_belong_together(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["record", *words]) == 1
    assert "loaderlab record --keep-going --out DIR" in capsys.readouterr().err


# The packages for a machine without a network.


def test_what_the_lessons_need_is_named_with_what_it_needs_and_without_pytorch() -> None:
    needed = wheels.needed("3.12")
    assert set(wheels.ROOTS) <= set(needed)
    assert {"jupyter-client", "pyzmq", "traitlets"} <= set(needed)
    assert not wheels.THERE & set(needed)
    assert "colorama" not in needed  # which only Windows needs


def test_a_package_that_is_not_installed_here_is_named() -> None:
    with pytest.raises(LabError, match="no-such-package"):
        wheels.needed("3.12", ["no-such-package"])


def test_pip_is_asked_for_wheels_of_the_other_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []

    def pretend(command: list[str], **_options: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", pretend)
    assert wheels.fetch(tmp_path / "wheels", "3.13") == []
    (command,) = asked
    assert command[command.index("--python-version") + 1] == "3.13"
    assert {"--no-deps", "--only-binary=:all:", "manylinux_2_28_x86_64"} <= set(command)
    assert any(word.startswith("nbclient==") for word in command)


def test_a_folder_without_wheels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabError, match="--fetch-wheels"):
        wheels.install(tmp_path, tmp_path / "target")


def test_the_wheels_of_a_folder_are_found_by_the_command_and_by_its_kernels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with zipfile.ZipFile(tmp_path / "loader_lab_made-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("loader_lab_made.py", "HERE = __file__")
        about = "loader_lab_made-1.0.dist-info"
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: loader-lab-made\nVersion: 1.0\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    found: list[str] = []

    def pretend(names: list[str]) -> list[Path]:
        import loader_lab_made

        code = "import loader_lab_made; print(loader_lab_made.HERE)"
        child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        found.extend([loader_lab_made.HERE, child.stdout.strip()])
        return []

    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(publish, "record", pretend)
    assert main(["record", "--wheels", str(tmp_path)]) == 0
    assert len(set(found)) == 1 and not Path(found[0]).exists()  # unpacked for this run only


def test_the_command_runs_from_a_checkout_that_is_not_installed() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "loaderlab", "record", "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0 and "--keep-going" in done.stdout
