"""The bottleneck of a training loop, found in the rows of a sweep: the workers, the main process, or none of the two."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.measure import spreads
from loaderlab.notebook.card import Note
from loaderlab.notebook.figures import grouped, headed, placed, table
from loaderlab.notebook.recordings import Result

NEAR = 0.9  # of the limit, from which on there is nothing to gain
LARGE = 10.0  # percent of the time: a wait that is worth a look
UNSTEADY = 1.25  # times the slowest repeat
BEYOND = 1.1  # times what so many workers can do


def bottleneck(result: Result, x: str = "num_workers", by: str | None = None) -> Note:
    """Return a table of each point's rate, wait and step, and for each value of ``by`` what limits its best point.

    The rows are those of a sweep with a training step: ``x``, ``samples_per_second``, ``wait_share`` (%; may be missing), and
    the ``limit`` of the step alone. The step is compared with that of the limit. Without rows the note says why there are none.
    """
    if not result.rows:
        return Note(result.stamp)
    lines, said = [], []
    advised: dict[str, None] = {}
    for group, rows in grouped(result.rows, by).items():
        limits = [row["limit"] for row in rows if "limit" in row]
        points = _points(rows, x, statistics.median(limits) if limits else None)
        lines += [({by: group} if by else {}) | {x: at} | point for at, point in points.items()]
        at = max(points, key=lambda at: points[at]["samples_per_second"])
        if "step_times" in points[at]:
            sentences, advice = _verdict(points[at])
            advised |= dict.fromkeys(advice)
            best = _("At the highest throughput ({place}):").format(place=placed(x, at))
            said.append(headed(group, " ".join([best, *sentences, *_unsteady(rows, x)])))
    return Note("\n".join([table(lines), *said, *advised, f"({result.stamp})"]))


def _points(rows: Sequence[Mapping[str, Any]], x: str, limit: float | None) -> dict[Any, dict[str, float]]:
    """Return the medians at each value of ``x``: the rate, its share of the limit, the wait, the step as a multiple of the limit's."""
    waits = spreads(rows, x, "wait_share")
    points = {}
    for at, rate in spreads(rows, x, "samples_per_second").items():
        point = {"samples_per_second": rate.median}
        if limit:
            point["limit_share"] = 100 * rate.median / limit
        if at in waits:
            point["wait_share"] = waits[at].median
            if limit and rate.median:
                point["step_times"] = (1 - waits[at].median / 100) * limit / rate.median
        points[at] = point
    return points


def _verdict(point: Mapping[str, float]) -> tuple[list[str], list[str]]:
    """Return what limits this point, and what to do about it: there are four cases."""
    wait, share = point["wait_share"], point["limit_share"] / 100
    slow = _(
        "The main process is slow: a step takes {times} times as long as with batches that are already there."
    ).format(times=number(point["step_times"], 2))
    cures = _(
        "Why a main process is slow: on a CPU the workers take its cores; on a GPU it shares its interpreter with the thread that "
        "pins. Try each of these remedies, and measure: larger batches, fewer tensors in each, fewer launches (a CUDA graph), "
        "`pin_memory=False` for small batches."
    )
    if wait < LARGE and share >= NEAR:
        says = _(
            "The wait is small and the rate is near the limit: loading is not the bottleneck. Leave it as it is."
        )
        return [says], []
    if wait < LARGE:
        says = _("The wait is small, and still the rate is far below the limit: more workers cannot help.")
        return [says, slow], [cures]
    if share >= NEAR:
        says = _(
            "The wait is large, and yet the rate is near the limit: the device computes meanwhile, or the limit was measured while "
            "the machine was slow. There is little to gain; measure again."
        )
        return [says], []
    workers = _(
        "The wait is large ({wait}%), and the rate is far below the limit: the workers are the bottleneck. Add some, as long as "
        "there are cores, or let each sample cost less."
    ).format(wait=number(wait))
    if wait >= 100:  # what a step takes cannot be seen beside such a wait
        return [workers], []
    without = share / (1 - wait / 100)
    if without >= NEAR:
        return [workers], []
    left = _("Even without the wait, the throughput would be only {share}% of the limit.").format(
        share=number(100 * without)
    )
    return [workers, left, slow], [cures]


def _unsteady(rows: Sequence[Mapping[str, Any]], x: str) -> Iterator[str]:
    """Yield where the repeats say that the machine was not always as fast."""
    points = spreads(rows, x, "samples_per_second")
    apart = {at: spread.high / spread.low for at, spread in points.items() if spread.low > 0}
    widest = max(apart, key=apart.__getitem__, default=None)
    if widest is not None and apart[widest] >= UNSTEADY:
        yield _("Repeats differ by up to {percent}% ({place}).").format(
            place=placed(x, widest), percent=number(100 * (apart[widest] - 1))
        )
    if x != "num_workers" or 1 not in points:
        return
    times = {n: spread.high / points[1].median for n, spread in points.items() if n > 1}
    beyond = [n for n in times if times[n] > BEYOND * n]
    if beyond:
        yield _(
            "One repeat with {n} workers was {times} times as fast as one worker. {n} workers cannot be so fast: the machine was "
            "not always as fast, and differences of that size say nothing."
        ).format(n=max(beyond), times=number(times[max(beyond)], 1))
