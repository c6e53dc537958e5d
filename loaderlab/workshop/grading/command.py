"""``loaderlab grade``: the notebooks of a class in, grades as CSV, page and table out."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loaderlab.errors import LabError
from loaderlab.language import translate as _
from loaderlab.workshop.grading.shown import clean, cut


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `loaderlab grade`."""
    parser.add_argument(
        "submissions",
        nargs="+",
        type=Path,
        metavar="SUBMISSIONS",
        help="notebooks, folders or zip files of them",
    )
    parser.add_argument(
        "--csv", type=Path, required=True, metavar="FILE", help="where the grades are written"
    )
    parser.add_argument(
        "--html", type=Path, metavar="FILE", help="where a report for reading and printing is written"
    )
    parser.add_argument(
        "--lesson",
        action="append",
        default=[],
        metavar="L",
        help="grade this lesson only (workers, …); repeatable",
    )
    parser.add_argument(
        "--jobs",
        type=_positive,
        default=None,
        metavar="N",
        help="submissions graded at once; as many as cores",
    )
    parser.add_argument("--resume", action="store_true", help="go on where an interrupted run stopped")


def run(options: argparse.Namespace) -> int:
    """Grade and report; raises :class:`LabError` where that cannot begin, or was interrupted."""
    from loaderlab import machine

    try:
        from tqdm import tqdm

        from loaderlab.workshop.grading import report, run, sheet, submission, table
    except ImportError as error:
        raise LabError(
            _(
                "Grading needs more packages ({error}). Install them, in a clone of the repository: "
                "pip install -r requirements.txt."
            ).format(error=error)
        ) from None

    for path in filter(None, (options.csv, options.html)):
        _expect_writable(path)
    submissions = submission.find(options.submissions, options.lesson)
    journal = options.csv.with_name(f".{options.csv.name}.journal")
    jobs = options.jobs or max(1, int(machine.usable_cores()))
    try:
        with _bar(tqdm) as progress:
            results, notes = run.grade(
                submissions, jobs=jobs, journal=journal, resume=options.resume, progress=progress
            )
    except KeyboardInterrupt:
        raise LabError(
            _(
                "Interrupted. What is graded so far is kept: the same command with `--resume` goes on from there."
            )
        ) from None
    sheet.write(options.csv, results)
    if options.html:
        report.write(options.html, results, notes)
    journal.unlink(missing_ok=True)  # only now is nothing left to resume
    print(table.table(results, shutil.get_terminal_size().columns))
    print()
    for note in notes:
        print(f"• {note}")
    for path in filter(None, (options.csv, options.html)):
        print(_("Written: {path}").format(path=path))
    return 0


@contextmanager
def _bar(tqdm: type[Any]) -> Iterator[Callable[[int, int, str], None]]:
    """A bar on stderr, where that is a terminal: call it with how many are done, of how many, and which one was last."""
    with tqdm(total=0, file=sys.stderr, disable=None, leave=False) as bar:

        def progress(done: int, total: int, name: str) -> None:
            bar.total = total
            bar.set_postfix_str(cut(clean(name), 40), refresh=False)
            bar.update(done - bar.n)

        yield progress


def _expect_writable(path: Path) -> None:
    """Before anything is graded: the report must not replace a submission, and there must be a folder for it."""
    if path.suffix.lower() in (".ipynb", ".zip") or path.is_dir():
        raise LabError(
            _("{path} would be replaced by the grades. Expected: a new file, such as grades.csv.").format(
                path=path
            )
        )
    if not os.access(path.parent, os.W_OK):
        raise LabError(
            _("Nothing can be written in {folder}. Choose a folder that exists and is yours.").format(
                folder=path.parent.resolve()
            )
        )


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("expected a whole number from 1 up")
    return int(text)
