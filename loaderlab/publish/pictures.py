"""The measured pictures of a notebook: whether each carries its rows, and whether the rows hold together."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from loaderlab.drawing import png_metadata
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.soundness import Circumstances, Oddity, oddities

if TYPE_CHECKING:
    from nbformat import NotebookNode

_DRAWS = re.compile(r"\blab\.(?:rates|curves)\(")


def faults(notebook: NotebookNode) -> Iterator[str]:
    """Yield the faults of a notebook's measured pictures, one sentence each, with the cell."""
    for place, cell in enumerate(notebook.cells, 1):
        if cell.cell_type != "code" or not _DRAWS.search(cell.source):
            continue
        for output in cell.outputs:
            png = output.get("data", {}).get("image/png")
            for fault in _of_picture(base64.b64decode(png)) if png else ():
                yield _("cell {number} ({code}): {fault}").format(
                    number=place, code=_code(cell.source), fault=fault
                )


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
