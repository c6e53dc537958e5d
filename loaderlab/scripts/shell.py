"""The scripts' common ways in a shell: how they are called, a place to work, and how they end."""

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


def positive(text: str) -> int:
    """Return a whole number from 1 up, for an option; raises argparse's error for another one."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(_("{given!r} is no whole number from 1 up").format(given=text))
    return int(text)


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
