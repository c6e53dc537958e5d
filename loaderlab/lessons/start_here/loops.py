"""The rows of a picture, made from the event log of a loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from loaderlab.notebook.recordings import Result
from loaderlab.notebook.rows import Rows

KINDS = {"ask": "wait", "batch": "compute"}  # what begins with this event


def bars(logs: Mapping[str, Sequence[tuple[str, float]]]) -> Result:
    """Return one panel for each log: the loop waits from "ask" to "batch", and computes from "batch" to "done" (ms)."""
    return Rows(
        {"variant": name, "track": "loop", "kind": KINDS[event], "start_ms": start, "end_ms": end}
        for name, log in logs.items()
        for (event, start), (following, end) in pairwise(log)
        if (event, following) in (("ask", "batch"), ("batch", "done"))
    ).result
