"""The newest recording as an SVG for docs/scripts.md: `loaderlab build` writes it, `loaderlab build --check` compares it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import speaking
from loaderlab.measuring.measure import Spread
from loaderlab.notebook import recordings
from loaderlab.peers.harness import HEADS, head
from loaderlab.peers.report import grouped, limit, sentences, title

BENCHMARK, LESSON = "peers", "find_the_bottleneck"
WIDTH, LEFT, RIGHT, BAR, GAP = 770, 228, 190, 18, 8
ALT = "Images a second, more is better: the recipe and its peers"
LEGEND = (
    "dashed: the limit of each, the same work from memory in as many processes as cores; none where beaten"
)


def newest(lessons: Path) -> dict[str, Any] | None:
    """Return the newest recording of `loaderlab peers` below the folder of the lessons, if there is one."""
    found = [recordings.read(path) for path in sorted((lessons / LESSON / "recordings").glob("*.json"))]
    found = [recording for recording in found if recording["benchmark"] == BENCHMARK and recording["rows"]]
    return max(found, key=lambda recording: recording["date"], default=None)


def stamp(recording: Mapping[str, Any]) -> str:
    """Return where, when and what was measured."""
    said = recording["arguments"]
    thrown = f"; thrown away: {said['thrown']}" if "thrown" in said else ""
    thrown += f"; turns measured again: {said['again']}" if said.get("again") else ""
    # Which Python, because its start method and its reads are part of what is measured.
    python = ".".join(recording.get("versions", {}).get("python", "?").split(".")[:2])
    return (
        f"{recording['device']}, Python {python}, {said.get('workers', '?')} workers, {recording['date']}: {said.get('images', '?')} JPEGs of "
        f"{said.get('kilobytes', '?')} kB, median and range of {said.get('rounds', '?')} rounds{thrown}"
    )


def said(recording: Mapping[str, Any]) -> list[str]:
    """Return a line for each group of the picture: its heading, and what its rounds say of the recipe."""
    return [
        " ".join([f"{head(configuration, decoder)}.", *sentences(peers, memory=False)])
        for (configuration, decoder), peers in grouped(recording["rows"]).items()
        if configuration in HEADS and "recipe" in peers
    ]


@speaking("en")
def svg(recording: Mapping[str, Any]) -> str:
    """Draw bars for each peer: the median, a thin line and numbers from the lowest to the highest round, its limit dashed."""
    groups = {key: peers for key, peers in grouped(recording["rows"]).items() if key[0] in HEADS}
    highest = max(
        max(row["images_per_s"], row["limit"])
        for peers in groups.values()
        for rows in peers.values()
        for row in rows
    )
    scale = (WIDTH - LEFT - RIGHT) / highest
    parts, words, y = [], [], 34
    for (configuration, decoder), peers in groups.items():
        heading = head(configuration, decoder)
        parts.append(f'<text x="14" y="{y}" class="head">{escape(heading)}</text>')
        y += 12
        titles = {name: title(name, rows) for name, rows in peers.items()}
        rates = {name: Spread.of(row["images_per_s"] for row in rows) for name, rows in peers.items()}
        over = []  # drawn last: the limit must not cross a number
        for name in sorted(rates, key=lambda name: -rates[name].median):
            rate, middle = rates[name], y + BAR / 2
            x, low, high = (LEFT + scale * value for value in (rate.median, rate.low, rate.high))
            kind = "recipe" if name == "recipe" else "peer"
            parts += [
                f'<text x="{LEFT - 8}" y="{middle + 5:g}" class="name">{escape(titles[name])}</text>',
                f'<rect x="{LEFT}" y="{y}" width="{x - LEFT:.1f}" height="{BAR}" class="{kind}"/>',
            ]
            most, said = limit(peers[name]), _span(rate)
            over.append(f'<path d="M{low:.1f} {middle:g}H{high:.1f}" class="spread"/>')
            if most:
                at, said = LEFT + scale * most.median, f"{said} of {most.median:.0f}"
                over.append(f'<path d="M{at:.1f} {y - GAP / 2:g}V{y + BAR + GAP / 2:g}" class="limit"/>')
                high = max(high, at)
            over.append(f'<text x="{high + 6:.1f}" y="{middle + 5:g}">{said}</text>')
            words.append(f"{titles[name]} {said}")
            y += BAR + GAP
        parts += over
        words[-len(rates)] = f"{heading}: {words[-len(rates)]}"
        words[-1] += "."
        y += 34
    y += 30
    parts.append(f'<text x="14" y="{y - 46}" class="limit-name">{LEGEND}</text>')
    for up, line in zip((28, 10), stamp(recording).split(": ", 1), strict=True):  # one line would be too long
        parts.append(f'<text x="14" y="{y - up}" class="stamp">{escape(line)}</text>')
    described = escape(
        f"{' '.join(f'{text},' if not text.endswith('.') else text for text in words)} {stamp(recording)}"
    )
    return _document(parts, y, described)


def _document(parts: Sequence[str], height: int, described: str) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
            f"<title>{ALT}</title>",
            f"<desc>{described}</desc>",
            "<style>",
            "text { font: 13px sans-serif; fill: #222222; paint-order: stroke; stroke: white; stroke-width: 5px }",
            ".head { font-weight: bold; font-size: 15px }",
            ".name { text-anchor: end } .limit-name { fill: #a84300 } .stamp { fill: #555555 }",
            ".recipe { fill: #0072b2 } .peer { fill: #b5b5b5 } .spread { stroke: #222222; stroke-width: 2 }",
            ".limit { stroke: #d55e00; stroke-width: 2; stroke-dasharray: 6 4; fill: none }",
            "</style>",
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def _span(spread: Spread) -> str:
    """Return the median, and the lowest and the highest in brackets."""
    return f"{spread.median:.0f} ({spread.low:.0f}–{spread.high:.0f})"
