"""The lines of the user's own code in which time is spent: a thread looks at the stack of the one that reads."""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from .operations import operation_of

EVERY = 0.001  # seconds between two looks
# Seconds after which the thread that looks asks for the interpreter's lock, which is then given at the end of the call that has
# it. With Python's own 5 ms a call that keeps the lock would be over, and the next one be blamed.
SWITCH = 0.00001
SEPARATE = 0.15  # of the time: from here on a call stands apart from the others of its line
SCATTERED = 0.25  # of the time: where no line has as much, functions are named
SHOWN = 0.1  # of the time: what takes less is not shown
MOST = 3  # that are kept of a phase
WIDE = 60  # characters of a call
LOADING = ("sample", "collate")  # the phases whose shares are of one time together

OURS = Path(__file__).resolve().parent
COURSE = OURS.parents[1] if (__package__ or "").startswith("loaderlab.") else OURS
INSTALLED = ("site-packages", "dist-packages")
LIBRARIES = tuple(
    Path(folder).resolve()
    for folder in (
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        str(Path(torch.__file__).parent),
    )
)


@dataclass(frozen=True)
class Line:
    """A call in the user's own code, with its share of the time of loading, of the sampler or of the step."""

    phase: str  # "sample", "collate", "sampler" or "step"
    file: str
    line: int
    function: str
    text: str
    share: float
    operation: str | None = None  # the name of a known one (`operations.OPERATIONS`)

    @property
    def place(self) -> str:
        """File and line, without the folder."""
        return f"{Path(self.file).name}:{self.line}"


@dataclass
class _Spot:
    """Seconds in an instruction of the user's, and in each function of libraries that it had called."""

    seconds: float = 0.0
    below: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    names: dict[str, Any] = field(default_factory=dict)

    def add(self, other: _Spot) -> None:
        self.seconds += other.seconds
        for name, seconds in other.below.items():
            self.below[name] += seconds
        self.names |= other.names


class Watch:
    """A thread that looks, while this is entered, at what the thread that entered it is doing, about once a millisecond.

    Each look weighs as much as the time since the one before: a call that keeps the interpreter's lock lets none happen
    until it ends. ``phase`` says what the thread is doing; nothing is kept while it is empty.
    """

    def __init__(self) -> None:
        self.phase = ""
        self.looks = 0
        self._spots: dict[tuple[str, CodeType, int], _Spot] = defaultdict(_Spot)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Watch:
        self._before = sys.getswitchinterval()
        sys.setswitchinterval(SWITCH)
        self._ended.clear()
        self._thread = threading.Thread(target=self._look, args=(threading.get_ident(),), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        sys.setswitchinterval(self._before)

    def _look(self, watched: int) -> None:
        at = time.perf_counter()
        while not self._ended.wait(EVERY):
            # First what moves on as soon as the lock is given away.
            frame = sys._current_frames().get(watched)
            stack = _stack(frame)
            now = time.perf_counter()
            if self.phase and stack:
                self.looks += 1
                self._keep(stack, now - at)
            at = now

    def _keep(self, stack: list[tuple[CodeType, int, dict[str, Any]]], seconds: float) -> None:
        own = next((number for number, (code, *_rest) in enumerate(stack) if is_own(code.co_filename)), None)
        below = stack if own is None else stack[:own]
        # No line of the user's: the library's function that was called first.
        code, instruction, names = stack[-1] if own is None else stack[own]
        spot = self._spots[self.phase, code, -1 if own is None else instruction]
        spot.seconds += seconds
        spot.names = names
        for name in {_named(code) for code, *_rest in below}:
            spot.below[name] += seconds

    def lines(self) -> tuple[Line, ...]:
        """Return the lines of each phase, those with most of its time first."""
        return tuple(
            line
            for phases in (LOADING, ("sampler",), ("step",))
            for line in self._of({key: spot for key, spot in self._spots.items() if key[0] in phases})
        )

    def _of(self, spots: dict[tuple[str, CodeType, int], _Spot]) -> list[Line]:
        whole = sum(spot.seconds for spot in spots.values())
        calls: dict[tuple[str, str, int, str, str], _Spot] = defaultdict(_Spot)
        for (phase, code, instruction), spot in spots.items():
            line, text = _text(code, instruction)
            calls[phase, code.co_filename, line, code.co_qualname, text].add(spot)
        found = _merged(calls, lambda key: key[:4], SEPARATE * whole)
        if found and max(spot.seconds for spot in found.values()) < SCATTERED * whole:
            found = _merged(found, lambda key: (key[0], key[1], key[3]), whole)
        most = sorted(found.items(), key=lambda one: -one[1].seconds)[:MOST]
        return [
            Line(
                *(phase, file, line, function),
                text or _statement(file, line),
                share=spot.seconds / whole,
                operation=operation_of(
                    text or _statement(file, line), spot.below, spot.seconds, _roots(spot.names)
                ),
            )
            for (phase, file, line, function, text), spot in most
            if spot.seconds >= SHOWN * whole
        ]


def _merged(spots: dict[Any, _Spot], group: Any, apart: float) -> dict[Any, _Spot]:
    """Return the spots of each group as one, under the key of the largest of them; those with so many seconds stay alone."""
    groups: dict[Any, list[Any]] = defaultdict(list)
    for key in sorted(spots, key=lambda key: -spots[key].seconds):
        groups[group(key)].append(key)
    found: dict[Any, _Spot] = defaultdict(_Spot)
    for first, *others in groups.values():
        found[first].add(spots[first])
        for key in others:
            found[key if key[-1] and spots[key].seconds >= apart else first].add(spots[key])
    return found


def _stack(frame: FrameType | None) -> list[tuple[CodeType, int, dict[str, Any]]]:
    """Return what runs, the innermost first, up to what is ours and begins all: code, instruction and global names."""
    stack = []
    while frame is not None:
        code = frame.f_code
        if _is_ours(code.co_filename):
            if code.co_name != "__call__":  # else a clock round a transform
                break
        elif not code.co_filename.startswith("<") or is_own(
            code.co_filename
        ):  # else made by Python, as of a namedtuple
            stack.append((code, frame.f_lasti, frame.f_globals))
        frame = frame.f_back
    return stack


@cache
def _is_ours(file: str) -> bool:
    return Path(file).parent == OURS or Path(file).resolve().parent == OURS


@cache
def is_own(file: str) -> bool:
    """Return whether a file of code is the user's own: of no installed package, not of Python, not of torch and not of the course."""
    if file.startswith("<"):
        return file.startswith("<ipython")
    return _library(file) is None and not Path(file).resolve().is_relative_to(COURSE)


@cache
def _library(file: str) -> str | None:
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
def _named(code: CodeType) -> str:
    """Return the name of a function of a library: ``PIL/ImageFile.py:ImageFile.load``."""
    return f"{_library(code.co_filename) or Path(code.co_filename).name}:{code.co_qualname}"


def _roots(names: dict[str, Any]) -> set[str]:
    """Return the packages that a module has names of."""
    found = set()
    for value in list(names.values()):
        name = getattr(value, "__module__", None) or getattr(value, "__name__", None)
        if isinstance(name, str):
            found.add(name.partition(".")[0])
    return found


def _text(code: CodeType, instruction: int) -> tuple[int, str]:
    """Return the line of an instruction, and the call or the subscript that it belongs to; "" where it is in none."""
    if instruction < 0:
        return code.co_firstlineno, code.co_qualname
    begin, end, column, until = list(code.co_positions())[instruction // 2]
    if begin is None or end is None or column is None or until is None:
        return begin or code.co_firstlineno, ""
    inside = [
        (node, last)
        for node, first, last in _calls(code.co_filename)
        if first <= (begin, column) and (end, until) <= last
    ]
    if not inside:
        return begin, ""
    node = max(inside, key=lambda one: ((one[0].lineno, one[0].col_offset), (-one[1][0], -one[1][1])))[0]
    return begin, shortened(_written(code.co_filename, node))


def _written(file: str, node: ast.Call | ast.Subscript) -> str:
    """Return a call as it stands in the file, without the calls in its arguments, which are lines of their own."""
    source = "".join(linecache.getlines(file))
    text = ast.get_source_segment(source, node) or ""
    arguments = [*node.args, *(one.value for one in node.keywords)] if isinstance(node, ast.Call) else []
    for inner in arguments:
        if isinstance(inner, ast.Call):
            text = text.replace(ast.get_source_segment(source, inner) or text, "…", 1)
    return text


@cache
def _calls(file: str) -> list[tuple[Any, tuple[int, int], tuple[int, int]]]:
    with suppress(SyntaxError, ValueError):
        nodes: Iterable[ast.AST] = ast.walk(ast.parse("".join(linecache.getlines(file))))
        return [
            (node, (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0))
            for node in nodes
            if isinstance(node, (ast.Call, ast.Subscript))
        ]
    return []


def _statement(file: str, line: int) -> str:
    return shortened(linecache.getline(file, line).partition("  #")[0])


def shortened(text: str) -> str:
    """Return a piece of code in one line, not too long; what is left out is in its middle."""
    text = " ".join(text.split())
    return text if len(text) <= WIDE else f"{text[: WIDE // 2]}…{text[-WIDE // 2 + 1 :]}"
