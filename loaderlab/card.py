"""What a notebook shows in answer: a note, or the card of a verdict."""

from __future__ import annotations

import re
from html import escape

from loaderlab.exercise import Finding, Verdict
from loaderlab.language import translate as _


class Note(str):
    """A text that a notebook shows as it is, without quotation marks."""

    def __repr__(self) -> str:
        return str(self)


class Card:
    """A verdict as the learner sees it, as HTML and as plain text."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict

    def __repr__(self) -> str:
        lines = [self.verdict.message]
        for finding in self.verdict.findings:
            lines.append(f"{'✓' if finding.passed else '✗'} {finding.criterion} ({finding.points})")
            lines += [f"    {label} {text}" for label, text in _details(finding)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        result = self.verdict
        colour = (
            "#0b7285" if result.points == result.maximum else "#b35c00" if result.attempted else "#6c757d"
        )
        items = []
        for finding in result.findings:
            details = "".join(f"<i>{escape(label)}</i> {html(text)}<br>" for label, text in _details(finding))
            mark = "✓" if finding.passed else "✗"
            items.append(
                f'<li style="margin:0.3em 0">{mark} <b>{html(finding.criterion)}</b> ({finding.points})'
                f'<div style="margin-left:1.3em">{details}</div></li>'
            )
        style = "list-style:none;padding-left:0.2em;margin:0.4em 0 0"
        found = f'<ul style="{style}">{"".join(items)}</ul>' if items else ""
        return (
            f'<div style="border-left:6px solid {colour};padding:0.5em 1em;margin:0.3em 0">'
            f"<b>{html(result.message)}</b>{found}</div>"
        )


class Score(Card):
    """A card for nbgrader, which reads the points of a cell from the text of its result."""

    def __repr__(self) -> str:
        return str(self.verdict.points)


def html(text: str) -> str:
    """Escaped, with `code` set as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text))


def _details(finding: Finding) -> list[tuple[str, str]]:
    if finding.passed:
        return []
    rows = [(_("Expected:"), finding.expected), (_("Found:"), finding.got), (_("Hint:"), finding.hint)]
    return [(label, text) for label, text in rows if text]
