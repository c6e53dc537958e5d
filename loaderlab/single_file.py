"""A script of `loaderlab/scripts` as one file: it, and what it uses of the modules that it imports.

Statements stay as they are written, with their comments. What another module takes as `module.name`, and what two modules call
alike, is called `module_name` there. What cannot be merged so raises ValueError; a test meets it before a learner does.
"""

from __future__ import annotations

import ast
import symtable
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import loaderlab

Key = tuple[str, str]  # a module, and a name that it defines
HEAD = """# From Loader Lab {version}: `loaderlab take {script} FILE.py --single` made this file of {count} modules.
# Copyright (c) 2026 Loader Lab authors
# SPDX-License-Identifier: MIT

from __future__ import annotations
"""


def merged(folder: Path, script: str) -> str:
    """Return the script, which lies in ``folder`` beside the modules that it imports, as one file."""
    modules: dict[str, Module] = {}
    _read(folder, script, modules)
    kept = _used(modules, modules[script])
    called = _called(modules, kept, script)
    of_each = {module: [piece for piece in module.pieces if piece in kept] for module in modules.values()}
    of_each = {module: pieces for module, pieces in of_each.items() if pieces}
    head = HEAD.format(version=loaderlab.__version__, script=script, count=len(of_each))
    parts = [f'"""{ast.get_docstring(modules[script].tree)}\n"""\n', head, *_imports(_outside(kept))]
    for module, pieces in of_each.items():
        about = "" if module.name == script else f": {ast.get_docstring(module.tree)}"
        lines = ["-" * 77, *f"{module.name}.py{about}".split("\n")]
        parts.append("\n" + "".join(f"# {line}".rstrip() + "\n" for line in lines) + "\n")
        parts.append("".join(piece.text(modules, called) for piece in pieces).strip("\n") + "\n")
    return "\n".join(parts)


@dataclass(eq=False)
class Piece:
    """A statement of a module, with the comments above it: its lines, and the names that it defines."""

    module: Module
    node: ast.stmt
    begin: int
    names: set[str] = field(default_factory=set)

    def uses(self, modules: dict[str, Module]) -> Iterator[tuple[ast.expr, str, Key]]:
        """Where it has a definition of the script's modules, written how, and which."""
        for node in ast.walk(self.node):
            match node:
                case ast.ImportFrom(level=1 | 2):
                    raise ValueError(f"{self.module.name}.py, line {node.lineno}: import it at the top")
                case ast.Attribute(value=ast.Name(id=other), attr=name) if other in self.module.modules:
                    yield node, f"{other}.{name}", modules[other].key(name)
                case ast.Name(id=name) if name in self.module.inside or name in self.module.defined:
                    yield node, name, self.module.key(name)

    def text(self, modules: dict[str, Module], called: dict[Key, str]) -> str:
        """Return its lines, with what is called otherwise in the one file."""
        lines = [line.encode() for line in self.module.source.splitlines(keepends=True)]
        places = {(node.lineno, node.col_offset, old, called[key]) for node, old, key in self.uses(modules)}
        if definition := isinstance(self.node, ast.FunctionDef | ast.ClassDef):
            line, old = self.node.lineno, self.node.name
            places.add(
                (line, lines[line - 1].index(f" {old}".encode()) + 1, old, called[self.module.name, old])
            )
        for line, column, old, new in sorted(places, reverse=True):
            was, end = lines[line - 1], column + len(old.encode())
            if old == new:
                continue
            if was[column:end] != old.encode() or {old.partition(".")[0], new} & self.module.inner:
                where = f"{self.module.name}.py, line {line}"
                raise ValueError(f"{where}: {old} is to be called {new}, and there one is something else")
            lines[line - 1] = was[:column] + new.encode() + was[end:]
        text = textwrap.dedent(b"".join(lines[self.begin : self.node.end_lineno]).decode())
        return "\n\n" + text.lstrip("\n") if definition else text


class Module:
    """A module: its definitions, and where its other names are from."""

    def __init__(self, name: str, source: str) -> None:
        self.name, self.source, self.tree = name, source, ast.parse(source)
        self.outside: set[tuple[str, str, str]] = set()  # names, from where they are imported, and as what
        self.inside: dict[str, Key] = {}
        self.modules: list[str] = []  # those that are imported as such
        self.pieces = list(self._pieces(self.tree.body, 0))
        self.defined = {name: piece for piece in self.pieces for name in piece.names}
        tables, self.inner = symtable.symtable(source, name, "exec").get_children(), set[str]()
        while tables:  # what functions and classes bind
            table = tables.pop()
            self.inner |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_local()}
            tables += table.get_children()

    def key(self, name: str) -> Key:
        """Return what this name of the module is."""
        return self.inside.get(name, (self.name, name))

    def _pieces(self, body: list[ast.stmt], begin: int) -> Iterator[Piece]:
        for node in body:
            piece, begin = Piece(self, node, begin), node.end_lineno or 0
            match node:
                case ast.FunctionDef() | ast.ClassDef():
                    piece.names = {node.name}
                case ast.Assign() | ast.AnnAssign():
                    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                    names = (each for target in targets for each in ast.walk(target))
                    piece.names = {each.id for each in names if isinstance(each, ast.Name)} - {"__all__"}
                case ast.Import():
                    for alias in node.names:
                        name = alias.asname or alias.name.partition(".")[0]
                        self.outside.add((name, "", ast.unparse(alias)))
                case ast.ImportFrom(level=0, module=str(module)):
                    for alias in node.names:
                        self.outside.add((alias.asname or alias.name, module, ast.unparse(alias)))
                case ast.ImportFrom(module=None):
                    self.modules += [alias.name for alias in node.names]
                case ast.ImportFrom(module=str(module)):
                    self.inside |= {alias.asname or alias.name: (module, alias.name) for alias in node.names}
                case ast.Try(body=[ast.ImportFrom(module=str(source)), *_], handlers=[handler]) if (
                    source.startswith("loaderlab.")
                ):  # what stands in for the course where that is not installed
                    yield from self._pieces(handler.body, handler.lineno)
                case ast.Expr(value=ast.Constant()) | ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
                    pass
                case _:
                    raise ValueError(f"{self.name}.py, line {node.lineno}: no import, and no definition")
            if piece.names or isinstance(node, ast.If):
                yield piece


def _read(folder: Path, name: str, modules: dict[str, Module]) -> None:
    """Read a module, after those that it imports."""
    module = Module(name, (folder / f"{name}.py").read_text("utf-8"))
    for other in [*module.modules, *(other for other, _name in module.inside.values())]:
        if other not in modules:
            _read(folder, other, modules)
    # What the other one has only imported is a third one's.
    module.inside = {name: modules[other].key(there) for name, (other, there) in module.inside.items()}
    modules[name] = module


def _used(modules: dict[str, Module], script: Module) -> dict[Piece, None]:
    """Return the statements of the script, and those that they use. What it imports from a module, others may import from it."""
    kept: dict[Piece, None] = {}
    ahead = [*script.pieces, *(modules[other].defined[name] for other, name in script.inside.values())]
    while ahead:
        piece = ahead.pop()
        if piece not in kept:
            kept[piece] = None
            ahead += [modules[other].defined[name] for _node, _old, (other, name) in piece.uses(modules)]
    return kept


def _outside(kept: Iterable[Piece]) -> set[tuple[str, str, str]]:
    """Return what the statements use from outside: the names, from where they are imported, and as what."""
    found = set()
    for piece in kept:
        names = {node.id for node in ast.walk(piece.node) if isinstance(node, ast.Name)}
        found |= {each for each in piece.module.outside if each[0] in names}
    return found


def _called(modules: dict[str, Module], kept: Iterable[Piece], script: str) -> dict[Key, str]:
    """Return how each definition is called in the one file."""
    called = {(piece.module.name, name): name for piece in kept for name in piece.names}
    for piece in kept:
        for _node, old, key in piece.uses(modules):
            if "." in old:
                called[key] = _apart(*key)
            elif called[key] == key[1] and key[0] != piece.module.name:
                called[key] = old  # imported under another name

    def clashing() -> set[str]:
        # `import a` and `import a.b` are one name.
        outside = {(name, source, what.partition(".")[0]) for name, source, what in _outside(kept)}
        names = Counter([*called.values(), *(name for name, *_from in outside)])
        return {name for name, count in names.items() if count > 1}

    alike = clashing()
    called |= {key: _apart(*key) for key, name in called.items() if name in alike and key[0] != script}
    if alike := clashing():
        raise ValueError(f"{script}.py: more than one module has {', '.join(sorted(alike))}")
    return called


def _apart(module: str, name: str) -> str:
    """Return the name with its module's, written as names of its kind are."""
    if name.isupper():
        return f"{module}_{name}".upper()
    if name[0].isupper():
        return module.title().replace("_", "") + name
    return f"_{module}{name}" if name[0] == "_" else f"{module}_{name}"


def _imports(outside: set[tuple[str, str, str]]) -> Iterator[str]:
    """Return the imports: those of the standard library, and the others."""
    found: dict[str, list[str]] = defaultdict(list)
    for _name, source, what in sorted(outside):
        found[source].append(what)
    lines = [f"import {what}" for what in found.pop("", [])]
    lines += [f"from {source} import {', '.join(names)}" for source, names in found.items()]
    for standard in (True, False):
        some = [
            line
            for line in lines
            if (line.split()[1].partition(".")[0] in sys.stdlib_module_names) == standard
        ]
        yield "".join(f"{line}\n" for line in sorted(some, key=lambda line: (line.startswith("from"), line)))
