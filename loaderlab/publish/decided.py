"""The comparisons of a notebook that nothing decides but its own set-up: what was written down, or follows from a model.

Names are followed from cell to cell, and into the modules of the lesson. A value *ran* where something in it was executed
that could have come out otherwise: a loader, a clock, a process, torch; arithmetic on what is written down could not. What
is unknown counts as run, so that nothing is blamed without a reason.
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.i18n.language import translate as _
from loaderlab.publish import code

if TYPE_CHECKING:
    from nbformat import NotebookNode

LESSONS = "loaderlab.lessons"
_ARITHMETIC = {
    "__future__", "collections", "dataclasses", "enum", "fractions", "functools", "itertools", "math", "operator", "re", "statistics",
    "typing",
}  # fmt: skip
_ARITHMETIC |= {"loaderlab.i18n.language", "loaderlab.i18n.errors"}
_BUILTIN = set(dir(builtins)) - {"open", "input", "exec", "eval", "compile", "id", "globals", "locals"}
# Of `lab`: what only shows, and changes nothing that it is given.
_SHOWS = {
    "lab.check", "lab.compare", "lab.curves", "lab.diagram", "lab.explore", "lab.hint", "lab.predict", "lab.rates", "lab.strip",
    "lab.table", "lab.tracks",
}  # fmt: skip


def faults(notebook: NotebookNode, predictions: Mapping[str, Prediction]) -> Iterator[str]:
    """Yield the comparisons whose answer nothing decided that ran, one sentence each, with the cell."""
    cells = [cell.source if cell.cell_type == "code" else "" for cell in notebook.cells]
    for place, name in compared(cells):
        prediction = predictions.get(name)
        if prediction is not None and not prediction.computed:
            yield _(
                "cell {number}: what is compared with the guess {name!r} follows from what the cells write down, and is called "
                "measured. Measure it, or mark the guess as computed."
            ).format(number=place + 1, name=name)
    for prediction in predictions.values():
        if prediction.computed and prediction.choices is TRUE_OR_FALSE:
            yield _(
                "the guess {name!r} is a statement about the world, and its answer is computed. Measure it, and compare with None "
                "where a machine cannot."
            ).format(name=prediction.name)


def compared(cells: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield place and name of each `lab.compare(NAME, …)` of which only the set-up decides."""
    seen = _Seen()
    for place, source in enumerate(cells):
        tree = None if source.startswith("%%writefile") else code.parsed(source)
        for statement in tree.body if tree else ():
            for call in ast.walk(statement):
                if isinstance(call, ast.Call) and _dotted(call.func) == "lab.compare" and len(call.args) == 2:
                    name, value = call.args
                    if isinstance(name, ast.Constant) and not seen.ran_in(value):
                        yield place, str(name.value)
            seen.take(statement)


@dataclass
class _Seen:
    """The state of names: which are ``known``, which of these ``ran``, and which are modules of a lesson."""

    known: set[str] = field(default_factory=lambda: set(_BUILTIN))
    ran: set[str] = field(default_factory=set)
    modules: dict[str, _Seen] = field(default_factory=dict)

    def ran_in(self, node: ast.AST) -> bool:
        """Return whether something ran in this expression or statement."""
        local = _bound(node)
        attributes = {}
        for child in ast.walk(node):
            if isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name):
                attributes[child.value] = child.attr
        for child in _outside_annotations(node):
            if isinstance(child, ast.Import | ast.ImportFrom):
                return True
            if not isinstance(child, ast.Name) or not isinstance(child.ctx, ast.Load) or child.id in local:
                continue
            if child.id in self.modules:
                module, attribute = self.modules[child.id], attributes.get(child)
                if attribute is None or attribute in module.ran or attribute not in module.known:
                    return True
            elif child.id in self.ran or child.id not in self.known:
                return True
        return False

    def take(self, statement: ast.stmt, ran: bool = False) -> None:
        """Note what a statement binds or changes; ``ran``: it is reached only where something ran."""
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self._imported(statement)
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            within = ran or self.ran_in(statement)
            self._bind({statement.name}, within)
            if within:  # it may change what it knows of outside
                self._bind(_changed(statement) & self.known, within)
        elif isinstance(statement, ast.For | ast.While | ast.If | ast.With | ast.Try):
            headers = _headers(statement)
            ran = ran or any(map(self.ran_in, headers))
            for header in headers:
                self._handed(header)
            if isinstance(statement, ast.For):
                self._bind(_targets(statement.target), ran)
            if isinstance(statement, ast.With):
                for item in statement.items:
                    self._bind(_targets(item.optional_vars), ran)
            for inner in _bodies(statement):
                self.take(inner, ran)
        else:
            ran = ran or self.ran_in(statement)
            self._bind(_changed(statement), ran)
            self._handed(statement)

    def _handed(self, node: ast.AST) -> None:
        """Note that what is handed to something that runs may come back changed."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and _dotted(call.func) not in _SHOWS and self.ran_in(call.func):
                self._bind(
                    {n.id for n in ast.walk(call) if isinstance(n, ast.Name)} & self.known - _BUILTIN, True
                )

    def _bind(self, names: Iterable[str], ran: bool) -> None:
        for name in names:
            self.known.add(name)
            if ran:
                self.ran.add(name)

    def _imported(self, statement: ast.Import | ast.ImportFrom) -> None:
        for alias in statement.names:
            name = alias.asname or alias.name.partition(".")[0]
            self.known.add(name)
            if isinstance(statement, ast.Import):
                self._bind({name}, alias.name not in _ARITHMETIC)
                continue
            of = statement.module or ""
            whole, part = _module(f"{of}.{alias.name}"), _module(of)
            if whole is not None:
                self.modules[name] = whole
            elif part is not None:
                self._bind({name}, alias.name in part.ran or alias.name not in part.known)
            else:
                self._bind({name}, of not in _ARITHMETIC)


@lru_cache
def _module(name: str) -> _Seen | None:
    """Return the names of a module of a lesson, or None where it is no such module."""
    if not name.startswith(f"{LESSONS}."):
        return None
    try:
        found = importlib.util.find_spec(name)
    except ImportError:
        return None
    if found is None or found.origin is None or found.submodule_search_locations:
        return None
    seen = _Seen()
    for statement in ast.parse(Path(found.origin).read_text("utf-8")).body:
        if not isinstance(statement, ast.If):  # `if TYPE_CHECKING` binds what only annotations use
            seen.take(statement)
    return seen


def _headers(statement: ast.stmt) -> list[ast.AST]:
    if isinstance(statement, ast.For):
        return [statement.iter]
    if isinstance(statement, ast.While | ast.If):
        return [statement.test]
    if isinstance(statement, ast.With):
        return [item.context_expr for item in statement.items]
    return list(statement.body) if isinstance(statement, ast.Try) else []


def _bodies(statement: ast.stmt) -> Iterator[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        yield from getattr(statement, name, ())
    for handler in getattr(statement, "handlers", ()):
        yield from handler.body


def _bound(node: ast.AST) -> set[str]:
    """Return the names that are bound within an expression or a definition: arguments, targets, imports."""
    found = set()
    for child in ast.walk(node):
        if isinstance(child, ast.comprehension):
            found |= _targets(child.target)
        elif isinstance(child, ast.arg):
            found.add(child.arg)
        elif isinstance(child, ast.ExceptHandler | ast.FunctionDef | ast.ClassDef):
            found |= {child.name} if child.name else set()
        elif isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(child, ast.Name):
            found |= set() if isinstance(child.ctx, ast.Load) else {child.id}
        elif isinstance(child, ast.NamedExpr):
            found |= _targets(child.target)
    return found


def _changed(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds, adds to, or calls a method of."""
    found = set()
    for child in ast.walk(statement):
        if isinstance(child, ast.Assign):
            found |= {name for target in child.targets for name in _targets(target)}
        elif isinstance(child, ast.AugAssign | ast.AnnAssign):
            found |= _targets(child.target)
        elif isinstance(child, ast.Expr) and isinstance(child.value, ast.Call):
            found |= _targets(child.value.func) if isinstance(child.value.func, ast.Attribute) else set()
    return found


def _targets(target: ast.AST | None) -> set[str]:
    """Return the names at the root of a target: of `a[0].b, c` a and c."""
    if target is None:
        return set()
    if isinstance(target, ast.Tuple | ast.List):
        return {name for element in target.elts for name in _targets(element)}
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Starred):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


def _outside_annotations(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _outside_annotations(child)


def _dotted(node: ast.AST) -> str:
    return ast.unparse(node) if isinstance(node, ast.Attribute | ast.Name) else ""
