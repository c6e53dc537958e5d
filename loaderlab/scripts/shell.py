"""The scripts' common ways in a shell: the loaders' options, a place to work, and how they end."""

from __future__ import annotations

import _thread
import argparse
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from .images import ImageError
from .words import speak
from .words import translate as _


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options: which images, how large, in which order, and how often."""
    add = parser.add_argument
    add("--folder", help=_("folder with images; each sub-folder is a class"))
    add(
        "--classes",
        metavar="TRAINING",
        help=_(
            "for an evaluation, what this script made of the training (packed file, folder of shards): its numbers of classes"
        ),
    )
    add(
        "--store-size",
        type=positive,
        metavar="PIXELS",
        help=_("store larger images with this shorter side, for instance 256"),
    )
    add(
        "--strict",
        action="store_true",
        help=_("stop at the first file that cannot be used, instead of leaving it out"),
    )
    add("--size", type=positive, default=224, help=_("side of the crop (default: %(default)s)"))
    add(
        "--scale",
        type=float,
        nargs=2,
        metavar=("LEAST", "MOST"),
        help=_("crops as by RandomResizedCrop, of such a share of the image, for instance `0.08 1`"),
    )
    add("--batch-size", type=positive, default=64, help=_("images in a batch (default: %(default)s)"))
    add(
        "--decoder",
        default="auto",
        choices=("auto", "pillow", "simplejpeg"),
        help=_("default: the fastest that is installed"),
    )
    add("--epochs", type=int, default=2, help=_("epochs to measure (default: %(default)s)"))
    add("--seed", type=int, default=0, help=_("seed of order, crops and mirroring (default: %(default)s)"))
    add(
        "--device",
        default="cpu",
        help=_(
            "measure with `to_float` onto this device; `cpu`: without it, the bytes as they come (default)"
        ),
    )
    add("--samples", type=positive, default=1024, help=_("synthetic images (default: %(default)s)"))


def positive(text: str) -> int:
    """Return a whole number from 1 up, for an option; raises argparse's error for another one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(_("{given!r} is no whole number from 1 up").format(given=text))
    return int(text)


def scale(options: argparse.Namespace) -> tuple[float, float] | None:
    """Return the areas of `--scale`, if they are given. Raises ImageError where they are no shares of an image."""
    if options.scale is None:
        return None
    least, most = options.scale
    if not 0 < least <= most <= 1:
        raise ImageError(
            _(
                "`--scale {least} {most}`: give two shares of an image, the smaller first, above 0 and not above 1."
            ).format(least=f"{least:g}", most=f"{most:g}")
        )
    return least, most


def called(package: str | None, file: str) -> str:
    """Return how Python is told to run a script: as a module of its package, or as a file of its own (`take --single`)."""
    return f"-m {package}.{Path(file).stem}" if package else Path(file).name


def run(
    parser: Callable[[], argparse.ArgumentParser],
    work: Callable[[argparse.Namespace, Path], None],
    argv: Sequence[str] | None,
) -> int:
    """Do what the command line asks, with a temporary folder, which is gone afterwards; returns the exit status."""
    speak()
    options = parser().parse_args(argv)
    before, sys.unraisablehook = sys.unraisablehook, _once_more
    try:
        with tempfile.TemporaryDirectory(prefix="loaderlab-") as scratch:
            work(options, Path(scratch))
    except ImageError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(_("Stopped."), file=sys.stderr)
        return 130  # as a shell says it
    finally:
        sys.unraisablehook = before
    return 0


def _once_more(lost: sys.UnraisableHookArgs) -> None:
    """Repeat an interrupt that fell into the finalizer of a batch, which loses it, when that is over."""
    if lost.exc_type is KeyboardInterrupt:
        again = threading.Timer(0.05, _thread.interrupt_main)
        again.daemon = True
        again.start()
    else:
        sys.__unraisablehook__(lost)
