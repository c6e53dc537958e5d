"""A case: a script with line numbers, the repairs of its faults, lines that only look guilty; and how far a learner has come with it.

`accused` are the lines that the learner suspected by reading, `steps` the repairs so far, in the learner's own order. Nothing here runs
the script: who carries the case says what came of each repair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

SHOWS = 1.15  # from this factor on, a difference of two rates is more than chance
TIES = 0.03  # of the limit: a smaller gain shows nothing, whatever its factor


@dataclass(frozen=True)
class Repair:
    """A repair of one fault: ``guilty`` has what the lines of the fault begin with, ``brings`` what it changes by the counts.

    ``behind``: by the name of another repair that is still open, why this one then gains nothing. All texts are marked.
    """

    name: str
    label: str
    guilty: tuple[str, ...]
    brings: str
    behind: Mapping[str, str] = field(default_factory=dict)
    speed: bool = True  # False: it changes no true rate but by chance


@dataclass(frozen=True)
class Rates:
    """The samples per second of an epoch: ``claimed`` by the script, ``true`` by a clock of our own; and the ``limit``."""

    claimed: float
    true: float
    limit: float

    @property
    def share(self) -> float:
        """The true rate, in percent of the limit."""
        return 100 * self.true / self.limit


@dataclass(frozen=True)
class Step:
    """A repair that was made, what came of it, and the learner's ``bet`` on the true rate; None without one."""

    name: str
    rates: Rates
    bet: float | None = None

    @property
    def near(self) -> bool:
        """True if the bet was near."""
        return self.bet is not None and bool(self.bet) and _differs(self.bet, self.rates.true) == 0


@dataclass(frozen=True)
class Case:
    """A script with all of its repairs, in the order of the course, and the ``innocent`` lines that look guilty, with the reason."""

    source: str
    repairs: tuple[Repair, ...]
    innocent: Mapping[str, str]
    first: int = 1  # the number of the first line

    @property
    def lines(self) -> dict[int, str]:
        """The lines of the script by their numbers."""
        return dict(enumerate(self.source.splitlines(), self.first))

    def numbers(self, beginnings: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of the lines that begin so, blanks apart."""
        found = tuple(beginnings)
        return tuple(number for number, line in self.lines.items() if line.strip().startswith(found))

    def repair(self, name: str) -> Repair:
        """Return the repair of that name; raises :class:`LabError` where there is none."""
        for repair in self.repairs:
            if repair.name == name:
                return repair
        known = ", ".join(repair.name for repair in self.repairs)
        raise LabError(
            _("There is no repair {name!r}. The repairs are: {known}. Use one of these names.").format(
                name=name, known=known
            )
        )

    def seen(self, accused: Iterable[int]) -> list[str]:
        """Return the names of the repairs whose fault is among the accused lines."""
        lines = set(accused)
        return [repair.name for repair in self.repairs if lines & set(self.numbers(repair.guilty))]


class Inquiry:
    """A learner at work on a case; ``state`` is what a folder remembers of it, as plain JSON.

    What was seen by reading stays, whatever is accused later; lines that are accused after the first repair do not count.
    """

    def __init__(self, case: Case, state: Mapping[str, Any] | None = None) -> None:
        self.case = case
        self.accused: set[int] = set()
        self.seen: set[str] = set()
        self.found: Rates | None = None
        self.steps: list[Step] = []
        self._recall(state or {})

    def _recall(self, state: Mapping[str, Any]) -> None:
        """Take up what is remembered; what an older edition of the case left there is passed over."""
        names = {repair.name for repair in self.case.repairs}
        self.accused = {n for n in state.get("accused", ()) if n in self.case.lines}
        self.seen = names & set(state.get("seen", ()))
        try:
            self.found = Rates(**state["found"]) if state.get("found") else None
            steps = [Step(s["name"], Rates(**s["rates"]), s["bet"]) for s in state.get("steps", ())]
        except (KeyError, TypeError):
            self.found, steps = None, []
        self.steps = [step for step in steps if step.name in names]

    @property
    def state(self) -> dict[str, Any]:
        """The state to remember; empty where nothing was done."""
        if not (self.accused or self.seen or self.steps):
            return {}
        return {
            "accused": sorted(self.accused),
            "seen": sorted(self.seen),
            "found": asdict(self.found) if self.found else None,
            "steps": [asdict(step) for step in self.steps],
        }

    @property
    def made(self) -> list[str]:
        """The names of the repairs so far, in the order in which they were made."""
        return [step.name for step in self.steps]

    @property
    def left(self) -> list[str]:
        """The names of the repairs that are still open, in the order of the course."""
        return [repair.name for repair in self.case.repairs if repair.name not in self.made]

    @property
    def now(self) -> Rates | None:
        """The newest rates; None before the script has run."""
        return self.steps[-1].rates if self.steps else self.found

    def accuse(self, lines: Iterable[int]) -> None:
        """Accuse these lines and no others; raises :class:`LabError` where the script has no such line, or it is too late."""
        accused = set(lines)
        if unknown := accused - self.case.lines.keys():
            known = self.case.lines
            raise LabError(
                _("The script has no line {number}. It has lines {first} to {last}.").format(
                    number=min(unknown), first=min(known), last=max(known)
                )
            )
        if self.steps:
            raise LabError(_("The first repair is made: what you accused by reading stands."))
        self.accused = accused
        self.seen |= set(self.case.seen(accused))

    def check(self, name: str, bet: float | None = None) -> None:
        """Raise :class:`LabError` where this repair cannot be made, or the bet is no rate."""
        label = _(self.case.repair(name).label)
        if name in self.made:
            raise LabError(_("This repair is made already: {label}. Choose another one.").format(label=label))
        if bet is not None and not 0 < bet < math.inf:
            raise LabError(
                _("A bet is a rate above 0, in samples/s. Type a number, or leave the field empty.")
            )

    def note(self, name: str, rates: Rates, bet: float | None = None) -> Step:
        """Keep what came of a repair; raises :class:`LabError` where it cannot be made."""
        self.check(name, bet)
        self.steps.append(Step(name, rates, bet))
        return self.steps[-1]

    def why(self, at: int) -> str:
        """Return the sentence on what step number ``at`` brought, and where it brought no speed, what hides it."""
        step, repair = self.steps[at], self.case.repair(self.steps[at].name)
        before = self.steps[at - 1].rates if at else self.found
        if before is None or not repair.speed:
            return _(repair.brings)
        gain = _differs(step.rates.true, before.true)
        if gain and abs(step.rates.share - before.share) > 100 * TIES:
            words = _("Faster, {factor} times.") if gain > 0 else _("Slower: by a factor of {factor}.")
            factor = max(step.rates.true / before.true, before.true / step.rates.true)
            return words.format(factor=number(factor, 1)) + " " + _(repair.brings)
        open_then = [name for name in repair.behind if name not in self.made[:at]]
        hidden = [_(repair.behind[name]) for name in open_then[:1]]
        return " ".join([_("No gain that shows."), _(repair.brings), *hidden])


def _differs(one: float, other: float) -> int:
    """Return 1 where the first rate is higher by more than chance, -1 where it is lower, else 0."""
    if one > SHOWS * other:
        return 1
    return -1 if other > SHOWS * one else 0


def lines(text: str) -> list[int]:
    """Return the numbers in a list such as "12, 30-32"; raises :class:`LabError` where it is none."""
    found: list[int] = []
    for part in text.replace(";", ",").replace(" ", ",").split(","):
        if not part:
            continue
        first, dash, last = part.replace("–", "-").partition("-")
        try:
            found += range(int(first), int(last if dash else first) + 1)
        except ValueError:
            raise LabError(
                _("{text} is no list of lines. Type numbers, such as 12, 30-32.").format(text=part)
            ) from None
    return found


def named(names: Sequence[str], case: Case) -> str:
    """Return the labels of these repairs, in a row."""
    return ", ".join(_(case.repair(name).label) for name in names)
