"""The pictures of an answer to `wait_and_compute`: the log, and below it the totals that were returned."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from loaderlab.drawing import GREY, Bar, Kind, Picture, tracks
from loaderlab.exercises.criterion import Pictures
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.start_here.scene import kinds

KINDS = {("ask", "batch"): "wait", ("batch", "done"): "step"}


def waiting(log: Sequence[tuple[str, int]], right: Sequence[int], value: Any) -> Pictures | None:
    """Return the pictures of both pairs of totals (ms); None for a value that is no pair of lengths."""
    if not isinstance(value, list) or len(value) != 2 or not all(map(_is_length, value)):
        return None
    return Pictures(_picture(log, right, _("Asked for")), _picture(log, value, _("Your answer")))


def _is_length(thing: Any) -> bool:
    return type(thing) in (int, float) and math.isfinite(thing) and thing >= 0


def _picture(log: Sequence[tuple[str, int]], totals: Sequence[float], title: str) -> Picture:
    bars = [
        Bar(start, end, KINDS[event, following])
        for (event, start), (following, end) in pairwise(log)
        if (event, following) in KINDS
    ]
    counted = [Bar(bar.start, bar.end, "first") for bar in bars[:2]] + bars[2:]
    wait, step = (number(total, 0 if total == int(total) else 2) for total in totals)
    rows = {
        _("wait: {ms} ms").format(ms=wait): [Bar(0, totals[0], "wait")],
        _("computation: {ms} ms").format(ms=step): [Bar(0, totals[1], "step")],
    }
    words = _(
        "{title}: wait {wait} ms, computation {step} ms. Wait and computation of each batch after the first, in ms: {each}."
    )
    lengths = [number(bar.end - bar.start) for bar in bars[2:]]
    each = ", ".join(map(" + ".join, zip(lengths[::2], lengths[1::2], strict=True)))
    looks = kinds() | {"first": Kind(GREY, _("first batch, which does not count"))}
    panels = {_("The log"): {_("loop"): counted}, title: rows}
    text = words.format(title=title, wait=wait, step=step, each=each or "–")
    return tracks(panels, looks, text=text, until=log[-1][1])
