"""The picture: the seconds of a batch in each stage, one bar each, and through all of them the limit, which no loader beats."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from ..words import number
from ..words import translate as _
from .evidence import Evidence

WIDTH = 30
DRAWN = 0.1  # of the longest bar: shorter ones are in the page only
WIDE = 60  # of a figure with its unit
LEFT, ROOM, HIGH = (
    340,
    300,
    26,
)  # of the page's drawing: to the left of the bars, the longest of them, and a row
COLORS = {"load": "#3b6fb6", "send": "#8a5fb0", "step": "#3f8f5f", "wait": "#c2673d", "all": "#666666"}


class Bar(NamedTuple):
    """The seconds of a batch in a stage."""

    kind: str
    label: str
    seconds: float

    @property
    def written(self) -> str:
        """The seconds, as they are read."""
        value = 1000 * self.seconds
        return f"{number(value, 0 if value >= 100 else 1 if value >= 1 else 3)} ms"


def bars(evidence: Evidence) -> list[Bar]:
    """Return the stages, each alone as it is now, and at the end the loop as it was measured."""
    costs, several, whole = evidence.as_run, max(1, evidence.workers), evidence.batch_seconds
    alone = evidence.is_loader and evidence.alone
    working, made = alone and evidence.workers > 0, costs.load.all + costs.send
    main = costs.receive + costs.sampler
    busy = costs.load.cpu + costs.send + main + costs.step.cpu
    stages = (
        (alone and not working, "load", _("loading, in this process"), costs.load.all),
        (working, "load", _("loading, all workers together"), made / several),
        (working, "send", _("sending and sampling, in the main process"), main),
        (working, "load", _("computing, all cores together"), busy / evidence.cores),
        (evidence.has_step, "step", _("step"), evidence.least_step),
        (True, "wait", _("waiting, as measured"), whole * evidence.wait),
        (True, "all", _("the loop, as measured"), whole),
    )
    return [Bar(kind, label, seconds) for known, kind, label, seconds in stages if known]


def limit(evidence: Evidence) -> Bar | None:
    """Return the seconds of a batch that no loader beats: the step's; where none was given, those of all cores with nothing but
    loading to do. None where neither is known, and where the loop was faster, so that it was no limit."""
    if evidence.has_step:
        return Bar("limit", _("limit: the step alone"), evidence.least_step)
    cores = (evidence.one_thread or evidence.costs.load).cpu / evidence.cores
    known = 0 < cores <= evidence.batch_seconds
    return Bar("limit", _("limit: all cores, loading only"), cores) if known else None


def text(evidence: Evidence) -> str:
    """Return the picture as lines of text, without what takes next to nothing."""
    every, line = bars(evidence), limit(evidence)
    most = max(bar.seconds for bar in every) or 1.0
    every = [bar for bar in every if bar.kind in ("step", "all") or bar.seconds > DRAWN * most]
    wide = max(len(bar.label) for bar in every)
    at = round(WIDTH * line.seconds / most) if line else WIDTH
    lines = []
    for bar in every:
        drawn = ("█" * round(WIDTH * bar.seconds / most)).ljust(WIDTH + 1)
        drawn = f"{drawn[:at]}│{drawn[at + 1 :]}" if line else drawn
        lines.append(f"{bar.label:{wide}}  {drawn} {bar.written:>11}")
    if line:
        said, at = f"{line.label} {line.written}", wide + 2 + at
        lines.append(f"{said:>{at - 1}} │" if len(said) < at else f"{'│':>{at + 1}} {said}")
    return "\n".join(lines)


def svg(evidence: Evidence) -> str:
    """Return the picture as an SVG, with the figures in it."""
    every, line = bars(evidence), limit(evidence)
    most, end = max(bar.seconds for bar in every) or 1.0, HIGH * len(every)
    told = [*every, line] if line else every
    said = " · ".join(_("{what}: {value}").format(what=bar.label, value=bar.written) for bar in told)
    parts, x = [], LEFT + ROOM * line.seconds / most if line else 0.0
    for y, bar in zip(range(4, end, HIGH), every, strict=False):
        length = ROOM * bar.seconds / most
        at = LEFT + length + 6
        at = x + 6 if at - 6 < x < at + WIDE else at  # the line goes through no figure
        rect = (
            f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{HIGH - 8}" fill="{COLORS[bar.kind]}"/>'
        )
        parts += [_label(LEFT - 8, y + 14, "end", bar.label), rect, _label(at, y + 14, "start", bar.written)]
    if line:
        side, beside = ("end", x - 6) if x > LEFT + ROOM / 2 else ("start", x + 6)
        parts += [
            f'<path d="M{x:.1f} 0V{end + 20}" stroke="currentColor" stroke-dasharray="4 3"/>',
            _label(beside, end + 18, side, f"{line.label} {line.written}"),
        ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {end + 34}" role="img" font-family="sans-serif" '
        f'font-size="13" style="max-width:720px"><title>{escape(said)}</title>{"".join(parts)}</svg>'
    )


def _label(x: float, y: int, side: str, text: str) -> str:
    return f'<text x="{x:.1f}" y="{y}" text-anchor="{side}" fill="currentColor">{escape(text)}</text>'
