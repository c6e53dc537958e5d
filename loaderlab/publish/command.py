"""`loaderlab build`: write what the sources give, or with ``--check`` say where what is committed is not that."""

from __future__ import annotations

import argparse

from loaderlab.publish import limits, press, review
from loaderlab.publish.checkout import here


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab build`."""
    add = parser.add_argument
    add("lessons", nargs="*", help="names of lessons (default: all)")
    add("--check", action="store_true", help="change nothing; fail where something is not up to date")
    add("--catalogs", action="store_true", help="renew the catalogs only, for translators; run nothing")
    add("--force", action="store_true", help="execute every notebook again, changed or not")


def run(options: argparse.Namespace) -> int:
    """Build or check; returns the exit status."""
    checkout = here()
    names = checkout.chosen(options.lessons)
    if not options.check:
        press.build(checkout, names, options.force, only_catalogs=options.catalogs)
        return 0
    found = [*limits.problems(checkout, names), *review.problems(checkout, names)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0
