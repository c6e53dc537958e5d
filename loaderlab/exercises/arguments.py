"""Arguments: what an answer is called with stays as it was, unless the exercise says otherwise."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

_IMMUTABLE = 1 << 8  # Py_TPFLAGS_IMMUTABLETYPE of CPython: a class such as `set`
_SHORT = reprlib.Repr()
_SHORT.maxother = 16  # characters of a tensor or a path: a list may have several


class Arguments:
    """The arguments of all calls of an answer; ``changed`` is the first call whose arguments it changed, or "".

    A function is looked at after each call. An object may keep what it was made with, and change it later: what a class
    is called with is looked at when the probe has ended.
    """

    def __init__(self) -> None:
        self.changed = ""
        self._kept: list[tuple[str, Any, Any]] = []

    @contextmanager
    def watched(self, answer: Any) -> Iterator[Any]:
        """Yield the answer as it is to be called in the body; a class stays the one that it is."""
        if not isinstance(answer, type):
            yield self._watching(answer, answer) if callable(answer) else answer
            return
        made = getattr(answer, "__init__")  # noqa: B009 (mypy knows only that of an instance)
        # It takes nothing, or by `__new__`; or is no learner's.
        if made is object.__init__ or answer.__flags__ & _IMMUTABLE:
            yield answer
            return
        with patch.object(answer, "__init__", self._watching(made, answer)):
            yield answer
        for call in self._kept:
            self._compare(*call)

    def _watching(self, function: Callable[..., Any], answer: Any) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*words: Any, **named: Any) -> Any:
            given = words[1:] if answer is not function else words, named
            before = _content(given)
            told = _told(answer, *given)
            try:
                return function(*words, **named)
            finally:
                if answer is function:
                    self._compare(told, given, before)
                else:
                    self._kept.append((told, given, before))

        return called

    def _compare(self, told: str, given: Any, before: Any) -> None:
        if not self.changed and _content(given) != before:
            self.changed = told


def _told(answer: Any, words: tuple[Any, ...], named: dict[str, Any]) -> str:
    """Return a call in one short line."""
    parts = [*map(_SHORT.repr, words), *(f"{name}={_SHORT.repr(value)}" for name, value in named.items())]
    return f"{getattr(answer, '__name__', '')}({', '.join(parts)})"


def _content(thing: Any) -> Any:
    """Return a copy of what is in containers, arrays and tensors, to be compared later; anything else as it is."""
    if isinstance(thing, list | tuple):
        return [_content(part) for part in thing]
    if isinstance(thing, dict):
        return [(key, _content(value)) for key, value in thing.items()]
    if isinstance(thing, set):
        return frozenset(thing)
    return str(thing.tolist()) if hasattr(thing, "tolist") else thing
