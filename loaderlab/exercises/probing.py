"""A probe runs what a learner wrote, and returns evidence: counts, bytes, indices, values, never seconds.

Evidence is plain JSON, without a word in any language. A probe does not know what is right: the class grader
runs it beside the answer, in a process that never sees the judge (:mod:`loaderlab.exercises.exercise`).
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from pathlib import Path
from typing import Any, Literal

from loaderlab.exercises import gaps
from loaderlab.exercises.arguments import Arguments
from loaderlab.measuring.limits import OutOfTime, time_limit

Kind = Literal["function", "class", "file"]
_IN_WORKER = re.compile(r"Caught \w+ in DataLoader worker process \d+\.$")


@dataclass(frozen=True)
class Probe:
    """The probe of answers to the exercise ``name``: ``run(answer)`` returns evidence within ``seconds``.

    ``imports``: what running it imports, and takes long: imported before its time begins, and by the grader once for all
    answers. ``serial``: it compares rates, so the grader runs nothing beside it; but first it may run ``glance`` beside other
    answers, whose evidence counts unless it is None: for what is clear even there. ``parts``: what the lesson leaves to the
    learner, where that is not one function (:func:`loaderlab.exercises.gaps.is_untouched`). ``changes``: the answer may
    change what it is given.
    """

    name: str
    kind: Kind
    run: Callable[[Any], Any]
    seconds: float = 10.0
    imports: tuple[str, ...] = ()
    serial: bool = False
    glance: Callable[[Any], Any] | None = None
    parts: tuple[str, ...] = ()
    changes: bool = False


class Unplain(Exception):
    """Evidence holds something that JSON cannot carry."""


def plain(value: Any) -> Any:
    """Return ``value`` as plain JSON; fractions, zero-dimensional arrays and tensors become numbers. Raises :class:`Unplain`."""

    def unwrap(thing: Any) -> Any:
        if getattr(thing, "ndim", None) == 0 and hasattr(thing, "item"):
            return thing.item()
        if hasattr(thing, "tolist"):
            return thing.tolist()
        if isinstance(thing, Real | Decimal):
            return float(thing)
        raise Unplain(type(thing).__name__)

    try:
        return json.loads(json.dumps(value, default=unwrap))
    except (TypeError, ValueError, RecursionError) as error:
        raise Unplain(type(value).__name__) from error


def told(error: BaseException) -> str:
    """Return an exception in one line; of a gap in the answer, the name of the function that is still to be written.

    Of one in a worker it is the last line: above it stands PyTorch's own sentence, and the trace.
    """
    if isinstance(error, NotImplementedError) and not error.args:
        return f"NotImplementedError: {gaps.where(error)}"
    lines = f"{type(error).__name__}: {error}".strip().splitlines()
    return lines[-1 if _IN_WORKER.search(lines[0]) else 0]


def attempt(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Call the learner's function: ``{"value": …}``, or ``{"raised": …}``, or ``{"unplain": type}``.

    JSON has no tuples; beside a value that is one stands how it was ``written``.
    """
    try:
        found = function(*arguments)
        outcome = {"value": plain(found)}
        return outcome | {"written": repr(found)[:300]} if isinstance(found, tuple) else outcome
    except Unplain as error:
        return {"unplain": str(error)}
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": told(error)}


def collect(probe: Probe, answer: Any) -> dict[str, Any]:
    """Probe an answer; returns ``{"status": …}`` with the evidence, or with what went wrong. Plain JSON.

    Beside the evidence stands the call whose arguments the answer ``changed``, where it did.
    """
    fits = {"function": callable, "class": lambda a: isinstance(a, type), "file": lambda a: Path(a).is_file()}
    try:
        if not fits[probe.kind](answer):
            return {"status": "kind", "got": type(answer).__name__}
    except TypeError:
        return {"status": "kind", "got": type(answer).__name__}
    if gaps.is_untouched(answer, probe.parts):
        return {"status": "untouched"}
    try:
        for module in probe.imports:
            importlib.import_module(module)
        arguments = Arguments()
        with time_limit(probe.seconds), arguments.watched(answer) as watched:
            evidence = plain(probe.run(watched))
        changed = {"changed": arguments.changed} if arguments.changed and not probe.changes else {}
        return {"status": "probed", "evidence": evidence, **changed}
    except OutOfTime:
        return {"status": "time"}
    except Unplain as error:
        return {"status": "unplain", "got": str(error)}
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"status": "raised", "got": told(error)}
