"""Answers that are older than what the learner wrote: the newest cell that defines them failed before it did."""

from __future__ import annotations

import ast
import re
import sys
from functools import lru_cache
from typing import Any

from loaderlab.exercises.definitions import assigned

# A definition or an assignment, in a cell that Python cannot read.
_BEGINS = re.compile(r"^\s*(?:async\s+)?(?:def|class)\s+(\w+)|^(\w+)\s*(?::[^=\n]*)?=(?!=)", re.MULTILINE)


class Outdated:
    """The names that a failed cell left as they were: each from the cell that fails to one that defines it anew."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._before = _identities()

    def ran(self, result: Any) -> None:
        """Note that a cell has run: IPython calls this after each, even one that it could not read. ``result`` is IPython's."""
        now, defined = _identities(), _defined(result.info.raw_cell)
        self._names -= defined
        if not result.success:
            # A cell may define the answer first, and then fail: what has changed is new.
            self._names |= {name for name in defined if now.get(name) == self._before.get(name)}
        self._before = now

    def __contains__(self, name: str) -> bool:
        return name in self._names


@lru_cache(maxsize=1)
def outdated() -> Outdated:
    """Return the names that are outdated in this notebook, from the first call on; without IPython there are none."""
    found = Outdated()
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None:
        shell.events.register("post_run_cell", found.ran)
    return found


def _identities() -> dict[str, int]:
    """Return the identities of all that the notebook has; no references, which would keep it in memory."""
    return {name: id(value) for name, value in vars(sys.modules["__main__"]).items()}


def _defined(cell: str) -> set[str]:
    try:
        return assigned(ast.parse(cell).body)
    except (SyntaxError, ValueError, RecursionError):  # broken, or it begins with a magic
        return {function or variable for function, variable in _BEGINS.findall(cell)}
