"""Signatures of PyTorch's functions and classes, and calls held against them: what PyTorch would refuse, a stand-in refuses."""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import torch

C = TypeVar("C", bound=type)
STUBS = Path(torch.__file__).parent / "_C" / "__init__.pyi"


@functools.cache
def _stubs() -> dict[str, ast.ClassDef]:
    """Return the classes of PyTorch's C++ part, as its stubs describe them."""
    body = ast.parse(STUBS.read_text(encoding="utf-8")).body
    return {node.name: node for node in body if isinstance(node, ast.ClassDef)}


def attributes(name: str) -> set[str]:
    """Return the attributes that a class of C++ has by its stub."""
    fields = [node.target for node in _stubs()[name].body if isinstance(node, ast.AnnAssign)]
    return {field.id for field in fields if isinstance(field, ast.Name)}


def of(original: Any) -> inspect.Signature:
    """Return the signature of a callable of PyTorch; of a method in C++, the one of its stub, with all that is annotated left out."""
    try:
        return inspect.signature(original)
    except ValueError:
        pass
    for node in _stubs()["TensorBase"].body:
        if isinstance(node, ast.FunctionDef) and node.name == original.__name__:
            space: dict[str, Any] = {}
            bare = ast.unparse(ast.arguments(**{**vars(node.args), "args": [*map(_bare, node.args.args)]}))
            exec(f"def {node.name}({bare}): ...", {"torch": torch}, space)
            return inspect.signature(space[node.name])
    raise LookupError(original)


def _bare(argument: ast.arg) -> ast.arg:
    return ast.arg(argument.arg)


def held(original: Any, stand_in: Callable[..., Any], name: str = "") -> Callable[..., Any]:
    """Return the stand-in, which raises ``TypeError`` where a call does not fit the original, or not the stand-in itself."""
    signature = of(original)
    name = name or getattr(original, "__qualname__", repr(original))

    @functools.wraps(stand_in)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{name}{signature} cannot be called like this: {error}") from None
        return stand_in(*args, **kwargs)

    return call


def like(original: type) -> Callable[[C], C]:
    """Hold a class that stands in for another against it: it is made as there, and its methods are some of those, called as there."""

    def hold(stand_in: C) -> C:
        # As its callers see it: __new__ or __init__, without its first argument.
        made = inspect.signature(original)
        first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)
        for name, method in list(vars(stand_in).items()):
            if name == "__init__":
                shown = made.replace(parameters=[first, *made.parameters.values()])
                setattr(stand_in, name, held(_Shown(shown), method, original.__name__))
            elif inspect.isfunction(method) and not name.startswith("_"):
                setattr(stand_in, name, held(getattr(original, name), method))
        return stand_in

    return hold


class _Shown:
    """Something that only has a signature."""

    def __init__(self, signature: inspect.Signature) -> None:
        self.__signature__ = signature

    def __call__(self) -> None:
        """Make `inspect.signature` look at it."""
