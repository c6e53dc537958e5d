"""The names that the code of a cell makes, those that it needs, and those that a comparison loses to a later cell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_WRITTEN = re.compile(r"%%writefile \{lab\.scratch\}/(\w+)\.py")


def made(text: str) -> set[str]:
    """Return the names that a cell binds, in a function or outside, or the script that it writes."""
    if written := _WRITTEN.match(text):
        return {f"{written[1]}.py"}
    return _bound(parsed(text))


def needed(text: str) -> set[str]:
    """Return the names, and the scripts that it runs or imports, that a cell finds and did not make."""
    tree = parsed(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - _bound(tree)
    modules = re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)
    return used | {f"{name}.py" for name in modules} | set(re.findall(r"\b\w+\.py\b", text)) - made(text)


def lost(cells: Sequence[str]) -> list[tuple[int, str]]:
    """Return each comparison, by its place, with a name in it from the cells above that a later cell gives to something else.

    A comparison can then not be run again after the whole lesson.
    """
    trees = list(map(parsed, cells))
    given = [set(_given(tree)) for tree in trees]
    read = [_compared(tree) for tree in trees]

    def taken(name: str, at: int) -> bool:
        """By a later cell; or by an earlier comparison, which may be run again after the cell that gives it last."""
        givers = [place for place, names in enumerate(given) if name in names and place != at]
        return any(place > at or (place != max(givers) and read[place]) for place in givers)

    return [
        (at, name) for at, names in enumerate(read) for name in sorted(names - given[at]) if taken(name, at)
    ]


def read_and_given(node: ast.AST) -> tuple[set[str], set[str]]:
    """Return the names that a statement, or a part of one, reads, its functions included, and those that it gives to something."""
    return _read(node), set(_given(ast.Module([node], []) if isinstance(node, ast.stmt) else node))


def parsed(text: str) -> ast.Module:
    """Return the Python of a cell; nothing where it is a file that the cell writes."""
    if text.startswith("%%"):
        return ast.parse("")
    return ast.parse("\n".join("pass" if line.startswith(("%", "!")) else line for line in text.split("\n")))


def _bound(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def _given(node: ast.AST) -> Iterator[str]:
    """Yield the names that a cell gives to something, as far as they outlive it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            yield child.name
        elif isinstance(child, ast.alias):
            yield (child.asname or child.name).partition(".")[0]
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif not isinstance(child, (*COMPREHENSIONS, ast.Lambda)):
            yield from _given(child)


def _read(node: ast.AST) -> set[str]:
    """Return the names that it reads, without those of its comprehensions and lambdas."""
    names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    for inner in ast.walk(node):
        if isinstance(inner, COMPREHENSIONS):
            names -= {n.id for g in inner.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        elif isinstance(inner, ast.Lambda):
            names -= {argument.arg for argument in inner.args.args}
    return names


def _compared(cell: ast.Module) -> set[str]:
    """Return what a cell with a `lab.compare` reads while it runs; what its functions read, they get when they are called."""
    if not any(isinstance(n, ast.Call) and ast.unparse(n.func) == "lab.compare" for n in ast.walk(cell)):
        return set()
    return {
        name for statement in cell.body if not isinstance(statement, FUNCTIONS) for name in _read(statement)
    }
