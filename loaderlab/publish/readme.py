"""What README.md and docs/teaching.md have from the sources: lessons, the newest recording of `loaderlab peers`, timetables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.course import outline, timetable
from loaderlab.course.timetable import Line, Timetable
from loaderlab.peers import picture
from loaderlab.publish.site import COLAB_BADGE, EXERCISES, OPEN_IN_COLAB, Site
from loaderlab.words.errors import LabError
from loaderlab.words.language import LANGUAGES, speaking
from loaderlab.words.language import translate as _

if TYPE_CHECKING:
    from loaderlab.publish.edition import Edition

BEGIN, END = "<!-- lessons:begin -->", "<!-- lessons:end -->"
AGENDA = re.compile("(<!-- agenda:begin -->).*?(<!-- agenda:end -->)", re.DOTALL)
HOURS = (2, 4, 8)
PEERS = re.compile("(<!-- peers:begin -->).*?(<!-- peers:end -->)", re.DOTALL)


def render(site: Site, lessons: Sequence[dict[str, Edition]]) -> str:
    """README.md with its table renewed; ``lessons`` holds, for each lesson, its edition by language."""
    path = site.root / "README.md"
    text = path.read_text("utf-8") if path.is_file() else ""
    if text.count(BEGIN) != 1 or text.count(END) != 1 or text.index(END) < text.index(BEGIN):
        raise LabError(
            _(
                "README.md has no place for the table of lessons. Expected: one line {begin}, and below it "
                "one line {end}. Add them where the table belongs."
            ).format(begin=BEGIN, end=END)
        )
    table = f"{BEGIN}\n{_table(site, lessons)}\n{END}"
    text = re.sub(f"{BEGIN}.*{END}", lambda _match: table, text, flags=re.DOTALL)
    return PEERS.sub(lambda match: f"{match[1]}\n{_peers(site)}{match[2]}", text)


def teaching(site: Site) -> dict[Path, str]:
    """docs/teaching.md, where there is one, with its timetables renewed."""
    path = site.root / "docs" / "teaching.md"
    if not path.is_file():
        return {}
    text = path.read_text("utf-8")
    return {path: AGENDA.sub(lambda match: f"{match[1]}\n{_timetables(site)}\n{match[2]}", text)}


def drawings(site: Site) -> dict[Path, str]:
    """The pictures that README.md shows and that come from recordings: each file and its content."""
    recording = picture.newest(site.package / "lessons")
    return {} if recording is None else {_picture(site): picture.svg(recording)}


def _picture(site: Site) -> Path:
    return site.images / f"{picture.BENCHMARK}.svg"


def _peers(site: Site) -> str:
    """The picture of the newest recording, with machine and date, and what it says; nothing while there is none."""
    recording = picture.newest(site.package / "lessons")
    if recording is None:
        return ""
    with speaking("en"):
        said = "\n".join(f"- {line}" for line in picture.said(recording))
    image = f"![{picture.ALT}]({site.name(_picture(site))})"
    return f"{image}\n\n{picture.stamp(recording)}. `loaderlab peers` measures yours.\n\n{said}\n"


def _table(site: Site, lessons: Sequence[dict[str, Edition]]) -> str:
    rows = [
        "| # | " + " | ".join(LANGUAGES.values()) + " | Minutes |",
        "|--:|" + "---|" * len(LANGUAGES) + "--:|",
    ]
    for editions in lessons:
        lesson = editions["en"].source.lesson
        cells = [_cell(site, edition) for edition in editions.values()]
        rows.append(f"| {lesson.number} | " + " | ".join(cells) + f" | {lesson.minutes} |")
    return "\n".join(rows)


def _timetables(site: Site) -> str:
    """What `loaderlab agenda` proposes, one row for each lesson between two breaks."""
    outlines = [outline.read(lesson) for lesson in timetable.by_preference(site.lessons)]
    return "\n\n".join(_timetable(timetable.plan(outlines, 60 * hours)) for hours in HOURS)


def _timetable(day: Timetable) -> str:
    rows = [f"| {_minutes_in(lines[0].start)} | {_block(lines)} |" for lines in day.blocks()]
    summary = f"<details><summary>{day.minutes // 60} hours</summary>"
    return "\n".join([summary, "", "| Time | |", "|--:|---|", *rows, "", "</details>"])


def _minutes_in(start: int) -> str:
    return f"{start // 60}:{start % 60:02d}"


def _block(lines: Sequence[Line]) -> str:
    lesson, minutes = lines[0].outline, sum(line.minutes for line in lines)
    if lesson is None:
        return f"{lines[0].kind}, {minutes} minutes"
    parts = [line.part for line in lines]
    numbers = [str(number) for number, part in enumerate(lesson.exercises, 1) if part in parts]
    return f"**{lesson.name}**, {minutes} minutes" + (f"; exercises: {', '.join(numbers)}" if numbers else "")


def _cell(site: Site, edition: Edition) -> str:
    path = site.notebook(edition.source.lesson, edition.language, EXERCISES)
    colab = site.colab(path)
    badge = f"<br>[![{edition.say(OPEN_IN_COLAB)}]({COLAB_BADGE})]({colab})" if colab else ""
    return f"[{edition.title}]({site.name(path)}){badge}"
