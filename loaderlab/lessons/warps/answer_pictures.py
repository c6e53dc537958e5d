"""The pictures of answers to `best_rows`: where on the curve an answer lies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loaderlab.drawing import Line, Picture, chart
from loaderlab.exercises.criterion import Pictures
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _


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
