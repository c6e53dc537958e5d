"""``loaderlab grade``: the notebooks of a class in, grades as CSV, page and table out."""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import temporary
from loaderlab.teaching.plain_text import clean, cut


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab grade`."""
    add = parser.add_argument
    add("submissions", nargs="+", type=Path, metavar="SUBMISSIONS",
        help="notebooks, folders or zip files of them")  # fmt: skip
    add("--csv", type=Path, required=True, metavar="FILE", help="where the grades are written")
    add("--students", type=Path, metavar="FILE", help="where a table with a row for each student is written")
    add("--html", type=Path, metavar="FILE", help="where a report for reading and printing is written")
    add("--feedback", type=Path, metavar="ZIP",
        help="where a page for each student is written, in folders as Moodle takes feedback files")  # fmt: skip
    add("--override", type=Path, metavar="FILE",
        help="points that you set: CSV with the columns student, exercise, points, comment")  # fmt: skip
    add("--gradebook", nargs=2, type=Path, metavar=("EXPORT", "FILE"),
        help="what Moodle or Canvas exported, and where the same is written with the grades filled in")  # fmt: skip
    add("--column", default="", metavar="HEADING",
        help="the column of the gradebook for the total; without it each lesson has the column named after it")  # fmt: skip
    add("--weights", default="", metavar="W",
        help="how much lessons and exercises count, such as workers=40,warps=60,portable=0.5")  # fmt: skip
    add("--keep", choices=("best", "last"), default="best",
        help="which of several notebooks of one lesson counts for a student")  # fmt: skip
    add("--lesson", action="append", default=[], metavar="L",
        help="grade this lesson only (workers, …); repeatable")  # fmt: skip
    add("--jobs", type=_positive, default=None, metavar="N",
        help="answers graded at once (default: as many as cores)")  # fmt: skip
    add("--student-from", default="", metavar="WHERE",
        help="where a student's name stands: file, folder, or a path such as */{student}_{number}_*")  # fmt: skip
    add("--class", dest="members", type=Path, metavar="FILE",
        help="the list of the class: a name on each line, or what Moodle or Canvas exports as CSV")  # fmt: skip
    add("--this-machine-is-the-sandbox", action="store_true",
        help="run answers without bubblewrap, in a container or on a machine that holds nothing else")  # fmt: skip
    add("--resume", action="store_true",
        help="take what the last run into the same CSV file graded, and grade the rest")  # fmt: skip
    add("--only", action="append", default=[], metavar="STUDENT",
        help="as --resume, but grade the answers of this student again; repeatable")  # fmt: skip
    add("--exercise", action="append", default=[], metavar="NAME",
        help="as --resume, but grade the answers to this exercise again; repeatable")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Grade and report; raises :class:`LabError` where that cannot begin, or was interrupted."""
    try:
        from tqdm import tqdm

        from loaderlab.teaching.grading.grading import Grading
        from loaderlab.teaching.grading.table import table
    except ImportError as error:
        raise LabError(
            _(
                'Grading needs more packages ({error}). Install them: `pip install jupytext tqdm "wcwidth>=0.3"`.'
            ).format(error=error)
        ) from None

    grading = Grading(options)
    kept = False
    try:
        with temporary.ended_gently(), _bar(tqdm) as progress:
            handed = grading.read(progress)
            kept = True
            results, notes = grading.grade(handed, progress)
    except KeyboardInterrupt:
        until = _(
            "Interrupted. What is graded so far is kept: the same command with `--resume` goes on from there."
        )
        raise LabError(until if kept else _("Interrupted, before anything was graded.")) from None
    notes = grading.write(results, notes)
    print(table(results, shutil.get_terminal_size().columns, options.keep))
    print()
    for note in notes:
        print(f"• {note}")
    for path in grading.reports.all:
        print(_("Written: {path}").format(path=path))
    return 0


@contextmanager
def _bar(tqdm: type[Any]) -> Iterator[Callable[[int, int, str], None]]:
    """Show a bar on stderr, where that is a terminal: call it with how many are done, of how many, and which one was last."""
    with tqdm(total=0, file=sys.stderr, disable=None, leave=False) as bar:

        def progress(done: int, total: int, name: str) -> None:
            bar.total = total
            bar.set_postfix_str(cut(clean(name), 40), refresh=False)
            bar.update(done - bar.n)

        yield progress


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a whole number from 1 up")
    return int(text)
