"""The measured figures in a notebook's stored outputs: whether a picture carries its rows, and whether rows hold together.

No count is below zero, and no rate above its own limit, in pictures and in tables.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loaderlab.course.prediction import read
from loaderlab.drawing import png_metadata
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, number, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.soundness import ABOVE, Circumstances, Oddity, oddities
from loaderlab.notebook.figures import NAMES

if TYPE_CHECKING:
    from nbformat import NotebookNode

_DRAWS = re.compile(r"\blab\.(?:rates|curves)\(")
_RULE = re.compile(r"-+(?:  -+)*")
_COUNT = re.compile(r"-?\d+")
NOTHING = "–"  # where a row has no such column


def faults(notebook: NotebookNode) -> Iterator[str]:
    """Yield the faults of a notebook's measured pictures and of its tables, one sentence each, with the cell."""
    language = notebook.metadata.get("loaderlab", {}).get("language")
    language = language if language in LANGUAGES else "en"
    for place, cell in enumerate(notebook.cells, 1):
        for output in cell.get("outputs", ()) if cell.cell_type == "code" else ():
            data = output.get("data", {})
            if "image/png" in data and _DRAWS.search(cell.source):
                for fault in _of_picture(base64.b64decode(data["image/png"])):
                    yield _("cell {number} ({code}): {fault}").format(
                        number=place, code=_code(cell.source), fault=fault
                    )
            for columns in _tables(data.get("text/plain") or output.get("text", "")):
                for fault in (*_below_zero(columns), *_above(columns, language)):
                    yield _("cell {number}: {fault}").format(number=place, fault=fault)


def _of_picture(png: bytes) -> Iterator[str]:
    content = png_metadata.unpack(png)
    if content is None:
        yield _("the picture does not carry the rows that it shows.")
        return
    below = [row for row in content["rows"] if _is_count(row.get(content["y"])) and row[content["y"]] < 0]
    for row in below:
        yield _("a count is below zero: {count} in the column {name!r}.").format(
            count=row[content["y"]], name=content["y"]
        )
    now = Circumstances(**content["circumstances"])
    for oddity in oddities(content["rows"], content["x"], content["y"], content["by"], now):
        yield _sentence(oddity, content)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _sentence(oddity: Oddity, content: dict[str, Any]) -> str:
    at = "" if oddity.at is None else f"{content['x']} = {oddity.at!r}"
    where = ", ".join(filter(None, [oddity.group and f"{content['by']} = {oddity.group!r}", at]))
    sentences = {
        "limit": _("the median is {size} times its own limit where {where}."),
        "spread": _("the repeats differ by a factor of {size} where {where}."),
        "others": _("other programs used {size} cores meanwhile."),
        "threads": _("the main process had {size} threads beside workers that have one."),
    }
    return sentences[oddity.kind].format(where=where, size=number(oddity.size, 2))


def _code(source: str) -> str:
    """Return the line that draws, shortened."""
    line = next(line.strip() for line in source.split("\n") if _DRAWS.search(line))
    return line if len(line) <= 50 else f"{line[:49]}…"


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


def _above(columns: dict[str, list[str]], language: str) -> Iterator[str]:
    with speaking(language):
        rate, limit = (columns.get(_(NAMES[name]), ()) for name in ("samples_per_second", "limit"))
    for reached, most in zip(rate, limit, strict=False):
        try:
            with speaking(language):
                factor = read(reached) / read(most)
        except (LabError, ZeroDivisionError):
            continue
        if factor > ABOVE:
            yield _("a rate is {size} times its own limit: {rate}, {limit}.").format(
                size=number(factor, 2), rate=reached, limit=most
            )
