"""The tables in a notebook's stored outputs: no count is below zero, and no rate above its own limit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from loaderlab.course.prediction import read
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, number, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.soundness import ABOVE
from loaderlab.notebook.figures import NAMES

if TYPE_CHECKING:
    from nbformat import NotebookNode

_RULE = re.compile(r"-+(?:  -+)*")
_COUNT = re.compile(r"-?\d+")
NOTHING = "–"  # where a row has no such column


def faults(notebook: NotebookNode) -> Iterator[str]:
    """Yield the faults of the tables of a notebook, one sentence each, with the cell."""
    language = notebook.metadata.get("loaderlab", {}).get("language")
    language = language if language in LANGUAGES else "en"
    with speaking(language):
        rate, limit = _(NAMES["samples_per_second"]), _(NAMES["limit"])
    for place, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()) if cell.cell_type == "code" else ():
            text = output.get("data", {}).get("text/plain") or output.get("text", "")
            for columns in _tables(text):
                for fault in (*_below_zero(columns), *_above(columns, rate, limit, language)):
                    yield _("cell {number}: {fault}").format(number=place, fault=fault)


def _tables(text: str) -> Iterator[dict[str, list[str]]]:
    """Yield the columns of each table in a text, by their names: a line of names, one of dashes, and the rows."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if at and _RULE.fullmatch(line):
            places = [match.span() for match in re.finditer("-+", line)]
            rows = []
            for row in lines[at + 1 :]:
                if not row or any(row[end : end + 2].strip() for _start, end in places[:-1]):
                    break  # below it stands where it is from
                rows.append(row)
            yield {lines[at - 1][a:b].strip(): [row[a:b].strip() for row in rows] for a, b in places}


def _below_zero(columns: dict[str, list[str]]) -> Iterator[str]:
    for name, values in columns.items():
        counts = [int(value) for value in values if _COUNT.fullmatch(value)]
        if counts and len(counts) + values.count(NOTHING) == len(values) and min(counts) < 0:
            yield _("a count is below zero: {count} in the column {name!r}.").format(
                count=min(counts), name=name
            )


def _above(columns: dict[str, list[str]], rate: str, limit: str, language: str) -> Iterator[str]:
    for reached, most in zip(columns.get(rate, ()), columns.get(limit, ()), strict=False):
        try:
            with speaking(language):
                factor = read(reached) / read(most)
        except (LabError, ZeroDivisionError):
            continue
        if factor > ABOVE:
            yield _("a rate is {size} times its own limit: {rate}, {limit}.").format(
                size=number(factor, 2), rate=reached, limit=most
            )
