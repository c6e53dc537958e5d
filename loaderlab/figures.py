"""From benchmark rows to a picture or a table, with every column named in the reader's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loaderlab import drawing
from loaderlab.card import Note
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.measure import Spread, spreads
from loaderlab.recordings import Result

# What the columns and the values of the lessons' rows are called in pictures and tables.
NAMES = {
    "num_workers": mark("Number of workers"),
    "prefetch_factor": mark("Prefetch factor"),
    "samples_per_second": mark("Throughput (samples/s)"),
    "wait_share": mark("Share of time waiting (%)"),
    "wait_ms": mark("Wait per step (ms)"),
    "step_ms": mark("Step (ms)"),
    "first_ms": mark("First batch (ms)"),
    "leaving_ms": mark("Leaving (ms)"),
    "next_start_ms": mark("First batch of the next pass (ms)"),
    "seconds": mark("Seconds"),
    "requested": mark("Batches requested"),
    "delivered": mark("Batches delivered"),
    "batches_by_worker": mark("Batches by worker"),
    "in_order": mark("In order"),
    "start_method": mark("Start method"),
    "imported": mark("Module imported"),
    "initialised": mark("__init__ run"),
    "unpickled": mark("Dataset unpickled"),
    "persistent_workers": mark("Persistent workers"),
    "processes": mark("Worker processes"),
    "shm_mib": mark("Shared memory (MiB)"),
    "moment": mark("Moment"),
    "generator": mark("Generator"),
    "draws": mark("Draws"),
    "distinct": mark("Distinct"),
    "busy_processes": mark("Other busy processes"),
    "median_ms": mark("Median step (ms)"),
    "mean_ms": mark("Mean step (ms)"),
    "p99_ms": mark("99th percentile (ms)"),
    "without_core": mark("Time without a core (%)"),
    "wait": mark("Waiting (disk, network)"),
    "decode": mark("Decoding JPEGs (CPU)"),
    "memory": mark("Already in memory"),
    "before": mark("before the first batch"),
    "holding": mark("holding one batch"),
    "limit": mark("Limit"),
}


def named(value: Any) -> str:
    """A column's or a value's name in the reader's language; numbers in the reader's notation."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return number(value, 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2)
    return _(NAMES[value]) if isinstance(value, str) and value in NAMES else str(value)


def rates(
    result: Result, x: str, y: str = "samples_per_second", by: str | None = None
) -> drawing.Picture | Note:
    """Picture of the rate ``y`` against ``x``, one panel for each value of ``by``, with spread and limit.

    Rows that have a ``limit`` give the limit line of their panel. Without rows the picture is the sentence
    that says why there are none.
    """
    if not result.rows:
        return Note(result.stamp)
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for row in result.rows:
        groups.setdefault(row[by] if by else "", []).append(row)
    series = {named(group): spreads(rows, x, y) for group, rows in groups.items()}
    limits = {
        named(group): Spread.of(row["limit"] for row in rows if "limit" in row).median
        for group, rows in groups.items()
        if any("limit" in row for row in rows)
    }
    best = [_best(name, points, limits.get(name)) for name, points in series.items()]
    return drawing.rates(
        series,
        limit=limits,
        x_label=named(x),
        y_label=named(y),
        title="",
        stamp=result.stamp,
        text=" ".join([*best, f"({result.stamp})"]),
    )


def _best(name: str, points: Mapping[Any, Spread], limit: float | None) -> str:
    x, top = max(points.items(), key=lambda point: point[1].median)
    sentence = _("Best at {x}: {rate}.").format(x=x, rate=named(top.median))
    if limit:
        share = _("That is {share}% of the limit, {limit}.")
        sentence += " " + share.format(share=number(100 * top.median / limit), limit=named(limit))
    return _("{name}: {sentence}").format(name=name, sentence=sentence) if name else sentence


def strip(workers: Sequence[int]) -> drawing.Picture:
    """Picture of who made each batch: one cell per batch, in the order of delivery."""
    sequence = " ".join(map(str, workers))
    return drawing.strip(
        workers, text=_("Worker of each batch, in order of delivery: {sequence}").format(sequence=sequence)
    )


def table(rows: Iterable[Mapping[str, Any]]) -> Note:
    """The rows as a plain text table; columns in the order in which they first appear."""
    rows = list(rows)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [[named(c) for c in columns], *([named(row.get(c, "–")) for c in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return Note("\n".join(lines))
