"""Which of many cases of one kind `make test` tries: the others are for `make long`."""

from __future__ import annotations

from collections.abc import Iterable

import pytest


def every(step: int, cases: Iterable[object]) -> list[object]:
    """Return the cases as parameters; all but each ``step``-th are long.

    Where a case is a tuple, those that are left must have every value in each place: ``AssertionError`` for a step with
    which they have not.
    """
    found = [case if isinstance(case, tuple) else (case,) for case in cases]
    if len(found[0]) > 1:
        left = [set(values) for values in zip(*found[::step], strict=True)]
        assert left == [set(values) for values in zip(*found, strict=True)], (
            f"Not with a step of {step}: {left}"
        )
    return [
        pytest.param(*case, marks=[pytest.mark.long] * bool(number % step))
        for number, case in enumerate(found)
    ]
