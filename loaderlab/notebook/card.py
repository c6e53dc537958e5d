"""The cards that a notebook shows in answer: a note, or a verdict, with findings, points and hints."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from html import escape

from loaderlab.course.markup import framed, heading, html
from loaderlab.exercises.criterion import Drawn, Finding
from loaderlab.exercises.exercise import Verdict
from loaderlab.exercises.expect import FOLLOWS
from loaderlab.i18n.language import translate as _


class Note(str):
    """A text that a notebook shows as it is, without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


class Hint(Note):
    """A note in which `code` is shown as code."""

    def _repr_html_(self) -> str:
        return framed("#6c757d", html(self))


class Card:
    """A verdict as the learner sees it, as HTML and as plain text: the first cause open, the others folded.

    What follows from causes stands below them, in one fold. Where an answer can be drawn, its picture is folded in the
    finding, beside what was asked for.

    It says what was expected and what was found. What cures it stands in the ladder of `lab.hint`. ``warnings`` are
    sentences below it, and ``notice`` is one above it: on what it is that is judged.
    """

    def __init__(
        self, verdict: Verdict, exercise: str = "", warnings: Sequence[str] = (), notice: str = ""
    ) -> None:
        self.verdict, self.warnings, self.notice = verdict, warnings, notice
        failed = [finding for finding in verdict.findings if not finding.passed]
        self.opened = failed[0] if failed else None
        asks = exercise and any(finding.judged and finding.hint for finding in failed)
        self.advice = _('For a hint: `lab.hint("{name}")`').format(name=exercise) if asks else ""

    def __repr__(self) -> str:
        lines = [f"! {self.notice}"] if self.notice else []
        lines.append(self.verdict.message)
        for finding in self.verdict.findings:
            lines.append(_line(finding))
            if finding is self.opened:
                lines += [f"    {label} {text}" for label, text in _details(finding)]
        return "\n".join(
            [*lines, *filter(None, [self.advice]), *(f"! {warning}" for warning in self.warnings)]
        )

    def _repr_html_(self) -> str:
        result = self.verdict
        colour = (
            "#0b7285" if result.points == result.maximum else "#b35c00" if result.attempted else "#6c757d"
        )
        noticed = f'<p style="margin:0 0 0.4em">! {html(self.notice)}</p>' if self.notice else ""
        follows = [finding for finding in result.findings if _follows(finding)]
        found = "".join(self._item(finding) for finding in result.findings if finding not in follows)
        if follows:
            inside = "".join(map(self._item, follows))
            found += _fold(f"{_(FOLLOWS)} ({len(follows)})", inside)
        advice = f'<div style="margin-top:0.4em">{html(self.advice)}</div>' if self.advice else ""
        warned = "".join(f'<p style="margin:0.4em 0 0">! {html(warning)}</p>' for warning in self.warnings)
        return framed(colour, f"{noticed}{heading(result.message)}{found}{advice}{warned}")

    def _item(self, finding: Finding) -> str:
        line = html(_line(finding))
        if finding.passed:
            return f'<div style="margin:0.3em 0 0.3em 1em">{line}</div>'
        details = "".join(f"<i>{escape(label)}</i> {html(text)}<br>" for label, text in _details(finding))
        return _fold(
            f"<b>{line}</b>", details + _pictures(finding), " open" if finding is self.opened else ""
        )


class Score(Card):
    """A card for nbgrader, which reads the points of a cell from the text of its result."""

    def __repr__(self) -> str:
        return str(self.verdict.points)


def _line(finding: Finding) -> str:
    mark = "✓" if finding.passed else "✗" if finding.judged else "–"
    return f"{mark} {finding.criterion} ({finding.points})"


def _fold(summary: str, inside: str, state: str = "") -> str:
    return (
        f'<details{state} style="margin:0.3em 0"><summary>{summary}</summary>'
        f'<div style="margin-left:1.3em">{inside}</div></details>'
    )


def _pictures(finding: Finding) -> str:
    """Return a fold with both pictures of a finding; "" where it has none, or only follows from another."""
    pictures = finding.draw() if finding.draw and not _follows(finding) else None
    if pictures is None:
        return ""
    both = ((_("Expected:"), pictures.expected), (_("Found:"), pictures.got))
    return _fold(html(_("As a picture")), "".join(_figure(label, picture) for label, picture in both))


def _figure(label: str, picture: Drawn) -> str:
    # As an image: the sanitizer of a notebook that is not trusted leaves no SVG.
    source = base64.b64encode(picture.svg.encode()).decode()
    image = (
        f'<img alt="{escape(picture.text)}" src="data:image/svg+xml;base64,{source}" style="max-width:100%">'
    )
    return f'<div style="margin:0.3em 0"><i>{escape(label)}</i><br>{image}</div>'


def _follows(finding: Finding) -> bool:
    return not finding.passed and finding.hint == _(FOLLOWS)


def _details(finding: Finding) -> list[tuple[str, str]]:
    rows = [(_("Expected:"), finding.expected), (_("Found:"), finding.got)]
    if not finding.judged or _follows(finding):  # no cure, but what there is to know
        rows.append((_("Note:"), finding.hint))
    return [(label, text) for label, text in rows if text]
