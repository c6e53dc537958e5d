"""Functions that are judged on a table of calls, fixed and drawn: the solution says what is right for each.

Fixed cases show what an exercise is about. Drawn ones make sure that no answer lives on round numbers, nor on a copy of
the table: they are other ones for each answer, and the same ones whenever that answer is judged.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.calls import Calls
from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.probing import plain
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _

DRAWN = 60  # cases for each answer, shared out among the criteria that draw


@dataclass(frozen=True)
class Table:
    """Calls by ``cases``, their arguments by a name each; ``right(*arguments)`` is what a call must return.

    ``rel`` is the relative tolerance for numbers; 0 means equal. ``same(value, expected, *arguments)`` says which values are
    right, where these are more than the equal ones. ``call(*arguments)`` tells a call, where its arguments are too many to be
    shown. ``drawn`` has the cases that are drawn for an answer, by the index of their criterion.
    """

    cases: Mapping[str, tuple[Any, ...]]
    right: Callable[..., Any]
    rel: float = 0.0
    same: Callable[..., bool] | None = None
    call: Callable[..., str] | None = None
    drawn: Mapping[int, Mapping[str, tuple[Any, ...]]] = field(default_factory=dict)

    @cached_property
    def calls(self) -> Calls:
        """The calls, without a word on what is right."""
        return Calls(
            {**self.cases, **{name: call for each in self.drawn.values() for name, call in each.items()}}
        )

    @cached_property
    def expected(self) -> dict[str, Any]:
        """The right result of each call, by its name."""
        return {name: self.right(*copy.deepcopy(call)) for name, call in self.calls.arguments.items()}

    def drawing(self, criteria: Sequence[Criterion], random: Random) -> Table:
        """Return this table with the cases that its criteria draw."""
        drawing = [index for index, criterion in enumerate(criteria) if criterion.drawn]
        drawn = {
            index: {
                f"drawn {index}.{number}": criteria[index].drawn(random)  # type: ignore[misc]
                for number in range(-(-DRAWN // len(drawing)))
            }
            for index in drawing
        }
        return replace(self, drawn=drawn)

    def look(
        self, name: str, index: int, criteria: Sequence[Criterion], evidence: Mapping[str, Any]
    ) -> Iterator[Miss]:
        """Yield what misses the criterion at ``index`` of those of the exercise ``name``.

        A drawn case counts where all fixed ones pass: who fails one has been told already what is wrong.
        """
        criterion, first = criteria[index], next(iter(self.cases))
        # Who is right when asked for the first time only misses one criterion: that of the first call.
        its = next((place for place, each in enumerate(criteria) if first in each.cases), 0)
        wrong = [case for case in criterion.cases if not self._passes(evidence, case)]
        drawn: list[str] = []
        if all(self._passes(evidence, case) for case in self.cases):
            drawn = [case for case in self.drawn.get(index, ()) if not self._passes(evidence, case)]
        written = self.call or partial(_written, name)
        if evidence[first].get("another") and (wrong or drawn or index == its):
            yield Miss(
                _("the same result in every call"),
                _("another result in the second call: {call}").format(call=written(*self.cases[first])),
                mark(
                    "Start from scratch in each call: objects defined outside the function keep what earlier calls left in them."
                ),
            )
        none = any(self.expected[case] is None for case in self.cases)
        smallest = sorted(drawn, key=lambda case: len(repr(self.calls.arguments[case])))[:1]
        for case in [*wrong, *smallest]:
            call, value = self.calls.arguments[case], evidence[case].get("value")
            yield Miss(
                criterion.show(self.expected[case]),
                f"{expect.shown(evidence[case], none)} · {written(*call)}",
                draw=partial(criterion.draw, call, value) if criterion.draw and value is not None else None,
            )

    def _passes(self, evidence: Mapping[str, Any], case: str) -> bool:
        """Return whether the evidence for this case is right."""
        same, outcome = self.same or self._equal, evidence[case]
        return "value" in outcome and same(
            outcome["value"], plain(self.expected[case]), *self.calls.arguments[case]
        )

    def _equal(self, value: Any, expected: Any, *_call: Any) -> bool:
        if isinstance(expected, list) and isinstance(value, list):
            return len(value) == len(expected) and all(map(self._equal, value, expected))
        if isinstance(value, bool) != isinstance(expected, bool):
            return False
        if self.rel and isinstance(expected, int | float) and isinstance(value, int | float):
            with suppress(OverflowError):  # a whole number that no float holds
                return math.isclose(value, expected, rel_tol=self.rel, abs_tol=1e-12)
        return bool(value == expected)


def _written(name: str, *arguments: Any) -> str:
    return f"`{name}({', '.join(map(repr, arguments))})`"
