"""`loaderlab record`: run lessons on this machine, and keep what their benchmarks measured."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from loaderlab import publish
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `loaderlab record --help` shows."""
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
        "--wheels",
        type=Path,
        metavar="DIR",
        help="packages for a machine that has PyTorch, but no Jupyter and no network",
    )
    parser.add_argument(
        "--fetch-wheels",
        type=Path,
        metavar="DIR",
        help="download those packages into this folder, and run nothing",
    )
    parser.add_argument(
        "--python", default="3.12", help="with --fetch-wheels: the other machine's Python (default: 3.12)"
    )


def run(options: argparse.Namespace) -> int:
    """Record, and print the files that were written; returns the exit status: 1 where a cell failed."""
    if options.fetch_wheels:
        from loaderlab.publish import wheels

        for path in wheels.fetch(options.fetch_wheels, options.python):
            print(path)
        return 0
    if options.keep_going != bool(options.out):
        raise LabError(
            _(
                "--keep-going and --out belong together: what a lap measured is looked at before it goes into a lesson. "
                "Expected: `loaderlab record --keep-going --out DIR`, or neither of the two."
            )
        )
    with ExitStack() as stack:
        if options.wheels:
            _use(options.wheels, Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="loaderlab-"))))
        if options.keep_going:
            return int(any(ran.failed for ran in publish.attempt(options.out, options.lessons)))
        for path in publish.record(options.lessons):
            print(path)
        return 0


def _use(folder: Path, place: Path) -> None:
    """Unpack these wheels in ``place``, for this process and the kernels that it starts."""
    from loaderlab.publish import wheels

    wheels.install(folder, place)
    sys.path.insert(0, str(place))
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))
    importlib.invalidate_caches()
