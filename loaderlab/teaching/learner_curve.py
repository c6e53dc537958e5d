"""A learner's curve: rates over ``num_workers``, as their notebook stored it. Nothing in a notebook is trusted."""

from __future__ import annotations

import base64
import json
import re
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from loaderlab import course
from loaderlab.drawing import png_metadata
from loaderlab.i18n.language import mark
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import soundness
from loaderlab.measuring.machine import counted
from loaderlab.teaching.plain_text import brief

X = "num_workers"
MOST_WORKERS, MOST_RATE, MOST_CORES = 1024, 1e12, 4096
MOST_POINTS, MOST_CURVES = 40, 100


class Unfit(ValueError):
    """An error: what a picture carries is no measurement that could be true."""


@dataclass(frozen=True)
class Kind:
    """The machines of one kind: those that should give about the same curve. ``cores``: usable by the process."""

    processor: str
    cores: float

    def __str__(self) -> str:
        name = re.sub(r"\((?:R|TM|C)\)|\b(?:CPU|Processor)\b|@.*$|\d+-Core", " ", self.processor)
        return f"{brief(name, 44)} × {counted(self.cores)}"


@dataclass(frozen=True)
class Curve:
    """Median rate (per second) at each number of workers; ``drawn``: when, as the notebook says, in UTC.

    ``disturbed``: other programs used cores meanwhile, as the notebook says under its picture.
    """

    lesson: str
    benchmark: str
    group: str
    gpu: str
    drawn: str
    kind: Kind
    system: str
    start_method: str
    points: Mapping[int, float]
    disturbed: bool = False

    @property
    def subject(self) -> str:
        """The subject of the measurement, as `--curve` takes it: ``workers/sweep``."""
        return f"{self.lesson}/{self.benchmark}" + ("@gpu" if self.gpu else "")

    @property
    def best(self) -> int:
        """The number of workers with the highest rate; of several the smallest."""
        return max(sorted(self.points), key=lambda workers: self.points[workers])

    @property
    def gain(self) -> float | None:
        """The best rate, divided by that without workers; None where that was not measured."""
        return self.points[self.best] / self.points[0] if 0 in self.points else None

    @property
    def shares(self) -> dict[int, float]:
        """Each rate in % of the best one."""
        top = self.points[self.best]
        return {workers: 100 * rate / top for workers, rate in self.points.items()}


@dataclass
class Stored:
    """The curves of a notebook, of each the last that was drawn; and what could not be taken, and why."""

    curves: list[Curve] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def stored(content: bytes) -> Stored:
    """Return the curves of a notebook; never raises."""
    if not content.strip():
        return Stored(problems=[_("The file is empty.")])
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
        cells = notebook["cells"]
        outputs = [o for c in cells if c.get("cell_type") == "code" for o in c.get("outputs") or ()]
        pictures = list(_pictures(outputs))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Stored(problems=[_("This is no notebook of version 4, or it is damaged.")])
    found = Stored()
    last: dict[tuple[str, str], Curve] = {}
    carrying = 0
    for picture in pictures:
        try:
            content_of = png_metadata.unpack(picture)
            if content_of is None or (
                isinstance(content_of, dict) and png_metadata.COURSES_OWN in content_of
            ):
                continue  # a picture of the course, not of the learner
            carrying += 1
            for curve in _curves(content_of):
                known = last.get((curve.subject, curve.group))
                if len(last) < MOST_CURVES and (known is None or curve.drawn >= known.drawn):
                    last[curve.subject, curve.group] = curve
        except ValueError as error:
            carrying += 1
            why = _(str(error)) if isinstance(error, Unfit) else _("the rows in it are damaged")
            found.problems.append(_("A picture was left out: {why}.").format(why=why))
    found.curves = list(last.values())
    if not outputs:
        found.problems.append(_("Its outputs were cleared, or it was never run."))
    elif not carrying:
        found.problems.append(
            _(
                "No picture in the notebook holds measured rows: the notebook was not run since it was handed out, or "
                "its lesson draws none."
            )
        )
    elif not last and not found.problems:
        found.problems.append(_("It has measurements, but none of a rate against num_workers."))
    return found


def _pictures(outputs: list[Any]) -> Iterator[bytes]:
    for output in outputs:
        data = output.get("data")
        png = data.get("image/png") if isinstance(data, dict) else None
        if png is None:
            continue
        try:
            yield base64.b64decode(png if isinstance(png, str) else "".join(png))
        except (TypeError, ValueError):
            yield b""  # damaged: said when it is unpacked


def _curves(content: Any) -> Iterator[Curve]:
    """Yield the curves of one picture, one for each group; none where it shows something else. Raises :class:`Unfit`."""
    if not isinstance(content, dict) or content.get("schema") != png_metadata.SCHEMA:
        raise Unfit(mark("it is of another version of the course"))
    y, by = content.get("y"), content.get("by")
    if content.get("x") != X or not isinstance(y, str) or not y.endswith(("_per_second", "_per_s")):
        return
    machine, rows = content.get("machine"), content.get("rows")
    lesson, benchmark = content.get("lesson"), content.get("benchmark")
    if lesson not in [each.name for each in course.lessons()]:
        raise Unfit(mark("it is of no lesson of this course"))
    if not isinstance(benchmark, str) or not re.fullmatch(r"\w{1,60}", benchmark):
        raise Unfit(mark("its benchmark has no name"))
    if not isinstance(machine, dict) or not isinstance(rows, list):
        raise Unfit(mark("its rows do not have the form that a lesson stores"))
    kind = Kind(
        brief(machine.get("processor") or "?"),
        _within(machine.get("cores"), MOST_CORES, mark("its number of cores is impossible")),
    )
    meanwhile = content.get("circumstances")
    others = meanwhile.get("others") if isinstance(meanwhile, dict) else None
    disturbed = soundness.disturbed(others if isinstance(others, int | float) else None, kind.cores)
    groups: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        if not isinstance(row, dict):
            raise Unfit(mark("its rows do not have the form that a lesson stores"))
        if X not in row:  # the limit
            continue
        workers = row[X]
        if type(workers) is not int or not 0 <= workers <= MOST_WORKERS:
            raise Unfit(mark("its number of workers is impossible"))
        rate = _within(row.get(y), MOST_RATE, mark("its rates are impossible"))
        group = brief(row.get(by, "")) if isinstance(by, str) else ""
        groups.setdefault(group, {}).setdefault(workers, []).append(rate)
    for group, points in groups.items():
        if not 2 <= len(points) <= MOST_POINTS:
            raise Unfit(mark("it has too few numbers of workers for a curve, or too many"))
        yield Curve(
            lesson, benchmark, group,
            brief(content.get("gpu") or ""), brief(content.get("drawn") or "", 40), kind,
            brief(machine.get("system") or "?"), brief(machine.get("start_method") or "?"),
            {workers: statistics.median(points[workers]) for workers in sorted(points)}, disturbed,
        )  # fmt: skip


def _within(value: Any, most: float, why: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= most:
        raise Unfit(why)
    return float(value)
