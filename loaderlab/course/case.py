"""A case: a script with line numbers, the repairs of its faults, lines that only look guilty; and how far a learner has come with it.

`accused` are the lines that the learner suspects, `suspects` all that were accused at any time, `steps` the repairs so far, in the
learner's own order. Nothing here runs the script: who carries the case says what came of each repair.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

SHOWS = 1.1  # from this factor of two medians on, a difference shows, if their ranges lie apart as well
NEAR = 1.15  # a bet is near that is off the range by no more than this factor
REACHED = 75  # percent of the limit: no short epoch comes much nearer, since it waits for its first batch
QUIET = 0.8  # of the cores were to be had: what is measured with less is not judged


@dataclass(frozen=True)
class Repair:
    """A repair of one fault: ``guilty`` has what the lines of the fault begin with, ``brings`` what it changes by the counts.

    The reasons why it then gains nothing are in ``behind``, by the name of another repair that is still open, and in ``after``,
    by that of one that is made; ``slower`` is like ``behind``, and says why it then costs speed. All texts are marked.
    """

    name: str
    label: str
    guilty: tuple[str, ...]
    brings: str
    behind: Mapping[str, str] = field(default_factory=dict)
    after: Mapping[str, str] = field(default_factory=dict)
    slower: Mapping[str, str] = field(default_factory=dict)
    speed: bool = True  # False: it makes the script right, and no bet is made on its rate

    def reasons(self, gain: int, made: Sequence[str]) -> list[str]:
        """Return why it gained nothing (``gain`` is 0) or cost speed (-1) after these repairs; the first reason counts."""
        if gain < 0:
            return [text for name, text in self.slower.items() if name not in made]
        found = [text for name, text in self.behind.items() if name not in made]
        return found + [text for name, text in self.after.items() if name in made]


@dataclass(frozen=True)
class Rates:
    """The samples per second of some epochs, medians: ``claimed`` by the script, ``true`` by a clock of our own, from ``low`` to ``high``.

    ``limit`` is the rate of the steps alone, ``cores`` that of a loader that only makes the samples, on all cores. ``free`` is the share
    of the cores that other programs left.
    """

    claimed: float
    true: float
    limit: float
    cores: float
    low: float
    high: float
    free: float

    @classmethod
    def of(cls, epochs: Iterable[tuple[float, float, float, float]], free: float) -> Rates:
        """Summarise epochs, each with what is claimed, the true rate, the limit and that of the cores; at least one."""
        claimed, true, limit, cores = zip(*epochs, strict=True)
        return cls(median(claimed), median(true), median(limit), median(cores), min(true), max(true), free)

    @property
    def share(self) -> float:
        """The true rate, in percent of the limit."""
        return 100 * self.true / self.limit

    @property
    def quiet(self) -> bool:
        """True if other programs left enough of the cores to judge the rates."""
        return self.free >= QUIET

    def gain(self, before: Rates) -> int:
        """Return 1 where these are higher, -1 where they are lower, and 0 where no difference shows."""
        if self.low > before.high and self.true > SHOWS * before.true:
            return 1
        return -1 if self.high < before.low and before.true > SHOWS * self.true else 0


@dataclass(frozen=True)
class Step:
    """A repair that was made, what came of it, and the learner's ``bet`` on the true rate; None without one."""

    name: str
    rates: Rates
    bet: float | None = None

    @property
    def near(self) -> bool:
        """True if the bet was near."""
        return self.bet is not None and self.rates.low / NEAR <= self.bet <= NEAR * self.rates.high


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

    @property
    def guilty(self) -> set[int]:
        """The numbers of the lines that belong to a fault, with the headers of the functions that these stand in."""
        guilty = {n for repair in self.repairs for n in self.numbers(repair.guilty)}
        return guilty.union(*(header for header, body in self._functions() if guilty & body))

    def _functions(self) -> Iterator[tuple[set[int], set[int]]]:
        """Yield the numbers of the lines of each function: those of its header, with its decorators, and those of its body."""
        for node in ast.walk(ast.parse(self.source)):
            if isinstance(node, ast.FunctionDef) and node.end_lineno:
                start = min([node.lineno, *(part.lineno for part in node.decorator_list)]) + self.first - 1
                body = node.body[0].lineno + self.first - 1
                yield set(range(start, body)), set(range(body, node.end_lineno + self.first))

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
        """Return the names of the repairs whose fault is among the accused lines.

        The header of a function with one fault, and no innocent line, is a line of this fault.
        """
        lines, innocent = set(accused), set(self.numbers(self.innocent))
        faults = {repair.name: set(self.numbers(repair.guilty)) for repair in self.repairs}
        for header, body in self._functions():
            inside = [fault for fault in faults.values() if fault & (header | body)]
            if len(inside) == 1 and not innocent & body:
                inside[0] |= header
        return [name for name, fault in faults.items() if lines & fault]


class Inquiry:
    """A learner at work on a case; ``state`` is what a folder remembers of it, as plain JSON.

    Whatever was accused counts, also where the learner takes it back; lines that are accused after the first repair do not.
    """

    def __init__(self, case: Case, state: Mapping[str, Any] | None = None) -> None:
        self.case = case
        self.accused: set[int] = set()
        self.suspects: set[int] = set()
        self.found: Rates | None = None
        self.steps: list[Step] = []
        self._recall(state or {})

    def _recall(self, state: Mapping[str, Any]) -> None:
        """Take up what is remembered; what an older edition of the case left there is passed over."""
        names = {repair.name for repair in self.case.repairs}
        self.accused = {n for n in state.get("accused", ()) if n in self.case.lines}
        self.suspects = self.accused | {n for n in state.get("suspects", ()) if n in self.case.lines}
        try:
            self.found = Rates(**state["found"]) if state.get("found") else None
            steps = [Step(s["name"], Rates(**s["rates"]), s["bet"]) for s in state.get("steps", ())]
        except (KeyError, TypeError):
            self.found, steps = None, []
        self.steps = [step for step in steps if step.name in names]

    @property
    def state(self) -> dict[str, Any]:
        """The state to remember; empty where nothing was done."""
        if not (self.suspects or self.steps):
            return {}
        return {
            "accused": sorted(self.accused),
            "suspects": sorted(self.suspects),
            "found": asdict(self.found) if self.found else None,
            "steps": [asdict(step) for step in self.steps],
        }

    @property
    def seen(self) -> list[str]:
        """The names of the repairs whose fault was among the suspects, in the order of the course."""
        return self.case.seen(self.suspects)

    @property
    def wronged(self) -> int:
        """The number of innocent lines among the suspects."""
        return len(self.suspects - self.case.guilty)

    @property
    def made(self) -> list[str]:
        """The names of the repairs so far, in the order in which they were made."""
        return [step.name for step in self.steps]

    @property
    def left(self) -> list[str]:
        """The names of the repairs that are still open, in the order of the course."""
        return [repair.name for repair in self.case.repairs if repair.name not in self.made]

    def accuse(self, lines: Iterable[int]) -> None:
        """Accuse these lines and no others, empty ones apart; raises :class:`LabError` where there is no such line, or it is too late."""
        accused = set(lines)
        if unknown := accused - self.case.lines.keys():
            known = self.case.lines
            raise LabError(
                _("The script has no line {number}. It has lines {first} to {last}.").format(
                    number=min(unknown), first=min(known), last=max(known)
                )
            )
        if self.steps:
            raise LabError(_("The first repair is made, so the lines that you accused can no longer change."))
        self.accused = {n for n in accused if self.case.lines[n].strip()}
        self.suspects |= self.accused

    def check(self, name: str, bet: float | None = None) -> None:
        """Raise :class:`LabError` where this repair cannot be made, or the bet is no rate, or one on a repair that is not for speed."""
        repair = self.case.repair(name)
        label = _(repair.label)
        if name in self.made:
            raise LabError(_("This repair is made already: {label}. Choose another one.").format(label=label))
        if bet is not None and not repair.speed:
            raise LabError(
                _("This repair makes the script right, not faster: {label}. Make it without a bet.").format(
                    label=label
                )
            )
        if bet is not None and not 0 < bet < math.inf:
            raise LabError(
                _("A bet is a rate above 0, in samples/s. Type a number, or leave the field empty.")
            )

    def note(self, name: str, rates: Rates, bet: float | None = None) -> Step:
        """Keep what came of a repair; raises :class:`LabError` where it cannot be made."""
        self.check(name, bet)
        self.steps.append(Step(name, rates, bet))
        return self.steps[-1]

    def judged(self, at: int) -> bool:
        """Return whether what step number ``at`` brought can be judged: other programs left the cores, before and after it."""
        before = self._before(at)
        return before is not None and before.quiet and self.steps[at].rates.quiet

    def why(self, at: int) -> str:
        """Return the sentence on what step number ``at`` brought, and where it brought no speed, what hides it."""
        step, before = self.steps[at], self._before(at)
        repair = self.case.repair(step.name)
        brings = _(repair.brings)
        if before is None:
            return brings
        if not self.judged(at):
            taken = number(100 * (1 - min(before.free, step.rates.free)))
            words = _("Not judged: other programs took {percent}% of the cores.")
            return f"{brings} {words.format(percent=taken)}"
        gain = step.rates.gain(before)
        if not gain:
            verdict = _("No change can be seen.")
        else:
            words = (
                _("The script became faster by a factor of {factor}.")
                if gain > 0
                else _("The script became slower by a factor of {factor}.")
            )
            factor = max(step.rates.true / before.true, before.true / step.rates.true)
            verdict = words.format(factor=number(factor, 1))
        if repair.speed:
            if not gain and before.share >= REACHED:
                words = _(
                    "The script was already at {percent}% of the limit, and each epoch waits for its first batch: little was left to gain."
                )
                reasons = [words.format(percent=number(before.share))]
            else:
                reasons = [_(text) for text in repair.reasons(gain, self.made[:at])[:1]] if gain <= 0 else []
        else:
            reasons = [_("This repair saves no work, so something else made the difference.")] if gain else []
        return " ".join([verdict, brings, *reasons])

    def _before(self, at: int) -> Rates | None:
        return self.steps[at - 1].rates if at else self.found


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
