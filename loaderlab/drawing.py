"""Pictures of the course in one style: timelines, rates with their limit, and strips of cells.

Every picture carries one sentence that says what it shows, for readers who hear it instead of seeing it.
The colours are those of Okabe and Ito, which stay apart for colour-blind readers; a hatch, a marker or a
number says the same as each colour. The background is white in light and in dark notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from loaderlab.canvas import SCALE, Canvas, shrink, text_width
from loaderlab.language import translate as _
from loaderlab.measure import Spread
from loaderlab.pipeline import MAIN, Timeline

WIDTH = 800  # pixels
SMALL, PLAIN = 10, 12  # sizes of text
WIDE = 40  # from this ratio of highest to lowest on, rates are drawn on a logarithmic scale

INK, GREY, PALE = "#222222", "#666666", "#dddddd"
BLUE, SKY, GREEN, ORANGE, RED, PINK, YELLOW = (
    "#0072b2",
    "#56b4e9",
    "#009e73",
    "#e69f00",
    "#d55e00",
    "#cc79a7",
    "#f0e442",
)
PALETTE = (BLUE, ORANGE, GREEN, PINK, SKY, RED, YELLOW, "#999999")
_DARK = {BLUE, GREEN, RED}


@dataclass(frozen=True)
class Picture:
    """A PNG and the sentence that says what it shows."""

    png: bytes
    text: str
    width: int = WIDTH

    def _repr_mimebundle_(self, **_options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {"image/png": self.png, "text/plain": self.text}
        return data, {"image/png": {"alt": self.text, "width": self.width}}


def _ink_on(colour: str) -> str:
    return "white" if colour in _DARK else INK


def ticks(length: float, most: int) -> list[float]:
    """At most `most` round values from 0 to `length`."""
    if length <= 0:
        return [0.0]
    raw = length / max(1, most - 1)
    power = 10 ** math.floor(math.log10(raw))
    step = next(power * f for f in (1, 2, 5, 10) if power * f >= raw * (1 - 1e-9))
    return [i * step for i in range(int(length / step + 1e-9) + 1)]


# --- timeline -------------------------------------------------------------------------------------


def timeline(panels: Mapping[str, Timeline], *, text: str, stamp: str = "") -> Picture:
    """Who does what when: workers, queue, main process and device, one panel per timeline.

    All panels have the same time axis in ms. `panels` maps a title ("" for none) to its timeline.
    """
    runs = list(panels.values())
    labels = [
        _("worker {n}").format(n=99),
        _("queue (0 to {n})").format(n=99),
        _("main process"),
        _("device"),
    ]
    left = max(text_width(label) for label in labels) + 18
    length = max(run.total_ms for run in runs)
    per_ms = (WIDTH - left - 14) / max(length, 1e-9)
    heights = [_panel_height(run, title) for title, run in panels.items()]
    legend = _legend_lines(runs)
    canvas = Canvas(WIDTH, sum(heights) + 24 + 18 * len(legend) + (16 if stamp else 0) + 6)
    top = 0
    for (title, run), height in zip(panels.items(), heights, strict=True):
        _panel(canvas, run, title, left, top, per_ms)
        top += height
    values = ticks(length, 9)
    for value in values:
        x = left + value * per_ms
        canvas.line([(x, top), (x, top + 4)], GREY)
        if x < WIDTH - 60:
            canvas.text(x, top + 12, f"{value:g}", SMALL, GREY, "mm")
    canvas.text(WIDTH - 14, top + 12, "ms", SMALL, GREY, "rm")
    _legend(canvas, legend, left, top + 24)
    if stamp:
        canvas.text(WIDTH - 14, canvas.height - 10, stamp, SMALL, GREY, "rm")
    return Picture(canvas.png(), text)


def _row_height(run: Timeline) -> int:
    return max(13, min(22, 176 // max(1, run.setting.num_workers)))


def _panel_height(run: Timeline, title: str) -> int:
    workers = run.setting.num_workers
    queue = 36 if workers else 0
    return (22 if title else 0) + 18 + workers * _row_height(run) + queue + 2 * 24 + 6


def _panel(canvas: Canvas, run: Timeline, title: str, left: float, top: float, per_ms: float) -> None:
    if title:
        canvas.text(14, top + 12, title, PLAIN, INK, "lm", bold=True)
        top += 22
    zero = run.epochs[0][0]

    def x(time: float) -> float:
        return left + (time - zero) * per_ms

    room = text_width(str(run.setting.batches - 1), SMALL) + 3

    def bar(start: float, end: float, upper: float, lower: float, colour: str, batch: int | None) -> None:
        """With the number of its batch where there is room; a white edge parts it from the next."""
        width = x(end) - x(start)
        canvas.box(x(start), upper, x(end), lower, colour, "white" if width > 2 else None)
        if width > room:
            canvas.text(x(start) + width / 2, (upper + lower) / 2, str(batch), SMALL, _ink_on(colour), "mm")

    head, top = top + 9, top + 18
    workers, height = run.setting.num_workers, _row_height(run)
    rows: dict[int | str, tuple[float, float]] = {
        worker: (top + worker * height, top + (worker + 1) * height - 2) for worker in range(workers)
    }
    for worker, (upper, lower) in rows.items():
        name = _("worker {n}").format(n=worker)
        canvas.text(left - 8, (upper + lower) / 2, name, PLAIN if height > 14 else SMALL, INK, "rm")
    bottom = top + workers * height
    if workers:
        _queue(canvas, run, x, left, bottom + 3, bottom + 33)
        bottom += 36
    for row, name in ((MAIN, _("main process")), ("device", _("device"))):
        rows[row] = (bottom + 1, bottom + 23)
        canvas.text(left - 8, bottom + 12, name, PLAIN, INK, "rm")
        bottom += 24
    for epoch, (start, _end) in enumerate(run.epochs):
        canvas.line([(x(start), head + 7), (x(start), bottom)], GREY if epoch else PALE)
        canvas.text(x(start) + 3, head, _("epoch {n}").format(n=epoch), SMALL, GREY)
    for span in run.spans:
        upper, lower = rows[span.row]
        if span.kind == "load":
            bar(span.start, span.end, upper, lower, BLUE, span.batch)
        else:
            canvas.hatch(x(span.start), upper, x(span.end), lower, GREY, 4)
    (main_top, main_bottom), (upper, lower) = rows[MAIN], rows["device"]
    idle = zero
    for d in run.deliveries:
        if d.worker is not None and (d.ready - d.asked) * per_ms > 1:
            canvas.hatch(x(d.asked), main_top, x(d.ready), main_bottom, RED)
        if (d.ready - idle) * per_ms > 1:
            canvas.hatch(x(idle), upper, x(d.ready), lower, RED)
        if d.done > d.ready:
            bar(d.ready, d.done, upper, lower, GREEN, d.batch)
        idle = d.done


def _queue(canvas: Canvas, run: Timeline, x: Any, left: float, top: float, bottom: float) -> None:
    """Level of the queue as an area; its highest level stands beside the name of the row."""
    most = max((level for _time, level in run.queue), default=0)
    words = _("queue (0 to {n})").format(n=most)
    canvas.text(left - 8, (top + bottom) / 2, words, PLAIN, INK, "rm")
    canvas.line([(left, bottom), (WIDTH - 14, bottom)], PALE)
    levels = [*run.queue, (run.epochs[-1][1], 0)]
    for (time, level), (end, _next) in pairwise(levels):
        if level:
            canvas.box(x(time), bottom - (bottom - top) * level / most, x(end), bottom, SKY)


def _legend_lines(runs: Sequence[Timeline]) -> list[list[tuple[str, str]]]:
    """What the bars mean, in as many lines as the words need."""
    entries = [("load", _("loads a batch")), ("step", _("training step")), ("wait", _("waits for a batch"))]
    if any(run.setting.num_workers for run in runs):
        entries += [("start", _("starts or stops workers")), ("queue", _("batches ready"))]
    lines: list[list[tuple[str, str]]] = [[]]
    room, used = WIDTH - 28.0, 0.0
    for kind, words in entries:
        width = 24 + text_width(words, SMALL) + 14
        if used + width > room and lines[-1]:
            lines.append([])
            used = 0.0
        lines[-1].append((kind, words))
        used += width
    return lines


def _legend(canvas: Canvas, lines: list[list[tuple[str, str]]], left: float, top: float) -> None:
    colours = {"load": BLUE, "step": GREEN, "queue": SKY}
    for line in lines:
        width = sum(38 + text_width(words, SMALL) for _kind, words in line)
        x = min(left, WIDTH - 14 - width)
        for kind, words in line:
            if kind in colours:
                canvas.box(x, top + 3, x + 18, top + 15, colours[kind])
            else:
                canvas.hatch(
                    x, top + 3, x + 18, top + 15, RED if kind == "wait" else GREY, 4 if kind == "start" else 5
                )
            canvas.text(x + 24, top + 9, words, SMALL)
            x += 38 + text_width(words, SMALL)
        top += 18


# --- strip ----------------------------------------------------------------------------------------


def strip(
    rows: Mapping[str, Sequence[Any]] | Sequence[Any],
    *,
    text: str,
    title: str = "",
    stamp: str = "",
) -> Picture:
    """Rows of cells with a value each, such as the worker that loaded each batch; equal values look alike.

    A plain sequence is one row without a name. Long rows go on in a second line.
    """
    if not isinstance(rows, Mapping):
        rows = {"": rows}
    known = sorted({value for cells in rows.values() for value in cells}, key=_order)
    colour = {value: PALETTE[i % len(PALETTE)] for i, value in enumerate(known)}
    left = min(300.0, max(text_width(label) for label in rows) + 22) if any(rows) else 14.0
    cell = max([22.0, *(text_width(str(value), SMALL) + 8 for value in known)])
    fit = max(1, int((WIDTH - left - 14) / cell))
    lines = [
        (label if begin == 0 else "", cells[begin : begin + fit], begin == 0)
        for label, cells in rows.items()
        for begin in range(0, max(1, len(cells)), fit)
    ]
    height = sum(26 + (6 if first else 0) for _label, _cells, first in lines)
    canvas = Canvas(WIDTH, 8 + (26 if title else 0) + height + (18 if stamp else 4))
    top = 8.0
    if title:
        canvas.text(14, top + 10, title, PLAIN, INK, "lm", bold=True)
        top += 26
    for label, cells, first in lines:
        top += 6 if first else 0
        canvas.text(left - 8, top + 12, label, PLAIN, INK, "rm")
        for i, value in enumerate(cells):
            fill = colour[value]
            x = left + i * cell
            canvas.box(x, top, x + cell - 2, top + 24, fill, GREY)
            canvas.text(x + cell / 2 - 1, top + 12, str(value), SMALL, _ink_on(fill), "mm")
        top += 26
    if stamp:
        canvas.text(WIDTH - 14, canvas.height - 10, stamp, SMALL, GREY, "rm")
    return Picture(canvas.png(), text)


def _order(value: Any) -> tuple[bool, Any]:
    return (isinstance(value, str), value)


# --- rates ----------------------------------------------------------------------------------------


def rates(
    series: Mapping[str, Mapping[int | str, Spread]],
    *,
    limit: Mapping[str, float] | float | None = None,
    x_label: str,
    y_label: str,
    title: str = "",
    stamp: str = "",
    text: str,
) -> Picture:
    """Medians with the range of their repeats, and the limit as a dashed line: how much is left to gain.

    One panel per series, each with its own scale, because rates of different work are not comparable; the
    scale is logarithmic, and says so, where the highest value is more than `WIDE` times the lowest.
    `limit` is one value for all series, or one for each by name. The values of x stand side by side in the
    order in which they come, numbers and names alike.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator
    from PIL import Image

    point = 0.72  # of a pixel, at 100 pixels an inch
    words = {"fontsize": PLAIN * point, "color": INK}
    figure = Figure(figsize=(WIDTH / 100, 3.6), dpi=100 * SCALE, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    columns = figure.subplots(1, len(series), squeeze=False)[0]
    for i, (axes, (name, points)) in enumerate(zip(columns, series.items(), strict=True)):
        at = range(len(points))
        medians = [p.median for p in points.values()]
        below = [p.median - p.low for p in points.values()]
        above = [p.high - p.median for p in points.values()]
        axes.errorbar(
            at,
            medians,
            [below, above],
            color=PALETTE[i % len(PALETTE)],
            marker="os^D"[i % 4],
            markersize=6,
            capsize=3,
        )
        line = limit.get(name) if isinstance(limit, Mapping) else limit
        if line is not None:
            axes.axhline(line, color=INK, linestyle="--", linewidth=1.2)
            axes.annotate(
                _("limit"), (0.01, line), xycoords=("axes fraction", "data"), xytext=(0, 3),
                textcoords="offset points", fontsize=SMALL * point, color=INK,
            )  # fmt: skip
        highest = max([*(p.high for p in points.values()), line or 0.0, 1e-9])
        lowest = min(p.low for p in points.values())
        if 0 < lowest < highest / WIDE:
            axes.set_yscale("log")
            axes.yaxis.set_minor_locator(NullLocator())
            axes.set_ylim(lowest / 2, 3 * highest)
        else:
            axes.set_ylim(0, 1.15 * highest)
            axes.yaxis.set_major_locator(MaxNLocator(5))
        axes.set_xlim(-0.5, len(points) - 0.5)
        axes.set_xticks(list(at), [str(x) for x in points])
        axes.yaxis.set_major_formatter(
            FuncFormatter(lambda value, _at: f"{value:,.10g}".replace(",", "\u202f"))
        )
        scale = _("(logarithmic)") if axes.get_yscale() == "log" else ""
        if name or scale:
            axes.set_title(f"{name} {scale}".strip(), loc="left", **words)
        axes.tick_params(labelsize=SMALL * point, colors=GREY)
        axes.grid(axis="y", color=PALE, linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel(x_label, **words)
    figure.supylabel(y_label, **words)
    if title:
        figure.suptitle(title, fontweight="bold", **words)
    if stamp:
        figure.text(0.995, 0.012, stamp, ha="right", va="bottom", fontsize=SMALL * point, color=GREY)
    canvas.draw()
    image = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba(), "raw", "RGBA", 0, 1)
    return Picture(shrink(image.convert("RGB")), text)
