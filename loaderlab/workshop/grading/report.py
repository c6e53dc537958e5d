"""The grades of a class as one HTML page: no scripts, nothing loaded from elsewhere, fit for the printer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from loaderlab import course, language
from loaderlab.card import Card, html
from loaderlab.exercise import Finding, Verdict
from loaderlab.language import translate as _
from loaderlab.workshop.grading import whole
from loaderlab.workshop.grading.grade import Grade, Result
from loaderlab.workshop.grading.shown import clean, cut
from loaderlab.workshop.grading.tally import Tally, by_lesson, tallies

LENGTH = 600  # characters of one text
BAR = 3.0  # height in em of the tallest bar of a distribution

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2429; background: #fff; max-width: 70em; margin: 2em auto; padding: 0 1.2em; overflow-wrap: anywhere; }
h1 { font-size: 1.7em; } h2 { margin-top: 2em; border-bottom: 2px solid #0b7285; } h3 { margin: 1.6em 0 0.2em; }
table { border-collapse: collapse; margin: 1em 0; width: 100%; }
th, td { border: 1px solid #ced4da; padding: 0.3em 0.6em; text-align: left; vertical-align: top; }
thead th { background: #f1f3f5; } thead th, td.name { overflow-wrap: normal; } td.points { text-align: right; white-space: nowrap; }
td.full { background: #d3f0e8; } td.part { background: #fff0d6; } td.none { background: #fbe3e0; }
code { font-size: 0.92em; } a { color: #0b7285; } .quiet { color: #5c666e; font-size: 0.92em; }
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


def write(path: Path, results: Sequence[Result], notes: Sequence[str]) -> None:
    """Write the page to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    whole.write(path, page(results, notes))


def page(results: Sequence[Result], notes: Sequence[str]) -> str:
    """The page; ``notes`` say how the class was graded, such as the protections in force."""
    title = escape(_("Grades of a class"))
    anchors = {id(result): f"s{number}" for number, result in enumerate(results)}
    body = [f"<h1>{title}</h1>"]
    for lesson, group in by_lesson(results).items():
        body.append(f"<h2>{escape(course.lesson(lesson).file)}</h2>")
        body += _summary(group, anchors)
        body += _exercises(tallies(group))
        for result in group:
            body += _student(result, anchors[id(result)])
    body += _rest(results)
    if notes:
        heading = _("How this was graded")
        body.append(f"<h2>{escape(heading)}</h2>{_list(notes)}")
    return (
        f'<!DOCTYPE html>\n<html lang="{language.current()}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def _summary(results: Sequence[Result], anchors: dict[int, str]) -> Iterator[str]:
    exercises = [tally.exercise for tally in tallies(results)]
    heads = [
        escape(_("Student")),
        *map(_heading, exercises),
        escape(_("Total")),
    ]
    rows = []
    for result in results:
        grades = {grade.exercise: grade for grade in result.grades}
        name = f'<td><a href="#{anchors[id(result)]}">{_text(result.submission.student)}</a></td>'
        cells = "".join(_points(grades.get(exercise)) for exercise in exercises)
        rows.append(f'{name}{cells}<td class="points"><b>{result.points}/{result.maximum}</b></td>')
    yield _table(heads, rows)


def _heading(exercise: str) -> str:
    """The name of an exercise, which breaks between its words where the column is narrow."""
    words = re.sub(r"(_|[a-z](?=[A-Z]))", r"\1<wbr>", escape(exercise))
    return f"<code>{words}</code>"


def _points(grade: Grade | None) -> str:
    if grade is None:
        return "<td></td>"
    points, maximum = grade.verdict.points, grade.verdict.maximum
    kind = "full" if grade.full else "part" if points else "none" if grade.verdict.attempted else "quiet"
    return f'<td class="points {kind}">{points}/{maximum}</td>'


def _exercises(found: Sequence[Tally]) -> Iterator[str]:
    heads = [_("Exercise"), _("Full points"), _("Answers by points"), _("Most common mistake")]
    rows = []
    for tally in found:
        full = _("{full} of {answers}").format(full=tally.full, answers=tally.answers)
        mistake = f"{_text(tally.mistake)} ({tally.mistaken})" if tally.mistake else "–"
        rows.append(
            f'<td class="name">{_heading(tally.exercise)}</td>'
            f"<td>{escape(full)}</td><td>{_bars(tally)}</td>"
            f"<td>{mistake}</td>"
        )
    yield _table([escape(head) for head in heads], rows)


def _bars(tally: Tally) -> str:
    """How many answers have 0, 1, 2 … points: the count above each bar, the points below."""
    tallest = max(tally.points.values())
    bars = []
    for points in range(tally.maximum + 1):
        count = tally.points.get(points, 0)
        height = BAR * count / tallest
        bars.append(f'<span class="bar">{count or ""}<i style="height:{height:.2f}em"></i>{points}</span>')
    return f'<div class="bars">{"".join(bars)}</div>'


def _student(result: Result, anchor: str) -> Iterator[str]:
    one = result.submission
    yield f'<h3 id="{anchor}">{_text(one.student)} · {result.points}/{result.maximum}</h3>'
    yield f'<p class="quiet">{_text(one.file)}</p>{_list(one.remarks)}'
    for grade in result.grades:
        card = Card(_short(grade.verdict))._repr_html_()
        yield f'<div class="answer"><code>{escape(grade.exercise)}</code>{card}{_list(grade.remarks)}</div>'


def _short(verdict: Verdict) -> Verdict:
    """The verdict as the report shows it: texts cut, and no findings where all passed."""
    findings = () if verdict.points == verdict.maximum else verdict.findings
    return replace(verdict, message=_cut(verdict.message), findings=tuple(map(_short_finding, findings)))


def _short_finding(finding: Finding) -> Finding:
    return replace(
        finding,
        criterion=_cut(finding.criterion),
        expected=_cut(finding.expected),
        got=_cut(finding.got),
        hint=_cut(finding.hint),
    )


def _rest(results: Sequence[Result]) -> Iterator[str]:
    rest = [result.submission for result in results if result.submission.problem]
    if rest:
        heading = _("Not graded: {count}").format(count=len(rest))
        yield f"<h2>{escape(heading)}</h2>"
        heads = [escape(_("Student")), escape(_("File")), escape(_("Why"))]
        rows = (
            f"<td>{_text(one.student)}</td><td>{_text(one.file)}</td><td>{_text(one.problem)}</td>"
            for one in rest
        )
        yield _table(heads, rows)


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _list(texts: Iterable[str]) -> str:
    items = "".join(f"<li>{_text(text)}</li>" for text in texts)
    return f"<ul>{items}</ul>" if items else ""


def _cut(text: str) -> str:
    return cut(clean(text), LENGTH)


def _text(text: str) -> str:
    return html(_cut(text))
