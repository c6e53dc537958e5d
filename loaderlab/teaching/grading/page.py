"""The frame that the grader's pages share: one file, no scripts, nothing loaded from elsewhere, fit for the printer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from html import escape

from loaderlab.exercises.criterion import Finding
from loaderlab.exercises.exercise import Verdict
from loaderlab.i18n import language
from loaderlab.notebook.card import Card, html
from loaderlab.teaching.grading.grade import Grade
from loaderlab.teaching.plain_text import clean, cut

LENGTH = 600  # characters of one text

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2429; background: #fff; max-width: 70em; margin: 2em auto; padding: 0 1.2em; overflow-wrap: anywhere; }
h1 { font-size: 1.7em; } h2 { margin-top: 2em; border-bottom: 2px solid #0b7285; } h3 { margin: 1.6em 0 0.2em; }
table { border-collapse: collapse; margin: 1em 0; width: 100%; }
th, td { border: 1px solid #ced4da; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
thead th { background: #f1f3f5; } thead th, td.name { overflow-wrap: normal; } td.points { text-align: right; white-space: nowrap; }
td.full { background: #d3f0e8; } td.part { background: #fff0d6; } td.none { background: #fbe3e0; }
code { font-size: 0.92em; } a { color: #0b7285; } .quiet { color: #5c666e; font-size: 0.92em; }
pre { background: #f1f3f5; padding: 0.6em 0.8em; font-size: 0.87em; white-space: pre-wrap; } summary { cursor: pointer; }
.answer { margin: 1em 0 1.4em; } .source { margin-left: 1.4em; }
.bars { display: flex; align-items: flex-end; gap: 3px; }
.bar { display: inline-block; min-width: 1.5em; text-align: center; font-size: 0.8em; line-height: 1.2; }
.bar i { display: block; background: #0b7285; }
@media print {
  body { font-size: 10.5pt; margin: 0; max-width: none; padding: 0; }
  td, .bar i, thead th { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  tr, .answer, .bars { break-inside: avoid; } h2, h3, h4 { break-after: avoid; } thead { display: table-header-group; }
}
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def document(title: str, body: Iterable[str]) -> str:
    """Return a whole page in the language spoken now; ``title`` is plain text, ``body`` HTML below its heading."""
    return (
        f'<!DOCTYPE html>\n<html lang="{language.current()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join([f"<h1>{escape(title)}</h1>", *body])
        + "\n</body>\n</html>\n"
    )


def answer(grade: Grade, more: str = "") -> str:
    """Return one grade: its exercise, the card as the learner sees it, its remarks, and ``more`` HTML."""
    card = Card(_short(grade.verdict))._repr_html_()
    name = escape(grade.exercise)
    return f'<div class="answer"><code>{name}</code>{card}{items(grade.remarks)}{more}</div>'


def items(texts: Iterable[str]) -> str:
    """Return a list of plain texts; nothing for none."""
    found = "".join(f"<li>{text(one)}</li>" for one in texts)
    return f"<ul>{found}</ul>" if found else ""


def text(plain: str) -> str:
    """Return a text that others wrote: on one line, not endless, escaped."""
    return html(_cut(plain))


def _short(verdict: Verdict) -> Verdict:
    return replace(
        verdict, message=_cut(verdict.message), findings=tuple(map(_short_finding, verdict.findings))
    )


def _short_finding(finding: Finding) -> Finding:
    return replace(
        finding,
        criterion=_cut(finding.criterion),
        expected=_cut(finding.expected),
        got=_cut(finding.got),
        hint=_cut(finding.hint),
    )


def _cut(plain: str) -> str:
    return cut(clean(plain), LENGTH)
