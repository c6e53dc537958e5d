"""Functions that are judged on a table of calls: what is right for each, and what each finding looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loaderlab.calls import Calls
from loaderlab.exercise import Finding, shown
from loaderlab.probing import plain


class Cases:
    """What is right for each of these calls: ``right(*arguments)`` says what it must return.

    ``rel`` is the relative tolerance for numbers; 0 means equal.
    """

    def __init__(self, calls: Calls, right: Callable[..., Any], rel: float = 0.0) -> None:
        self.calls, self.right, self.rel = calls, right, rel

    def passed(self, evidence: Mapping[str, Any], case: str) -> bool:
        """Whether what came for this case is right."""
        return "value" in evidence[case] and self._equal(
            evidence[case]["value"], self.right(*self.calls.arguments[case])
        )

    def finding(
        self,
        evidence: Mapping[str, Any],
        names: Sequence[str],
        criterion: str,
        hint: str,
        points: int = 1,
        show: Callable[[Any], str] = repr,
    ) -> Finding:
        """One criterion, met by the cases of these ``names``; the first wrong one is shown to the learner.

        ``show`` makes what was expected readable.
        """
        wrong = next((name for name in names if not self.passed(evidence, name)), None)
        if wrong is None:
            return Finding(True, points, criterion)
        call = f"{self.calls.name}({', '.join(map(repr, self.calls.arguments[wrong]))})"
        got = f"{shown(evidence[wrong])} · `{call}`"
        return Finding(False, points, criterion, show(self.right(*self.calls.arguments[wrong])), got, hint)

    def _equal(self, value: Any, expected: Any) -> bool:
        if isinstance(expected, float) and self.rel:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and math.isclose(value, expected, rel_tol=self.rel)
        if isinstance(value, bool) != isinstance(expected, bool):
            return False
        return value == plain(expected)
