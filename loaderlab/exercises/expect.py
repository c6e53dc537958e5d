"""Common expectations of evidence. Each function yields a :class:`Miss` where the evidence does not meet it, and else nothing.

``words`` are marked messages with the place ``{count}``: they say both what was expected and what came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from loaderlab.exercises.criterion import Finding, Miss
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _

# The hint of a criterion that cannot be met before another one is.
FOLLOWS = mark("This follows from what failed above.")


def value(outcome: Mapping[str, Any], expected: Any, show: Callable[[Any], str] = repr) -> Iterator[Miss]:
    """Expect an :func:`attempt` that returned ``expected``."""
    if outcome.get("value", ...) != expected:
        yield Miss(show(expected), shown(outcome))


def count(words: str, found: Any, exactly: Any) -> Iterator[Miss]:
    """Expect a number that is this one."""
    if found != exactly:
        yield Miss(_(words).format(count=exactly), _(words).format(count=found))


def true(holds: object, expected: str, got: str) -> Iterator[Miss]:
    """Expect something that holds; both texts are in the learner's language already."""
    if not holds:
        yield Miss(expected, got)


def shown(outcome: Mapping[str, Any], none: bool = False) -> str:
    """Return the outcome of one :func:`attempt` in words for the learner; ``none``: `None` is an answer like others."""
    if "raised" in outcome:
        return raised(outcome)
    if "unplain" in outcome:
        return _("an object of type {kind}, which is not a plain value").format(kind=outcome["unplain"])
    if outcome["value"] is None:
        return "`None`" if none else _("`None`. A `return` may be missing.")
    return str(outcome.get("written", repr(outcome["value"])))


def raised(part: Mapping[str, Any]) -> str:
    """Return the exception that ended this part of the evidence; "" where none did."""
    return exception(part["raised"]) if "raised" in part else ""


def exception(error: str) -> str:
    """Return an exception, as :func:`loaderlab.exercises.probing.told` tells it, in words."""
    return gap(error) or _("an exception: {error}").format(error=error)


def gap(error: str) -> str:
    """Return the part that is still to be written, where that is why there was an exception; else ""."""
    kind, _colon, name = error.partition(": ")
    if kind != "NotImplementedError" or not name.isidentifier():
        return ""
    return _("nothing: `{name}` is still to be written").format(name=name)


# Below this share of the cores, what ran out of time says nothing.
STARVED = 0.5


def starved(evidence: Mapping[str, Any]) -> Finding | None:
    """Return the finding for an answer that ran out of time on a busy machine; ``prevented`` of an exercise."""
    if evidence.get("stopped", "") is not None or evidence.get("share", 1.0) >= STARVED:
        return None
    words = _("{percent}% of the cores were free while your answer ran, and the time limit was reached")
    return Finding(
        False,
        0,
        _("The check had enough processor time"),
        _("at least {percent}% of the cores for your answer").format(percent=number(100 * STARVED)),
        words.format(percent=number(100 * evidence["share"])),
        _("Your answer was not judged. Check again when other programs have ended."),
    )


def stopped(evidence: Mapping[str, Any]) -> str:
    """Return why the child process that runs an answer gave no evidence; "" where it did. None stands for its time limit."""
    reason = evidence.get("stopped", "")
    return _("the time limit was reached") if reason is None else gap(reason) or reason
