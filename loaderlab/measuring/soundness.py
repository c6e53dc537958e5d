"""The soundness of rows: signs that something else was measured, too."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from loaderlab.measuring.measure import spreads

ABOVE = 1.05  # of its own limit: a median beyond it is no measurement of the same thing
APART = 2.0  # from the lowest repeat to the highest
BUSY = 0.1  # of the usable cores, for other programs
BROWSER = 0.5  # cores: what the browser that shows the notebook takes, on every learner's machine

# Columns that are times or rates: of a share or a size, the factor between two repeats says nothing.
_TIMED = re.compile(r"(_ms|_us|_s|_seconds|_per_\w+)$|^seconds$")


@dataclass(frozen=True)
class Oddity:
    """A reason not to believe a measurement as it is.

    ``limit``: the median at ``at`` is ``size`` times its own limit. ``spread``: the highest repeat there is ``size`` times
    the lowest. ``others``: other programs used ``size`` cores. ``threads``: the main process had ``size`` threads beside
    workers that have one. ``group`` is the value of the column that tells panels or lines apart.
    """

    kind: Literal["limit", "spread", "others", "threads"]
    size: float
    at: Any = None
    group: Any = None


@dataclass(frozen=True)
class Circumstances:
    """The state of the machine while rows were measured; None where it is unknown.

    ``others``: cores that other programs used; ``cores``: cores that this process may use; ``threads``: those of torch in
    the main process.
    """

    others: float | None = None
    cores: float | None = None
    threads: int | None = None


def oddities(
    rows: Sequence[Mapping[str, Any]], x: str, y: str, by: str | None, now: Circumstances
) -> Iterator[Oddity]:
    """Yield the oddities of the rows of a picture of ``y`` against ``x``, for each value of ``by``; the worst kinds first."""
    if disturbed(now.others, now.cores):
        yield Oddity("others", now.others or 0)
    if now.threads is not None and now.threads > 1 and _compares_workers(rows):
        yield Oddity("threads", now.threads)
    for group in dict.fromkeys(row.get(by) if by else None for row in rows):
        members = [row for row in rows if not by or row.get(by) == group]
        limits = [row["limit"] for row in members if "limit" in row] or [
            row["limit"] for row in rows if "limit" in row and by not in row
        ]
        for at, spread in spreads(members, x, y).items():
            if limits and spread.median > ABOVE * statistics.median(limits):
                yield Oddity("limit", spread.median / statistics.median(limits), at, group)
            if _TIMED.search(y) and spread.low > 0 and spread.high > APART * spread.low:
                yield Oddity("spread", spread.high / spread.low, at, group)


def _compares_workers(rows: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether workers are compared with the main process: rows without workers, or with a limit."""
    counts = {row["num_workers"] for row in rows if "num_workers" in row}
    return bool(counts - {0}) and (0 in counts or any("limit" in row for row in rows))


def disturbed(others: float | None, cores: float | None) -> bool:
    """Return whether other programs used so many of the cores meanwhile that they were a part of what was measured."""
    return others is not None and bool(cores) and others > max(BROWSER, BUSY * (cores or 0))
