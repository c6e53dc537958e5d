"""The definitions of a cell that others can build on without running it: imports, functions, classes, plain assignments."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

_DEFINES = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What a plain assignment may call: it takes no time, and measures nothing.
_MAKERS = (set(dir(builtins)) - {"__import__", "breakpoint", "compile", "eval", "exec", "help", "input", "iter", "next", "open", "print"}) | {
    "Counter", "Decimal", "Fraction", "NewType", "OrderedDict", "Path", "TypeVar", "defaultdict", "deque", "namedtuple", "partial",
}  # fmt: skip
_LIBRARIES = {
    "collections", "enum", "functools", "itertools", "math", "np", "numpy", "operator", "re", "string", "struct", "torch", "typing",
}  # fmt: skip


def definitions(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Return the statements of a cell that define something and measure nothing, in their order.

    All of them where it only imports and assigns, and repeats nothing: a comprehension may be a measurement.
    A condition, or a ``try``, that holds nothing else is a definition.
    """
    imports = (ast.Import, ast.ImportFrom)
    simple = all(isinstance(statement, (*imports, ast.Assign)) for statement in body)
    repeats = any(isinstance(node, ast.comprehension) for statement in body for node in ast.walk(statement))
    if body and isinstance(body[0], imports) and simple and not repeats:
        return list(body)
    return [statement for statement in body if _defines(statement)]


def assigned(body: Sequence[ast.stmt]) -> set[str]:
    """Return the names that these statements assign or define, those in a function or class left out."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(statement.name)
        else:
            names |= {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
            names |= assigned(_nested(statement))
    return names


def _defines(statement: ast.stmt) -> bool:
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return statement.value is not None and all(map(_is_plain, ast.walk(statement.value)))
    if isinstance(statement, (ast.If, ast.Try)):
        return all(isinstance(inner, ast.Pass) or _defines(inner) for inner in _nested(statement))
    return isinstance(statement, _DEFINES)


def _nested(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements right below this one, in any of its blocks."""
    blocks = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    blocks += [handler.body for handler in getattr(statement, "handlers", ())]
    return [inner for block in blocks for inner in block]


def _is_plain(node: ast.AST) -> bool:
    if isinstance(node, (ast.Await, ast.Yield, ast.YieldFrom)):
        return False
    if isinstance(node, ast.comprehension):  # over a name: that may be a loader, which takes time
        return isinstance(node.iter, (ast.Call, ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict))
    if not isinstance(node, ast.Call):
        return True
    if isinstance(node.func, ast.Name):
        return node.func.id in _MAKERS
    owner: ast.expr = node.func
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return not isinstance(owner, ast.Name) or owner.id in _LIBRARIES
