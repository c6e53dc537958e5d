"""A script that a learner takes home works there, by itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from loaderlab.cli import main
from loaderlab.single_file import merged
from loaderlab.take import SCRIPTS, SOURCE, needed
from places import ROOT

LOADER = """
import torch
from torch.utils.data import DataLoader, TensorDataset
def make_loader():
    return DataLoader(TensorDataset(torch.zeros(1000)), 10)
"""


@pytest.mark.long
@pytest.mark.parametrize("script", SCRIPTS)
def test_what_is_taken_runs_without_the_course(
    tmp_path: Path, script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["take", script, str(tmp_path / "loading")]) == 0
    said = capsys.readouterr().out
    assert f"To be run in the folder {tmp_path}:\n    python -m loading.{script} --help" in said
    taken = tmp_path / "loading"
    assert {path.relative_to(taken).as_posix() for path in taken.rglob("*.py")} == set(needed((script,)))
    # The course is not there: a module of that name hides it.
    (tmp_path / "loaderlab.py").write_text("raise ImportError")
    command = [sys.executable, "-m", f"loading.{script}"]
    small = ["--samples", "8", "--epochs", "1", "--batch-size", "4"]
    if script == "diagnose":
        (tmp_path / "train.py").write_text(LOADER)
        small = ["train.py:make_loader", "--seconds", "2"]
    helped, ran = (
        subprocess.run(
            arguments,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": ""},
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        for arguments in ([*command, "--help"], [*command, *small])
    )
    assert helped.stdout.startswith(f"usage: python -m loading.{script} "), helped.stderr
    assert ran.returncode == 0 and ran.stdout, ran.stderr


def test_a_script_takes_only_what_it_needs() -> None:
    assert "ring.py" not in needed(("distributed_sampler",)) and "ring.py" in needed(
        ("efficient_dataloader",)
    )


def test_nothing_of_the_learners_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["take", "all", str(tmp_path / "loading")]
    assert main(arguments) == 0
    assert main(arguments) == 0  # all is there: nothing to do
    changed = tmp_path / "loading" / "images.py"
    changed.write_text("mine")
    (tmp_path / "loading" / "ring.py").unlink()
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert "images.py" in said and "--force" in said and "ranks.py" not in said
    assert changed.read_text() == "mine" and not (tmp_path / "loading" / "ring.py").exists()
    assert main([*arguments, "--force"]) == 0 and changed.read_text() != "mine"
    assert main(["take", "all", str(tmp_path / "my-loading")]) == 1
    assert "cannot import" in capsys.readouterr().err
    assert main(["take", "all", str(tmp_path / "class")]) == 1
    assert "cannot import" in capsys.readouterr().err
    (tmp_path / "notes").write_text("mine")
    assert main(["take", "all", str(tmp_path / "notes")]) == 1
    assert "Choose another folder" in capsys.readouterr().err and (tmp_path / "notes").read_text() == "mine"


def test_it_says_how_many_files_and_lines_a_script_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["take", "distributed_sampler", str(tmp_path / "loading")]) == 0
    files = [*(tmp_path / "loading").iterdir()]
    lines = sum(len(path.read_text("utf-8").splitlines()) for path in files)
    assert f"Files: {len(files)}; lines: {lines}.\n" in capsys.readouterr().out


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_page_says_how_many_they_are(script: str) -> None:
    page = (ROOT / "docs" / "scripts.md").read_text("utf-8")
    ((files, lines),) = re.findall(rf"^\| `{script}` \|.*\| (\d+) \|(?: (\d+))? \|$", page, re.MULTILINE)
    assert int(files) == len(needed((script,)))
    if script == "diagnose":
        assert lines == ""
    else:
        assert int(lines) == pytest.approx(merged(SOURCE, script).count("\n"), rel=0.05)


def test_a_script_is_taken_as_one_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for place, name in (("sampler.py", "sampler.py"), ("my-project", "my-project/distributed_sampler.py")):
        assert main(["take", "distributed_sampler", str(tmp_path / place), "--single"]) == 0
        file = tmp_path / name
        said = capsys.readouterr().out
        assert f"{file}\nFiles: 1; lines: {len(file.read_text('utf-8').splitlines())}.\n" in said
        assert f"To be run in the folder {file.parent}:\n    python {file.name} --help\n" in said
    file = tmp_path / "sampler.py"
    file.write_text("mine")
    assert main(["take", "distributed_sampler", str(file)]) == 1 and file.read_text() == "mine"
    assert main(["take", "distributed_sampler", str(tmp_path / "my-sampler.py")]) == 1
    assert "cannot import" in capsys.readouterr().err
    for script in ("diagnose", "all"):
        assert main(["take", script, str(tmp_path), "--single"]) == 1
        assert "`diagnose` cannot be one file, since" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"sampler.py", "my-project"}
    with pytest.raises(SystemExit):
        main(["take", "--help"])
    assert "--single" in capsys.readouterr().out
