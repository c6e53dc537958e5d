"""Plots of what a benchmark measured, with matplotlib: rates side by side, and curves over a number.

Medians come with the range of their repeats, and with the limit as a dashed line: how much is left to gain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.operations import SCALE
from loaderlab.drawing.picture import Bitmap, Picture
from loaderlab.drawing.style import EDGE, GREY, INK, PALE, PALETTE, PLAIN, RED, SMALL, WIDTH
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.measure import Spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FEW = 8  # so many marks on an axis still have room for their numbers
WIDE = 40  # from this ratio of highest to lowest on, rates are drawn on a logarithmic scale
POINT = 0.72  # of a pixel, at 100 pixels an inch
WORDS: dict[str, Any] = {"fontsize": PLAIN * POINT, "color": INK}


def rates(
    series: Mapping[str, Mapping[int | str, Spread]],
    *,
    limit: Mapping[str, float] | float | None = None,
    x_label: str,
    y_label: str,
    stamp: str = "",
    caveats: Sequence[str] = (),
    text: str,
) -> Picture:
    """Draw one panel per series, each with its own scale, because rates of different work are not comparable.

    The scale is logarithmic, and says so, where the highest value is more than `WIDE` times the lowest.
    `limit` is one value for all series, or one for each by name. The values of x stand side by side in the
    order in which they come, numbers and names alike. `caveats` stand above the panels.
    """

    def draw(panels: Sequence[Axes]) -> None:
        for i, (axes, (name, points)) in enumerate(zip(panels, series.items(), strict=True)):
            at = range(len(points))
            _medians(axes, list(at), points.values(), i, joined=not any(isinstance(x, str) for x in points))
            line = limit.get(name) if isinstance(limit, Mapping) else limit
            if line is not None:
                _limit(axes, line)
            highest = max([*(p.high for p in points.values()), line or 0.0, 1e-9])
            lowest = min(p.low for p in points.values())
            _scale(axes, lowest, highest, logarithmic=0 < lowest < highest / WIDE)
            axes.set_xlim(-0.5, len(points) - 0.5)
            axes.set_xticks(list(at), [str(x) for x in points])
            scale = _("(logarithmic)") if axes.get_yscale() == "log" else ""
            if name or scale:
                axes.set_title(f"{name} {scale}".strip(), loc="left", **WORDS)

    return _sheet(len(series), draw, x_label, y_label, stamp, caveats, text)


def curves(
    series: Mapping[str, Mapping[float, Spread]],
    *,
    model: Mapping[str, Mapping[float, float]] | None = None,
    limit: float | None = None,
    marks: Sequence[float] = (),
    log: str = "",
    x_label: str,
    y_label: str,
    stamp: str = "",
    caveats: Sequence[str] = (),
    text: str,
) -> Picture:
    """Draw one line for each series over a numeric x, all in one panel.

    A series of `model` is a dotted line in the colour of the measured series of the same name. `marks` are
    positions on the x axis with a thin line each. `log` holds the axes that are logarithmic: "x", "y", "xy".
    `caveats` stand above the panel.
    """
    from matplotlib.ticker import MaxNLocator

    model = model or {}
    names = list(dict.fromkeys([*series, *model]))

    def draw(panels: Sequence[Axes]) -> None:
        (axes,) = panels
        for x in marks:
            axes.axvline(x, color=PALE, linewidth=1, zorder=0)
            if len(marks) <= FEW:
                axes.annotate(
                    f"{x:g}", (x, 1), xycoords=("data", "axes fraction"), xytext=(2, -8),
                    textcoords="offset points", fontsize=SMALL * POINT, color=GREY,
                )  # fmt: skip
        for i, name in enumerate(names):
            if points := dict(sorted(series.get(name, {}).items())):
                _medians(axes, list(points), points.values(), i, label=name)
            if guess := dict(sorted(model.get(name, {}).items())):
                label = _("{name} (model)").format(name=name) if name else _("model")
                colour = PALETTE[i % len(PALETTE)]
                axes.plot(list(guess), list(guess.values()), ":", color=colour, linewidth=1.8, label=label)
        if limit is not None:
            _limit(axes, limit)
        values = [v for points in series.values() for p in points.values() for v in (p.low, p.high)]
        values += [v for points in model.values() for v in points.values()]
        values += [] if limit is None else [limit]
        positive = [v for v in values if v > 0] or [1.0]
        _scale(axes, min(positive), max(positive), logarithmic="y" in log)
        if "x" in log:
            axes.set_xscale("log", base=2)
        elif all(isinstance(x, int) for points in (*series.values(), *model.values()) for x in points):
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))  # there is no half a worker
        axes.xaxis.set_major_formatter(_plain_numbers())
        if any(names):
            axes.legend(fontsize=SMALL * POINT, frameon=False)

    return _sheet(1, draw, x_label, y_label, stamp, caveats, text)


def _sheet(
    panels: int,
    draw: Callable[[Sequence[Axes]], None],
    x_label: str,
    y_label: str,
    stamp: str,
    caveats: Sequence[str],
    text: str,
) -> Picture:
    """Return a figure with that many panels beside each other, as a picture."""
    lines = list(_lines(" ".join(caveats), WIDTH - 2 * EDGE)) if caveats else []
    figure = blank(3.6 + 0.17 * len(lines))
    row = figure.subplots(1, panels, squeeze=False)[0]
    draw(row)
    if lines:
        figure.suptitle(
            "\n".join(lines), x=0.01, ha="left", fontsize=SMALL * POINT, color=RED, linespacing=1.4
        )
    return printed(figure, x_label, y_label, text, stamp)


def _lines(text: str, width: float) -> Iterator[str]:
    """Yield the text in lines of at most that many pixels, behind a sign that does not need its colour."""
    line = "⚠"
    for word in text.split():
        if text_width(f"{line} {word}", SMALL) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}"
    yield line


def blank(inches: float) -> Figure:
    """Return a figure as wide as every picture, and that high. Without pyplot, which keeps state."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH / 100, inches), dpi=100 * SCALE, layout="constrained")


def printed(figure: Figure, x_label: str, y_label: str, text: str, stamp: str = "") -> Picture:
    """Return the figure in the style of the course, as a picture."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    from loaderlab.drawing.png import shrink

    canvas = FigureCanvasAgg(figure)
    for axes in figure.axes:
        axes.tick_params(labelsize=SMALL * POINT, colors=GREY)
        axes.grid(axis="y", color=PALE, linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(f"{x_label}\n" if stamp else x_label, **WORDS)  # the empty line is the stamp's
    figure.supylabel(y_label, **WORDS)
    if stamp:
        figure.text(0.995, 0.012, stamp, ha="right", va="bottom", fontsize=SMALL * POINT, color=GREY)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    return Picture(Bitmap(shrink(image.convert("RGB"))), text)


def _medians(
    axes: Axes, at: Sequence[float], points: Any, i: int, label: str = "", joined: bool = True
) -> None:
    """Draw medians joined by a line, each with the range of its repeats; many points stand too close for marks."""
    points = list(points)
    many = len(points) > 40
    axes.errorbar(
        at,
        [p.median for p in points],
        [[p.median - p.low for p in points], [p.high - p.median for p in points]],
        color=PALETTE[i % len(PALETTE)],
        marker="" if many else "os^D"[i % 4],
        linestyle="-" if joined else "",
        markersize=6,
        linewidth=1.2 if many else None,
        elinewidth=0.5 if many else None,
        capsize=0 if many else 3,
        label=label or None,
    )


def _limit(axes: Axes, value: float) -> None:
    axes.axhline(value, color=INK, linestyle="--", linewidth=1.2)
    axes.annotate(
        _("limit"), (0.01, value), xycoords=("axes fraction", "data"), xytext=(0, 3),
        textcoords="offset points", fontsize=SMALL * POINT, color=INK,
    )  # fmt: skip


def _scale(axes: Axes, lowest: float, highest: float, logarithmic: bool) -> None:
    from matplotlib.ticker import MaxNLocator, NullLocator

    if logarithmic:
        axes.set_yscale("log")
        axes.yaxis.set_minor_locator(NullLocator())
        axes.set_ylim(lowest / 2, 3 * highest)
    else:
        axes.set_ylim(0, 1.15 * highest)
        axes.yaxis.set_major_locator(MaxNLocator(5))
    axes.yaxis.set_major_formatter(_plain_numbers())


def _plain_numbers() -> Any:
    """Write no powers of ten on an axis; groups of digits from 10 000 up, as in prose; the decimal point of printed output."""
    from matplotlib.ticker import FuncFormatter

    def plain(value: float, _at: int) -> str:
        if abs(value) >= 10_000:
            return f"{value:,.10g}".replace(",", "\u202f")
        return f"{value:.10g}" if abs(value) >= 1 else f"{value:.3g}"

    return FuncFormatter(plain)
