"""`loaderlab record`: run lessons on this machine, and keep what their benchmarks measured."""

from __future__ import annotations

import argparse
from pathlib import Path

from loaderlab import publish
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _

ROUNDS = 3  # of each state of a case


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab record`."""
    parser.add_argument("lessons", nargs="*", help="names of lessons (default: all)")
    parser.add_argument(
        "--keep-going", action="store_true", help="go on after a failing cell, and say what each GPU cell did"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="with --keep-going: recordings, executed notebooks and a summary go here",
    )
    parser.add_argument(
        "--case",
        action="store_true",
        help="measure the states of the lessons' cases instead, which the website shows; on an idle machine, some minutes",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=ROUNDS,
        help=f"with --case: runs of each state (default: {ROUNDS})",
    )


def run(options: argparse.Namespace) -> int:
    """Record, and print the files that were written; returns the exit status: 1 where a cell failed."""
    if options.keep_going != bool(options.out):
        raise LabError(
            _(
                "--keep-going and --out belong together: what a lap measured is looked at before it goes into a lesson. "
                "Expected: `loaderlab record --keep-going --out DIR`, or neither of the two."
            )
        )
    if options.case:
        for path in publish.record_cases(options.lessons, options.rounds):
            print(path)
        return 0
    if options.keep_going:
        return int(any(ran.failed for ran in publish.attempt(options.out, options.lessons)))
    for path in publish.record(options.lessons):
        print(path)
    return 0
