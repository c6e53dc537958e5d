"""The report of a measurement: a table for the terminal, and how the recipe compares with the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.measure import Spread
from loaderlab.peers import KNOWN, TITLES
from loaderlab.peers.harness import Outcome

Row = Mapping[str, Any]


def grouped(rows: Iterable[Row]) -> dict[tuple[str, str], dict[str, list[Row]]]:
    """Return (configuration, decoder) -> peer -> its rows, a row for each round."""
    found: dict[tuple[str, str], dict[str, list[Row]]] = {}
    for row in rows:
        found.setdefault((row["configuration"], row["decoder"]), {}).setdefault(row["peer"], []).append(row)
    return found


def against(rows: Iterable[Row], others: Iterable[Row]) -> Spread:
    """Return how many times as fast as the others the rows are, round by round."""
    rates = {row["round"]: row["images_per_s"] for row in others}
    return Spread.of(row["images_per_s"] / rates[row["round"]] for row in rows if row["round"] in rates)


def best(peers: Mapping[str, list[Row]]) -> str | None:
    """Return the fastest of those that are not the recipe, by its median."""
    medians = {name: _spread(rows, "images_per_s").median for name, rows in peers.items() if name != "recipe"}
    return max(medians, key=lambda name: medians[name]) if medians else None


def limit(rows: Sequence[Row]) -> Spread | None:
    """Return a peer's limit in the rounds that were kept; None where it beats it: then it is no limit."""
    return None if _above(rows) else _spread(rows, "limit")


def _above(rows: Sequence[Row]) -> list[float]:
    """Return the rounds in which a peer was above its limit, each as the share of it that it reached."""
    return [row["ratio"] for row in rows if row["ratio"] > 1]


def _spread(rows: Iterable[Row], column: str) -> Spread:
    return Spread.of(row[column] for row in rows)


def table(outcome: Outcome) -> str:
    """Return all groups, the fastest first; then who was not measured, and why."""
    lines: list[str] = []
    for (configuration, decoder), peers in grouped(outcome.rows).items():
        rounds = _("rounds kept: {kept}, thrown away: {thrown}").format(
            kept=outcome.kept[configuration, decoder], thrown=outcome.thrown[configuration, decoder]
        )
        lines += ["", f"{configuration} · {decoder} · {rounds}"]
        cells = [
            [
                _("loader"), _("images/s"), _("low–high"), _("limit (images/s)"), _("% of the limit"), _("low–high"),
                _("first batch (ms)"), _("memory (MiB)"),
            ]
        ]  # fmt: skip
        for name in sorted(peers, key=lambda name: -_spread(peers[name], "images_per_s").median):
            rows, most = peers[name], limit(peers[name])
            share = _spread(rows, "ratio") if most else None
            cells.append(
                [
                    title(name, rows),
                    *_median_and_range(_spread(rows, "images_per_s")),
                    _median_and_range(most)[0],
                    *_median_and_range(share, 100),
                    number(_spread(rows, "first_ms").median),
                    number(_spread(rows, "mib").median),
                ]
            )
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for first, *rest in cells:
            others = [text.rjust(width) for text, width in zip(rest, widths[1:], strict=True)]
            lines.append("  ".join([f"  {first.ljust(widths[0])}", *others]))
    reasons = [
        f"  {TITLES[peer]}{f' ({decoder})' if decoder else ''}: {why}"
        for peer, decoder, why in outcome.left_out
    ]
    if reasons:
        lines += ["", _("Not measured:"), *reasons]
    return "\n".join(lines).strip("\n")


def _median_and_range(spread: Spread | None, factor: float = 1.0) -> list[str]:
    if spread is None:
        return ["–", "–"]
    return [number(factor * spread.median), f"{number(factor * spread.low)}–{number(factor * spread.high)}"]


def _numbers(spread: Spread, factor: float = 1.0, digits: int = 0) -> dict[str, str]:
    """Return median, lowest and highest, as the reader writes them."""
    return {name: number(factor * getattr(spread, name), digits) for name in ("median", "low", "high")}


def few(outcome: Outcome, least: int) -> list[str]:
    """Return a sentence for each group of which fewer rounds than ``least`` could be kept: it is not to be recorded."""
    return [
        _("{group}: rounds kept: {kept}, needed: {least}. Measure again when nothing else runs.").format(
            group=f"{configuration} · {decoder}", kept=kept, least=least
        )
        for (configuration, decoder), kept in outcome.kept.items()
        if kept < least
    ]


def verdicts(rows: Iterable[Row]) -> list[str]:
    """Return the recipe's results beside its aims: a line for each group that has it, of sentences that every round bears out."""
    return [
        " ".join([f"{configuration} · {decoder}.", *sentences(peers)])
        for (configuration, decoder), peers in grouped(rows).items()
        if "recipe" in peers
    ]


def sentences(peers: Mapping[str, list[Row]], memory: bool = True) -> list[str]:
    """Return the sentences of a group on the recipe: its limit, the others, who decodes only the crop and, if wanted, its memory."""
    recipe = peers["recipe"]
    text = _("The recipe reaches {median}% of its limit ({low}–{high}%).")
    said = [] if _above(recipe) else [text.format(**_numbers(_spread(recipe, "ratio"), 100))]
    other = best(peers)
    if other:
        said.append(_beside(peers, other))
    said += [_beaten(name, rows) for name, rows in peers.items() if _above(rows)]
    if crop_only("recipe", recipe) and len(peers) > 1:
        said.append(
            _("The recipe decodes no more than the crop needs; from JPEG files as they are, no loader can.")
        )
    if memory and "plain" in peers:
        share = _spread(recipe, "mib").median / (_spread(peers["plain"], "mib").median or 1)
        said.append(
            _("The recipe needs {share} times the memory of the plain DataLoader.").format(
                share=number(share, 2)
            )
        )
    return said


def title(peer: str, rows: Sequence[Row]) -> str:
    """Return a peer's name, and in brackets what sets apart its decoder, or what that decodes."""
    note = KNOWN[peer].note if rows[0]["decoder"] == "own" else ""
    note = mark("crop only") if crop_only(peer, rows) else note
    return f"{TITLES[peer]} ({_(note)})" if note else TITLES[peer]


def crop_only(peer: str, rows: Sequence[Row]) -> bool:
    """Return whether a peer decodes no more than the crop needs. Only the recipe can; recordings until 2026-11-26 say so of DALI, too."""
    return peer == "recipe" and rows[0]["decodes"] == "crop"


def _beaten(peer: str, rows: Sequence[Row]) -> str:
    text = _(
        "{peer} was above its limit in {count} of {rounds} rounds (up to {most}%), so this is no limit for it, and is left out."
    )
    return text.format(
        peer=TITLES[peer],
        count=number(len(_above(rows))),
        rounds=number(len(rows)),
        most=number(100 * max(_above(rows))),
    )


def _beside(peers: Mapping[str, list[Row]], other: str) -> str:
    """Return how the recipe compares with another; what is said of every round holds in every round."""
    times = against(peers["recipe"], peers[other])
    if all(against(peers["recipe"], peers[name]).low > 1 for name in peers if name != "recipe"):
        text = _(
            "The recipe is the fastest in every round: {median} times as fast as {peer}, the next ({low}–{high})."
        )
    elif times.high < 1:
        text = _("{peer} is faster in every round: the recipe is {median} times as fast ({low}–{high}).")
    else:
        text = _(
            "The rounds do not agree on the fastest: the recipe is {median} times as fast as {peer} ({low}–{high})."
        )
    return text.format(peer=TITLES[other], **_numbers(times, digits=2))
