"""The lesson's table of paths through the course, as it stands in the lesson: nothing is written twice."""

import re
from pathlib import Path

_ROW = re.compile(r"^\| [^|`]+ \| ([^|`]+) \| \d+ \|$", re.MULTILINE)
_HERE = 0  # "this lesson"


def _numbers(take: str) -> tuple[int, ...]:
    """The lessons that a cell of the table names: "lessons 0, 1 and 8", or "from 0 to 8"."""
    named = [
        int(digits)
        for digits in re.findall(r"lessons? ([\d, and]+)", take)
        for digits in re.findall(r"\d+", digits)
    ]
    if through := re.search(r"from (\d+) to (\d+)", take):
        named = list(range(int(through[1]), int(through[2]) + 1))
    return tuple(dict.fromkeys([*([_HERE] if "this lesson" in take else []), *named]))


# The numbers of the lessons of each path, the shortest path first.
PATHS = tuple(
    _numbers(take) for take in _ROW.findall(Path(__file__).with_name("lesson.md").read_text("utf-8"))
)
