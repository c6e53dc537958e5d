"""What runs beside a learner's answer does not know what is right, in any lesson, and speaks no language."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loaderlab import course
from loaderlab.course import Lesson

IMPORT = """
import importlib, sys
class Closed:
    def find_spec(self, name, path=None, target=None):
        if name in sys.argv[2:]:
            raise ModuleNotFoundError(f"{name} is not for probes")
sys.meta_path.insert(0, Closed())
importlib.import_module(sys.argv[1])
"""

every_lesson = pytest.mark.parametrize(
    "lesson",
    [lesson for lesson in course.lessons() if (lesson.folder / "probes.py").is_file()],
    ids=lambda lesson: lesson.name,
)


def answers(lesson: Lesson) -> set[str]:
    """The files of a lesson that the grader leaves out."""
    return {"exercises.py", *lesson.answers}


def mentioned(file: Path) -> Iterator[str]:
    """The modules that a file imports, wherever it does, and the files that it names, such as a driver's."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (f"{alias.name.rpartition('.')[2]}.py" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield f"{(node.module or '').rpartition('.')[2]}.py"
            yield from (f"{alias.name}.py" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def reached(lesson: Lesson) -> set[str]:
    """The files of its folder that its probes may come to, also in child processes."""
    own = {file.name for file in lesson.folder.glob("*.py")}
    found, waiting = set(), ["probes.py"]
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting += (set(mentioned(lesson.folder / name)) & own) - found
    return found


@every_lesson
def test_probes_are_imported_where_the_answers_are_not(lesson: Lesson) -> None:
    package = f"loaderlab.lessons.{lesson.name}"
    closed = [f"{package}.{Path(file).stem}" for file in answers(lesson)]
    command = [sys.executable, "-c", IMPORT, f"{package}.probes", *closed]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr


@every_lesson
def test_neither_probes_nor_their_drivers_lead_to_answers(lesson: Lesson) -> None:
    assert all((lesson.folder / file).is_file() for file in answers(lesson))
    assert not reached(lesson) & answers(lesson)


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_a_probe_travels_to_where_the_answer_is_run_and_takes_nothing_of_what_is_right_along(
    lesson: Lesson,
) -> None:
    for exercise in lesson.exercises().values():
        sent = pickle.dumps(exercise.of_answer("").probe)
        assert not re.search(rb"lessons\.\w+\.exercises", sent), exercise.name
        assert pickle.loads(sent).name == exercise.name


@every_lesson
def test_probes_speak_no_language(lesson: Lesson) -> None:
    tree = ast.parse((lesson.folder / "probes.py").read_text(encoding="utf-8"))
    called = {getattr(node.func, "id", "") for node in ast.walk(tree) if isinstance(node, ast.Call)}
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not called & {"_", "mark", "number", "shown"} and "loaderlab.i18n.language" not in modules
