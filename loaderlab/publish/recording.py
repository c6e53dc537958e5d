"""`loaderlab record`: run lessons on this machine, and keep what their benchmarks measured."""

from __future__ import annotations

import argparse

from loaderlab import publish


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `loaderlab record --help` shows."""
    parser.add_argument("lessons", nargs="*", help="names of lessons (default: all)")


def run(options: argparse.Namespace) -> int:
    """Record, and print the files that were written; returns the exit status."""
    for path in publish.record(options.lessons):
        print(path)
    return 0
