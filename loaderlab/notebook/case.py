"""`lab.case`: the script whose lines are accused, the desk at which its repairs are chosen, and the card that closes the case."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from typing import Any

from loaderlab.course.case import Inquiry, Rates
from loaderlab.course.case_card import Board, Closing, DeskCard, ScriptCard
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.others import Others
from loaderlab.notebook import front, session
from loaderlab.notebook.widget import carry, view

# Repairs -> one epoch after another: what is claimed, the true rate, the limit of the step and that of the cores, in samples/s.
Run = Callable[[Sequence[str]], Generator[tuple[float, float, float, float], None, None]]
LEAST, MOST = 3, 7  # epochs that are measured of a state of the script
SECONDS = 3.0  # no more than the least number of epochs after this time


def case() -> CaseFile:
    """Return the case of the current lesson, as far as you are with it; raises :class:`LabError` where it has none."""
    now = session.current()
    found = now.lesson.case()
    if found is None:
        raise LabError(_("This lesson has no case."))
    return CaseFile(Inquiry(found, now.case))


class CaseFile:
    """A case in a notebook: as the value of a cell the script, on which lines are accused; then its desk and its closing card."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry
        self.run: Run | None = None

    def accuse(self, *lines: int) -> CaseFile:
        """Accuse these lines and no others, as with the mouse; raises :class:`LabError` where that cannot be."""
        self._script().accuse(*lines)
        return self

    def desk(self, run: Run) -> Desk:
        """Return the desk at which the next repair is chosen. ``run`` runs the script with the repairs that it is given."""
        self.run = run
        if self.inquiry.found is None:
            self.inquiry.found = measure(run)
        return Desk(self)

    def repair(self, name: str, bet: float | None = None) -> Board:
        """Make a repair, run the script, and return the board; ``bet`` is your guess of the true rate, in samples/s.

        Raises :class:`LabError` where there is no such repair, or it is made already.
        """
        if self.run is None:
            raise LabError(_("Nothing runs the script yet. Run the cell with `desk` first."))
        self.inquiry.check(name, bet)
        self.inquiry.note(name, measure(self.run, *self.inquiry.made, name), bet)
        self._keep()
        return Board(self.inquiry)

    def rest(self) -> Closing:
        """Make the repairs that are still open, in the order of the course, and return the card that closes the case."""
        for name in self.inquiry.left:
            self.repair(name)
        return Closing(self.inquiry)

    def again(self) -> CaseFile:
        """Take all repairs back, to try another order; what you found by reading stays."""
        self.inquiry.steps.clear()
        self._keep()
        return self

    @property
    def board(self) -> Board:
        """The board as it stands."""
        return Board(self.inquiry)

    def measure(self, run: Run, *repairs: str) -> Rates:
        """Return the rates of the script with these repairs, without making them; without any, the desk begins with these rates."""
        rates = measure(run, *repairs)
        if not repairs and not self.inquiry.steps:
            self.inquiry.found = rates
        return rates

    def _script(self) -> ScriptCard:
        return ScriptCard(self.inquiry, self._keep)

    def _keep(self) -> None:
        now = session.current()
        now.case = self.inquiry.state
        now.remember()

    def __repr__(self) -> str:
        return repr(self._script())

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return _shown(self._script())


def measure(run: Run, *repairs: str) -> Rates:
    """Return the rates of some epochs with these repairs, and what other programs left of the cores meanwhile."""
    others, started, epochs = Others(), time.perf_counter(), []
    # Closed last: what its workers take counts as its own only while they live, or once they have been waited for.
    with closing(run(repairs)) as running:
        for epoch in running:
            epochs.append(epoch)
            if len(epochs) == MOST or (len(epochs) >= LEAST and time.perf_counter() > started + SECONDS):
                break
        return Rates.of(epochs, others.free())


class Desk:
    """The desk as the value of a cell: choices and a bet in a live notebook, the board in one that is only read."""

    def __init__(self, file: CaseFile) -> None:
        self.card = partial(DeskCard, file.inquiry, file.repair)

    def __repr__(self) -> str:
        return repr(self.card())

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        return _shown(self.card())


def _shown(card: ScriptCard | DeskCard) -> dict[str, Any]:
    return {**view(carry(card, front.CASE)), "text/html": card.html, "text/plain": repr(card)}
