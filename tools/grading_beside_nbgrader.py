"""The same class graded by `loaderlab grade` and by nbgrader's autograde, in turns. No part of CI.

Run ``python tools/grading_beside_nbgrader.py pin_memory``: it makes thirty submissions of the lesson from its solution
(solved, untouched, and with small mistakes put in), grades them with one tool, with the other, and with the first
again, and prints seconds, the peak of PSS of each tool's whole tree, and every point on which the two disagree.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "helpers"))
from loaderlab import course
from loaderlab.i18n.language import LANGUAGES
from loaderlab.measuring import memory
from nbgrader_course import Course, answered, install, recommended

ROOT = Path(__file__).parents[1]
MIB = 2**20
ASSIGNMENT = "class"
LOADERLAB = str(Path(sys.executable).with_name("loaderlab"))

Answers = dict[str, str]  # exercise -> source of its answer cell
Points = dict[str, dict[str, float]]  # student -> exercise -> points


class Mistake(ast.NodeTransformer):
    """Puts one small mistake into a program, at the place with this number; ``places`` counts what it passed."""

    OPERATORS: ClassVar[dict[type[ast.operator], type[ast.operator]]] = {
        ast.Add: ast.Sub,
        ast.Sub: ast.Add,
        ast.Mult: ast.Add,
    }
    COMPARISONS: ClassVar[dict[type[ast.cmpop], type[ast.cmpop]]] = {ast.Lt: ast.GtE, ast.LtE: ast.Gt}

    def __init__(self, place: int) -> None:
        self.place, self.places = place, 0

    def _is_here(self) -> bool:
        self.places += 1
        return self.places == self.place + 1

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is int and self._is_here():
            return ast.Constant(node.value + 1)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        return ast.Return(None) if node.value is not None and self._is_here() else node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        other = self.OPERATORS.get(type(node.op))
        return ast.BinOp(node.left, other(), node.right) if other and self._is_here() else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        other = self.COMPARISONS.get(type(node.ops[0]))
        return (
            ast.Compare(node.left, [other(), *node.ops[1:]], node.comparators)
            if other and self._is_here()
            else node
        )


def with_mistake(source: str, dice: random.Random) -> str:
    """Return a solution with one small mistake."""
    magic, newline, program = source.partition("\n") if source.startswith("%%") else ("", "", source)
    count = Mistake(-1)
    count.visit(ast.parse(program))
    broken = Mistake(dice.randrange(max(1, count.places))).visit(ast.parse(program))
    return magic + newline + ast.unparse(ast.fix_missing_locations(broken))


def answer_cells(notebook: Path) -> Answers:
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    marked = ((cell, cell["metadata"].get("nbgrader", {})) for cell in cells)
    return {about["grade_id"]: "".join(cell["source"]) for cell, about in marked if about.get("solution")}


def classroom(students: int, solution: Answers, stub: Answers) -> Iterator[tuple[str, Answers]]:
    """Students and their answers: the first has solved everything, the second nothing, the others some."""
    dice = random.Random(6)
    yield "student01", solution
    yield "student02", stub
    for number in range(3, students + 1):
        answers = {}
        for exercise, source in solution.items():
            kind = dice.choices(["solved", "untouched", "mistaken"], [5, 2, 4])[0]
            answers[exercise] = {"solved": source, "untouched": stub[exercise]}.get(kind) or with_mistake(
                source, dice
            )
        yield f"student{number:02}", answers


@dataclass(frozen=True)
class Cost:
    """Seconds, and the largest sum of PSS (bytes) seen over a tool's whole tree."""

    seconds: float
    peak: int


def measured(command: list[str], folder: Path, variables: dict[str, str]) -> Cost:
    """Run a command, and look at its tree ten times a second."""
    peak, over = 0, threading.Event()
    with (folder / "log").open("ab") as log:
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=variables, stdout=log, stderr=log)

        def look() -> None:
            nonlocal peak
            while not over.wait(0.1):
                uses = memory.tree(os.getpid(), itself=False).values()
                peak = max(peak, sum(use.pss or use.rss for use in uses))

        watch = threading.Thread(target=look)
        watch.start()
        try:
            status = process.wait()
            seconds = time.monotonic() - begin
        finally:
            process.terminate()
            over.set()
            watch.join()
    if status:
        sys.exit(f"{command[:4]} ended with {status}: see {folder / 'log'}")
    return Cost(seconds, peak)


def points_of_loaderlab(sheet: Path) -> Points:
    found: Points = {}
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if row["exercise"] != "total":
                found.setdefault(row["student"], {})[row["exercise"]] = float(row["points"])
    return found


def compare(loaderlab: Points, nbgrader: Points) -> int:
    """Print every disagreement; returns how many there are."""
    count = different = 0
    for student, grades in sorted(nbgrader.items()):
        for check, points in grades.items():
            exercise = check.removeprefix("check_")
            other = loaderlab.get(student, {}).get(exercise)
            count += 1
            if other != points:
                different += 1
                print(f"✗ {student}, {exercise}: loaderlab {other}, nbgrader {points}")
    print(f"Points compared: {count}, different: {different}")
    return different


def beside(folder: Path, lesson: str, students: int, jobs: int, language: str) -> int:
    file = f"{course.lesson(lesson).file}.ipynb"
    student = ROOT / ("notebooks" if language == "en" else f"notebooks_{language}") / file
    solution = ROOT / "solutions" / language / file
    environment = folder / "nbgrader"
    if not environment.exists():
        install(environment).check_returncode()
    there = Course(folder / "course", environment, recommended(ROOT))
    there.generate(ASSIGNMENT, student)
    here = folder / "submissions"
    for name, answers in classroom(students, answer_cells(solution), answer_cells(student)):
        notebook = answered(student, answers)
        there.hand_in(name, ASSIGNMENT, file, notebook)
        (here / name).mkdir(parents=True)
        (here / name / file).write_text(notebook, encoding="utf-8")

    sheet = folder / "grades.csv"
    grade = [LOADERLAB, "grade", str(here), "--csv", str(sheet), "--jobs", str(jobs)]
    commands = {"loaderlab grade": grade, "nbgrader autograde": there.command("autograde", ASSIGNMENT)}
    variables = {"loaderlab grade": dict(os.environ), "nbgrader autograde": there.variables()}
    for tool in ("loaderlab grade", "nbgrader autograde", "loaderlab grade"):
        cost = measured(commands[tool], there.folder, variables[tool])
        print(f"{tool}: {cost.seconds:.1f} s, at most {cost.peak / MIB:.0f} MiB (PSS)", flush=True)
    return compare(points_of_loaderlab(sheet), there.points(ASSIGNMENT))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lesson", help="name of the lesson, such as pin_memory")
    parser.add_argument("--students", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2, help="for loaderlab grade; nbgrader grades one by one")
    parser.add_argument("--language", choices=LANGUAGES, default="en")
    options = parser.parse_args()
    # Ended by a signal, it still takes down what it started.
    signal.signal(signal.SIGTERM, lambda *_signal: sys.exit(1))
    with tempfile.TemporaryDirectory(prefix="beside-") as folder:
        different = beside(Path(folder), options.lesson, options.students, options.jobs, options.language)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
