"""A stranger: a loader with what is true of it, and a judge of what was said."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

# Made once, where they are first asked for.
DATA = Path(tempfile.gettempdir(), "loaderlab-strangers")


@dataclass(frozen=True)
class Stranger:
    """``make`` returns the loader; its docstring says where it is from, and the truth.

    ``names``: findings that are right; ``parts``: those that are right in part; ``cause``: a regular expression which only a
    report that says the cause has; ``step``: milliseconds of a step on a device. A healthy one has no ``names``: nothing but
    "the step is the limit" may be said, and nothing be advised.
    """

    make: Callable[[], Any]
    names: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    cause: str = ""
    step: float = 10.0

    @property
    def stepping(self) -> Callable[[Any], Any]:
        """A step on a device: this process waits."""
        return partial(resting, self.step / 1000)


def resting(seconds: float, batch: Any) -> None:
    """Wait for so many seconds."""
    time.sleep(seconds)


VERDICTS = ("right, with the cause", "right", "in part", "wrong", "abstained")
ABSTAINING = ("too_noisy", "not_measured")


def judged(said: list[tuple[str, str | None]], text: str, one: Stranger) -> str:
    """Return the verdict on findings (their names, and the changes that they advise) and the text of the whole report."""
    names = [name for name, _change in said]
    if not one.names:
        if names[0] in ABSTAINING:
            return "abstained"
        healthy = names[0] == "step_limit" and not any(change for _name, change in said)
        return "right, with the cause" if healthy else "in part" if names[0] == "step_limit" else "wrong"
    if names[0] in one.names:
        return "right, with the cause" if re.search(one.cause, text) else "right"
    if names[0] in ABSTAINING:
        return "abstained"
    return "in part" if {*one.names} & {*names} or names[0] in one.parts else "wrong"
