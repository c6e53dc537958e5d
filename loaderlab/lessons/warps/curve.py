"""The tools of this lesson's cells beside plain PyTorch: a clock, a time limit for sweeps, models beside a curve, and its steps."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from loaderlab.lessons.warps.tiles import Launch, ceil_div
from loaderlab.measuring.measure import spreads
from loaderlab.notebook.recordings import Result

T = TypeVar("T")
SMS = 108  # of an NVIDIA A100, where no device is asked


def within(seconds: float, things: Iterable[T]) -> Iterator[T]:
    """Yield the things one after the other, until the time is up: a slow device gets fewer of them, but always one."""
    end = time.perf_counter() + seconds
    for thing in things:
        yield thing
        if time.perf_counter() > end:
            return


def shuffled(numbers: Iterable[int], repeats: int) -> Iterator[int]:
    """Yield all the numbers, `repeats` times, each time in another order: what a device does as it warms up falls on all of them."""
    order = list(numbers)
    draw = random.Random(0)
    for _repeat in range(repeats):
        draw.shuffle(order)
        yield from order


def ms(run: Callable[[], Any], device: str = "cuda", launches: int = 5) -> float:
    """Return the milliseconds of one call of `run`: the mean of `launches` calls in a row, after one that warms up.

    On a GPU it is the time of the GPU: the device is kept busy until all launches wait in its queue, since Python
    launches small kernels more slowly than a GPU runs them.
    """
    run()
    if device != "cuda":
        started = time.perf_counter()
        for _launch in range(launches):
            run()
        return 1000 * (time.perf_counter() - started) / launches
    start, end = (torch.cuda.Event(enable_timing=True) for _event in range(2))
    torch.cuda._sleep(2_000_000)  # clock cycles in which Python gets ahead
    start.record()
    for _launch in range(launches):
        run()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / launches


class _Count(TorchDispatchMode):
    """Counts the operations that PyTorch runs; those that only look at a tensor in another way launch nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += not function.is_view
        return function(*args, **(kwargs or {}))


def operations(run: Callable[[], Any]) -> int:
    """Return how many operations PyTorch runs in one call of `run`."""
    with _Count() as counter:
        run()
    return counter.count


def relative(result: Result, x: str, y: str, by: str, at: float) -> Result:
    """Return the rows with a column `relative`: `y`, divided by its median at `x` = `at` for the same value of `by`.

    A value of `by` that was not measured there has no rows.
    """
    rows = []
    for row in result.rows:
        there = spreads([other for other in result.rows if other[by] == row[by]], x, y).get(at)
        if there:
            rows.append({**row, "relative": row[y] / there.median})
    return replace(result, rows=rows)


def by_block(elements: int, at: int, most: int) -> list[dict[str, Any]]:
    """Return rows of the model for blocks of 16 … `most` threads: arithmetic takes a time for each warp, memory one for each byte."""
    lanes = Launch(elements, at).lanes
    return [
        {
            "bound_by": kind,
            "block": block,
            "relative": Launch(elements, block).lanes / lanes if kind == "arithmetic" else 1.0,
        }
        for kind in ("arithmetic", "memory")
        for block in range(16, most + 1)
    ]


def by_distance(neighbours_ns: float, piece: int = 64) -> list[dict[str, Any]]:
    """Return rows of the model for a copy of 4-byte elements that lie 1 … 32 apart: time goes with the bytes that travel.

    Read is a whole `piece` for each element, or a share of it; written are 4 bytes. ``neighbours_ns`` is the time of an element
    beside its neighbours.
    """
    return [
        {"stride": stride, "element_ns": neighbours_ns * (min(4 * stride, piece) + 4) / 8}
        for stride in (1, 2, 4, 8, 16, 32)
    ]


WIDTHS = ("whole_wave", "quarter_wave")  # of the two products that are swept: the wide and the narrow one


def columns(kind: str, sms: int) -> int:
    """Columns of the product: in tiles of 128 × 128 a row of them is one wave, or four rows of them are at most one."""
    return 128 * {"whole_wave": sms, "quarter_wave": max(1, sms // 4)}[kind]


def ends_of_waves(result: Result, waves: int) -> range:
    """Return the numbers of blocks that fill 1 … `waves` waves, on the device of the result; on an A100 without rows."""
    sms = result.rows[0]["sms"] if result.rows else SMS
    return range(sms, waves * sms + 1, sms)


def in_waves_of_blocks(result: Result, waves: int) -> tuple[Result, list[dict[str, Any]]]:
    """Return the measured times of so many blocks in units of one full wave, and rows of the model: every wave takes as long."""
    ends = ends_of_waves(result, waves)
    sms = ends.step
    model = [{"blocks": n, "in_waves": ceil_div(n, sms)} for n in range(1, waves * sms + 1)]
    times = spreads(result.rows, "blocks", "kernel_us")
    rows = [{**row, "in_waves": row["kernel_us"] / times[sms].median} for row in result.rows]
    return replace(result, rows=rows), model


def longer(results: Iterable[Result], x: str, at: Sequence[float], than: float) -> list[float] | None:
    """Return how many times as long as at ``x`` = ``than`` each result takes at each of ``at``, by medians; None where one is missing."""
    ratios = []
    for result in results:
        times = spreads(result.rows, x, "product_ms")
        if not {*at, than} <= times.keys():
            return None
        ratios += [times[place].median / times[than].median for place in at]
    return ratios


STEP = 1.05  # times as long after a step as before it, at least: noise of a median of three is below that


def steps(gemm: Result, multiples: Iterable[int], most: int) -> list[dict[str, Any]]:
    """Return a row for each of ``multiples``: after how many per cent of its multiples up to ``most`` rows the time of each width has a step."""
    times = {
        kind: {
            m: spread.median
            for m, spread in spreads(gemm.where(columns=kind).rows, "rows", "product_ms").items()
        }
        for kind in WIDTHS
    }
    return [
        {"multiples_of": each}
        | {kind: _share_of_steps(times[kind], range(each, most + 1, each)) for kind in WIDTHS if times[kind]}
        for each in multiples
    ]


def _share_of_steps(times: Mapping[int, float], after: Iterable[int]) -> int:
    """Return after how many per cent of these numbers of rows one row more has a step; a sweep that ended early has not all of them."""
    found = [times[m + 1] > STEP * times[m] for m in after if {m, m + 1} <= times.keys()]
    return round(100 * sum(found) / len(found)) if found else 0
