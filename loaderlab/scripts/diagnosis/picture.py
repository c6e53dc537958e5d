"""The picture: the seconds of a batch in each stage, one bar each, and through all of them the limit, which no loader beats."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from ..words import number
from ..words import translate as _
from .decision import as_it_is, least_step
from .evidence import Evidence

WIDTH = 40
COLORS = {"load": "#3b6fb6", "send": "#8a5fb0", "step": "#3f8f5f", "wait": "#c2673d", "all": "#666666"}


@dataclass(frozen=True)
class Bar:
    """The seconds of a batch in a stage."""

    kind: str
    label: str
    seconds: float


def bars(evidence: Evidence) -> list[Bar]:
    """Return the stages, each alone as it is now, and at the end the loop as it was measured."""
    costs, found = as_it_is(evidence), []
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
        found.append(Bar("step", _("step"), least_step(evidence)))
    whole = evidence.batch_seconds
    found.append(Bar("wait", _("waiting, as measured"), whole * evidence.wait))
    return [*found, Bar("all", _("the loop, as measured"), whole)]


def limit(evidence: Evidence) -> Bar | None:
    """Return the seconds of a batch that no loader beats: the step's; where none was given, those of all cores with nothing but
    loading to do. None where neither is known, and where the loop was faster, so that it was no limit."""
    whole = evidence.batch_seconds
    if evidence.has_step:
        return Bar("limit", _("limit: the step alone"), least_step(evidence))
    cores = (evidence.one_thread or evidence.costs.load).cpu / evidence.cores
    return Bar("limit", _("limit: all cores, loading only"), cores) if 0 < cores <= whole else None


def text(evidence: Evidence) -> str:
    """Return the picture as lines of text."""
    every, line = bars(evidence), limit(evidence)
    most = max(bar.seconds for bar in every) or 1.0
    wide = max(len(bar.label) for bar in every)
    lines = []
    for bar in every:
        drawn = ("█" * round(WIDTH * bar.seconds / most)).ljust(WIDTH + 1)
        if line:
            at = round(WIDTH * line.seconds / most)
            drawn = drawn[:at] + "│" + drawn[at + 1 :]
        lines.append(f"{bar.label:{wide}}  {drawn} {_milliseconds(bar.seconds):>8} ms")
    if line:
        lines.append(" " * (wide + 2 + at) + f"│ {line.label} {_milliseconds(line.seconds)} ms")
    return "\n".join(lines)


def svg(evidence: Evidence) -> str:
    """Return the picture as an SVG, with the figures in it."""
    every, line = bars(evidence), limit(evidence)
    most = max(bar.seconds for bar in every) or 1.0
    left, room, high = 340, 300, 26
    value = _("{what}: {value}")
    told = every + ([line] if line else [])
    said = " · ".join(value.format(what=bar.label, value=f"{_milliseconds(bar.seconds)} ms") for bar in told)
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
    if line:
        x, end = left + room * line.seconds / most, high * len(every)
        side, beside = ("end", x - 6) if x > left + room / 2 else ("start", x + 6)
        parts.append(
            f'<path d="M{x:.1f} 0V{end + 20}" stroke="currentColor" stroke-dasharray="4 3"/>'
            f'<text x="{beside:.1f}" y="{end + 18}" text-anchor="{side}" fill="currentColor">'
            f"{escape(line.label)} {_milliseconds(line.seconds)} ms</text>"
        )
    return "".join(parts) + "</svg>"


def _milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return number(value, 0 if value >= 100 else 1 if value >= 1 else 3)
