"""A course in the real nbgrader, which has an environment of its own; the notebooks' cells run in this one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

NBGRADER = "nbgrader==0.9.6"

POINTS = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    found = {
        handed_in.student.id: {g.name: g.score for notebook in handed_in.notebooks for g in notebook.grades}
        for handed_in in book.assignment_submissions(sys.argv[1])
    }
print(json.dumps(found))
"""


def install(home: Path) -> subprocess.CompletedProcess[str]:
    """Make the environment of nbgrader in ``home``; the caller looks at how pip ended.

    What this one has is there as it is: pip installs the rest.
    """
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    (site / "_others.pth").write_text(f"{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    pip = [str(home / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    return subprocess.run([*pip, "--no-compile", NBGRADER], capture_output=True, text=True, check=False)


def recommended(root: Path) -> str:
    """Return the ``nbgrader_config.py`` that instructors are given."""
    page = (root / "docs" / "teaching.md").read_text("utf-8")
    found = re.search(r"^## nbgrader$.*?^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert found, "docs/teaching.md has no Python block in its section on nbgrader."
    return found[1]


def answered(notebook: Path, answers: Mapping[str, str]) -> str:
    """Return a notebook with these answer cells (exercise: source) instead of its own."""
    document = json.loads(notebook.read_text("utf-8"))
    for cell in document["cells"]:
        exercise = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if exercise in answers:
            cell["source"] = answers[exercise]
    return json.dumps(document)


class Course:
    """A course folder, and the commands of nbgrader in it."""

    def __init__(self, folder: Path, environment: Path, settings: str) -> None:
        self.folder, self.environment = folder, environment
        folder.mkdir(parents=True)
        (folder / "nbgrader_config.py").write_text(settings, encoding="utf-8")
        kernel = folder / "jupyter" / "kernels" / "python3"
        kernel.mkdir(parents=True)
        launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        spec = {"argv": launch, "display_name": "Python 3", "language": "python"}
        (kernel / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")

    def command(self, *words: str) -> list[str]:
        return [str(self.environment / "bin" / "python"), "-m", "nbgrader", *words]

    def variables(self) -> dict[str, str]:
        """nbgrader looks for alembic on the path, and for the kernel in JUPYTER_PATH first."""
        home = {"HOME": str(self.folder), "JUPYTER_PATH": str(self.folder / "jupyter")}
        return os.environ | home | {"PATH": f"{self.environment / 'bin'}:{os.environ['PATH']}"}

    def run(self, *words: str) -> str:
        """Run a command of nbgrader; returns what it printed on stdout."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=self.variables(),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def generate(self, assignment: str, source: Path, *options: str) -> Path:
        """Make an assignment of one notebook; returns the notebook that the students get."""
        folder = self.folder / "source" / assignment
        folder.mkdir(parents=True)
        shutil.copy(source, folder)
        self.run("generate_assignment", assignment, *options)
        return self.folder / "release" / assignment / source.name

    def hand_in(self, student: str, assignment: str, name: str, notebook: str) -> None:
        folder = self.folder / "submitted" / student / assignment
        folder.mkdir(parents=True)
        (folder / name).write_text(notebook, encoding="utf-8")

    def points(self, assignment: str) -> dict[str, dict[str, float]]:
        """Return the points of the gradebook: student, check cell ("check_NAME"), points."""
        python = str(self.environment / "bin" / "python")
        text = subprocess.check_output(
            [python, "-c", POINTS, assignment], cwd=self.folder, env=self.variables(), text=True
        )
        return json.loads(text)
