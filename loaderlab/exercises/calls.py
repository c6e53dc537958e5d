"""Functions that are probed on a table of calls: what each is called with, by a name."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loaderlab.exercises.probing import attempt


@dataclass(frozen=True)
class Calls:
    """The calls of a function: their arguments, by a name each. It travels to where the answer is run."""

    arguments: Mapping[str, tuple[Any, ...]]

    def probe(self, answer: Callable[..., Any]) -> dict[str, Any]:
        """Return the outcome of each call of the learner's function; it gets copies.

        The first call is made again at the end, and may have become ``another``.
        """
        evidence: dict[str, Any] = {}
        for name, call in self.arguments.items():
            evidence[name] = attempt(answer, *copy.deepcopy(call))
        # None where an answer emptied the table, which the judge then notices.
        for first in list(evidence)[:1]:
            again = attempt(answer, *copy.deepcopy(self.arguments[first]))
            if again.get("value") != evidence[first].get("value"):
                evidence[first]["another"] = True
        return evidence
