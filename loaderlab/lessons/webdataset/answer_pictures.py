"""The picture of an answer to `once_each`: a row for each worker, a cell for each sample that it reads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

from loaderlab.drawing import ORANGE, PALETTE, RED, SKY, Kind, Picture
from loaderlab.drawing.grids import grid
from loaderlab.i18n.language import translate as _

Sample = tuple[int, int]  # shard, position in it
WIDEST = 240  # cells of a row
PALE_BLUE = "#cfe6f5"


def dealt(
    batches: Sequence[Sequence[Sequence[Sample]]], workers: int, samples: set[Sample], by_shard: bool
) -> Picture | None:
    """Draw the samples of each worker in their order; None where a row would be too long.

    Cells that follow each other differ by their batch, or ``by_shard``; else what comes again is marked, too.
    """
    came = Counter(sample for own in batches for batch in own for sample in batch)
    longest = max((sum(map(len, own)) for own in batches), default=0)
    if not 0 < longest <= WIDEST:
        return None
    seen: set[Sample] = set()
    rows: list[list[Hashable]] = []
    for own in batches:
        row: list[Hashable] = []
        for place, batch in enumerate(own):
            for sample in batch:
                plain = ("shard", sample[0]) if by_shard else ("batch", place % 2)
                again = sample in seen and not by_shard
                row.append("strange" if sample not in samples else "again" if again else plain)
                seen.add(sample)
        rows.append(row)
    labels = [
        _("rank {rank}, worker {worker}").format(rank=i // workers, worker=i % workers)
        for i in range(len(batches))
    ]
    missing = len(samples - came.keys())
    if missing:
        rows.append(["missing"] * min(missing, longest))
        labels.append(_("nobody: {count}").format(count=missing))
    words = _(
        "Samples of each worker: {samples}. Batches of each worker: {batches}. Shards that each worker opens: {shards}. Missing: {missing}. More than once: {twice}."
    )
    text = words.format(
        samples=_listed(sum(map(len, own)) for own in batches),
        batches=_listed(map(len, batches)),
        shards=_listed(len({shard for batch in own for shard, _place in batch}) for own in batches),
        missing=missing,
        twice=sum(count > 1 for count in came.values()),
    )
    return grid(rows, _kinds(rows), text=text, row_labels=labels)


def _listed(counts: Iterable[int]) -> str:
    return ", ".join(map(str, counts))


def _kinds(rows: Sequence[Sequence[Hashable]]) -> dict[Hashable, Kind]:
    """Return the looks of those cells that occur."""
    looks: dict[Hashable, Kind] = {
        ("batch", 0): Kind(SKY, _("a batch")),
        ("batch", 1): Kind(PALE_BLUE, _("the next batch")),
        "again": Kind(ORANGE, _("seen again")),
        "missing": Kind(RED, _("left out"), hatched=True),
        "strange": Kind("black", _("not in the shards")),
    }
    occurring = {cell for row in rows for cell in row}
    shards = sorted(cell[1] for cell in occurring if isinstance(cell, tuple) and cell[0] == "shard")
    of_shards: dict[Hashable, Kind] = {
        ("shard", shard): Kind(PALETTE[shard % len(PALETTE)], _("shard {n}").format(n=shard))
        for shard in shards
    }
    return of_shards | {cell: look for cell, look in looks.items() if cell in occurring}
