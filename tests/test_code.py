"""The code as a whole: its style, its types, and the order of its rooms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loaderlab.publish.code import KEYWORDS
from places import ROOT

PACKAGE = ROOT / "loaderlab"
TOOLS = {
    "ruff check": ["ruff", "check", "--no-cache", "."],
    "ruff format": ["ruff", "format", "--no-cache", "--check", "."],
    "mypy": ["mypy"],
}


@pytest.mark.parametrize("tool", TOOLS)
def test_the_code_has_no_finding_of(tool: str) -> None:
    command = [sys.executable, "-m", *TOOLS[tool]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def rooms() -> list[str]:
    """The rooms that CONTRIBUTING.md names, from the top floor down."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## The house")[2].partition("\n## ")[0]
    return re.findall(r"^\| `([\w.]+)/?` \|", text, re.MULTILINE)


def imported(path: Path) -> Iterator[str]:
    """The rooms that a file imports, in functions and for types as well."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.split(".")[1] for name in names if name.startswith("loaderlab."))


def test_the_table_of_rooms_is_the_list_of_folders() -> None:
    found = {
        path.name
        for path in PACKAGE.iterdir()
        if path.name not in ("__init__.py", "__main__.py", "py.typed", "__pycache__")
    }
    assert sorted(rooms()) == sorted(found)


def test_a_room_imports_only_what_stands_below_it() -> None:
    floors = {room.removesuffix(".py"): floor for floor, room in enumerate(rooms())}
    upwards = {
        f"{path.relative_to(ROOT)} imports {room}"
        for path in PACKAGE.rglob("*.py")
        if path.parent != PACKAGE or path.stem in floors
        for here in [path.relative_to(PACKAGE).parts[0].removesuffix(".py")]
        for room in imported(path)
        if room != here and room in floors and floors[room] <= floors[here]
    }
    assert upwards == set()


def test_no_lesson_imports_another() -> None:
    for path in PACKAGE.glob("lessons/*/*.py"):
        found = set(re.findall(r"loaderlab\.lessons\.(\w+)", path.read_text("utf-8")))
        assert found <= {path.parent.name}, path


def test_no_message_stands_inside_an_f_string() -> None:
    """xgettext does not look there: the message would never reach a translator."""
    found = [
        f"{path.relative_to(ROOT)}:{call.lineno}: {ast.unparse(call)}"
        for path in (ROOT / "loaderlab").rglob("*.py")
        for string in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(string, ast.JoinedStr)
        for call in ast.walk(string)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in KEYWORDS
        if isinstance(call.args[0], ast.Constant)
    ]
    assert found == []
