"""The scene of an explorer: parameters that a learner moves, and the picture that they give."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from loaderlab.drawing.picture import Picture
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _


@dataclass(frozen=True)
class Parameter:
    """The value that one control sets: a slider from `low` to `high`, a checkbox (bool default) or a list of `choices`.

    `label` is a marked message, with its unit at most 32 characters in every language; a unit or a choice
    that is not the same in every language is one as well. Whole numbers for
    default, low, high and step make a slider of whole numbers.
    """

    name: str
    label: str
    default: Any
    low: float = 0
    high: float = 1
    step: float = 1
    unit: str = ""
    choices: tuple[Any, ...] = ()

    @property
    def description(self) -> str:
        """The label beside the control, in the current language."""
        return f"{_(self.label)} ({_(self.unit)})" if self.unit else _(self.label)

    @property
    def options(self) -> list[tuple[str, Any]]:
        """The choices, each after the text that a list shows for it."""
        return [(_(str(choice)), choice) for choice in self.choices]

    @property
    def is_number(self) -> bool:
        return not self.choices and not isinstance(self.default, bool)

    @property
    def whole(self) -> bool:
        return all(isinstance(value, int) for value in (self.default, self.low, self.high, self.step))

    @property
    def expected(self) -> str:
        """The values that the parameter accepts, in words of the current language."""
        if self.choices:
            return _("one of {choices}").format(choices=", ".join(map(str, self.choices)))
        if not self.is_number:
            return _("True or False")
        form = _("a whole number from {low} to {high}") if self.whole else _("a number from {low} to {high}")
        return form.format(low=written(self.low), high=written(self.high))

    def nearest(self, value: float) -> float:
        """Return the number nearest to ``value`` that the parameter accepts."""
        return min(max(round(value) if self.whole else value, self.low), self.high)

    def on_step(self, value: float) -> float:
        """Return the step of the slider that is nearest to ``value``."""
        steps = round((value - self.low) / self.step)
        return self.nearest(round(self.low + steps * self.step, 9))

    def check(self, value: Any) -> Any:
        """Return `value` if this parameter can have it; raises :class:`LabError`, which says what it can have."""
        if self.choices:
            fine = value in self.choices
        elif not self.is_number:
            fine = isinstance(value, bool)
        else:
            fine = isinstance(value, int if self.whole else int | float) and not isinstance(value, bool)
            fine = fine and self.low <= value <= self.high
        if not fine:
            raise LabError(
                _("{name} cannot be {value!r}. Expected: {expected}.").format(
                    name=self.name, value=value, expected=self.expected
                )
            )
        return value


def written(value: float) -> str:
    """Return ``value`` with as many decimals as it has, up to four."""
    return number(value, len(f"{value:.4f}".rstrip("0").partition(".")[2]))


@dataclass(frozen=True)
class Scene:
    """`draw(**values)` makes the picture from the parameters alone; `measure(**values)` does it for real.

    `seconds(**values)` says about how long that takes. With the values of `tallest`, and the defaults of the others, no
    picture that is drawn is taller: an explorer leaves so much room from the beginning.
    `opens` are the names of the controls that are not folded while no question is open; without them it is the first.
    """

    name: str
    parameters: tuple[Parameter, ...]
    draw: Callable[..., Picture]
    measure: Callable[..., Picture] | None = None
    seconds: Callable[..., float] | None = None
    tallest: Mapping[str, Any] = field(default_factory=dict)
    opens: tuple[str, ...] = ()

    @property
    def defaults(self) -> dict[str, Any]:
        """The values of the controls at first."""
        return {parameter.name: parameter.default for parameter in self.parameters}
