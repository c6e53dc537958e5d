"""A probe runs what a learner wrote, and returns evidence: counts, bytes, indices, values, never seconds.

Evidence is plain JSON, without a word in any language. A probe does not know what is right: the class grader
runs it beside the answer, in a process that never sees the judge (:mod:`loaderlab.exercise`).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from loaderlab.limits import OutOfTime, time_limit

Kind = Literal["function", "class", "file"]


@dataclass(frozen=True)
class Probe:
    """How the answer to the exercise ``name`` is probed: ``run(answer)`` returns evidence within ``seconds``.

    ``imports``: what running it imports, and takes long; the grader imports it once for all answers. ``alone``: it
    compares rates, so the grader runs nothing beside it.
    """

    name: str
    kind: Kind
    run: Callable[[Any], Any]
    seconds: float = 10.0
    imports: tuple[str, ...] = ()
    alone: bool = False


class Unplain(Exception):
    """Evidence holds something that JSON cannot carry."""


def plain(value: Any) -> Any:
    """``value`` as plain JSON; zero-dimensional arrays and tensors become numbers. Raises :class:`Unplain`."""

    def unwrap(thing: Any) -> Any:
        if getattr(thing, "ndim", None) == 0 and hasattr(thing, "item"):
            return thing.item()
        if hasattr(thing, "tolist"):
            return thing.tolist()
        raise Unplain(type(thing).__name__)

    try:
        return json.loads(json.dumps(value, default=unwrap))
    except (TypeError, ValueError, RecursionError) as error:
        raise Unplain(type(value).__name__) from error


def attempt(function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """Call the learner's function: ``{"value": …}``, or ``{"raised": …}``, or ``{"unplain": type}``.

    ``NotImplementedError`` passes through: that is the untouched exercise.
    """
    try:
        return {"value": plain(function(*arguments))}
    except NotImplementedError:
        raise
    except Unplain as error:
        return {"unplain": str(error)}
    except Exception as error:
        return {"raised": f"{type(error).__name__}: {error}"}


def collect(probe: Probe, answer: Any) -> dict[str, Any]:
    """Probe an answer; returns ``{"status": …}`` with the evidence, or with what went wrong. Plain JSON."""
    fits = {"function": callable, "class": lambda a: isinstance(a, type), "file": lambda a: Path(a).is_file()}
    try:
        if not fits[probe.kind](answer):
            return {"status": "kind", "got": type(answer).__name__}
    except TypeError:
        return {"status": "kind", "got": type(answer).__name__}
    try:
        with time_limit(probe.seconds):
            return {"status": "probed", "evidence": plain(probe.run(answer))}
    except NotImplementedError:
        return {"status": "untouched"}
    except OutOfTime:
        return {"status": "time"}
    except Unplain as error:
        return {"status": "unplain", "got": str(error)}
    except Exception as error:
        return {"status": "raised", "got": f"{type(error).__name__}: {error}"}
