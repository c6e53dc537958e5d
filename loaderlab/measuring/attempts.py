"""Attempts of a benchmark: a way that fails is left out, and the others are measured all the same."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

_FAILED: ContextVar[dict[str, Exception] | None] = ContextVar("failed", default=None)


@contextmanager
def noted() -> Iterator[dict[str, Exception]]:
    """Note what fails in each :func:`attempt` of the body: a dictionary of errors, by the way's name."""
    failed: dict[str, Exception] = {}
    token = _FAILED.set(failed)
    try:
        yield failed
    finally:
        _FAILED.reset(token)


@contextmanager
def attempt(*way: Any) -> Iterator[None]:
    """Try one way of a benchmark, named by its values; an error in it is noted, and the benchmark goes on with the next.

    Where nobody notes errors (outside of :func:`noted`), it is raised.
    """
    failed = _FAILED.get()
    try:
        yield
    except Exception as error:
        if failed is None:
            raise
        failed.setdefault(", ".join(map(str, way)), _without_frames(error))


def _without_frames(error: Exception) -> Exception:
    """Return the error with its traceback as a note: the frames would keep what the way had in memory, and the next one may need it."""
    error.add_note("".join(traceback.format_tb(error.__traceback__)))
    chain: BaseException | None = error
    while chain is not None:
        chain.__traceback__, chain = None, chain.__cause__ or chain.__context__
    return error


def reason(error: Exception) -> str:
    """Return the kind of an error and the first line of its message."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__
