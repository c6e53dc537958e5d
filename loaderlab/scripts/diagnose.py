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

from .diagnosis.clone import for_device, loader_in, refused
from .diagnosis.decision import decide, proposals
from .diagnosis.examination import examine
from .diagnosis.faults import faults
from .diagnosis.finding import Finding, Row
from .diagnosis.isolated import has_device, using_device
from .diagnosis.kinds.failure import own_failure
from .diagnosis.lines import call_of, files_of
from .diagnosis.report import Diagnosis
from .diagnosis.script import Unusable, Watched, watched
from .diagnosis.trial import attempt
from .words import languages, speak
from .words import translate as _

BAR = 30
TRIED = 0.3  # of the seconds that are given, for what can be changed without an edit
OF_SCRIPT = 0.15  # of the seconds, in which a script's own loop is watched


def diagnose(
    loader: Any,
    step: Callable[[Any], Any] | None = None,
    seconds: float = 60,
    *,
    program: str | None = None,
    ran: Watched | None = None,
) -> Diagnosis:
    """Find what slows down ``loader`` (a DataLoader, or whatever gives batches).

    That takes so many seconds, about a batch more, and a few seconds for what is wrong and not only slow.

    ``step`` gets a batch and does what training does with it; it should wait until the device has done it. Without it, only
    the loader is looked at. What could be changed without an edit is tried, in a third of the time.
    ``program`` is the text of the training script (if not given: of the caller's file or notebook), which shows whether it calls
    ``set_epoch``. ``ran``: a loop over this loader that was watched, whose step cannot be called. Raises TypeError where
    ``loader`` gives no batches.
    """
    if program is None:
        program = _text_of(sys._getframe(1).f_globals)
    end = time.monotonic() + seconds
    with using_device(has_device() and (step is not None or for_device(loader))):
        evidence = examine(loader, step, seconds, _progress)
        evidence = ran.added_to(evidence) if ran else evidence
        tried = attempt(loader, step, evidence, proposals(evidence), TRIED * seconds)
        evidence = replace(evidence, tried=tried)
        findings = [_placed(_possible(one, loader), loader) for one in decide(evidence)]
        if all(one.outcome.how in ("done", "raised") for one in evidence.troubles):
            wrong = faults(loader, max(4.0, end - time.monotonic()), program, evidence.trains)
            # What is wrong comes first; last what may be, as the reader knows, and what costs next to nothing beside what costs time.
            costly = any(one.cost.samples for one in findings)
            late = [f for f in wrong if not f.certain or (costly and f.cost.samples == 0)]
            findings = [f for f in wrong if f not in late] + findings + late
    return Diagnosis(tuple(findings), evidence)


def _possible(finding: Finding, loader: Any) -> Finding:
    """Return the finding, without its advice where a DataLoader like this one would refuse it."""
    arguments = {name: value for name, value in finding.changes if name != "torch_threads"}
    return replace(finding, change=None, changes=()) if refused(loader, arguments) else finding


def _placed(finding: Finding, loader: Any) -> Finding:
    """Return the finding, with the user's line that says what it would change of the DataLoader's arguments."""
    inner = loader_in(loader)
    if not finding.changes or inner is None:
        return finding
    name = type(inner).__name__
    place = call_of(name, files_of(inner.dataset, inner.collate_fn), finding.changes[0][0])
    return replace(finding, evidence=(*finding.evidence, Row(_("where"), str(place)))) if place else finding


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
        metavar="FILE.py[:NAME]",
        help=_(
            "a script, which is run until its training loop has been watched for some seconds (its own arguments come last, after `--`); or a file and a name in it: of a loader, or of a function that returns a loader, or a loader and a step"
        ),
    )
    add(
        "--step",
        metavar="FILE.py:NAME",
        help=_("the step, a function of a batch, or a function without arguments that returns it"),
    )
    add("--seconds", type=float, default=60, help=_("seconds for the experiments (default: %(default)s)"))
    add("--all", dest="everything", action="store_true", help=_("say all that was found, with its details"))
    add("--json", metavar="FILE", type=Path, help=_("write the findings to this file, for a program"))
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
    words = sys.argv[1:] if argv is None else argv
    at = words.index("--") if "--" in words else len(words)
    options = parser.parse_args(words[:at], argparse.Namespace(arguments=words[at + 1 :]))
    if "language" in options:
        speak(options.language)
    return run(options)


def run(options: argparse.Namespace) -> int:
    """Diagnose, and print what was found; returns the exit status."""
    try:
        found = _found(options)
    except Unusable as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(_("Stopped."), file=sys.stderr)
        return 130  # as a shell says it
    print(found.text(everything=True) if options.everything else found)
    if options.json:
        options.json.write_text(found.json(), encoding="utf-8")
    return int(any(one.kind is own_failure for one in found.findings))


def _found(options: argparse.Namespace) -> Diagnosis:
    """Return what was found of the loader that is named, or of the script's. Raises Unusable."""
    if (file := Path(options.loader)).is_file():
        program, seconds = _text_of({"__file__": str(file)}), OF_SCRIPT * options.seconds

        def answer(loader: DataLoader, ran: Watched | None) -> Diagnosis:
            if ran:
                print(ran, file=sys.stderr)
            left = options.seconds - seconds
            return diagnose(loader, None, left, program=program, ran=ran)

        script: Diagnosis = watched(file, list(options.arguments), seconds, answer)
        return script
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
    return diagnose(loader, step, options.seconds, program=program)


def _takes_a_batch(function: Any) -> bool:
    """Return whether a function cannot be called without an argument."""
    given = inspect.signature(function).parameters.values() if callable(function) else ()
    return any(one.default is one.empty and one.kind <= one.POSITIONAL_OR_KEYWORD for one in given)


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
        said = _("{place}: {error}: {text}").format(place=place, error=type(error).__name__, text=error)
        raise Unusable(said) from error
    if found is None:
        raise Unusable(_("{place}: it returns nothing. A `return` may be missing.").format(place=place))
    return found


if __name__ == "__main__":
    sys.exit(main())
