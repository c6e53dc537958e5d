"""The code as a whole: its style, its types, and the order of its rooms."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import loaderlab
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


def test_a_type_checker_knows_what_a_notebook_can_use(tmp_path: Path) -> None:
    """After the package as a whole, whose types are remembered then."""
    names = ("check", "diagnose", "recorded", "scratch")
    lines = [
        "import loaderlab as lab",
        *(f"reveal_type(lab.{name})" for name in names),
        'lab.begni("workers")',
    ]
    (tmp_path / "cell.py").write_text("\n".join(lines))
    command = [sys.executable, "-m", "mypy", str(tmp_path / "cell.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert '6: error: Module has no attribute "begni"' in done.stdout, done.stdout + done.stderr
    types = dict(re.findall(r"cell\.py:(\d+): note: Revealed type is \"(.*)\"", done.stdout))
    ends = ("loaderlab.notebook.card.Card", ".report.Diagnosis", ".recordings.Result", "pathlib.Path")
    assert [types[str(line)].endswith(end) for line, end in enumerate(ends, 2)] == [True] * 4, types


def test_a_type_checker_is_told_the_same_names_as_python() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    (block,) = (n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING")
    told = {
        alias.asname: f"{node.module}.{alias.name}"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname
    }
    surface = loaderlab._SURFACE.items()
    assert told == {name: ".".join(filter(None, ("loaderlab", *found))) for name, found in surface}
    annotated = {ast.unparse(node.target) for node in block.body if isinstance(node, ast.AnnAssign)}
    assert {*told, *annotated} == set(loaderlab.__all__)


def rooms() -> list[str]:
    """The rooms that the package names, from the top floor down."""
    said = (loaderlab.__doc__ or "").partition("The rooms, from the top floor down: ")[2]
    return re.findall(r"`(\w+)`", said)


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


def test_the_list_of_rooms_is_that_of_folders_and_modules() -> None:
    found = {
        path.stem
        for path in PACKAGE.iterdir()
        if path.name not in ("__init__.py", "__main__.py", "py.typed", "__pycache__")
    }
    assert sorted(rooms()) == sorted(found)


def test_each_room_says_what_is_in_it() -> None:
    for room in rooms():
        path = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
        assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), path


def test_a_room_imports_only_what_stands_below_it() -> None:
    floors = {room: floor for floor, room in enumerate(rooms())}
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


def test_a_docstring_names_the_thing_first() -> None:
    """Ruff's D401 says of functions what they are to begin with, and nothing of modules, classes and properties."""
    lint = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["lint"]
    assert "D401" in lint["select"]
    found = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}: {text.splitlines()[0]}"
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        for text in [ast.get_docstring(node) or ""]
        if text.startswith(("What ", "Whether "))
    ]
    assert found == []


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
