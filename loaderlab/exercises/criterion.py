"""One thing that is asked of an answer: what it says, what it is worth, and where the evidence is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

from loaderlab.i18n.language import translate as _


class Drawn(Protocol):
    """A picture, as an SVG, and the sentence that says what it shows; :mod:`loaderlab.drawing` has such."""

    @property
    def svg(self) -> str:
        """The picture as SVG."""

    @property
    def text(self) -> str:
        """The sentence for readers who do not see it."""


@dataclass(frozen=True)
class Pictures:
    """A wrong answer as a picture, and beside it what was asked for."""

    expected: Drawn
    got: Drawn


# Draws only where a card is shown; None where what came has not the form that could be drawn.
Draw = Callable[[], Pictures | None]


@dataclass(frozen=True)
class Miss:
    """A criterion that an answer misses: what was expected and what came, in the learner's language.

    ``hint``, a marked message, replaces the criterion's where another way leads on. ``judged`` is false where the
    machine, and not the answer, is the reason. ``draw`` makes pictures of both.
    """

    expected: str
    got: str
    hint: str = ""
    judged: bool = True
    draw: Draw | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Finding:
    """One criterion: passed or not, what it is worth, what was expected, what came, pictures of both, and how to go on.

    Where ``judged`` is false, this machine cannot tell whether the answer passes.
    """

    passed: bool
    points: int
    criterion: str
    expected: str = ""
    got: str = ""
    hint: str = ""
    judged: bool = True
    draw: Draw | None = field(default=None, compare=False)


Look = Callable[[Any], Iterable[Miss]]


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """One thing that is asked of an answer. ``look(evidence)`` gives what misses it, or the ``cases`` of the exercise's table do.

    The first miss is shown.

    ``says`` and ``hint`` are messages, which the catalogs find by these names. ``drawn(random)`` makes the arguments of one
    more case; ``show`` makes what was expected of a case readable, ``draw(arguments, value)`` pictures of it and of what came.
    """

    says: str
    hint: str
    look: Look = lambda _evidence: ()
    cases: tuple[str, ...] = ()
    drawn: Callable[[Random], tuple[Any, ...]] | None = None
    show: Callable[[Any], str] = repr
    draw: Callable[[tuple[Any, ...], Any], Pictures | None] | None = None
    points: int = 1

    def finding(self, misses: Iterable[Miss]) -> Finding:
        """Return the finding of this criterion, given what misses it."""
        for miss in misses:
            hint = _(miss.hint or self.hint)
            return Finding(
                False, self.points, _(self.says), miss.expected, miss.got, hint, miss.judged, miss.draw
            )
        return Finding(True, self.points, _(self.says))
