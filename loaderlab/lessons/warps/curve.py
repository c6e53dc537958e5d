"""What the cells of this lesson need beside plain PyTorch: a time limit for sweeps, and the model beside a curve."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from loaderlab.lessons.warps.tiles import Product
from loaderlab.recordings import Result

T = TypeVar("T")
SMS = 108  # of an NVIDIA A100, where no device is asked


def within(seconds: float, things: Iterable[T]) -> Iterator[T]:
    """The things one after the other, until the time is up: a slow device gets fewer of them, but always one."""
    end = time.perf_counter() + seconds
    for thing in things:
        yield thing
        if time.perf_counter() > end:
            return


def columns(kind: str, sms: int) -> int:
    """Columns of the product: enough for 128 × 128 tiles to make one wave, or a quarter of one, in a row of tiles."""
    return {"whole_wave": 128, "quarter_wave": 32}[kind] * sms


def in_waves(result: Result, most: int) -> tuple[Result, list[dict[str, Any]]]:
    """The measured times in units of one wave, and rows of the model for M = 1 … `most`.

    How long a wave takes is fitted to the upper half of the measured M, where the products are large; the
    model has tiles of 128 × 128, which is a guess at what the library uses.
    """
    sms = result.rows[0]["sms"] if result.rows else SMS
    rows: list[dict[str, Any]] = []
    model: list[dict[str, Any]] = []
    for kind in ("whole_wave", "quarter_wave"):
        n = columns(kind, sms)
        model += [
            {"columns": kind, "rows": m, "in_waves": Product(m, n, sms=sms).waves} for m in range(1, most + 1)
        ]
        mine = [row for row in result.rows if row["columns"] == kind]
        if mine:
            middle = max(row["rows"] for row in mine) / 2
            wave = statistics.median(
                row["product_ms"] / Product(row["rows"], n, sms=sms).waves
                for row in mine
                if row["rows"] >= middle
            )
            rows += [{**row, "in_waves": row["product_ms"] / wave} for row in mine]
    return replace(result, rows=rows), model


def up_to(result: Result, rows: int) -> Result:
    """The same curve, cut off after that many rows."""
    return replace(result, rows=[row for row in result.rows if row["rows"] <= rows])
