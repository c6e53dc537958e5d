"""Which of many cases of one kind `make test` tries: the others are for `make long`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest


def every(step: int, cases: Iterable[object]) -> list[object]:
    """Return the cases as parameters; all but each ``step``-th are long.

    With a ``step`` that has no factor in common with what the cases are a product of, those that are left have every value.
    """
    return [
        pytest.param(
            *(case if isinstance(case, Sequence) and not isinstance(case, str) else (case,)),
            marks=[pytest.mark.long] * bool(number % step),
        )
        for number, case in enumerate(cases)
    ]
