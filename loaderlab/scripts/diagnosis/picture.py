"""The picture: what each stage allows for a batch, one bar each, with the limit drawn through all of them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..words import number
from ..words import translate as _
from .decision import as_it_is
from .evidence import Evidence

WIDTH = 40
COLORS = {"load": "#3b6fb6", "send": "#8a5fb0", "step": "#3f8f5f", "wait": "#c2673d", "all": "#666666"}


@dataclass(frozen=True)
class Bar:
    """Seconds a batch that a stage needs, at least."""

    kind: str
    label: str
    seconds: float


def bars(evidence: Evidence) -> list[Bar]:
    """Return the stages, and at the end the loop as it was measured."""
    costs, found = as_it_is(evidence), []
    size = max(1, evidence.contents.samples)
    whole = size / evidence.rate if evidence.rate else 0.0
    if evidence.is_loader and evidence.alone:
        workers = evidence.workers
        load = (costs.load.all + costs.send) / workers if workers else costs.load.all
        label = _("loading, all workers together") if workers else _("loading, in this process")
        found.append(Bar("load", label, load))
        if workers:
            main = costs.receive + costs.sampler
            found.append(Bar("send", _("sending and sampling, in the main process"), main))
            busy = costs.load.cpu + costs.send + main + costs.step.cpu
            found.append(Bar("load", _("computing, all cores together"), busy / evidence.cores))
    if evidence.has_step:
        found.append(Bar("step", _("step"), costs.step.all or whole * (1 - evidence.wait)))
    found.append(Bar("wait", _("waiting, as measured"), whole * evidence.wait))
    return [*found, Bar("all", _("the loop, as measured"), whole)]


def limit(evidence: Evidence) -> float:
    """Return the seconds a batch below which the stages allow nothing."""
    stages = [bar.seconds for bar in bars(evidence) if bar.kind in ("load", "send", "step")]
    if not stages:
        return 0.0
    return max(stages) if evidence.workers else sum(stages)


def text(evidence: Evidence) -> str:
    """Return the picture as lines of text."""
    every, line = bars(evidence), limit(evidence)
    most = max([line, *(bar.seconds for bar in every)]) or 1.0
    wide = max(len(bar.label) for bar in every)
    at = round(WIDTH * line / most)
    lines = []
    for bar in every:
        filled = "█" * round(WIDTH * bar.seconds / most)
        drawn = filled.ljust(WIDTH + 1)
        if drawn[at] == " ":
            drawn = drawn[:at] + "│" + drawn[at + 1 :]
        lines.append(f"{bar.label:{wide}}  {drawn} {_milliseconds(bar.seconds):>8} ms")
    lines.append(" " * (wide + 2 + at) + "│ " + _("limit") + f" {_milliseconds(line)} ms")
    return "\n".join(lines)


def svg(evidence: Evidence) -> str:
    """Return the picture as an SVG, with the figures in it."""
    every, line = bars(evidence), limit(evidence)
    most = max([line, *(bar.seconds for bar in every)]) or 1.0
    left, room, high = 300, 320, 26
    value = _("{what}: {value}")
    said = " · ".join(value.format(what=bar.label, value=f"{_milliseconds(bar.seconds)} ms") for bar in every)
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {high * len(every) + 34}" role="img" '
            f'font-family="sans-serif" font-size="13" style="max-width:720px"><title>{escape(said)}</title>'
        )
    ]
    for row, bar in enumerate(every):
        y, length = row * high + 4, room * bar.seconds / most
        parts.append(
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end" fill="currentColor">{escape(bar.label)}</text>'
            f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{high - 8}" fill="{COLORS[bar.kind]}"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 14}" fill="currentColor">{_milliseconds(bar.seconds)} ms</text>'
        )
    x, end, name = left + room * line / most, high * len(every), _("limit")
    parts.append(
        f'<path d="M{x:.1f} 0V{end}" stroke="currentColor" stroke-dasharray="4 3"/>'
        f'<text x="{x:.1f}" y="{end + 16}" text-anchor="middle" fill="currentColor">'
        f"{escape(name)} {_milliseconds(line)} ms</text></svg>"
    )
    return "".join(parts)


def _milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return number(value, 0 if value >= 100 else 1 if value >= 1 else 3)
