"""Pictures of this lesson: who reads which shard, how batches are mixed, and the epoch of the explorer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from loaderlab.drawing import GREEN, GREY, INK, ORANGE, PALETTE, WIDTH, Kind, Picture, grid
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.style import EDGE, PLAIN, SMALL, ink_on, steady
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.webdataset.model import Epoch


def who_reads(split: Mapping[tuple[int, int], Sequence[int]], shards: int) -> Picture:
    """Draw a row for each (rank, worker), a column for each shard; a cell is filled where that worker reads that shard."""
    rows = [
        [rank if shard in mine else None for shard in range(shards)] for (rank, _w), mine in split.items()
    ]
    labels = [_("rank {rank}, worker {worker}").format(rank=r, worker=w) for r, w in split]
    kinds = {
        rank: Kind(PALETTE[rank % len(PALETTE)], _("read by rank {rank}").format(rank=rank))
        for rank in sorted({rank for rank, _w in split})
    }
    columns = _("Columns: shards 0 to {last}, from left to right").format(last=shards - 1)
    said = [
        _("{who}: shards {which}.").format(who=label, which=" ".join(map(str, mine)) or "–")
        for label, mine in zip(labels, split.values(), strict=True)
    ]
    return grid(rows, kinds, text=" ".join(said), row_labels=labels, lines=[columns])


def mix(orders: Mapping[str, Sequence[int]], batch: int, shown: int = 7) -> Picture:
    """Draw for each order of classes ``shown`` batches from the first to the last: a row each, its classes as colours."""
    from loaderlab.notebook.figures import named  # and with it torch

    rows: list[list[int | None]] = []
    labels, said = [], []
    for name, order in orders.items():
        batches = [order[i : i + batch] for i in range(0, len(order) - batch + 1, batch)]
        places = [round(i * (len(batches) - 1) / max(1, shown - 1)) for i in range(shown)]
        if rows:
            rows.append([None] * batch)
            labels.append("")
        rows += [[*sorted(batches[place])] for place in places]
        labels += [named(name), *[""] * (shown - 1)]
        mean = sum(len(set(b)) for b in batches) / len(batches)
        said.append(
            _("{name}: {mean} classes in a batch on average, {first} in the first.").format(
                name=named(name), mean=number(mean, 1), first=len(set(batches[0]))
            )
        )
    kinds = _classes(sorted({label for order in orders.values() for label in order}))
    return grid(rows, kinds, text=" ".join(said), row_labels=labels, height=14 * len(rows))


def _classes(labels: Iterable[int]) -> dict[int, Kind]:
    return {label: Kind(PALETTE[label % len(PALETTE)], _("class {n}").format(n=label)) for label in labels}


def epoch(run: Epoch, text: str) -> Picture:
    """Draw the explorer's picture: the shards of each rank, batches of one worker, and the time from files and shards."""
    row, top = 16, 26.0
    canvas = Canvas(WIDTH, round(top + row * run.ranks + 44 + 3 * row + 44 + 2 * 24 + 6))
    names = [_("rank {rank}").format(rank=rank) for rank in range(run.ranks)]
    times = {_("files"): (run.files_ms, ORANGE), _("shards"): (run.shards_ms, GREEN)}
    batches = run.batches
    places = [0, len(batches) // 2, len(batches) - 1]
    rows = [_("batch {n}").format(n=place) for place in places]
    left = EDGE + 8 + max(text_width(word, SMALL) for word in [*names, *times, *rows])
    room = WIDTH - left - EDGE

    canvas.text(
        EDGE,
        12,
        _("Shards by rank, coloured by worker; the rank with the longest row ends last"),
        PLAIN,
        INK,
        "lm",
        bold=True,
    )
    per_sample = room / steady(max(run.samples_of(rank) for rank in range(run.ranks)))
    for rank, name in enumerate(names):
        canvas.text(left - 8, top + row / 2, name, SMALL, INK, "rm")
        x = left
        for i, shard in enumerate(range(rank, run.shards, run.ranks)):
            width = run.sizes[shard] * per_sample
            colour = PALETTE[i % run.workers % len(PALETTE)]
            canvas.box(x, top + 1, x + width, top + row - 1, colour, "white" if width > 3 else None)
            if width > text_width("00", SMALL) + 3:
                canvas.text(x + width / 2, top + row / 2, str(shard), SMALL, ink_on(colour), "mm")
            x += width
        top += row

    top += 34
    canvas.text(
        EDGE, top - 12, _("Batches of rank 0, worker 0, coloured by class"), PLAIN, INK, "lm", bold=True
    )
    cell = room / max(1, *map(len, batches))
    for place, name in zip(places, rows, strict=True):
        canvas.text(left - 8, top + row / 2, name, SMALL, INK, "rm")
        x = left
        for label, run_of in groupby(sorted(batches[place])):
            width = cell * len(list(run_of))
            canvas.box(x, top + 1, x + width, top + row - 1, PALETTE[label], "white")
            x += width
        top += row

    top += 34
    canvas.text(EDGE, top - 12, _("Time of an epoch (model)"), PLAIN, INK, "lm", bold=True)
    longest = steady(max(ms for ms, _colour in times.values()))
    for name, (ms, colour) in times.items():
        words = _("{ms} ms").format(ms=number(ms))
        width = (room - text_width(words, SMALL) - 12) * ms / longest
        canvas.text(left - 8, top + 12, name, SMALL, INK, "rm")
        canvas.box(left, top + 2, left + width, top + 22, colour, GREY)
        canvas.text(left + width + 6, top + 12, words, SMALL, INK, "lm")
        top += 24
    return Picture(canvas, text)
