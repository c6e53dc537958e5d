"""The report: what was found, told in a terminal, in a notebook, and as plain values for a program."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import asdict, dataclass
from html import escape
from math import isfinite
from typing import Any

from ..words import mark, number
from ..words import translate as _
from . import picture
from .evidence import Evidence
from .finding import Finding, Row, Tried
from .kinds import fault, slowness

LINES, WIDE = 25, 100  # of a report in a terminal
ROWS = 6  # of evidence in it
MOST_COST = 50  # times the rate: a greater one says nothing
LEAST_COST = 0.005  # of the rate: less is no cost
# A number with its unit: units of rows are the same in every language, how they are written here is not.
UNITS = (mark("{n} %"), mark("{n} ×"), mark("{n} s"), mark("{n} ms"), mark("{n} MiB"), mark("{n} samples/s"))
SCHEMA = 2  # of the JSON: another number where a field changes its meaning or goes


@dataclass(frozen=True)
class Diagnosis:
    """Findings, the most important first, with the evidence."""

    findings: tuple[Finding, ...]
    evidence: Evidence

    @property
    def name(self) -> str:
        """The first finding's."""
        return self.findings[0].name

    @property
    def in_vain(self) -> list[str]:
        """The changes that were tried and brought nothing: they stand with no finding."""
        told = [one.tried for one in self.findings]
        return [_tried(one) for one in self.evidence.tried if one not in told]

    @property
    def told(self) -> list[Finding]:
        """The findings, each sentence once: of those that differ in their change only, the first."""
        said = [one.sentence for one in self.findings]
        return [one for at, one in enumerate(self.findings) if said.index(one.sentence) == at]

    def __str__(self) -> str:
        return self.text()

    __repr__ = __str__

    def text(self, *, everything: bool = False) -> str:
        """Return the first finding, what was tried, the picture, and a line of each further one, in `LINES`; or ``everything``."""
        drawn = ["", *picture.text(self.evidence).splitlines()] if self.evidence.rate else []
        besides = [line for one in self.in_vain for line in _wrapped(one)]
        tried = ["", *besides] if besides else []
        if everything:
            told = ["\n".join(_in_full(n, one, self.evidence)) for n, one in enumerate(self.findings, 1)]
            return "\n".join(["\n\n".join(told), *drawn, *tried])
        first, *others = self.told
        lines = _in_full(1, first, self.evidence, ROWS)
        # The answer leaves room for what else there is, if only for where it stands.
        for block in (tried, drawn):
            lines += block if len(lines) + len(block) <= LINES - 2 * bool(others) else []
        more = [_shortened(f"{n}. {one.sentence}") for n, one in enumerate(others, 2)]
        room = max(1, LINES - len(lines) - 1)
        if len(more) > room:
            more[room - 1 :] = [
                _("More findings: {n}. The option `--all` shows them.").format(n=number(len(more) - room + 1))
            ]
        return "\n".join([*lines, "", *more] if more else lines)

    def _repr_html_(self) -> str:
        (title, page), *others = (
            (_marked_up(one.sentence), _page_of(one, self.evidence)) for one in self.told
        )
        parts = [f"<h4>{title}</h4>{page}", *(f"<p>{escape(one)}</p>" for one in self.in_vain)]
        parts += [picture.svg(self.evidence)] if self.evidence.rate else []
        parts += [f"<details><summary>{title}</summary>{page}</details>" for title, page in others]
        return f"<div>{''.join(parts)}</div>"

    def plain(self) -> dict[str, Any]:
        """Return plain values for a program: ``schema``, ``findings`` (see `Finding`) and ``evidence``."""
        evidence = asdict(self.evidence)
        evidence["rate"] = self.evidence.rate
        evidence["costs"].pop("samples")  # hundreds
        evidence["costs"]["load"] = self.evidence.costs.load._asdict()
        return {"schema": SCHEMA, "findings": [_plain(one) for one in self.findings], "evidence": evidence}

    def json(self) -> str:
        return json.dumps(self.plain(), indent=1, default=str, ensure_ascii=False)


def _in_full(n: int, finding: Finding, evidence: Evidence, most: int | None = None) -> list[str]:
    """Return a finding as lines of text, with so many rows of its evidence: the user's own lines are the first."""
    rows = sorted(finding.evidence, key=lambda row: row.label != _("where"))[:most]
    wide = max((len(row.label) for row in rows), default=0)
    blocks = [
        _wrapped(f"{n}. {finding.sentence}", ""),
        _wrapped(_cost(finding, evidence)),
        [f"   {row.label:{wide}}  {_value(row)}" for row in rows],
        [f"   {line}" for line in (finding.change or "").splitlines()],
        _wrapped(_trial(finding)),
        _wrapped(finding.advice),
    ]
    return [line for block in blocks if block for line in ("", *block)][1:]


def _page_of(finding: Finding, evidence: Evidence) -> str:
    """Return what a page has below the sentence of a finding."""
    cells = [(_marked_up(row.label), escape(_value(row))) for row in finding.evidence]
    rows = "".join(f"<tr><td>{a}</td><td style='text-align:right'>{b}</td></tr>" for a, b in cells)
    change = f"<pre>{escape(finding.change)}</pre>" if finding.change else ""
    more = "".join(f"<p>{_marked_up(one)}</p>" for one in (_trial(finding), finding.advice) if one)
    return f"<p>{_marked_up(_cost(finding, evidence))}</p><table>{rows}</table>{change}{more}"


def _wrapped(text: str, indent: str = "   ") -> list[str]:
    return textwrap.wrap(text, WIDE, initial_indent=indent, subsequent_indent="   ", break_on_hyphens=False)


def _shortened(text: str) -> str:
    """Return the text in one line; what is left out is at its end."""
    return text if len(text) <= WIDE else f"{text[: WIDE - 1].rpartition(' ')[0]}…"


def _cost(finding: Finding, evidence: Evidence) -> str:
    """Return what the finding costs, in a sentence; "" where nothing could be measured."""
    cost = finding.cost
    if finding.kind in (fault.made_in_each_worker, fault.thrown_away):
        return ""  # their own sentence says it
    if finding.kind in vars(fault).values():
        return _("This costs no time, but what the model learns, or what is counted, is not what it seems.")
    if cost.hours is not None:
        if cost.hours < 1:
            return _("If this goes on, memory will be full in {n} min.").format(
                n=number(max(1, 60 * cost.hours))
            )
        return _("If this goes on, memory will be full in {n} h.").format(n=number(cost.hours))
    if cost.samples is None:
        unknown = evidence.rate and not evidence.has_step
        return (
            _("How much this costs depends on the step, which was not given (`--step`).") if unknown else ""
        )
    if cost.samples < LEAST_COST * evidence.rate:  # "the step is the limit" has said it
        return "" if finding.kind is slowness.step_limit else _("This costs no time.")
    if finding.tried and finding.tried.gain > 1:
        return ""  # what was tried says it
    now = evidence.expected_rate
    if cost.samples > MOST_COST * now:  # of a step of which next to nothing was seen
        return ""
    figures = {"n": cost.samples, "now": now, "then": now + cost.samples}
    text = _("You lose up to {n} samples/s: {now} now, at most {then} once this is mended.")
    return text.format(**{name: number(rate, 1 if rate < 10 else 0) for name, rate in figures.items()})


def _plain(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values; the names of the fields are public."""
    plain = {name: value for name, value in asdict(finding).items() if name != "kind"}
    if finding.tried:
        plain["tried"]["gain"] = finding.tried.gain if isfinite(finding.tried.gain) else None
    return {"name": finding.name, **plain}


def _marked_up(text: str) -> str:
    """Return the text as HTML, with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _value(row: Row) -> str:
    if isinstance(row.value, str):
        return row.value
    value = abs(row.value)
    digits = 0 if value == int(value) else 4 if value < 0.1 else 2 if value < 10 else 1
    written = f"{{n}} {row.unit}"
    return (_(written) if written in UNITS else "{n}").format(n=number(row.value, digits))


def _trial(finding: Finding) -> str:
    """Return what came of the finding's change, or that it was not tried."""
    if finding.tried:
        return _tried(finding.tried)
    return _("This was not tried: there was too little time (`--seconds`).") if finding.changes else ""


def _tried(one: Tried) -> str:
    changes = ", ".join(f"{name}={value!r}" for name, value in one.changes)
    if one.error:
        return _("Tried: {changes}. It does not work: {error}").format(changes=changes, error=one.error)
    text = _("Tried: {changes}. Before {before}, after {after} samples/s.")
    if not one.before:
        text = _("Tried: {changes}. It works, with {after} samples/s.")
    return text.format(changes=changes, before=_span(one.before or one.after), after=_span(one.after))


def _span(rates: tuple[float, ...]) -> str:
    """Return the least and the most of the turns, as one number where they are the same."""
    low, high = (number(rate, 1 if min(rates) < 10 else 0) for rate in (min(rates), max(rates)))
    return low if low == high else _("{low}–{high}").format(low=low, high=high)
