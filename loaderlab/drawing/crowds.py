"""Many people's curves: one row of panels for each kind of machine, one panel for each thing measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from loaderlab.drawing.picture import Picture
from loaderlab.drawing.plots import POINT, WORDS, blank, printed
from loaderlab.drawing.style import BLUE, GREY, INK, ORANGE, PLAIN, RED, SMALL
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES = (0, (5, 2))


@dataclass(frozen=True)
class Crowd:
    """The content of one panel: for everybody a curve of y in % of its best, and the median of all panels' crowds."""

    curves: Sequence[Mapping[int, float]]
    median: Mapping[int, float]


def crowds(
    rows: Mapping[str, Mapping[str, Crowd]],
    marks: Mapping[str, float],
    *,
    x_label: str,
    y_label: str,
    mark_label: str,
    text: str,
) -> Picture:
    """Draw a row for each key of ``rows``, in it a panel for each key of the row; x of all stand side by side.

    ``marks`` gives rows a vertical line at a value of x. A ring stands on the best point of each curve, and
    above the panel how many have theirs there.
    """
    at = sorted({x for row in rows.values() for crowd in row.values() for c in crowd.curves for x in c})
    across = list(dict.fromkeys(title for row in rows.values() for title in row))
    figure = blank(0.9 + 1.9 * len(rows))
    grid = figure.subplots(len(rows), len(across), squeeze=False, sharex=True, sharey=True)
    for line, (name, row) in zip(grid, rows.items(), strict=True):
        for axes, title in zip(line, across, strict=True):
            _panel(axes, at, row.get(title), marks.get(name))
        # The name of the machine stands above its row; what was measured, below it.
        line[0].set_title(f"{name}\n{across[0]}".strip("\n"), loc="left", **WORDS)
        for axes, title in zip(line[1:], across[1:], strict=True):
            axes.set_title(title, loc="left", **WORDS)
    handles = _legend(mark_label if marks else "")
    figure.legend(
        handles=handles, loc="outside upper right", ncols=len(handles), fontsize=SMALL * POINT, frameon=False
    )
    return printed(figure, x_label, y_label, text)


def _panel(axes: Axes, at: Sequence[int], crowd: Crowd | None, mark: float | None) -> None:
    from numpy import interp

    axes.set_ylim(0, 122)
    axes.set_yticks([0, 50, 100])
    axes.set_xlim(-0.4, len(at) - 0.6)
    axes.set_xticks(range(len(at)), [str(x) for x in at])
    axes.xaxis.set_tick_params(labelbottom=True)
    if mark is not None:
        # Between two numbers where it lies between them; beyond the last, at the edge.
        place = float(interp(mark, at, range(len(at)))) if mark <= at[-1] else len(at) - 0.63
        axes.axvline(place, color=RED, linewidth=1.2, linestyle=":")
        if mark > at[-1]:
            axes.annotate("→", (0.98, 0.06), xycoords="axes fraction", ha="right", color=RED, fontsize=PLAIN)
    if crowd is None or not crowd.curves:
        axes.annotate("–", (0.5, 0.5), xycoords="axes fraction", ha="center", color=GREY)
        return
    alpha = max(0.25, min(0.9, 3 / len(crowd.curves)))
    places = {x: place for place, x in enumerate(at)}
    bests = Counter(places[max(sorted(curve), key=lambda x: curve[x])] for curve in crowd.curves)
    for curve in crowd.curves:
        axes.plot([places[x] for x in curve], list(curve.values()), color=BLUE, alpha=alpha, linewidth=1)
    median = {places[x]: y for x, y in crowd.median.items()}
    axes.plot(list(median), list(median.values()), color=INK, linestyle=_DASHES, linewidth=1.6)
    for place, count in bests.items():
        axes.plot(place, 100, marker="o", markersize=6, color=ORANGE, markeredgecolor=INK, linestyle="")
        axes.annotate(
            f"{count}", (place, 100), xytext=(0, 8), textcoords="offset points", ha="center",
            fontsize=SMALL * POINT, color=INK, bbox={"color": "white", "pad": 0.5},
        )  # fmt: skip


def _legend(mark_label: str) -> list[object]:
    from matplotlib.lines import Line2D

    ring: dict[str, Any] = {"marker": "o", "markersize": 6, "markeredgecolor": INK, "linestyle": ""}
    handles: list[object] = [
        Line2D([], [], color=BLUE, linewidth=1, label=_("one learner")),
        Line2D([], [], color=INK, linestyle=_DASHES, linewidth=1.6, label=_("median of the class")),
        Line2D([], [], color=ORANGE, label=_("learners whose best is here"), **ring),
    ]
    if mark_label:
        handles.append(Line2D([], [], color=RED, linestyle=":", linewidth=1.2, label=mark_label))
    return handles
