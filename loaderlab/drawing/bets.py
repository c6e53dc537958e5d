"""The guesses of a class beside what each measured: a row for each question, a dot for each learner."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loaderlab.drawing.picture import Picture
from loaderlab.drawing.plots import POINT, WORDS, blank, printed
from loaderlab.drawing.style import BLUE, GREY, INK, ORANGE, PLAIN, SMALL
from loaderlab.i18n.language import translate as _

FURTHEST = 32.0  # times too little, or too much: what is further off stands at the edge
TICKS = {1 / 10: "1/10", 1 / 2: "1/2", 1: "1", 2: "2", 10: "10"}


@dataclass(frozen=True)
class Guesses:
    """The content of a row: each learner's guess divided by what was measured (empty where it was a choice), and how many were good."""

    ratios: Sequence[float]
    good: int
    of: int


def bets(rows: Mapping[str, Guesses], *, text: str) -> Picture:
    """Draw the rows, from top to bottom; on the line in the middle is what was measured."""
    figure = blank(0.9 + 0.42 * len(rows))
    axes = figure.subplots()
    edge = math.log2(FURTHEST)
    axes.set_xlim(-1.1 * edge, 1.1 * edge)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), list(rows), fontsize=PLAIN * POINT)
    axes.set_xticks([math.log2(tick) for tick in TICKS], list(TICKS.values()))
    axes.axvline(0, color=ORANGE, linewidth=1.6)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    for row, guesses in enumerate(rows.values()):
        axes.axhline(row, color=GREY, linewidth=0.4, alpha=0.5)
        at = [max(-edge, min(edge, math.log2(ratio) if ratio > 0 else -edge)) for ratio in guesses.ratios]
        # Equal guesses stand above each other.
        step = min(0.11, 0.75 / max(1, *map(at.count, at))) if at else 0
        lift = [step * at[:place].count(each) for place, each in enumerate(at)]
        axes.plot(
            at, [row - up for up in lift], marker="o", markersize=6, color=BLUE, alpha=0.6, linestyle=""
        )
        axes.annotate(
            f"✓ {guesses.good}/{guesses.of}", (1.005, row), xycoords=("axes fraction", "data"), va="center",
            fontsize=SMALL * POINT, color=INK,
        )  # fmt: skip
    axes.set_title(_("measured"), color=ORANGE, fontsize=WORDS["fontsize"])
    return printed(figure, _("The guess, divided by what was measured"), "", text)
