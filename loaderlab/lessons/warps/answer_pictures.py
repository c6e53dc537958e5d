"""The pictures of answers to `row_order` and `best_rows`: who waits for whom, and where on the curve an answer lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loaderlab.drawing import RED, SKY, Line, Picture, chart
from loaderlab.exercises.criterion import Pictures
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps.tiles import WARP


def waiting(right: Sequence[int], came: Sequence[int]) -> Pictures:
    """Return the pictures of two orders of rows, each given by the lengths of its rows."""
    return Pictures(_order(_("Asked for"), right), _order(_("Your answer"), came))


def _order(title: str, lengths: Sequence[int]) -> Picture:
    warps = [lengths[first : first + WARP] for first in range(0, len(lengths), WARP)]
    lanes = WARP * len(warps)
    words = _("{title}: rounds of each warp: {rounds}. Idle lanes in all rounds: {idle}.")
    text = words.format(
        title=title,
        rounds=", ".join(str(max(warp)) for warp in warps),
        idle=number(WARP * sum(map(max, warps)) - sum(lengths)),
    )
    row_ends = [*enumerate(lengths), (len(lengths), 0), (lanes, 0)]
    warp_ends = [*((WARP * n, max(warp)) for n, warp in enumerate(warps)), (lanes, max(warps[-1]))]
    lines = [
        Line(_("elements of the row of a lane"), row_ends, SKY, area=True, steps=True),
        Line(_("rounds of its warp"), warp_ends, RED, steps=True),
    ]
    return chart(lines, x_label=_("lanes, 32 of each warp"), y_label=_("rounds"), text=text)


def choosing(times: Mapping[int, float], best: int, value: Any) -> Pictures | None:
    """Return the pictures of two M on the curve of their times; None for one that is not on it."""
    if type(value) is not int or value not in times:
        return None

    def picture(title: str, m: int) -> Picture:
        words = _("{title}: M = {m}, with a median of {time}; M = {best} takes {least}.")
        return chart(
            [Line("", [*times.items()])],
            x_label="M",
            y_label=_("median time"),
            text=words.format(
                title=title, m=m, time=number(times[m], 2), best=best, least=number(times[best], 2)
            ),
            marks={m: f"M = {m}"},
        )

    return Pictures(picture(_("Asked for"), best), picture(_("Your answer"), value))
