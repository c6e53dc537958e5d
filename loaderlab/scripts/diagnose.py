"""Diagnose: what slows down a loader of yours, and what to change.

In a notebook or a script::

    diagnose(loader, step=train_step, seconds=60)

Short experiments on a copy of the loader, in a copy of this process: the parts alone, then the loop as it is. From what
they find follows which part limits, and what a change of it would bring. Objects and random numbers of yours stay: no
sampler, generator or model changes, and no process, shared memory or file is left. What the step writes, and files and
connections that are open, are used for real: a stream has been read afterwards, a log has lines more. Where this process
cannot be copied (no Linux, the GPU is in use, or there is one and the loader pins memory or a step is given), the
experiments run in it, and the step trains.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch.utils.data import DataLoader

from .diagnosis.clone import for_device, refused
from .diagnosis.decision import decide
from .diagnosis.examination import examine
from .diagnosis.faults import faults
from .diagnosis.finding import Finding
from .diagnosis.isolated import has_device, using_device
from .diagnosis.report import Diagnosis
from .diagnosis.trial import attempt
from .words import languages, speak
from .words import translate as _

BAR = 30


def diagnose(
    loader: Any,
    step: Callable[[Any], Any] | None = None,
    seconds: float = 60,
    *,
    try_changes: bool = False,
    program: str | None = None,
) -> Diagnosis:
    """Find what slows down ``loader`` (a DataLoader, or whatever gives batches).

    That takes so many seconds, about a batch more, and a few seconds for what is wrong and not only slow.

    ``step`` gets a batch and does what training does with it; it should wait until the device has done it. Without it, only
    the loader is looked at. ``try_changes`` then measures what was advised, as far as it needs no edit, for as long again.
    ``program`` is the text of the training script (if not given: of the caller's file or notebook), which shows whether it calls
    ``set_epoch``. Raises TypeError where ``loader`` gives no batches.
    """
    if program is None:
        program = _text_of(sys._getframe(1).f_globals)
    end = time.monotonic() + seconds
    with using_device(has_device() and (step is not None or for_device(loader))):
        evidence = examine(loader, step, seconds, _progress)
        findings = [_possible(one, loader) for one in decide(evidence)]
        if not evidence.troubles:
            wrong = faults(loader, max(4.0, end - time.monotonic()), program, evidence.trains)
            # What is wrong comes first, and last what may be: the reader knows.
            findings = [f for f in wrong if f.certain] + findings + [f for f in wrong if not f.certain]
        tried = attempt(loader, step, evidence, findings, seconds) if try_changes else []
    return Diagnosis(tuple(findings), evidence, tuple(tried))


def _possible(finding: Finding, loader: Any) -> Finding:
    """Return the finding, without its advice where a DataLoader like this one would refuse it."""
    arguments = {name: value for name, value in finding.changes if name != "torch_threads"}
    if not refused(loader, arguments):
        return finding
    return replace(finding, change=None, changes=(), predicted=None)


def _text_of(names: dict[str, Any]) -> str | None:
    """Return the cells of a notebook, or the text of a file, that has these global names; None where there is neither."""
    if isinstance(names.get("In"), list):
        # A cell that writes a file runs nothing of what it writes.
        return "\n".join(cell for cell in names["In"] if "run_cell_magic('writefile'" not in cell)
    try:
        return Path(names["__file__"]).read_text("utf-8")
    except (KeyError, OSError, UnicodeDecodeError):
        return None


def _progress(share: float) -> None:
    """Show a bar on the terminal's last line, which goes when all is done."""
    if sys.stderr is not None and sys.stderr.isatty():
        bar = f"[{'#' * round(BAR * share):{BAR}}]" if share < 1 else " " * (BAR + 2)
        print(f"\r{bar}\r", end="", file=sys.stderr, flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that a shell has."""
    add = parser.add_argument
    add(
        "loader",
        metavar="FILE.py:NAME",
        help=_("the file, and in it the loader, or a function that returns it, alone or with the step"),
    )
    add(
        "--step",
        metavar="FILE.py:NAME",
        help=_("the step, a function of a batch, or a function without arguments that returns it"),
    )
    add("--seconds", type=float, default=60, help=_("time for the experiments (default: %(default)s)"))
    add(
        "--try",
        dest="attempt",
        action="store_true",
        help=_("then measure what was advised, for as long again"),
    )
    add("--json", metavar="FILE", type=Path, help=_("write what was found there, for a program"))
    add("--html", metavar="FILE", type=Path, help=_("write what was found there, as a page"))
    # Where it is not given, it is not there: `loaderlab` has such an option of its own.
    add(
        "--language",
        choices=languages(),
        default=argparse.SUPPRESS,
        help=_("language of the report (default: the system's)"),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status: 0 where an answer was found."""
    speak()
    parser = argparse.ArgumentParser(
        prog=f"python -m {__package__}.diagnose",
        description=_("Find out what slows down a DataLoader, and what to change."),
    )
    add_arguments(parser)
    options = parser.parse_args(argv)
    if "language" in options:
        speak(options.language)
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Diagnose, and print what was found; returns the exit status."""
    try:
        # Of the type: a class that can be iterated over, when it is called, is called.
        loader, step = made(options.loader, lambda found: hasattr(type(found), "__iter__")), None
        if isinstance(loader, tuple) and len(loader) == 2 and callable(loader[1]):
            loader, step = loader
        several = isinstance(loader, tuple) and any(isinstance(one, DataLoader) for one in loader)
        if several or not hasattr(loader, "__iter__"):
            text = _(
                "{place}: it gives {type}. Expected: one loader, or a loader and a step. Return these alone."
            )
            raise Unusable(text.format(place=options.loader, type=type(loader).__name__))
        if options.step:
            step = made(options.step, _takes_a_batch)
        program = _text_of({"__file__": options.loader.rpartition(":")[0]})
        found = diagnose(loader, step, options.seconds, try_changes=options.attempt, program=program)
    except Unusable as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(_("Stopped."), file=sys.stderr)
        return 130  # as a shell says it
    print(found)
    if options.json:
        options.json.write_text(found.json(), encoding="utf-8")
    if options.html:
        options.html.write_text(found.html(), encoding="utf-8")
    return 0


class Unusable(Exception):
    """A file or function that gives no loader, said in the language that is spoken."""


def _takes_a_batch(function: Any) -> bool:
    """Return whether a function cannot be called without an argument."""
    try:
        inspect.signature(function).bind()
    except TypeError:
        return callable(function)
    except ValueError:  # one of C, which does not say
        return False
    return False


def made(place: str, wanted: Callable[[Any], bool]) -> Any:
    """Return what a file has by a name (``train.py:loader``) if it is ``wanted``, else what a call of it returns
    (``train.py:make_loader``). Raises Unusable, with what to do."""
    file, _colon, name = place.rpartition(":")
    path = Path(file)
    if not name or not path.is_file():
        text = _(
            "{place}: give a file and what is in it, as `train.py:loader`, or `train.py:make_loader` for a function that needs no arguments."
        )
        raise Unusable(text.format(place=place))
    # Under the file's own name, so that workers which are spawned find it; its parser, if it has one, takes its defaults.
    sys.path.insert(0, str(path.resolve().parent))
    sys.argv = [file]
    try:
        found = getattr(importlib.import_module(path.stem), name)
        found = found if wanted(found) else found()
    except (Exception, SystemExit) as error:
        text = _("{place}: {error}: {text}")
        raise Unusable(text.format(place=place, error=type(error).__name__, text=error)) from error
    if found is None:
        raise Unusable(_("{place}: it returns nothing. A `return` may be missing.").format(place=place))
    return found


if __name__ == "__main__":
    sys.exit(main())
