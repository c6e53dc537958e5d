"""The names and scripts that the code of a cell makes, and those that it needs of the cells before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from nbformat import NotebookNode

from loaderlab.publish import bootstrap_cell

WRITTEN = re.compile(r"%%writefile \{lab\.scratch\}/(\w+)\.py")


def bound(tree: ast.AST) -> set[str]:
    """Return the names that the code binds, in a function or outside."""
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).partition(".")[0])
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
    return names


def made(text: str) -> set[str]:
    """Return the names that a cell binds, or the script that it writes."""
    if written := WRITTEN.match(text):
        return {f"{written[1]}.py"}
    return bound(ast.parse(text)) if not text.startswith("%%") else set()


def needed(text: str) -> set[str]:
    """Return the names, and the scripts that it runs or imports, that a cell finds and did not make."""
    tree = ast.parse("" if text.startswith("%%") else text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - bound(tree)
    modules = re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE)
    return used | {f"{name}.py" for name in modules} | set(re.findall(r"\b\w+\.py\b", text)) - made(text)


def with_what_they_need(
    cells: Sequence[NotebookNode], wanted: Callable[[NotebookNode], bool]
) -> list[NotebookNode]:
    """Return the code cells that are wanted, and those above them that make what they need; the one that installs is not looked at."""
    kept: list[NotebookNode] = []
    missing: set[str] = set()
    for cell in reversed(cells):
        if (
            cell.cell_type == "code"
            and cell.id != bootstrap_cell.ID
            and (wanted(cell) or made(cell.source) & missing)
        ):
            kept.insert(0, cell)
            missing |= needed(cell.source)
    return kept
