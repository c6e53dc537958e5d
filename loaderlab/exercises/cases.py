"""Functions that are judged on a table of calls: what is right for each, and what each criterion looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.calls import Calls
from loaderlab.exercises.criterion import Criterion, Miss, Pictures
from loaderlab.exercises.probing import plain
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _


class Cases:
    """The right results of these calls: ``right(*arguments)`` is what a call must return.

    ``rel`` is the relative tolerance for numbers; 0 means equal. ``same(value, expected)`` says which values are right,
    where these are more than the equal ones. ``call`` tells a call by its name, where its arguments are too many to be shown.
    """

    def __init__(
        self,
        calls: Calls,
        right: Callable[..., Any],
        rel: float = 0.0,
        call: Callable[[str], str] | None = None,
        same: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        self.calls, self.right, self.rel = calls, right, rel
        self.call = call or self._written
        self.same = same or self._equal
        self._none = any(right(*arguments) is None for arguments in calls.arguments.values())

    def passed(self, evidence: Mapping[str, Any], case: str) -> bool:
        """Return whether the evidence for this case is right."""
        return "value" in evidence[case] and self.same(
            evidence[case]["value"], plain(self.right(*self.calls.arguments[case]))
        )

    def criterion(
        self,
        says: str,
        names: Sequence[str],
        hint: str,
        points: int = 1,
        show: Callable[[Any], str] = repr,
        draw: Callable[[str, Any], Pictures | None] | None = None,
    ) -> Criterion:
        """Return a criterion that the cases of these ``names`` meet; ``show`` makes what was expected readable.

        ``draw(name, value)`` makes pictures of a case, and of the value that came.
        """

        def look(evidence: Mapping[str, Any]) -> Iterator[Miss]:
            for name, outcome in evidence.items():
                if outcome.get("another") and not all(self.passed(evidence, each) for each in names):
                    yield Miss(
                        _("the same result whenever it is called"),
                        _("another result the second time: {call}").format(call=self.call(name)),
                        mark(
                            "Begin anew in each call: what stands outside of the function keeps what earlier calls left there."
                        ),
                    )
            for name in names:
                if not self.passed(evidence, name):
                    expected = self.right(*self.calls.arguments[name])
                    came = expect.shown(evidence[name], self._none)
                    value = evidence[name].get("value")
                    yield Miss(
                        show(expected),
                        f"{came} · {self.call(name)}",
                        draw=partial(draw, name, value) if draw and value is not None else None,
                    )

        return Criterion(says, look, hint, points)

    def _written(self, name: str) -> str:
        return f"`{self.calls.name}({', '.join(map(repr, self.calls.arguments[name]))})`"

    def _equal(self, value: Any, expected: Any) -> bool:
        if isinstance(expected, list) and isinstance(value, list):
            return len(value) == len(expected) and all(map(self._equal, value, expected))
        if isinstance(value, bool) != isinstance(expected, bool):
            return False
        if isinstance(expected, float) and isinstance(value, int | float) and self.rel:
            return math.isclose(value, expected, rel_tol=self.rel)
        return bool(value == expected)
