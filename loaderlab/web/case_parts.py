"""The parts of a case on a page: script, desk and closing card. Nothing runs there: each state has the rates that were measured of it.

A browser remembers the lines and the repairs, and no rates: those of a page are of another machine than a learner's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from loaderlab.course.case import Case, Inquiry, Rates
from loaderlab.course.case_card import Closing, DeskCard, ScriptCard
from loaderlab.course.case_picture import picture
from loaderlab.course.case_states import States
from loaderlab.course.markup import html, plain
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

Traits = dict[str, Any]


def taken_up(case: Case, rates: Mapping[str, Any], kept: Mapping[str, Any]) -> tuple[Inquiry, States]:
    """Return the inquiry that was ``kept`` by a browser or a working copy, with the rates of the states by their names."""
    states = States(case, {name: Rates(*each) for name, each in rates.items()})
    inquiry = Inquiry(case, {name: kept[name] for name in ("accused", "seen") if name in kept})
    inquiry.found = states.of([])
    for step in kept.get("steps", ()):
        with suppress(LabError, KeyError, TypeError):  # of another edition of the case
            inquiry.note(step["name"], states.of([*inquiry.made, step["name"]]), step.get("bet"))
    return inquiry, states


def to_keep(inquiry: Inquiry) -> Traits:
    """Return what a browser remembers of an inquiry."""
    return {
        "accused": sorted(inquiry.accused),
        "seen": sorted(inquiry.seen),
        "steps": [{"name": step.name, "bet": step.bet} for step in inquiry.steps],
    }


def words(traits: Traits) -> Traits:
    """Return the traits of a card, with words that promise no run."""
    other = {
        "repair": _("Repair, and see what was measured"),
        "runs": _("Python is being loaded: some seconds, the first time."),
    }
    return {**traits, "words": {**traits["words"], **other}}


class StoredScript(ScriptCard):
    """The script on which lines are accused."""

    @property
    def state(self) -> Traits:
        """The traits, as JSON has them."""
        return words(super().state)

    def receive(self, message: Traits) -> Traits:
        """Accuse lines, and return the traits that changed, with what is to be remembered as ``case``."""
        traits = super().receive(message)
        return traits if traits["error"] else {**traits, "case": to_keep(self.inquiry)}


class StoredDesk(DeskCard):
    """The desk at which the next repair is chosen; what comes of it was measured before."""

    def __init__(self, inquiry: Inquiry, states: States, stamp: str) -> None:
        super().__init__(inquiry, self._made)
        self.states, self.stamp = states, stamp

    @property
    def state(self) -> Traits:
        """The traits, as JSON has them; the board says where its rates come from."""
        traits = words(super().state)
        return {**traits, "board": f'{traits["board"]}<p class="lab-stamp">{html(self.stamp)}</p>'}

    def receive(self, message: Traits) -> Traits:
        """Make a repair, or take all back, and return the traits that changed, with what is to be remembered as ``case``."""
        if message.get("event") == "again":
            self.inquiry.steps.clear()
            self.said, self.error = "", False
            state = self.state
            traits = {name: state[name] for name in ("repairs", "board", "said", "error")}
        else:
            traits = super().receive(message)
        return traits if traits["error"] else {**traits, "case": to_keep(self.inquiry)}

    def _made(self, name: str, bet: float | None) -> None:
        self.inquiry.check(name, bet)
        self.inquiry.note(name, self.states.of([*self.inquiry.made, name]), bet)


class StoredClosing:
    """The card that closes a case, and its picture; empty while repairs are open."""

    def __init__(self, inquiry: Inquiry, states: States, stamp: str) -> None:
        self.inquiry, self.states, self.stamp = inquiry, states, stamp
        self.said, self.error = "", False

    @property
    def state(self) -> Traits:
        """The traits, as JSON has them."""
        closed = not self.inquiry.left
        stamp = f'<p class="lab-stamp">{html(self.stamp)}</p>'
        return {
            "board": Closing(self.inquiry)._repr_html_() + stamp if closed else "",
            "picture": picture(self.inquiry, plain(self.stamp)).svg if closed else "",
            "said": self.said,
            "error": self.error,
            "words": {},
        }

    def receive(self, _message: Traits) -> Traits:
        """Make the repairs that are open, in the order of the course, and return all traits, with what is to be remembered as ``case``."""
        try:
            for name in self.inquiry.left:
                self.inquiry.note(name, self.states.of([*self.inquiry.made, name]))
            self.said, self.error = "", False
        except LabError as error:
            self.said, self.error = html(f"⚠ {error}"), True
        return {**self.state, "case": to_keep(self.inquiry)}


Part = StoredScript | StoredDesk | StoredClosing


def made(case: Case, about: Mapping[str, Any]) -> Part:
    """Return a part of a case: its ``card`` is "script", "desk" or "closing", ``case`` what is remembered."""
    inquiry, states = taken_up(case, about["rates"], about.get("case", {}))
    if about["card"] == "script":
        return StoredScript(inquiry)
    kind = StoredDesk if about["card"] == "desk" else StoredClosing
    return kind(inquiry, states, about["stamp"])
