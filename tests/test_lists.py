"""No list of lessons or exercises is written twice: who adds one would have to find it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from loaderlab import course
from places import ROOT

LESSONS = frozenset(lesson.name for lesson in course.lessons())
EXERCISES = frozenset(name for lesson in course.lessons() for name in lesson.exercises())
MANY = 2 * len(LESSONS) // 3 + 1  # a path takes some, a day five; so does a test that tries a few
ROOMS = ("loaderlab", "tests", "tools", "docs")
OWN = ("exercises", "probes")  # where the exercises of a lesson stand, and nowhere else


def doubled(tree: ast.AST, names: frozenset[str]) -> Iterator[int]:
    """The lines in which a list, set, tuple or table of names begins; one inside another is not said again."""
    for node in ast.iter_child_nodes(tree):
        written: list[ast.expr | None] = []
        if isinstance(node, ast.List | ast.Set | ast.Tuple):
            written = list(node.elts)
        elif isinstance(node, ast.Dict):
            written = node.keys
        values = {each.value for each in written if isinstance(each, ast.Constant)}
        if len(values & names) >= MANY:
            yield node.lineno
        else:
            yield from doubled(node, names)


def test_a_list_of_lessons_is_found_in_whatever_form() -> None:
    names = sorted(LESSONS)[:MANY]
    for text in (names, set(names), dict.fromkeys(names, 1), {"all": tuple(names)}):
        assert list(doubled(ast.parse(f"x = {text!r}"), LESSONS)) == [1]
    assert list(doubled(ast.parse(f"x = {names[1:]!r}"), LESSONS)) == []


def test_no_list_of_them_stands_in_the_code() -> None:
    lessons = ROOT / "loaderlab" / "lessons"
    paths = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}:{line}: make this list of course.lessons()"
        for path in paths
        if "answers" not in path.parts and not (path.is_relative_to(lessons) and path.stem in OWN)
        for tree in [ast.parse(path.read_text("utf-8"))]
        for names in (LESSONS, EXERCISES)
        for line in doubled(tree, names)
    ]
    assert found == []
