"""The table of lessons in README.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loaderlab.errors import LabError
from loaderlab.language import LANGUAGES
from loaderlab.language import translate as _
from loaderlab.publish.site import COLAB_BADGE, EXERCISES, OPEN_IN_COLAB, Site

if TYPE_CHECKING:
    from loaderlab.publish.edition import Edition

BEGIN, END = "<!-- lessons:begin -->", "<!-- lessons:end -->"


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
    return re.sub(f"{BEGIN}.*{END}", lambda _match: table, text, flags=re.DOTALL)


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
