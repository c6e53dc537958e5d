"""The cards of a case: the script on which lines are accused, the desk at which repairs are chosen, the board, and the closing card.

The first two have `state`, the traits that `notebook/front/case.js` reads, and `receive`, which takes the messages that it sends. All
of them have an HTML that stands without a front end, and a plain text.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Callable, Iterator
from html import escape
from typing import Any

from loaderlab.course.case import Inquiry, Rates, lines, named
from loaderlab.course.markup import framed, heading, html
from loaderlab.course.numerals import digits, read
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

ORANGE, GREEN, BLUE = "#e69f00", "#009e73", "#0b7285"
# The colours of the notebook's own editor, else such as can be read on white and on black.
_COLOURS = {
    "keyword": "var(--jp-mirror-editor-keyword-color,#6f7fd6)",
    "string": "var(--jp-mirror-editor-string-color,#b5603c)",
    "number": "var(--jp-mirror-editor-number-color,#3c8f4d)",
    "comment": "var(--jp-mirror-editor-comment-color,#7a8288)",
}


def coloured(source: str) -> list[str]:
    """Return the lines of a Python source as HTML, its words in colours: the same in every version of Python."""
    rows = source.splitlines()
    marks: dict[int, list[tuple[int, int, str]]] = {}
    for kind, (begun, start), (ended, end) in _words(source):
        if begun == ended:
            marks.setdefault(begun, []).append((start, end, kind))
    found = []
    for at, row in enumerate(rows, 1):
        parts, done = [], 0
        for start, end, kind in marks.get(at, ()):
            parts += [
                escape(row[done:start]),
                f'<span style="color:{_COLOURS[kind]}">{escape(row[start:end])}</span>',
            ]
            done = end
        found.append("".join([*parts, escape(row[done:])]))
    return found


def _words(source: str) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    """Yield kind, start and end of each word that has a colour. From 3.12 on, Python takes an f-string apart: here it is whole."""
    kinds = {tokenize.STRING: "string", tokenize.NUMBER: "number", tokenize.COMMENT: "comment"}
    begun: list[tuple[int, int]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        name = tokenize.tok_name[token.type]
        if name.endswith("STRING_START"):
            begun.append(token.start)
        elif name.endswith("STRING_END"):
            start = begun.pop()
            if not begun:
                yield "string", start, token.end
        elif not begun and token.type in kinds:
            yield kinds[token.type], token.start, token.end
        elif not begun and token.type == tokenize.NAME and keyword.iskeyword(token.string):
            yield "keyword", token.start, token.end


class ScriptCard:
    """The script with line numbers, on which a learner accuses lines. ``kept`` is called with every change to remember."""

    def __init__(self, inquiry: Inquiry, kept: Callable[[], None] = lambda: None) -> None:
        self.inquiry, self.kept = inquiry, kept
        self.said, self.error = self._stands() if inquiry.accused else "", False

    @property
    def state(self) -> dict[str, Any]:
        """The traits, as JSON has them."""
        case = self.inquiry.case
        lines = [
            {"number": at, "html": shown, "text": case.lines[at].strip()}
            for at, shown in zip(case.lines, coloured(case.source), strict=True)
        ]
        accused = sorted(self.inquiry.accused)
        label = _("Which lines do you accuse?")
        return _traits(self, "script", label, lines=lines, accused=accused, repairs=[], board="")

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Do what a front end asks for, and return the traits that it can have changed."""
        try:
            if "text" in message:
                self.accuse(*lines(message["text"]))
            else:
                self.accuse(*message["lines"])
        except LabError as error:
            self.said, self.error = html(f"⚠ {error}"), True
        return {"accused": sorted(self.inquiry.accused), "said": self.said, "error": self.error}

    def accuse(self, *accused: int) -> None:
        """Accuse these lines and no others; raises :class:`LabError` where that cannot be."""
        self.inquiry.accuse(accused)
        self.kept()
        self.said, self.error = self._stands(), False

    def _stands(self) -> str:
        accused = ", ".join(map(str, sorted(self.inquiry.accused)))
        return html(_("✓ Accused: {lines}. The evidence decides: go on.").format(lines=accused or "–"))

    @property
    def html(self) -> str:
        """The script as it can only be read, with the accused lines marked."""
        case, accused = self.inquiry.case, self.inquiry.accused
        shown = [
            f'<span style="opacity:0.6">{"▶" if at in accused else " "}{at:4d}</span>  {line}'
            for at, line in zip(case.lines, coloured(case.source), strict=True)
        ]
        return framed(
            ORANGE, '<pre style="line-height:1.35;margin:0;overflow-x:auto">' + "\n".join(shown) + "</pre>"
        )

    def __repr__(self) -> str:
        accused = self.inquiry.accused
        return "\n".join(
            f"{'>' if at in accused else ' '}{at:4d}  {line}".rstrip()
            for at, line in self.inquiry.case.lines.items()
        )


class Board:
    """The board of a case: after each repair what the script claims, what is true, and the limit; with the reason of each step."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry

    def rows(self) -> list[tuple[str, Rates, str]]:
        """Return of each state its name, its rates and the sentence on it."""
        rows = [] if self.inquiry.found is None else [(_("as found"), self.inquiry.found, "")]
        for at, step in enumerate(self.inquiry.steps):
            label = f"{at + 1}. {_(self.inquiry.case.repair(step.name).label)}"
            said = [self.inquiry.why(at)]
            if step.bet is not None:
                mark = "–" if not self.inquiry.judged(at) else "≈" if step.near else "✗"
                said.insert(0, _("{mark} Your bet: {bet} samples/s.").format(mark=mark, bet=digits(step.bet)))
            rows.append((label, step.rates, " ".join(said)))
        return rows

    @property
    def html(self) -> str:
        """The board, with a bar for each state that is as long as its share of the limit."""
        cells = []
        for label, rates, said in self.rows():
            bar = (
                f'<div style="border:1px solid rgba(128,128,128,.5);height:14px"><div style="background:{GREEN};height:14px;'
                f'width:{min(100, rates.share):.1f}%"></div></div>'
            )
            cells.append(
                f"<div>{html(label)}</div><div>{bar}</div><div>{html(percent(rates))}</div>"
                f'<div style="grid-column:1/-1;margin:0 0 0.4em 1em;font-size:0.92em">{html(said_of(rates))} {html(said)}</div>'
            )
        grid = "display:grid;grid-template-columns:minmax(9em,max-content) minmax(80px,1fr) 4em;gap:2px 10px;align-items:center"
        return f'<div style="{grid}">{"".join(cells)}</div>'

    def _repr_html_(self) -> str:
        return framed(GREEN, heading(_("The board: share of the limit")) + self.html)

    def __repr__(self) -> str:
        return "\n".join(
            f"{percent(rates):>6}  {label}. {said_of(rates)} {said}".rstrip()
            for label, rates, said in self.rows()
        )


class DeskCard:
    """The desk at which the next repair is chosen, bet on and made. ``repair`` makes it: it gets the name and the bet."""

    def __init__(self, inquiry: Inquiry, repair: Callable[[str, float | None], object]) -> None:
        self.inquiry, self.repair = inquiry, repair
        self.said, self.error = "", False

    @property
    def state(self) -> dict[str, Any]:
        """The traits, as JSON has them."""
        left = map(self.inquiry.case.repair, self.inquiry.left)
        repairs = [{"name": r.name, "label": html(_(r.label)), "bet": r.speed} for r in left]
        board, label = Board(self.inquiry).html, _("Which fault do you repair next?")
        return _traits(self, "desk", label, lines=[], accused=[], repairs=repairs, board=board)

    def receive(self, message: dict[str, Any]) -> dict[str, Any]:
        """Make the repair that a front end asks for, and return the traits that it can have changed."""
        try:
            text = message.get("bet", "").strip()
            self.repair(message["name"], read(text, "samples/s") if text else None)
            self.said, self.error = html(self.inquiry.why(-1 % len(self.inquiry.steps))), False
        except LabError as error:
            self.said, self.error = html(f"⚠ {error}"), True
        state = self.state
        return {name: state[name] for name in ("repairs", "board", "said", "error")}

    @property
    def html(self) -> str:
        """The board, as it can only be read."""
        return Board(self.inquiry)._repr_html_()

    def __repr__(self) -> str:
        return repr(Board(self.inquiry))


class Closing:
    """The card at the end of a case: from how much to how much, in how many repairs, and what was found by reading."""

    def __init__(self, inquiry: Inquiry) -> None:
        self.inquiry = inquiry

    def _summary(self) -> list[str]:
        """Return how far, the bets that were near, and what was found by reading."""
        inquiry, case = self.inquiry, self.inquiry.case
        said = []
        if inquiry.found and inquiry.steps:
            last = inquiry.steps[-1].rates
            words = (
                _("The script went from {first}% to {last}% of the limit. Repairs: {count} of {all}.")
                if inquiry.found.quiet and last.quiet
                else _(
                    "Repairs: {count} of {all}. Other programs took the cores, so the rates are not judged."
                )
            )
            share = {"first": number(inquiry.found.share), "last": number(last.share)}
            said.append(words.format(**share, count=len(inquiry.steps), all=len(case.repairs)))
        bets = [at for at, step in enumerate(inquiry.steps) if step.bet is not None]
        if judged := [at for at in bets if inquiry.judged(at)]:
            near = sum(inquiry.steps[at].near for at in judged)
            said.append(_("Bets that were near: {near} of {all}.").format(near=near, all=len(judged)))
        if spared := len(bets) - len(judged):
            words = _("Bets that were not judged, since other programs took the cores: {count}.")
            said.append(words.format(count=spared))
        if not inquiry.suspects:
            return [*said, _("No line was accused.")]
        seen = inquiry.seen
        missed = [repair.name for repair in case.repairs if repair.name not in seen]
        words = _("Found by reading: {count} of {all} ({names}); innocent lines accused: {innocent}.")
        found = {"count": len(seen), "all": len(case.repairs), "names": named(seen, case) or "–"}
        said.append(words.format(**found, innocent=inquiry.wronged))
        if missed:
            said.append(_("Faults that only the evidence showed: {names}.").format(names=named(missed, case)))
        return said

    @property
    def sentences(self) -> list[str]:
        """The card in words: its summary, and which accused lines are innocent."""
        inquiry, case = self.inquiry, self.inquiry.case
        said = self._summary()
        for beginning, why in case.innocent.items():
            for at in sorted(inquiry.accused & set(case.numbers([beginning]))):
                said.append(_("Line {number} is innocent: {why}").format(number=at, why=_(why)))
        known = case.guilty | set(case.numbers(case.innocent))
        if others := sorted(inquiry.accused - known):
            said.append(
                _("Other innocent lines that you accused: {lines}.").format(lines=", ".join(map(str, others)))
            )
        return said

    def _guilty(self) -> Iterator[str]:
        case = self.inquiry.case
        for repair in case.repairs:
            lines = ", ".join(map(str, case.numbers(repair.guilty)))
            yield _("{what}: {value}").format(what=_(repair.label), value=lines)

    def _repr_html_(self) -> str:
        board = Board(self.inquiry).html
        told = "".join(f'<div style="margin:0.2em 0">{html(said)}</div>' for said in self.sentences)
        guilty = "".join(f"<li>{html(said)}</li>" for said in self._guilty())
        summary = escape(_("The guilty lines"))
        lines = f'<details style="margin-top:0.4em"><summary>{summary}</summary><ul>{guilty}</ul></details>'
        return framed(BLUE, heading(_("The case is closed")) + told + board + lines)

    def __repr__(self) -> str:
        return "\n".join([*self.sentences, repr(Board(self.inquiry))])


def _traits(card: ScriptCard | DeskCard, kind: str, label: str, **own: Any) -> dict[str, Any]:
    """Return the traits of a card: its ``own``, and those that both have."""
    return {"kind": kind, "label": label, "said": card.said, "error": card.error, "words": words(), **own}


def percent(rates: Rates) -> str:
    """Return the share of the limit as the language sets it."""
    return _("{value}%").format(value=number(rates.share))


def said_of(rates: Rates) -> str:
    """Return the rates of a state, in words."""
    words = _(
        "True rate: {true} ({low} to {high}) samples/s; limits: step {limit}, cores {cores}; claimed rate: {claimed}."
    )
    return words.format(
        true=number(rates.true),
        low=number(rates.low),
        high=number(rates.high),
        limit=number(rates.limit),
        cores=number(rates.cores),
        claimed=number(rates.claimed),
    )


def words() -> dict[str, str]:
    """Return what the front end says itself, in the learner's language."""
    return {
        "accuse": _("I accuse these lines"),
        "list": _("Lines, such as 12, 30-32"),
        "line": _("Line"),
        "bet": _("Your bet: samples/s after the repair"),
        "right": _("No bet: this repair makes the script right, not faster."),
        "repair": _("Repair and run"),
        "runs": _("The script runs; this takes some seconds."),
        "done": _("All repairs are made. Go on to the closing card."),
        "gone": _("The kernel was restarted. Run this cell again to go on."),
    }
