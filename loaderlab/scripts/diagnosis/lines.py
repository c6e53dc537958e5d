"""The user's program as it is written: which of what ran is the user's, what stands in a line, and where something is made or said."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
import sys
import sysconfig
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import torch

WIDE = 60  # characters of a call
LOADING = ("sample", "collate")  # the phases whose shares are of one time together

OURS = Path(__file__).resolve().parent
COURSE = OURS.parents[1] if (__package__ or "").startswith("loaderlab.") else OURS
INSTALLED = ("site-packages", "dist-packages")
_FOLDERS = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), Path(torch.__file__).parent)
LIBRARIES = tuple(Path(folder).resolve() for folder in _FOLDERS)


@dataclass(frozen=True)
class Line:
    """A call in the user's own code, with its share of the time of loading, of an epoch's start, of the sampler or of the step."""

    phase: str  # "sample", "collate", "start", "sampler" or "step"
    file: str
    line: int
    function: str
    text: str
    share: float
    operation: str | None = None  # the name of a known one (`operations.WAYS`)
    helper: bool = False  # the function is called by another one of the user's
    waits: str = ""  # for what, where it mostly waits (`activities.WAITS`)

    @property
    def place(self) -> str:
        """File and line, without the folder, and the function where that is a helper."""
        place = f"{Path(self.file).name}:{self.line}"
        return f"{self.function}, {place}" if self.helper else place


@dataclass(frozen=True)
class Place:
    """A line of the user's: file, its number, and what stands there, in one line and not too long."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.text}, {Path(self.file).name}:{self.line}"


@cache
def is_ours(file: str) -> bool:
    return Path(file).resolve().is_relative_to(OURS)


@cache
def is_own(file: str) -> bool:
    """Return whether a file of code is the user's own: of no installed package, not of Python, not of torch and not of the course."""
    if file.startswith("<"):
        return file.startswith("<ipython")
    return library(file) is None and not Path(file).resolve().is_relative_to(COURSE)


@cache
def library(file: str) -> str | None:
    """Return a file's path within the folder of libraries that it is in; None where it is in none."""
    path = Path(file).resolve()
    for folder in (*path.parents, *LIBRARIES):
        installed = folder.name in INSTALLED or folder in LIBRARIES
        # As by `pip install --target`.
        if path.is_relative_to(folder) and (installed or (str(folder) in sys.path and _has_packages(folder))):
            return path.relative_to(folder).as_posix()
    return None


@cache
def _has_packages(folder: Path) -> bool:
    return any(folder.glob("*.dist-info"))


@cache
def packages(file: str) -> set[str]:
    """Return the packages that a file imports from."""
    found = set()
    for node in _nodes(file):
        if isinstance(node, ast.Import):
            found |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add((node.module or "").partition(".")[0])
    return found


@cache
def _nodes(file: str) -> list[ast.AST]:
    with suppress(SyntaxError, ValueError):
        return list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
    return []


def _calls(file: str) -> list[ast.Call]:
    return [node for node in _nodes(file) if isinstance(node, ast.Call)]


def _name_in(node: ast.Call) -> str:
    """Return the name of what is called: ``decode`` of ``data.decode()``."""
    return str(getattr(node.func, "attr", None) or getattr(node.func, "id", ""))


def text_of(file: str, line: int, called: str = "") -> str:
    """Return the call of this name in a line, the only one that it has, or else all that stands there."""
    calls = [node for node in _calls(file) if line in (node.lineno, node.func.end_lineno)]
    named = [node for node in calls if called and _name_in(node) == called]
    inner = {id(one) for node in calls for one in ast.walk(node) if one is not node}
    outermost = [node for node in calls if id(node) not in inner]
    given = [value for node in outermost for value in (*node.args, *node.keywords)]
    alone = not any(isinstance(one, ast.Call) for value in given for one in ast.walk(value))
    node = named[0] if len(named) == 1 else outermost[0] if alone and len(outermost) == 1 else None
    text = ast.get_source_segment("".join(linecache.getlines(file)), node) if node else None
    return shortened(text) if text else place_of(file, line).text


def shortened(text: str) -> str:
    """Return a piece of code in one line, not too long; what is left out is in its middle."""
    text = " ".join(text.split())
    return text if len(text) <= WIDE else f"{text[: WIDE // 2]}…{text[-WIDE // 2 + 1 :]}"


def place_of(file: str, line: int) -> Place:
    """Return a line of a file, without its comment."""
    return Place(file, line, shortened(linecache.getline(file, line).partition("  #")[0]))


def files_of(*things: Any) -> list[str]:
    """Return the user's own files in which these objects, or their classes, are written, and then all others that run."""
    modules = [getattr(thing, "__module__", None) or type(thing).__module__ for thing in things]
    names = (*modules, *(type(thing).__module__ for thing in things), "__main__", *sys.modules)
    files = (getattr(sys.modules.get(name), "__file__", None) for name in names)
    return list(dict.fromkeys(file for file in files if file and is_own(file)))


def call_of(name: str, files: list[str], argument: str = "") -> Place | None:
    """Return the only call of what has this name (``DataLoader``, ``decode`` of ``.decode()``), or the only one with this argument;
    None where there is none, or where several could be meant."""
    calls = [(file, node) for file in files for node in _calls(file) if _name_in(node) == name]
    given = [one for one in calls if argument in [word.arg for word in one[1].keywords]]
    calls = given if argument and given else calls
    if len(calls) != 1:
        return None
    file, node = calls[0]
    value = next((word.value for word in node.keywords if word.arg == argument), node)
    end = node.func.end_lineno if value is node else value.lineno  # of a chain, the line of its last name
    return place_of(file, end or node.lineno)


def line_of(thing: Any, pattern: str) -> Place | None:
    """Return the first line in the source of a class, function or module of the user's in which a regular expression is found."""
    with suppress(OSError, TypeError):
        file = inspect.getsourcefile(thing) or ""
        lines, first = inspect.getsourcelines(thing)
        for number, line in enumerate(lines, first or 1):  # of a module, 0
            if is_own(file) and re.search(pattern, line.partition("  #")[0]):
                return place_of(file, number)
    return None


def threads_of(files: list[str]) -> Place | None:
    """Return the first call that starts threads, or asks a library for them."""
    for file in files:
        for node in _calls(file):
            given = (*node.args, *(word.value for word in node.keywords))
            words = [_name_in(node), *(one.value for one in given if isinstance(one, ast.Constant))]
            if any(
                re.match(r"Thread(PoolExecutor|Pool)?$|to_thread$|thread(s|ing)?$", str(one)) for one in words
            ):
                return place_of(file, node.func.end_lineno or node.lineno)
    return None
