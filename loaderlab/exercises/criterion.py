"""One thing that is asked of an answer: what it says, what it is worth, and where the evidence is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from loaderlab.i18n.language import translate as _


@dataclass(frozen=True)
class Miss:
    """A criterion that an answer misses: what was expected and what came, in the learner's language.

    ``hint``, a marked message, replaces the criterion's where another way leads on. ``judged`` is false where the
    machine, and not the answer, is the reason.
    """

    expected: str
    got: str
    hint: str = ""
    judged: bool = True


@dataclass(frozen=True)
class Finding:
    """One criterion: passed or not, what it is worth, what was expected, what came, and how to go on.

    Where ``judged`` is false, this machine cannot tell whether the answer passes.
    """

    passed: bool
    points: int
    criterion: str
    expected: str = ""
    got: str = ""
    hint: str = ""
    judged: bool = True


Look = Callable[[Any], Iterable[Miss]]


@dataclass(frozen=True)
class Criterion:
    """``look(evidence)`` gives what misses it, of which the first is shown; an answer that misses nothing meets it.

    ``says`` and ``hint`` are marked messages.
    """

    says: str
    look: Look
    hint: str
    points: int = 1

    def finding(self, evidence: Any) -> Finding:
        """Return the finding of this criterion for the evidence."""
        for miss in self.look(evidence):
            hint = _(miss.hint or self.hint)
            return Finding(False, self.points, _(self.says), miss.expected, miss.got, hint, miss.judged)
        return Finding(True, self.points, _(self.says))
