"""A comparison can be run again after the whole lesson: what it reads is still what it was."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from loaderlab import course
from loaderlab.publish import source

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def tree(code: str) -> ast.Module:
    """Of a code cell; nothing where it is a file that the cell writes."""
    if code.startswith("%%"):
        return ast.parse("")
    return ast.parse("\n".join("pass" if line.startswith(("%", "!")) else line for line in code.splitlines()))


def given(node: ast.AST) -> Iterator[str]:
    """The names that a cell gives to something, as far as they outlive it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            yield child.name
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).partition(".")[0]
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif not isinstance(child, (*COMPREHENSIONS, ast.Lambda)):
            yield from given(child)


def read(node: ast.AST) -> set[str]:
    """The names that it reads, without those of its comprehensions and lambdas."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for inner in ast.walk(node):
        if isinstance(inner, COMPREHENSIONS):
            names -= {n.id for g in inner.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        elif isinstance(inner, ast.Lambda):
            names -= {argument.arg for argument in inner.args.args}
    return names


def compared(cell: ast.Module) -> set[str]:
    """What a cell with a `lab.compare` reads while it runs; what its functions read, they get when they are called."""
    if not any(isinstance(n, ast.Call) and ast.unparse(n.func) == "lab.compare" for n in ast.walk(cell)):
        return set()
    return {
        name for statement in cell.body if not isinstance(statement, FUNCTIONS) for name in read(statement)
    }


def lost(cells: list[str]) -> list[tuple[str, str]]:
    """Each comparison, and a name in it from the cells above that a later cell gives to something else."""
    trees = list(map(tree, cells))

    def taken(name: str, at: int) -> bool:
        """By a later cell; or by an earlier comparison, which may be run again after the cell that gives it last."""
        givers = [number for number, cell in enumerate(trees) if name in given(cell) and number != at]
        return any(number > at or (number != max(givers) and compared(trees[number])) for number in givers)

    return [
        (cells[at], name)
        for at, cell in enumerate(trees)
        for name in sorted(compared(cell) - set(given(cell)))
        if taken(name, at)
    ]


def test_a_name_that_is_given_again_is_found() -> None:
    compare = 'lab.compare("many", [found(n) for n in rows])'
    before = ["import lab", "rows = [1]", "def found(n): return n", compare]
    assert lost(before) == []
    assert lost([*before, "[rows for rows in ()]\nother = lambda found: found"]) == []
    above = "found_of = {row: 1 for row in rows}\nlab.compare('many', found_of[1])"
    assert lost([*before[:2], above, "rows = 2"]) == [(above, "rows")]
    for later in ("for found in (): pass", "found, b = 1, 2", "import found", "with x as found: pass"):
        assert lost([*before, later]) == [(compare, "found")]
    assert lost([*before, "%%writefile x.py\nrows = 2"]) == []


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_no_later_cell_takes_what_a_comparison_reads(lesson: course.Lesson) -> None:
    assert lost([cell.source for cell in source.read(lesson).cells if cell.is_code]) == []
