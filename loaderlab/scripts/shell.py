"""What the two loaders have in common in a shell: their options, where they work, and what they say of files left out."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from .images import ImageError, Problem
from .words import speak
from .words import translate as _


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which images, how large, in which order, and how often."""
    add = parser.add_argument
    add("--folder", help=_("folder with images; each sub-folder is a class"))
    add(
        "--store-size",
        type=int,
        metavar="PIXELS",
        help=_("store larger images with this shorter side, for instance 256"),
    )
    add(
        "--strict",
        action="store_true",
        help=_("stop at the first file that cannot be used, instead of leaving it out"),
    )
    add("--size", type=int, default=224, help=_("side of the crop (default: %(default)s)"))
    add("--batch-size", type=int, default=64, help=_("images in a batch (default: %(default)s)"))
    add(
        "--decoder",
        default="auto",
        choices=("auto", "pillow", "simplejpeg"),
        help=_("default: the fastest that is installed"),
    )
    add("--epochs", type=int, default=2, help=_("epochs to measure (default: %(default)s)"))
    add("--seed", type=int, default=0, help=_("seed of order, crops and mirroring (default: %(default)s)"))
    add(
        "--device", default="cpu", help=_("where `to_float` makes floats of the batch (default: %(default)s)")
    )
    add("--samples", type=int, default=1024, help=_("synthetic images (default: %(default)s)"))


def run(
    parser: Callable[[], argparse.ArgumentParser],
    work: Callable[[argparse.Namespace, Path], None],
    argv: Sequence[str] | None,
) -> int:
    """Do what the command line asks, with a temporary folder; returns the exit status."""
    speak()
    options = parser().parse_args(argv)
    try:
        with tempfile.TemporaryDirectory(prefix="loaderlab-") as scratch:
            work(options, Path(scratch))
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def left_out(problem: Problem) -> None:
    """Name a file that is left out, on standard error."""
    print(_("left out: {problem}").format(problem=problem), file=sys.stderr)
