"""The report: what was found, told in a terminal, in a notebook, and as plain values for a program."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from ..words import number
from ..words import translate as _
from . import picture
from .decision import expected_rate
from .evidence import Evidence
from .finding import Finding, Rate, Row
from .kinds import fault, slowness
from .trial import Tried

LEAST_COST = 0.005  # of the rate: less is no cost
SCHEMA = 1  # of the JSON: another number where a field changes its meaning or goes


@dataclass(frozen=True)
class Diagnosis:
    """Findings, the most important first, with the evidence; and what was tried."""

    findings: tuple[Finding, ...]
    evidence: Evidence
    tried: tuple[Tried, ...] = ()

    @property
    def name(self) -> str:
        """The first finding's."""
        return self.findings[0].name

    def __str__(self) -> str:
        lines = []
        for place, finding in enumerate(self.findings, 1):
            lines += [f"{place}. {finding.sentence}", ""]
            if price := _cost(finding, self.evidence):
                lines += [f"   {price}", ""]
            if finding.evidence:
                wide = max(len(row.label) for row in finding.evidence)
                lines += [f"   {row.label:{wide}}  {_value(row)}" for row in finding.evidence] + [""]
            if finding.change:
                lines += [f"   {line}" for line in finding.change.splitlines()] + [""]
            if finding.predicted:
                lines += [f"   {_predicted(finding.predicted)}", ""]
            if finding.advice:
                lines += [f"   {_advice(finding)}", ""]
        if self.evidence.rate:
            lines += [picture.text(self.evidence), ""]
        lines += [_tried(one) for one in self.tried]
        return "\n".join(lines).rstrip()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = []
        for finding in self.findings:
            rows = "".join(
                f"<tr><td>{_marked_up(row.label)}</td><td style='text-align:right'>{escape(_value(row))}</td></tr>"
                for row in finding.evidence
            )
            price = escape(_cost(finding, self.evidence))
            parts.append(f"<h4>{_marked_up(finding.sentence)}</h4><p>{price}</p><table>{rows}</table>")
            if finding.change:
                parts.append(f"<pre>{escape(finding.change)}</pre>")
            if finding.predicted:
                parts.append(f"<p>{escape(_predicted(finding.predicted))}</p>")
            if finding.advice:
                parts.append(f"<p>{_marked_up(_advice(finding))}</p>")
        if self.evidence.rate:
            parts.append(picture.svg(self.evidence))
        parts += [f"<p>{escape(_tried(one))}</p>" for one in self.tried]
        return "<div>" + "".join(parts) + "</div>"

    def html(self) -> str:
        """Return a page that needs nothing else."""
        title = escape(_("What slows down this loader"))
        return (
            f'<!doctype html><meta charset="utf-8"><title>{title}</title>'
            f'<body style="font-family:sans-serif;max-width:760px;margin:2em auto"><h1>{title}</h1>'
            f"{self._repr_html_()}</body>"
        )

    def plain(self) -> dict[str, Any]:
        """Return plain values for a program: ``schema``, ``findings`` (see `Finding`), ``evidence`` and ``tried``."""
        evidence = asdict(self.evidence)
        evidence["rate"] = self.evidence.rate
        evidence["costs"].pop("samples")  # hundreds
        evidence["costs"]["load"] = self.evidence.costs.load._asdict()
        return {
            "schema": SCHEMA,
            "findings": [_plain(one) for one in self.findings],
            "evidence": evidence,
            "tried": [asdict(one) for one in self.tried],
        }

    def json(self) -> str:
        return json.dumps(self.plain(), indent=1, default=str, ensure_ascii=False)


def _cost(finding: Finding, evidence: Evidence) -> str:
    """Return what the finding costs, in a sentence; "" where nothing could be measured."""
    cost = finding.cost
    if finding.kind in vars(fault).values():
        return _("Costs no time: what the model learns, or what is counted, is not what it seems.")
    if cost.hours is not None:
        if cost.hours < 1:
            return _("If it goes on, the memory ends in {n} min.").format(n=number(max(1, 60 * cost.hours)))
        return _("If it goes on, the memory ends in {n} h.").format(n=number(cost.hours))
    if cost.samples is None:
        unknown = evidence.rate and not evidence.has_step
        return _("How much it costs depends on the step, which was not given (`--step`).") if unknown else ""
    if cost.samples < LEAST_COST * evidence.rate:  # "the step is the limit" has said it
        return "" if finding.kind is slowness.step_limit else _("Costs no time.")
    now = expected_rate(evidence)
    figures = {"n": cost.samples, "now": now, "then": now + cost.samples}
    text = (
        _("You lose about {n} samples/s: now {now}, then {then}.")
        if finding.predicted
        else _("You lose up to {n} samples/s: now {now}, then at most {then}.")
    )
    return text.format(**{name: number(rate, 1 if rate < 10 else 0) for name, rate in figures.items()})


def _advice(finding: Finding) -> str:
    """Return what else to do; beside a prediction, with a word that it is none of it."""
    if not finding.predicted:
        return finding.advice
    return _("Not in this prediction: {advice}").format(advice=finding.advice)


def _plain(finding: Finding) -> dict[str, Any]:
    """Return a finding as plain values; the names of the fields are public."""
    rates = asdict(finding.predicted) if finding.predicted else None
    return {
        "name": finding.name,
        "sentence": finding.sentence,
        "evidence": [asdict(row) for row in finding.evidence],
        "change": finding.change,
        "predicted": rates,
        "changes": finding.changes,
        "certain": finding.certain,
        "cost": {"samples": finding.cost.samples, "hours": finding.cost.hours},
        "advice": finding.advice,
    }


def _marked_up(text: str) -> str:
    """Return the text as HTML, with what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", escape(text))


def _value(row: Row) -> str:
    if isinstance(row.value, str):
        return row.value
    digits = (
        0 if isinstance(row.value, int) or row.value == int(row.value) else 2 if abs(row.value) < 10 else 1
    )
    if 0 < abs(row.value) < 0.1:
        digits = 4
    return _with_unit(number(row.value, digits), row.unit)


def _with_unit(n: str, unit: str) -> str:
    """Return a number with its unit: units of rows are the same in every language, how they are written here is not."""
    written = {
        "%": _("{n} %"),
        "×": _("{n} ×"),
        "s": _("{n} s"),
        "ms": _("{n} ms"),
        "MiB": _("{n} MiB"),
        "samples/s": _("{n} samples/s"),
    }
    return written.get(unit, "{n}").format(n=n)


def _predicted(rate: Rate) -> str:
    return _("Predicted: {rate} samples/s ({low} to {high}).").format(
        rate=number(rate.rate), low=number(rate.low), high=number(rate.high)
    )


def _tried(one: Tried) -> str:
    changes = ", ".join(f"{name}={value!r}" for name, value in one.changes)
    if one.error:
        return _("Tried: {changes}. It does not work: {error}").format(changes=changes, error=one.error)
    if one.predicted is None:
        return _("Tried: {changes}. Before {before}, measured {measured} samples/s.").format(
            changes=changes, before=number(one.before), measured=number(one.measured)
        )
    return _(
        "Tried: {changes}. Before {before}, predicted {predicted}, measured {measured} samples/s."
    ).format(
        changes=changes,
        before=number(one.before),
        predicted=number(one.predicted.rate),
        measured=number(one.measured),
    )
