"""All kinds of finding that `diagnose` has: the table that wording, documentation and tests take them from."""

from __future__ import annotations

import re
from typing import Any

from ..finding import ARGUMENTS, Kind
from . import failure, fault, slowness

# In the order in which they are defined; the names are public (`--json`).
KINDS: dict[str, Kind[Any]] = {
    kind.name: kind
    for room in (slowness, failure, fault)
    for kind in vars(room).values()
    if isinstance(kind, Kind)
}


def table() -> str:
    """Return the table of all kinds for the documentation, in Markdown."""
    rows = [f"| `{one.name}` | {_about(one)} | {_advice(one.cure)} |" for one in KINDS.values()]
    return "\n".join(["| finding | what it says | what it advises |", "|---|---|---|", *rows])


def _about(one: Kind[Any]) -> str:
    return one.about if one.certain else f"{one.about} A question, where the training's program is not known."


def _advice(cure: str | None) -> str:
    """Return the line of the code that matters: the call of a DataLoader, or else the longest; what is filled in stands as its example."""
    if cure is None:
        return ""
    if cure == ARGUMENTS:
        return "other arguments of the `DataLoader`"
    example = re.sub(r"{(\w+)}", r"\1", cure)
    lines = [line.partition("  #")[0].strip() for line in example.splitlines()]
    calls = [line for line in lines if line.startswith("DataLoader(")]
    return f"`{max(calls or lines, key=len)}`"
