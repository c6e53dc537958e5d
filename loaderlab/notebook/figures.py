"""Pictures and tables of benchmark rows, with every column named in the reader's language."""

from __future__ import annotations

import datetime
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from loaderlab import drawing
from loaderlab.drawing import png_metadata
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.measure import Spread, spreads
from loaderlab.measuring.soundness import Oddity, oddities
from loaderlab.notebook import session
from loaderlab.notebook.card import Note
from loaderlab.notebook.recordings import Result

# What columns that several lessons have are called in pictures and tables; a lesson's names.py has its own.
NAMES = {
    "num_workers": mark("Number of workers"),
    "prefetch_factor": mark("Prefetch factor"),
    "samples_per_second": mark("Throughput (samples/s)"),
    "wait_share": mark("Share of time waiting (%)"),
    "wait_ms": mark("Wait per step (ms)"),
    "step_ms": mark("Step (ms)"),
    "seconds": mark("Seconds"),
    "shm_mib": mark("Shared memory (MiB)"),
    "median_ms": mark("Median step (ms)"),
    "limit": mark("Limit"),
    "limit_share": mark("Share of limit (%)"),
    "step_times": mark("Step (times the limit's)"),
    "batch_size": mark("Batch size"),
    "transfer": mark("transfer"),
    "compute": mark("computation"),
}
NAMED = 2  # oddities of a kind: the others have the same causes
FAR = 1.5  # times the higher end of a line, or so much less than the lower one, from which on its ends say too little


def named(value: Any) -> str:
    """Return a column's or a value's name in the reader's language; numbers in the reader's notation."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, float):
        return number(value, _digits(abs(value)))
    names = NAMES | session.current().lesson.names()
    return _(names[value]) if isinstance(value, str) and value in names else str(value)


def _digits(size: float) -> int:
    """Return how many digits after the point are worth showing."""
    if 0 < size < 0.1:
        return 1 - math.floor(math.log10(size))
    return 0 if size >= 100 else 1 if size >= 10 else 2


def rates(
    result: Result, x: str, y: str = "samples_per_second", by: str | None = None
) -> drawing.Picture | Note:
    """Draw the rate ``y`` against ``x``, one panel for each value of ``by``, with spread and limit.

    Rows that have a ``limit`` give the limit line of their panel. Without rows the picture is the sentence
    that says why there are none.
    """
    if not result.rows:
        return Note(result.stamp)
    groups = grouped(result.rows, by)
    series = {
        group: {
            named(at) if isinstance(at, str) else at: spread for at, spread in spreads(rows, x, y).items()
        }
        for group, rows in groups.items()
    }
    limits = {
        group: Spread.of(row["limit"] for row in rows if "limit" in row).median
        for group, rows in groups.items()
        if any("limit" in row for row in rows)
    }
    best = [_best(name, x, y, points, limits.get(name)) for name, points in series.items()]
    picture = drawing.rates(
        series,
        limit=limits,
        x_label=named(x),
        y_label=named(y),
        stamp=result.stamp,
        caveats=(said := _caveats(result, x, y, by)),
        text=" ".join([*best, *said, f"({result.stamp})"]),
    )
    return _with_rows(picture, result, x, y, by)


def curves(
    result: Result,
    x: str,
    y: str,
    by: str | None = None,
    log: str = "",
    marks: Sequence[float] = (),
    model: Iterable[Mapping[str, Any]] = (),
) -> drawing.Picture | Note:
    """Draw ``y`` against the number ``x``, one line for each value of ``by``, with the spread of repeats.

    ``log`` holds the axes that are logarithmic ("x", "y", "xy"); ``marks`` are values of ``x`` with a thin
    line; rows with a ``limit`` give a dashed line. ``model`` has rows of the same columns: dotted lines,
    drawn also where the result has no rows. With neither, the picture is the sentence that says why.
    """
    model = list(model)
    if not result.rows and not model:
        return Note(result.stamp)
    series = {group: spreads(rows, x, y) for group, rows in grouped(result.rows, by).items()}
    series = {group: points for group, points in series.items() if points}
    guesses = {group: {row[x]: row[y] for row in rows} for group, rows in grouped(model, by).items()}
    limits = [row["limit"] for row in result.rows if "limit" in row]
    limit = Spread.of(limits).median if limits else None
    said = [_span(name, x, y, points) for name, points in series.items()]
    if limit is not None:
        said.append(_("Limit: {limit}.").format(limit=_quantity(y, limit)))
    if guesses:
        said.append(_("Dotted: the model."))
    doubts = _caveats(result, x, y, by)
    picture = drawing.curves(
        series,
        model=guesses,
        limit=limit,
        marks=marks,
        log=log,
        x_label=named(x),
        y_label=named(y),
        stamp=result.stamp,
        caveats=doubts,
        text=" ".join([*said, *doubts, f"({result.stamp})"]),
    )
    return _with_rows(picture, result, x, y, by)


def _caveats(result: Result, x: str, y: str, by: str | None) -> list[str]:
    """Return the caveats of the picture of these rows, in the reader's language."""

    def place(at: Any, group: Any) -> str:
        where = placed(x, named(at) if isinstance(at, str) else at)
        return where if group is None else f"{named(group)}, {where}"

    return _told(list(oddities(result.rows, x, y, by, result.circumstances)), place, result.live)


def _told(found: Sequence[Oddity], place: Any, live: bool) -> list[str]:
    """Return a sentence for each oddity, the worst of each kind first; none where all is well.

    ``place(at, group)`` says where on the picture that is. What was measured ``live`` has a sentence for the usual causes, too:
    a recording cannot be measured again here.
    """
    if not found:
        return []
    worst = sorted(found, key=lambda oddity: -oddity.size)
    kinds = dict.fromkeys(oddity.kind for oddity in found)
    named = [oddity for kind in kinds for oddity in [o for o in worst if o.kind == kind][:NAMED]]
    return [*(_sentence(oddity, place) for oddity in named), *([_causes(set(kinds))] if live else [])]


def _sentence(oddity: Oddity, place: Any) -> str:
    where = "" if oddity.at is None else place(oddity.at, oddity.group)
    sentences = {
        "limit": _("A point is at {percent}% of the limit, which nothing can exceed ({where})."),
        "spread": _("The slowest and the fastest repeat differ by a factor of {factor} ({where})."),
        "others": _("Cores that other programs used meanwhile: {cores}."),
        "threads": _("Threads of the main process: {threads}; a worker has one."),
    }
    return sentences[oddity.kind].format(
        where=where,
        percent=number(100 * oddity.size),
        factor=number(oddity.size, 1),
        cores=number(oddity.size, 1),
        threads=number(oddity.size),
    )


def _causes(kinds: set[str]) -> str:
    if kinds == {"threads"}:
        return _("Call `torch.set_num_threads(1)` first, so that all runs have the same conditions.")
    return _(
        "Measure again. Usual causes: other programs on this machine, and a main process with more threads than a worker."
    )


def _with_rows(picture: drawing.Picture, result: Result, x: str, y: str, by: str | None) -> drawing.Picture:
    """Return the picture with the rows in it, for `loaderlab pool` and `loaderlab build --check`.

    Only the columns that are drawn, and nothing that tells who measured, or on whose machine. What the course's own
    notebooks show, and what a recording replays, is marked as no learner's.
    """
    here = machine.look()
    processor = machine.device_name("cpu")
    columns = {x, y, by, "limit"}
    content = {
        "schema": png_metadata.SCHEMA,
        "lesson": session.current().lesson.name,
        "benchmark": result.benchmark,
        "x": x,
        "y": y,
        "by": by,
        "drawn": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "gpu": "" if result.device == processor else result.device,
        "machine": {
            "processor": machine.processor(),
            "cores": here.cores,
            "ram_gib": round(here.ram / machine.GIB),
            "start_method": here.start_method,
            "system": here.system,
            "torch": here.torch,
        },
        "circumstances": asdict(result.circumstances),
        "rows": [{key: row[key] for key in row if key in columns} for row in result.rows],
    }
    if not result.live or os.environ.get(png_metadata.BUILDING):
        content |= {png_metadata.COURSES_OWN: True}
    if not result.live:  # the recording itself is where its rows are
        content["rows"] = []
    return drawing.Picture(drawing.Bitmap(png_metadata.pack(picture.png, content)), picture.text)


# How each kind of bar looks in tracks; its words are the names of the rows' ``kind``.
_LOOKS = {
    "host_copy": (drawing.ORANGE, False),
    "transfer": (drawing.SKY, False),
    "compute": (drawing.GREEN, False),
    "wait": (drawing.RED, True),
}


def tracks(result: Result, by: str = "variant") -> drawing.Picture | Note:
    """Draw what happened when: one panel for each value of ``by``, one row for each ``track``.

    The rows of the result are bars: ``track``, ``kind``, ``start_ms``, ``end_ms`` and, if wanted, ``label``.
    """
    if not result.rows:
        return Note(result.stamp)
    panels: dict[str, dict[str, list[drawing.Bar]]] = {}
    for row in result.rows:
        bar = drawing.Bar(row["start_ms"], row["end_ms"], row["kind"], str(row.get("label", "")))
        panels.setdefault(named(row[by]), {}).setdefault(named(row["track"]), []).append(bar)
    kinds = {kind: drawing.Kind(colour, named(kind), hatched) for kind, (colour, hatched) in _LOOKS.items()}
    ends = {title: max(bar.end for bars in rows.values() for bar in bars) for title, rows in panels.items()}
    said = [_("{name}: {ms} ms in all.").format(name=name, ms=number(end, 1)) for name, end in ends.items()]
    return drawing.tracks(panels, kinds, text=" ".join([*said, f"({result.stamp})"]), stamp=result.stamp)


def grouped(rows: Iterable[Mapping[str, Any]], by: str | None) -> dict[str, list[Mapping[str, Any]]]:
    """Return the rows of each panel or line, by its name in the reader's language; without ``by`` all of them, by ""."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        groups.setdefault(named(row[by]) if by and by in row else "", []).append(row)
    return groups


def _span(name: str, x: str, y: str, points: Mapping[float, Spread]) -> str:
    first, last = min(points), max(points)
    sentence = _("From {first_y} ({first_x}) to {last_y} ({last_x}).").format(
        first_y=_quantity(y, points[first].median),
        first_x=placed(x, first),
        last_y=_quantity(y, points[last].median),
        last_x=placed(x, last),
    )
    return " ".join([headed(name, sentence), *_beyond_its_ends(x, y, points)])


def _beyond_its_ends(x: str, y: str, points: Mapping[float, Spread]) -> Iterator[str]:
    """Yield where a line goes far above, or far below, both of its ends, which say nothing of it then."""
    heights = {at: spread.median for at, spread in points.items()}
    ends = [heights[min(heights)], heights[max(heights)]]
    top, bottom = max(heights, key=heights.__getitem__), min(heights, key=heights.__getitem__)
    if heights[top] > FAR * max(ends):
        yield _("Highest: {y} ({x}).").format(y=_quantity(y, heights[top]), x=placed(x, top))
    if heights[bottom] * FAR < min(ends):
        yield _("Lowest: {y} ({x}).").format(y=_quantity(y, heights[bottom]), x=placed(x, bottom))


def _best(name: str, x: str, y: str, points: Mapping[Any, Spread], limit: float | None) -> str:
    place, top = max(points.items(), key=lambda point: point[1].median)
    rate, where = _quantity(y, top.median), placed(x, place)
    if limit:
        sentence = _("Best: {rate} ({where}). That is {share}% of the limit, {limit}.").format(
            rate=rate, where=where, share=number(100 * top.median / limit), limit=_quantity(y, limit)
        )
    else:
        sentence = _("Best: {rate} ({where}).").format(rate=rate, where=where)
    if top.high > top.low:
        sentence += " " + _("Range of its repeats: {low}–{high}.").format(
            low=named(top.low), high=named(top.high)
        )
    return headed(name, sentence)


def headed(name: str, sentence: str) -> str:
    """Return the sentence after the name of its panel or line, if it has one."""
    within = sentence[:1].lower() + sentence[1:]
    return _("{name}: {sentence}").format(name=name, sentence=within) if name else sentence


def _label_and_unit(column: str) -> tuple[str, str]:
    """Return a column's name as it stands within a sentence, and the unit that stands behind it in brackets."""
    label, _bracket, unit = named(column).partition(" (")
    within = label if label[1:2].isupper() else label[:1].lower() + label[1:]
    return within, unit.rstrip(")")


def _quantity(column: str, value: Any) -> str:
    """Return a value of a column with its unit: "1958 samples/s"."""
    unit = _label_and_unit(column)[1]
    if unit.startswith("%"):  # the space before it, where there is one, is the language's
        return _("{value}%").format(value=named(value)) + unit[1:]
    return f"{named(value)} {unit}".rstrip()


def placed(column: str, value: Any) -> str:
    """Return a value with the name of its axis: "number of workers: 4", or the name of the value itself."""
    if isinstance(value, str):
        return value
    return _("{what}: {value}").format(what=_label_and_unit(column)[0], value=_quantity(column, value))


def strip(workers: Sequence[int]) -> drawing.Picture:
    """Draw the worker of each batch: one cell per batch, in the order of delivery."""
    sequence = " ".join(map(str, workers))
    return drawing.strip(
        workers, text=_("Worker of each batch, in order of delivery: {sequence}").format(sequence=sequence)
    )


def table(rows: Iterable[Mapping[str, Any]] | Result) -> Note:
    """Return the rows as a plain text table; columns in the order in which they first appear.

    Below the result of a benchmark stands where it is from; without rows, why there are none.
    """
    stamp = rows.stamp if isinstance(rows, Result) else ""
    rows = list(rows.rows if isinstance(rows, Result) else rows)
    if stamp and not rows:
        return Note(stamp)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [[named(c) for c in columns], *([named(row.get(c, "–")) for c in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return Note("\n".join([*lines, *([stamp] if stamp else [])]))
