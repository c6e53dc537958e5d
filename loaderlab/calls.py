"""Functions that are probed on a table of calls: what each is called with, by a name."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from loaderlab.probing import attempt


@dataclass(frozen=True)
class Calls:
    """The calls of the function ``name``: their arguments, by a name each."""

    name: str
    arguments: Mapping[str, tuple[Any, ...]]

    def probe(self, answer: Callable[..., Any]) -> dict[str, Any]:
        """What the learner's function does with each call; it gets copies, so that it cannot change ours."""
        return {name: attempt(answer, *copy.deepcopy(call)) for name, call in self.arguments.items()}
