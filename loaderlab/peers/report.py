"""What was measured, as a table for the terminal, and how the recipe stands to the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loaderlab.language import number
from loaderlab.language import translate as _
from loaderlab.measure import Spread
from loaderlab.peers import TITLES

Row = Mapping[str, Any]


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str], dict[str, list[Row]]]:
    """(configuration, decoder) -> peer -> its rows, a row for each round."""
    found: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault((row["configuration"], row["decoder"]), {}).setdefault(row["peer"], []).append(row)
    return found


def against(rows: Iterable[Row], others: Iterable[Row]) -> Spread:
    """How many times as fast as the others, round by round."""
    rates = {row["round"]: row["images_per_s"] for row in others}
    return Spread.of(row["images_per_s"] / rates[row["round"]] for row in rows if row["round"] in rates)


def best(peers: Mapping[str, list[Row]]) -> str | None:
    """The fastest that is not the recipe, by its median."""
    medians = {name: _spread(rows, "images_per_s").median for name, rows in peers.items() if name != "recipe"}
    return max(medians, key=lambda name: medians[name]) if medians else None


def _spread(rows: Iterable[Row], column: str) -> Spread:
    return Spread.of(row[column] for row in rows)


def table(rows: Iterable[Row], left_out: Iterable[tuple[str, str, str]] = ()) -> str:
    """All groups, the fastest first; then who was not measured, and why."""
    lines: list[str] = []
    for (configuration, decoder), peers in grouped(rows).items():
        limit = Spread.of(row["limit"] for found in peers.values() for row in found)
        head = (
            _("limit: {median} images/s ({low}–{high})")
            if configuration != "step"
            else _("step only: {median} images/s ({low}–{high})")
        )
        spread = {"median": number(limit.median), "low": number(limit.low), "high": number(limit.high)}
        lines += ["", f"{configuration} · {decoder} · {head.format(**spread)}"]
        cells = [
            [_("peer"), _("images/s"), _("low–high"), _("ratio"), _("first batch (ms)"), _("memory (MiB)")]
        ]
        order = sorted(peers, key=lambda name: -_spread(peers[name], "images_per_s").median)
        for name in order:
            rate = _spread(peers[name], "images_per_s")
            cells.append(
                [
                    TITLES[name],
                    number(rate.median),
                    f"{number(rate.low)}–{number(rate.high)}",
                    number(_spread(peers[name], "ratio").median, 3),
                    number(_spread(peers[name], "first_ms").median),
                    number(_spread(peers[name], "mib").median),
                ]
            )
        widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
        for row in cells:
            first, *rest = [
                text.ljust(w) if k == 0 else text.rjust(w)
                for k, (text, w) in enumerate(zip(row, widths, strict=True))
            ]
            lines.append("  ".join([f"  {first}", *rest]))
    reasons = [
        f"  {TITLES[peer]}{f' ({decoder})' if decoder else ''}: {why}" for peer, decoder, why in left_out
    ]
    if reasons:
        lines += ["", _("Not measured:"), *reasons]
    return "\n".join(lines).strip("\n")


def verdicts(rows: Iterable[Row]) -> list[str]:
    """The recipe against its aims: a line for each group that has it."""
    lines = []
    for (configuration, decoder), peers in grouped(rows).items():
        if "recipe" not in peers:
            continue
        ratio = _spread(peers["recipe"], "ratio")
        text = _("{group}: the recipe reaches {ratio} of the limit ({low}–{high})").format(
            group=f"{configuration} · {decoder}",
            ratio=number(ratio.median, 3),
            low=number(ratio.low, 3),
            high=number(ratio.high, 3),
        )
        other = best(peers)
        if other:
            times = against(peers["recipe"], peers[other])
            text += _("; {times} × {peer}, the fastest peer ({low}–{high})").format(
                times=number(times.median, 3),
                peer=TITLES[other],
                low=number(times.low, 3),
                high=number(times.high, 3),
            )
        if "plain" in peers and configuration != "step":
            share = _spread(peers["recipe"], "mib").median / (_spread(peers["plain"], "mib").median or 1)
            text += _("; memory {share} × that of the plain DataLoader").format(share=number(share, 2))
        lines.append(text)
    return lines
