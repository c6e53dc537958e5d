"""The packages that an answer imports, and that this machine lacks: what fails for want of them is no wrong answer."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec

# What an answer's exceptions say of it.
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '(\w{1,60})")
UNKNOWN = re.compile(r"NameError: name '(\w{1,60})' is not defined")


def lacking(raised: str, cells: Sequence[str]) -> tuple[str, ...]:
    """Return the packages for want of which an answer ``raised`` what it did. ``cells``: the sources of its notebook.

    A package that is not here leaves its name undefined where a cell imports it, and the answer fails only where it is used.
    """
    found = dict.fromkeys(_NO_MODULE.findall(raised))
    if unknown := set(UNKNOWN.findall(raised)):
        imported = {name: package for cell in cells for name, package in _imported(cell)}
        found |= dict.fromkeys(imported[name] for name in sorted(unknown & set(imported)))
    return tuple(package for package in found if not _is_here(package))


def _imported(cell: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a cell imports, and the package that it comes from; of other than plain Python as much as there is."""
    lines = (line for line in textwrap.dedent(cell).splitlines() if not line.lstrip().startswith(("%", "!")))
    tree = ast.Module([], [])
    # As hostile code makes of the parser.
    with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.parse("\n".join(lines))
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            source = node.module or "" if isinstance(node, ast.ImportFrom) and not node.level else ""
            for alias in node.names:
                package = (source or alias.name).partition(".")[0]
                yield alias.asname or alias.name.partition(".")[0], package


def _is_here(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # of a name that something else has taken
        return True
