"""Checks of arguments: what makes no sense is refused at once, in a sentence, and not where it is first computed with."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .words import translate as _


def whole(least: int = 1, or_none: bool = False, **given: Any) -> None:
    """Raise ValueError where one of these is no whole number (NumPy's are), or one below ``least``; ``or_none``: None will do."""
    for name, value in given.items():
        if not (isinstance(value, int | np.integer) and value >= least) and not (or_none and value is None):
            text = _("`{name}` must be a whole number from {least} up, not {value!r}.")
            raise ValueError(text.format(name=name, least=least, value=value))


def interval(most: float = math.inf, **given: Any) -> None:
    """Raise ValueError where one of these is not two numbers above 0, the smaller first, none above ``most``. None: it was not given."""
    for name, value in given.items():
        if value is not None and not _is_interval(value, most):
            text = (
                _("`{name}` must be two numbers above 0, the smaller first, not {value!r}.")
                if most == math.inf
                else _(
                    "`{name}` must be two numbers above 0 and at most {most}, the smaller first, not {value!r}."
                )
            )
            raise ValueError(text.format(name=name, most=f"{most:g}", value=value))


def _is_interval(value: Any, most: float) -> bool:
    try:
        low, high = map(float, value)
    except (TypeError, ValueError):
        return False
    return 0 < low <= high <= most and high < math.inf
