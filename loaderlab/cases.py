"""Functions that are judged on a table of calls: what to call with, what is right, what each finding looks at."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loaderlab.exercise import Finding, attempt, plain, shown


class Cases:
    """The calls of the function ``name``, by a name each; ``right(*arguments)`` says what each must return.

    ``rel`` is the relative tolerance for numbers; 0 means equal.
    """

    def __init__(
        self, name: str, right: Callable[..., Any], cases: Mapping[str, tuple[Any, ...]], rel: float = 0.0
    ) -> None:
        self.name, self.right, self.cases, self.rel = name, right, cases, rel

    def probe(self, answer: Callable[..., Any]) -> dict[str, Any]:
        """What the learner's function does with each case; it gets copies, so that it cannot change ours."""
        return {name: attempt(answer, *copy.deepcopy(case)) for name, case in self.cases.items()}

    def passed(self, evidence: Mapping[str, Any], case: str) -> bool:
        """Whether what came for this case is right."""
        return "value" in evidence[case] and self._equal(
            evidence[case]["value"], self.right(*self.cases[case])
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
        call = f"{self.name}({', '.join(map(repr, self.cases[wrong]))})"
        got = f"{shown(evidence[wrong])} · `{call}`"
        return Finding(False, points, criterion, show(self.right(*self.cases[wrong])), got, hint)

    def _equal(self, value: Any, expected: Any) -> bool:
        if isinstance(expected, float) and self.rel:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and math.isclose(value, expected, rel_tol=self.rel)
        if isinstance(value, bool) != isinstance(expected, bool):
            return False
        return value == plain(expected)
