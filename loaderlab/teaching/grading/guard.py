"""Notices an answer that replaces what it is probed with, and puts that back.

It looks at the functions, classes and modules that the names of some modules stand for, at the methods of classes,
and at the code of functions. Who reads this file can get past it: the answer and its probe share a process.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

_MODULES = (
    "builtins", "collections", "contextlib", "copy", "functools", "io", "itertools", "json", "json.decoder", "json.encoder",
    "math", "numpy", "operator", "os", "os.path", "pathlib", "pickle", "random", "signal", "statistics", "subprocess", "sys",
    "tempfile", "time", "torch", "torch.utils.data", "types", "typing", "unittest.mock",
)  # fmt: skip
_FAMILIES = ("loaderlab.", "torch.utils.data.")
_DEEP = ("loaderlab", "torch.utils.data", "json")  # modules of which methods and code are watched, too
_IGNORED = {"displayhook", "excepthook", "stdin", "stdout", "stderr", "_"}
_MISSING = object()


class Guard:
    """A record of what stood where when it was made. An instance is made before an answer runs."""

    def __init__(self) -> None:
        modules = [
            module
            for name, module in sys.modules.items()
            if isinstance(module, ModuleType)
            and (name in _MODULES or name == "loaderlab" or name.startswith(_FAMILIES))
        ]
        self._owners: list[tuple[Any, str, dict[str, Any]]] = []
        self._code: list[tuple[FunctionType, str, tuple[Any, ...]]] = []
        seen: set[int] = set()
        for module in modules:
            deep = module.__name__.startswith(_DEEP)
            names = {name: value for name, value in vars(module).items() if _is_watched(name, value)}
            self._owners.append((module, module.__name__, names))
            for name, value in names.items():
                if deep and isinstance(value, type) and id(value) not in seen:
                    seen.add(id(value))
                    methods = {n: v for n, v in vars(value).items() if callable(v) or isinstance(v, property)}
                    self._owners.append((value, f"{module.__name__}.{name}", methods))
                    self._code += _codes(methods.items(), f"{module.__name__}.{name}")
            if deep:
                self._code += _codes(names.items(), module.__name__)
        self._builtins = frozenset(vars(builtins))

    def restore(self) -> list[str]:
        """Put back what was replaced; returns the names of it, sorted."""
        changed: set[str] = set()
        for owner, path, names in self._owners:
            now = vars(owner)
            for name, value in names.items():
                if now.get(name, _MISSING) is not value:
                    changed.add(f"{path}.{name}")
                    setattr(owner, name, value)
            if isinstance(owner, ModuleType) and path != "builtins":
                for name in self._builtins & now.keys() - names.keys():  # hides the built-in from this module
                    if callable(now[name]):
                        changed.add(f"{path}.{name}")
                        delattr(owner, name)
        for function, path, parts in self._code:
            if not all(a is b for a, b in zip(_parts(function), parts, strict=True)):
                changed.add(path)
                function.__code__, function.__defaults__, function.__kwdefaults__ = parts
        return sorted(changed)


def _is_watched(name: str, value: Any) -> bool:
    return name not in _IGNORED and (callable(value) or isinstance(value, ModuleType))


def _codes(names: Any, path: str) -> Iterator[tuple[FunctionType, str, tuple[Any, ...]]]:
    for name, value in names:
        function = getattr(value, "__func__", value)
        if isinstance(function, FunctionType):
            yield function, f"{path}.{name}", _parts(function)


def _parts(function: FunctionType) -> tuple[Any, ...]:
    return function.__code__, function.__defaults__, function.__kwdefaults__
