"""Timelines of a DataLoader: workers, queue, main process and device."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.over_time import over_time
from loaderlab.drawing.picture import Picture
from loaderlab.drawing.style import (
    BLUE,
    EDGE,
    GREEN,
    GREY,
    INK,
    PALE,
    PLAIN,
    RED,
    SKY,
    SMALL,
    WIDTH,
    Kind,
    ink_on,
    steady,
)
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.model.pipeline import MAIN, Timeline


def timeline(panels: Mapping[str, Timeline], *, text: str, stamp: str = "", least_ms: float = 0.0) -> Picture:
    """Draw the work of workers, queue, main process and device over time, one panel per timeline.

    All panels have the same time axis in ms, as long as the longest, and at least `least_ms`. `panels` maps a title ("" for
    none) to its timeline.
    """
    runs = list(panels.values())
    labels = [
        _("worker {n}").format(n=99),
        _("queue (0 to {n})").format(n=99),
        _("main process"),
        _("device"),
    ]
    return over_time(
        [(_panel_height(run, title), partial(_panel, run, title)) for title, run in panels.items()],
        labels,
        steady(max(least_ms, *(run.total_ms for run in runs))),
        _kinds(runs),
        text=text,
        stamp=stamp,
    )


def _heights(run: Timeline) -> tuple[int, int, int]:
    """Return the heights of the rows: of a worker, of the queue, of main process and device.

    With few workers they are up to twice as high: an explorer has room for many, and would be half empty.
    """
    workers = run.setting.num_workers
    row, queue, bar = max(13, min(30, 208 // max(1, workers))), 36 if workers else 0, 24
    stretch = max(1.0, min(2.0, 292 / (workers * row + queue + 2 * bar)))
    return int(row * stretch), int(queue * stretch), int(bar * stretch)


def _panel_height(run: Timeline, title: str) -> int:
    row, queue, bar = _heights(run)
    return (22 if title else 0) + 18 + run.setting.num_workers * row + queue + 2 * bar + 6


def _panel(run: Timeline, title: str, canvas: Canvas, left: float, top: float, per_ms: float) -> None:
    if title:
        canvas.text(EDGE, top + 12, title, PLAIN, INK, "lm", bold=True)
        top += 22
    zero = run.epochs[0][0]

    def x(time: float) -> float:
        return left + (time - zero) * per_ms

    room = text_width(str(run.setting.batches - 1), SMALL) + 3

    def bar(start: float, end: float, upper: float, lower: float, colour: str, batch: int | None) -> None:
        """Draw a bar, with the number of its batch where there is room; a white edge parts it from the next."""
        width = x(end) - x(start)
        canvas.box(x(start), upper, x(end), lower, colour, "white" if width > 2 else None)
        if width > room:
            canvas.text(x(start) + width / 2, (upper + lower) / 2, str(batch), SMALL, ink_on(colour), "mm")

    head, top = top + 9, top + 18
    workers, (height, queue, high) = run.setting.num_workers, _heights(run)
    rows: dict[int | str, tuple[float, float]] = {
        worker: (top + worker * height, top + (worker + 1) * height - 2) for worker in range(workers)
    }
    for worker, (upper, lower) in rows.items():
        name = _("worker {n}").format(n=worker)
        canvas.text(left - 8, (upper + lower) / 2, name, PLAIN if height > 14 else SMALL, INK, "rm")
    bottom = top + workers * height
    if workers:
        _queue(canvas, run, x, left, bottom + 3, bottom + queue - 3)
        bottom += queue
    for row, name in ((MAIN, _("main process")), ("device", _("device"))):
        rows[row] = (bottom + 1, bottom + high - 1)
        canvas.text(left - 8, bottom + high / 2, name, PLAIN, INK, "rm")
        bottom += high
    for epoch, (start, _end) in enumerate(run.epochs):
        canvas.line([(x(start), head + 7), (x(start), bottom)], GREY if epoch else PALE)
        canvas.text(x(start) + 3, head, _("epoch {n}").format(n=epoch), SMALL, GREY)
    told = _told(run)
    for span in run.spans:
        upper, lower = rows[span.row]
        if words := told.get((span.epoch, span.batch)):
            canvas.spot(x(span.start), upper, x(span.end), lower, words)
        if span.kind == "load":
            bar(span.start, span.end, upper, lower, BLUE, span.batch)
        else:
            canvas.hatch(x(span.start), upper, x(span.end), lower, GREY, 4)
    (main_top, main_bottom), (upper, lower) = rows[MAIN], rows["device"]
    idle = zero
    for d in run.deliveries:
        canvas.spot(x(idle), upper, x(d.done), lower, told[d.epoch, d.batch])
        if d.worker is not None and (d.ready - d.asked) * per_ms > 1:
            canvas.hatch(x(d.asked), main_top, x(d.ready), main_bottom, RED)
        if (d.ready - idle) * per_ms > 1:
            canvas.hatch(x(idle), upper, x(d.ready), lower, RED)
        if d.done > d.ready:
            bar(d.ready, d.done, upper, lower, GREEN, d.batch)
        idle = d.done


def _told(run: Timeline) -> dict[tuple[int, int | None], str]:
    """Return who loaded each batch and how long the loop waited for it, by epoch and batch."""
    loads = {(span.epoch, span.batch): span for span in run.spans if span.kind == "load"}
    told: dict[tuple[int, int | None], str] = {}
    for d in run.deliveries:
        load = loads.get((d.epoch, d.batch))
        who = _("main process") if d.worker is None else _("worker {n}").format(n=d.worker)
        told[d.epoch, d.batch] = _(
            "Batch {n}. Loaded by: {who}, in {load} ms. The loop waited {wait} ms for it."
        ).format(
            n=d.batch,
            who=who,
            load=number(load.end - load.start if load else d.ready - d.asked),
            wait=number(d.ready - d.asked),
        )
    return told


def _queue(canvas: Canvas, run: Timeline, x: Any, left: float, top: float, bottom: float) -> None:
    """Level of the queue as an area; its highest level stands beside the name of the row."""
    most = max((level for _time, level in run.queue), default=0)
    words = _("queue (0 or 1)") if most == 1 else _("queue (0 to {n})").format(n=most)
    canvas.text(left - 8, (top + bottom) / 2, words, PLAIN, INK, "rm")
    canvas.line([(left, bottom), (WIDTH - EDGE, bottom)], PALE)
    levels = [*run.queue, (run.epochs[-1][1], 0)]
    for (time, level), (end, _next) in pairwise(levels):
        if level:
            canvas.box(x(time), bottom - (bottom - top) * level / most, x(end), bottom, SKY)


def _kinds(runs: Sequence[Timeline]) -> list[Kind]:
    """Return the meaning of the bars, for the legend."""
    kinds = [
        Kind(BLUE, _("loads a batch")),
        Kind(GREEN, _("training step")),
        Kind(RED, _("waits for a batch"), hatched=True),
    ]
    if any(run.setting.num_workers for run in runs):
        kinds += [Kind(GREY, _("starts or stops workers"), hatched=True), Kind(SKY, _("batches ready"))]
    return kinds
