"""What README.md has from the sources: the table of lessons, and the newest recording of `loaderlab peers`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.errors import LabError
from loaderlab.language import LANGUAGES
from loaderlab.language import translate as _
from loaderlab.peers import picture
from loaderlab.publish.site import COLAB_BADGE, EXERCISES, OPEN_IN_COLAB, Site

if TYPE_CHECKING:
    from loaderlab.publish.edition import Edition

BEGIN, END = "<!-- lessons:begin -->", "<!-- lessons:end -->"
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


def drawings(site: Site) -> dict[Path, str]:
    """The pictures that README.md shows and that come from recordings: each file and its content."""
    recording = picture.newest(site.package / "lessons")
    return {} if recording is None else {_picture(site): picture.svg(recording)}


def _picture(site: Site) -> Path:
    return site.images / f"{picture.BENCHMARK}.svg"


def _peers(site: Site) -> str:
    """The picture of the newest recording, with machine and date; nothing while there is none."""
    recording = picture.newest(site.package / "lessons")
    if recording is None:
        return ""
    return f"![{picture.ALT}]({site.name(_picture(site))})\n\n{picture.stamp(recording)}. `loaderlab peers` measures yours.\n"


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


def _cell(site: Site, edition: Edition) -> str:
    path = site.notebook(edition.source.lesson, edition.language, EXERCISES)
    badge = f"[![{edition.say(OPEN_IN_COLAB)}]({COLAB_BADGE})]({site.colab(path)})"
    return f"[{edition.title}]({site.name(path)})<br>{badge}"
