"""`loaderlab pool`: what the learners of a class measured, by machine, in one picture."""

from __future__ import annotations

import argparse
import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path

from loaderlab import course
from loaderlab.drawing import Picture
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write
from loaderlab.teaching import pooled, pooled_bets
from loaderlab.teaching.grading.student import Place, Student, names, students
from loaderlab.teaching.grading.uploads import files
from loaderlab.teaching.learner_curve import Stored, stored
from loaderlab.teaching.plain_text import brief, columns
from loaderlab.teaching.pooled import Measurement

DISTURBED = "≈"
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "img{width:100%;max-width:800px}table{border-collapse:collapse}"
    "th,td{text-align:left;padding:.2rem .8rem .2rem 0;border-bottom:1px solid #ddd}"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab pool`."""
    add = parser.add_argument
    add("notebooks", nargs="+", type=Path, help="notebooks, folders or zip files of them")
    add("--png", type=Path, help="write the picture here")
    add("--html", type=Path, help="write a page with the picture and the table here")
    add(
        "--curve", help="which benchmark to draw, such as workers/sweep (default: the one most learners have)"
    )
    add("--keep-disturbed", action="store_true",
        help="let curves count during which other programs used cores")  # fmt: skip
    add("--bets", metavar="LESSON",
        help="draw the class's guesses in this lesson beside what was measured, and no curve")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Read the notebooks, print the table, write the picture and the page; 1 where there is no curve at all."""
    language.use(language.current(), *[lesson.folder for lesson in course.lessons()])
    if options.bets:
        return _bets(options)
    found, problems = collect(options.notebooks)
    print("\n".join(_listed(problems)))
    if not found:
        raise LabError(
            _(
                "No notebook holds a measured curve. Ask the learners to run the notebook, save it with its "
                "outputs, and hand it in again."
            )
        )
    # That which most notebooks have; of several the first of the course.
    subject = options.curve or max(found, key=lambda subject: len(found[subject]))
    if subject not in found:
        raise LabError(
            _("No notebook holds a curve of {subject}. There are: {known}. Use one of these.").format(
                subject=brief(subject), known=", ".join(found)
            )
        )
    everybody = found[subject]
    quiet = [entry for entry in everybody if options.keep_disturbed or not entry.disturbed]
    entries = quiet or everybody
    table = _table(everybody)
    said = [
        _("In the table: the best num_workers, and in brackets the gain over 0 workers."),
        _("Learners: {n}.").format(n=len(entries)),
        *pooled.sentences(entries),
    ]
    if left := len(everybody) - len(entries):
        words = _(
            "Learners left out of the picture and the medians, because other programs used cores during the measurement "
            "({sign} in the table): {n}."
        )
        said.append(words.format(sign=DISTURBED, n=left))
    print(columns(table), "", *said, sep="\n")
    others = [f"{name} ({len(each)})" for name, each in found.items() if name != subject]
    if others:
        print(_("Also stored, for --curve: {others}").format(others=", ".join(others)))
    if options.png or options.html:
        picture = pooled.picture(entries)
        if options.png:
            _write(options.png, picture.png)
        if options.html:
            _write(options.html, _page(picture, subject, table, said, problems).encode())
    return 0


def _bets(options: argparse.Namespace) -> int:
    """Print each question of a lesson with how many guessed well, and draw the guesses."""
    lesson = course.lesson(options.bets)
    content = [
        (each, pooled_bets.of_learner(each.content)) for each in files(options.notebooks) if not each.problem
    ]
    ours = [
        (Place(each.parts, each.root, lesson.name), found)
        for each, found in content
        if any(bet.lesson == lesson.name for bet in found)
    ]
    if not ours:
        raise LabError(
            _(
                "No notebook holds a guess in {lesson} beside what was measured. Ask the learners to guess, run the cell "
                "below, save, and hand in again."
            ).format(lesson=lesson.name)
        )
    everyone = students([place for place, _found in ours], course.lessons())
    latest = {who: found for who, (_place, found) in zip(everyone, ours, strict=True)}
    rows = pooled_bets.rows(list(latest.values()), lesson)
    said = [_("Learners: {n}.").format(n=len(latest)), *pooled_bets.sentences(rows)]
    print(*said, sep="\n")
    if options.png or options.html:
        picture = pooled_bets.picture(rows, said[0])
        if options.png:
            _write(options.png, picture.png)
        if options.html:
            _write(options.html, _page(picture, lesson.name, pooled_bets.table(rows), said[:1], {}).encode())
    return 0


def collect(paths: Sequence[Path]) -> tuple[dict[str, list[Measurement]], dict[str, list[str]]]:
    """Return the entries of each subject, in the order of the course; and each problem with the files that have it."""
    lessons = course.lessons()
    found: dict[str, dict[Student, Measurement]] = {}
    problems: dict[str, list[str]] = {}
    read: list[tuple[Place, str, Stored]] = []
    for each in files(paths):
        content = Stored(problems=[each.problem]) if each.problem else stored(each.content)
        lesson = next((curve.lesson for curve in content.curves), None)
        read.append((Place(each.parts, each.root, lesson), brief(each.file, 120), content))
    everyone = students([place for place, _name, _content in read], lessons)
    for who, (_place, name, content) in zip(everyone, read, strict=True):
        for subject in dict.fromkeys(curve.subject for curve in content.curves):
            entry = Measurement(name, tuple(curve for curve in content.curves if curve.subject == subject))
            known = found.setdefault(subject, {}).get(who)
            if known is not None:
                older, entry = sorted((known, entry), key=lambda one: one.drawn)
                later = _("{subject}: the same learner handed in a later curve, and the later one counts.")
                problems.setdefault(later.format(subject=subject), []).append(older.file)
            found[subject][who] = entry
        for problem in content.problems:
            problems.setdefault(problem, []).append(name)
    shown = names([who for entries in found.values() for who in entries])
    order = {lesson.name: lesson.number for lesson in lessons}
    return {
        subject: [replace(entry, learner=shown[who]) for who, entry in found[subject].items()]
        for subject in sorted(found, key=lambda subject: order[subject.partition("/")[0]])
    }, problems


def _table(entries: Sequence[Measurement]) -> list[list[str]]:
    """Return a row for each learner, below a heading; best number of workers, and gain over none, of each group."""
    titles = list(pooled.groups(entries))
    heading = [_("learner"), _("machine"), _("start"), *[title or _("best num_workers") for title in titles]]
    table = [heading]
    for entry in sorted(entries, key=lambda entry: entry.learner.casefold()):
        first = entry.curves[0]
        found = {pooled.named(curve): curve for curve in entry.curves}
        cells = []
        for title in titles:
            curve = found.get(title)
            gain = "" if curve is None or curve.gain is None else f" (× {number(curve.gain, 1)})"
            cells.append("–" if curve is None else f"{curve.best}{gain}")
        where = f"{first.kind}, {first.gpu}" if first.gpu else str(first.kind)
        table.append(
            [entry.learner + (f" {DISTURBED}" if entry.disturbed else ""), where, first.start_method, *cells]
        )
    return table


def _listed(problems: Mapping[str, Sequence[str]]) -> list[str]:
    lines = []
    for problem, where in problems.items():
        lines += [f"✗ {problem}", *[f"    {file}" for file in where]]
    return [*lines, ""] if lines else []


def _write(path: Path, content: bytes) -> None:
    atomic_write.write(path, content, 0o644)
    print(_("written: {file}").format(file=path))


def _page(
    picture: Picture,
    subject: str,
    table: Sequence[Sequence[str]],
    said: Sequence[str],
    problems: Mapping[str, Sequence[str]],
) -> str:
    """Return the picture, what it says, the table with its heading first, and each problem with its files, as HTML."""
    image = base64.b64encode(picture.png).decode()
    heading, *rows = table
    title = _("What the class measured: {subject}").format(subject=subject)
    parts = [
        f"<h1>{escape(title)}</h1>",
        f'<img alt="{escape(picture.text)}" src="data:image/png;base64,{image}">',
        *[f"<p>{escape(sentence)}</p>" for sentence in said],
        f"<table><thead>{_row(heading, 'th')}</thead><tbody>{''.join(_row(r, 'td') for r in rows)}</tbody></table>",
    ]
    if problems:
        left = _("Left out")
        parts.append(f"<h2>{escape(left)}</h2>")
        for problem, files in problems.items():
            listed = "".join(f"<li>{escape(file)}</li>" for file in files)
            parts.append(f"<p>{escape(problem)}</p><ul>{listed}</ul>")
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        f'<!doctype html><html lang="{language.current()}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n"
    )


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"
