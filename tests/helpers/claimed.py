"""Sentences of a lesson that say a number or an order, each with the rows that it has to hold for.

`claims.py` beside a lesson's tests has them. ``RECORDED`` and ``LIVE`` map words of lesson.md to the benchmark that they speak of, and to
what its rows say: for words with a ``{}`` for each number the numbers, else whether it is so. The rows of the first are those of every
recording, of the second those that the six stored notebooks have measured. ``ELSEWHERE`` maps words with figures of a recorded GPU that
no recording has to where these are from.
"""

from __future__ import annotations

import base64
import json
import math
import re
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from loaderlab.course import Lesson
from loaderlab.drawing import png_metadata
from loaderlab.notebook import recordings
from places import notebooks

Rows = Sequence[dict[str, Any]]
Claim = tuple[str, Callable[[Rows], "bool | tuple[float, ...]"]]

_NUMBER = r"(\d[\d,]*(?:\.\d+)?)"


def pattern(words: str) -> re.Pattern[str]:
    """Return what finds the words, with any number where they have a ``{}``."""
    return re.compile(re.escape(words).replace(r"\{\}", _NUMBER))


def median(rows: Rows, y: str, **where: Any) -> float:
    """Return the median of a column over the rows with these values in other columns."""
    return statistics.median(row[y] for row in rows if y in row and where.items() <= row.items())


def is_written(number: float, text: str) -> bool:
    """Return whether this is the number that ``text`` writes, in the digits that it has; zeros at its end may be rounded."""
    plain = text.replace(",", "")
    digits = len(plain.split(".")[1]) if "." in plain else len(plain.rstrip("0")) - len(plain)
    return math.isclose(number, float(plain), rel_tol=0, abs_tol=0.5000001 * 10.0**-digits)


def holds(claim: Claim, found: re.Match[str], rows: Rows) -> bool:
    """Return whether words that were found in a lesson are true of these rows."""
    said = claim[1](rows)
    if isinstance(said, bool):
        return said
    return len(said) == len(found.groups()) and all(map(is_written, said, found.groups()))


def recorded(lesson: Lesson, benchmark: str) -> Iterator[tuple[str, Rows]]:
    """Yield the rows of each recording of a benchmark, and its file's name."""
    for path in lesson.recordings:
        recording = recordings.read(path)
        if recording["benchmark"] == benchmark:
            yield path.name, recording["rows"]


def live(lesson: Lesson, benchmark: str) -> Iterator[tuple[str, Rows]]:
    """Yield the rows of each stored picture of a benchmark that was measured there, and its notebook."""
    for path in (path for path in notebooks().values() if path.stem == lesson.file):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", ())]
        for png in (data["image/png"] for data in shown if "image/png" in data):
            content = png_metadata.unpack(base64.b64decode("".join(png)))
            if content and content.get("benchmark") == benchmark and content["rows"]:
                yield f"{path.parent.name}/{path.name}", content["rows"]


def prose(lesson: Lesson) -> str:
    """Return the text of lesson.md without its code."""
    text = (lesson.folder / "lesson.md").read_text("utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def of_a_device(lesson: Lesson) -> Iterator[str]:
    """Yield the sentences that say a number of a GPU on which something was recorded: "On an H200, 10 GB/s came through"."""
    of_gpus = (found for found in map(recordings.read, lesson.recordings) if "cuda" in found["requires"])
    devices = {found["device"].split()[-1] for found in of_gpus}
    for sentence in re.split(r"(?<=[.!?])\s+|\n", prose(lesson)):
        for device in devices:
            if device in sentence and re.search(r"\d", sentence.replace(device, "")):
                yield sentence
