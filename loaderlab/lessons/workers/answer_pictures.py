"""The pictures of an answer to `arrivals`: who loads each batch, and when the loop gets it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from loaderlab.drawing import GREEN, ORANGE, RED, Bar, Kind, Picture, tracks
from loaderlab.exercises.criterion import Pictures
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _


class Load(NamedTuple):
    """The loading of a batch, from ``start`` to ``end`` (ms), by a worker of this number, or by the main process."""

    worker: int
    start: float
    end: float


def arriving(
    loads: Sequence[Load], step_ms: float, num_workers: int, right: Sequence[float], value: Any
) -> Pictures | None:
    """Return the pictures of both lists of moments (ms); None for a value that has not one for each batch."""
    if (
        not right
        or not isinstance(value, list)
        or len(value) != len(right)
        or not all(map(_is_moment, value))
    ):
        return None
    end = right[-1] + step_ms
    until = max(end, min(max(value) + step_ms, 2 * end))
    names = [_("worker {n}").format(n=n) for n in range(num_workers)] or [_("main process")]
    workers = {
        name: [Bar(load.start, load.end, "load", str(i)) for i, load in enumerate(loads) if load.worker == n]
        for n, name in enumerate(names)
    }

    def picture(title: str, moments: Sequence[float]) -> Picture:
        asked, loop = 0.0, []
        for i, got in enumerate(moments):
            loop += [Bar(asked, got, "wait")] if got > asked else []
            asked = got + step_ms
            loop.append(Bar(got, asked, "step", str(i)))
        words = _(
            "{title}: the loop gets the batches at {moments} ms. They are loaded from … to …, in ms: {loads}."
        )
        text = words.format(
            title=title,
            moments=", ".join(map(_told, moments)),
            loads=", ".join(f"{_told(load.start)}–{_told(load.end)}" for load in loads),
        )
        kinds = {
            "load": Kind(ORANGE, _("loads a batch")),
            "step": Kind(GREEN, _("step")),
            "wait": Kind(RED, _("waits for a batch"), hatched=True),
        }
        return tracks({title: {**workers, _("loop"): loop}}, kinds, text=text, until=until)

    return Pictures(picture(_("Asked for"), right), picture(_("Your answer"), value))


def _is_moment(thing: Any) -> bool:
    return type(thing) in (int, float) and math.isfinite(thing) and thing >= 0


def _told(moment: float) -> str:
    return number(moment, 0 if moment == int(moment) else 2)
