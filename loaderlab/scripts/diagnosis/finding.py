"""A finding: one thing that a loader suffers from, what shows it, and what to change; and the kinds that there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median
from typing import Any, Generic, ParamSpec

from ..words import translate as _

P = ParamSpec("P")
Changes = tuple[tuple[str, Any], ...]  # arguments of a DataLoader, and their values
SURE = 1.5  # times: what a single turn has to bring
ARGUMENTS = "DataLoader(..., {arguments})"  # a cure: other values of arguments, which the decision finds


@dataclass(frozen=True)
class Row:
    """A line of evidence: what was measured or counted (in the language spoken), and how much of which unit (in English)."""

    label: str
    value: float | int | str
    unit: str = ""


@dataclass(frozen=True)
class Tried:
    """A change that needs no edit, as it was measured: samples a second in each turn, as it is and with the change, or why it gave none."""

    changes: Changes
    before: tuple[float, ...] = ()
    after: tuple[float, ...] = ()
    error: str = ""

    @property
    def gain(self) -> float:
        """How many times the rate, turn by turn; 1 where one of the turns says the contrary, or the only one little; 0 where the change does not work."""
        if self.error or not self.after:
            return 0.0
        if not self.before:  # no batch came as it is
            return float("inf")
        times = [after / before for before, after in zip(self.before, self.after, strict=True)]
        alone = len(times) == 1 and 1 / SURE < times[0] < SURE
        return 1.0 if alone or min(times) < 1 < max(times) else median(times)


@dataclass(frozen=True)
class Cost:
    """The cost of a finding: samples a second that are lost, at most, or the hours until the memory ends; None where nothing tells it."""

    samples: float | None = None
    hours: float | None = None


@dataclass(frozen=True)
class Words:
    """The words that the function of a kind returns. ``change`` is code to be pasted: None where the kind's own holds, "" where it
    would raise for this loader. ``changes``: arguments of a DataLoader, where it needs no edit. ``advice``: what else to do.
    """

    sentence: str
    evidence: tuple[Row, ...] = ()
    change: str | None = None
    changes: Changes = ()
    certain: bool | None = None
    advice: str = ""


@dataclass(frozen=True)
class Finding(Words):
    """The words of a kind. ``tried``: what came of its change, and not of ``advice``. Where it is not ``certain``, the sentence says
    what cannot be seen from the loader, and the reader knows."""

    kind: Kind[...] = field(kw_only=True)
    tried: Tried | None = None
    certain: bool = True
    cost: Cost = Cost()

    @property
    def name(self) -> str:
        """The kind's name, for a program."""
        return self.kind.name


class Kind(Generic[P]):
    """A kind of finding. Called with what its wording needs, it gives the finding, in the language that is spoken now.

    ``about``: a line for the documentation. ``cure``: the code that is advised, or `ARGUMENTS`; None where the reader has to
    find it. ``certain``: False where only the program of the training shows whether it is so.
    """

    def __init__(self, words: Callable[P, Words], about: str, cure: str | None, certain: bool) -> None:
        self.words, self.about, self.cure, self.certain = words, about, cure, certain
        self.name = words.__name__

    def __call__(self, *args: P.args, **options: P.kwargs) -> Finding:
        said = self.words(*args, **options)
        own = self.cure if self.cure != ARGUMENTS else code(said.changes) if said.changes else None
        change = own if said.change is None else said.change or None
        certain = self.certain if said.certain is None else said.certain
        return Finding(**vars(said) | {"change": change, "certain": certain}, kind=self)

    def __repr__(self) -> str:
        return f"<kind {self.name}>"


def kind(
    about: str, cure: str | None = None, *, certain: bool = True
) -> Callable[[Callable[P, Words]], Kind[P]]:
    """Make a kind of finding of the function that words it; the function's name is the name of the kind."""
    return lambda words: Kind(words, about, cure, certain)


def after_own(code: str, own: str | None) -> str:
    """Return the code of a `worker_init_fn` with a call of ``own``, the one that the loader has, before all else."""
    if not own:
        return code
    first, _line, rest = code.partition("\n")
    note = _("the loader's own, as before")
    if first.startswith(f"def {own}("):  # it would call itself
        first, rest = (one.replace(own, f"{own}_too") for one in (first, rest))
    return f"{first}\n    {own}(worker)  # {note}\n{rest}"


def name_of(function: Callable[..., Any] | None) -> str | None:
    """Return the name by which code calls a function; where it has none, as a lambda, one for the reader to fill in."""
    if function is None:
        return None
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "your_worker_init_fn"


def code(changes: Changes) -> str:
    """Return the call of a DataLoader with these arguments."""
    return ARGUMENTS.format(arguments=", ".join(f"{name}={value!r}" for name, value in changes))
