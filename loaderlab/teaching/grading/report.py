"""The grades of a class as one page, for the instructor: points, findings, and the answers themselves."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from loaderlab import course
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write
from loaderlab.teaching.grading.alike import Alike, alike, is_published
from loaderlab.teaching.grading.grade import LACKING, SET, Grade, Result
from loaderlab.teaching.grading.page import answer, document, items, text
from loaderlab.teaching.grading.record import counted
from loaderlab.teaching.grading.statistics import Tally, averages, by_lesson, tallies
from loaderlab.teaching.plain_text import code, cut

Anchors = dict[int, str]  # id of a result -> where on the page it stands

CODE = 20_000  # characters of an answer
BAR = 3.0  # height in em of the tallest bar of a distribution


def write(path: Path, results: Sequence[Result], notes: Sequence[str], keep: str = "best") -> None:
    """Write the page to ``path``; raises :class:`LabError` where that fails, and then changes nothing."""
    atomic_write.write(path, page(results, notes, keep).encode())


def page(results: Sequence[Result], notes: Sequence[str], keep: str = "best") -> str:
    """Return the page; ``notes`` say how the class was graded, such as the protections in force. ``keep``: see :func:`record.records`."""
    counts = counted(results, keep)
    anchors = {id(result): f"s{number}" for number, result in enumerate(results)}
    equal = alike(results)
    body = [*_look(results, equal, anchors)]
    for lesson, group in by_lesson(results).items():
        body.append(f"<h2>{escape(course.lesson(lesson).file)}</h2>")
        body += _summary(group, counts, anchors)
        body += _exercises(tallies([result for result in group if id(result) in counts]))
        for result in group:
            body += _student(result, equal, anchors)
    body += _rest(results)
    if notes:
        heading = _("How this was graded")
        body.append(f"<h2>{escape(heading)}</h2>{items(notes)}")
    return document(_("Grades of a class"), body)


def _look(results: Sequence[Result], equal: Sequence[Alike], anchors: Anchors) -> Iterator[str]:
    """Yield what an instructor should see before the points: packages, answers that were not judged, remarks, equal answers."""
    found = [*_lacking(results, anchors), *_unread(results)]
    for result in results:
        said = [f"{grade.exercise}: {one}" for grade in result.grades for one in _doubts(grade)]
        said += [] if result.submission.problem else result.submission.remarks
        found += [f"<li>{_link(result, anchors)} · {text(one)}</li>" for one in said]
    for one in equal:
        what, names = _("Equal answers:"), ", ".join(_link(result, anchors) for result in one.results)
        found.append(f"<li>{text(one.exercise)} · {escape(what)} {names}</li>")
    if found:
        heading = _("Look at these first")
        yield f"<h2>{escape(heading)}</h2><ul>{''.join(found)}</ul>"


def _lacking(results: Sequence[Result], anchors: Anchors) -> Iterator[str]:
    """Yield each package that answers import and this machine lacks, with those whom it concerns."""
    concerned: dict[str, list[str]] = {}
    for result in results:
        for grade in result.grades:
            for package in grade.lacks:
                one = f"{_link(result, anchors)} ({text(grade.exercise)})"
                concerned.setdefault(package, []).append(one)
    said = _(
        "`{package}` is not installed where this was graded. Install it, and run the same command with `--resume`. The "
        "package is missing for:"
    )
    for package, names in concerned.items():
        yield f"<li>{text(said.format(package=package))} {', '.join(names)}</li>"


def _unread(results: Sequence[Result]) -> Iterator[str]:
    """Yield the files of those of whom nothing could be graded, and why; not who handed in nothing."""
    graded = {result.submission.student for result in results if result.grades}
    for one in (result.submission for result in results):
        if one.problem and one.file and not (one.lesson and one.student in graded):
            yield f"<li>{text(one.student)} · {text(one.file)} · {text(one.problem)}</li>"


def _doubts(grade: Grade) -> tuple[str, ...]:
    if grade.status in (SET, LACKING):
        return ()
    return (*((grade.verdict.message,) if grade.doubtful else ()), *grade.remarks)


def _link(result: Result, anchors: Anchors) -> str:
    return f'<a href="#{anchors[id(result)]}">{text(result.submission.student)}</a>'


def _summary(results: Sequence[Result], counts: Collection[int], anchors: Anchors) -> Iterator[str]:
    """Yield the points of a lesson; ``counts``: the ids of the results that count."""
    exercises = [tally.exercise for tally in tallies(results)]
    heads = [escape(_("Student")), *map(_heading, exercises), escape(_("Total"))]
    rows = []
    for result in results:
        grades = {grade.exercise: grade for grade in result.grades}
        name = f"<td>{_link(result, anchors)}</td>"
        cells = "".join(_points(grades.get(exercise)) for exercise in exercises)
        total = f"<b>{result.points}/{result.maximum}</b>"
        total = total if id(result) in counts else f"({total})"
        rows.append(f'{name}{cells}<td class="points">{total}</td>')
    yield _table(heads, rows)
    counting = [result for result in results if id(result) in counts]
    yield f'<p class="quiet">{escape(averages(counting))}</p>'
    if len(counting) < len(results):
        legend = _("(…) another notebook of this student counts")
        yield f'<p class="quiet">{escape(legend)}</p>'
    if any(result.corrected for result in results):
        legend = _("* set by the instructor")
        yield f'<p class="quiet">{escape(legend)}</p>'


def _heading(exercise: str) -> str:
    """Return the name of an exercise, which breaks between its words where the column is narrow."""
    words = re.sub(r"(_|[a-z](?=[A-Z]))", r"\1<wbr>", escape(exercise))
    return f"<code>{words}</code>"


def _points(grade: Grade | None) -> str:
    if grade is None:
        return "<td></td>"
    found = grade.verdict
    kind = "full" if grade.full else "part" if found.points else "none" if found.attempted else "quiet"
    return f'<td class="points {kind}">{grade.score}</td>'


def _exercises(found: Sequence[Tally]) -> Iterator[str]:
    heads = [_("Exercise"), _("Full points"), _("Answers by points"), _("Most common mistake")]
    rows = []
    for tally in found:
        full = _("{full} of {answers}").format(full=tally.full, answers=tally.answers)
        mistake = f"{text(tally.mistake)} ({tally.mistaken})" if tally.mistake else "–"
        rows.append(
            f'<td class="name">{_heading(tally.exercise)}</td>'
            f"<td>{escape(full)}</td><td>{_bars(tally)}</td>"
            f"<td>{mistake}</td>"
        )
    yield _table([escape(head) for head in heads], rows)


def _bars(tally: Tally) -> str:
    """Return bars of how many answers have 0, 1, 2 … points: the count above each bar, the points below."""
    tallest = max(tally.points.values())
    bars = []
    for points in range(tally.maximum + 1):
        count = tally.points.get(points, 0)
        height = BAR * count / tallest
        bars.append(f'<span class="bar">{count or ""}<i style="height:{height:.2f}em"></i>{points}</span>')
    return f'<div class="bars">{"".join(bars)}</div>'


def _student(result: Result, equal: Sequence[Alike], anchors: Anchors) -> Iterator[str]:
    one = result.submission
    yield f'<h3 id="{anchors[id(result)]}">{text(one.student)} · {result.points}/{result.maximum}</h3>'
    yield f'<p class="quiet">{text(one.file)}</p>{items(one.remarks)}'
    for grade in result.grades:
        others = [
            _link(other, anchors)
            for found in equal
            if found.exercise == grade.exercise and any(same is result for same in found.results)
            for other in found.results
            if other.submission.student != one.student
        ]
        # With full points the findings say nothing that the points do not.
        shown = replace(grade, verdict=replace(grade.verdict, findings=())) if grade.full else grade
        published = is_published(result, grade.exercise)
        yield answer(shown, _source(one.answers.get(grade.exercise, ""), others, published))


def _source(source: str, others: Sequence[str], published: bool) -> str:
    """Return the answer as it was written, folded; above it what is equal: the students, as HTML, or the ``published`` solution."""
    equal, heading = _("Equal to the answers of:"), _("The answer")
    solution = escape(_("Equal to the published solution."))
    same = f'<p class="quiet">{solution}</p>' if published else ""
    same += f"<p>{escape(equal)} {', '.join(others)}</p>" if others else ""
    if not source.strip():
        return same
    written = escape(cut(code(source), CODE))
    return f'{same}<details class="source"><summary>{escape(heading)}</summary><pre>{written}</pre></details>'


def _rest(results: Sequence[Result]) -> Iterator[str]:
    rest = [result.submission for result in results if result.submission.problem]
    if rest:
        heading = _("Not graded: {count}").format(count=len(rest))
        yield f"<h2>{escape(heading)}</h2>"
        heads = [escape(_("Student")), escape(_("File")), escape(_("Why"))]
        rows = (
            f"<td>{text(one.student)}</td><td>{text(one.file)}</td><td>{text(one.problem)}</td>"
            for one in rest
        )
        yield _table(heads, rows)


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "\n".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
