"""All kinds of finding that `diagnose` has: the table that wording, documentation and tests take them from."""

from __future__ import annotations

import re
from typing import Any

from ..finding import ARGUMENTS, Kind
from . import failure, fault, slowness

# In the order in which they are defined; the names are public (`--json`).
KINDS: dict[str, Kind[Any]] = {}
for _room in (slowness, failure, fault):
    for _name, _kind in vars(_room).items():
        if isinstance(_kind, Kind):
            _kind.name = _name
            KINDS[_name] = _kind


def table() -> str:
    """Return the table of all kinds for the documentation, in Markdown."""
    question = " A question, where the training's program is not known."
    abouts = {one: one.about + question * (not one.certain) for one in KINDS.values()}
    rows = [f"| `{one.name}` | {about} | {_advice(one.cure)} |" for one, about in abouts.items()]
    return "\n".join(["| finding | what it says | what it advises |", "|---|---|---|", *rows])


def _advice(cure: str | None) -> str:
    """Return the line of the code that matters: the call of a DataLoader, or else the longest; what is filled in stands as its example."""
    if cure in (None, ARGUMENTS):
        return "other arguments of the `DataLoader`" if cure else ""
    lines = [line.partition("  #")[0].strip() for line in re.sub(r"{(\w+)}", r"\1", str(cure)).splitlines()]
    calls = [line for line in lines if line.startswith("DataLoader(")]
    return f"`{max(calls or lines, key=len)}`"
