"""`lab.case`: the script whose lines are accused, the desk at which its repairs are chosen, and the card that closes the case."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from loaderlab.course import case_picture
from loaderlab.course.case import Inquiry, Rates
from loaderlab.course.case_card import Board, Closing, DeskCard, ScriptCard
from loaderlab.drawing import Picture, png_metadata
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write, machine
from loaderlab.notebook import front, session
from loaderlab.notebook.card import Note
from loaderlab.notebook.widget import carry, view

Run = Callable[
    [Sequence[str]], tuple[float, float, float]
]  # repairs -> claimed, true and limit, in samples/s

MARK = png_metadata.KEYWORD.encode()  # in each card that was saved


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
            self.inquiry.found = Rates(*run([]))
        return Desk(self)

    def repair(self, name: str, bet: float | None = None) -> Board:
        """Make a repair, run the script, and return the board; ``bet`` is your guess of the true rate, in samples/s.

        Raises :class:`LabError` where there is no such repair, or it is made already.
        """
        if self.run is None:
            raise LabError(_("Nothing runs the script yet. Run the cell with `desk` first."))
        self.inquiry.check(name, bet)
        self.inquiry.note(name, Rates(*self.run([*self.inquiry.made, name])), bet)
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

    @property
    def card(self) -> CaseCard:
        """The closing card as a picture, with all repairs so far; its ``save()`` writes it beside the notebook."""
        today = datetime.date.today().isoformat()
        drawn = case_picture.picture(
            self.inquiry, f"{machine.described(machine.device_name('cpu'))}, {today}"
        )
        return CaseCard(drawn.drawing, drawn.text)

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


@dataclass(frozen=True)
class CaseCard(Picture):
    """The closing card of a case as a picture that can be kept."""

    def save(self, file: str | Path = "my_case.png") -> Note:
        """Write the card into ``file``, a PNG or an SVG by its name, and return where it lies. A card that is there is replaced.

        Raises :class:`LabError` where the name ends otherwise, something else lies there, or it cannot be written.
        """
        path = Path(file).absolute()
        if path.suffix.lower() not in (".png", ".svg"):
            raise LabError(
                _(
                    "{file} is no name for a picture. Expected: one that ends in .png or .svg, such as `my_case.png`. Choose one."
                ).format(file=path.name)
            )
        if path.exists() and not _is_card(path):
            raise LabError(
                _(
                    "{file} is there already, and it is no card of a case: nothing was written. Choose another name."
                ).format(file=path)
            )
        if path.suffix.lower() == ".png":
            content = png_metadata.pack(self.png, {"schema": png_metadata.SCHEMA, "case": self.text})
        else:
            content = self.svg.replace("<title>", f"<!--{MARK.decode()}--><title>", 1).encode()
        atomic_write.write(path, content, 0o644)
        return Note(_("Saved: {file}").format(file=path))


def _is_card(path: Path) -> bool:
    try:
        return MARK in path.read_bytes()
    except OSError:  # a folder, or nothing that one may read
        return False


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
