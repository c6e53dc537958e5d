"""README.md in every language, and what the pages in docs/ have from the sources.

README.md is written by hand but for what stands between two comments, `<!-- lessons:begin -->` and `<!-- lessons:end -->`; the
other languages are made of it and of docs/locale/*.po.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.course import outline, timetable
from loaderlab.course.paths import PATHS, CoursePath
from loaderlab.course.timetable import Line
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, current, messages, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.peers import picture
from loaderlab.publish import blocks, notebook, regions
from loaderlab.publish.catalog import Message
from loaderlab.publish.checkout import (
    COLAB_BADGE,
    EXERCISES,
    OPEN_IN_COLAB,
    SOLUTIONS,
    TRANSLATIONS,
    Checkout,
)

if TYPE_CHECKING:
    from loaderlab.publish.edition import Edition

HOURS = (2, 4, 8)
# A picture of README.md, and where it is from: the lesson, and what the cell of it calls that drew it.
_PAGES = ("images/pages.png", "copy_on_write", "pages.picture(")
_MADE = "<!-- Made by `loaderlab build` from README.md and docs/locale/{language}.po: edit those. -->\n"


def readmes(checkout: Checkout, lessons: Sequence[dict[str, Edition]]) -> dict[Path, str]:
    """Return README.md and its translations; ``lessons`` holds, for each lesson, its edition by language."""
    source = _read(checkout.root / "README.md")
    if not regions.has(source, "lessons"):
        raise LabError(
            _(
                "README.md has no place for the table of lessons. Expected: one line {begin}, and below it "
                "one line {end}. Add them where the table belongs."
            ).format(begin="<!-- lessons:begin -->", end="<!-- lessons:end -->")
        )
    found = {checkout.root / "README.md": _filled(source, checkout, lessons, "en")}
    for language in TRANSLATIONS:
        text = blocks.render(blocks.split(regions.emptied(source)), messages(language, locale(checkout)).get)
        text = text.replace("](images/", f"]({checkout.name(checkout.images / language)}/")
        text = text.replace("](notebooks/", f"]({checkout.folder(language, EXERCISES).name}/")
        text = text.replace("my\\en", f"my\\{language}").replace("my/en", f"my/{language}")
        text = text.replace("--language en", f"--language {language}")
        found[checkout.root / f"README.{language}.md"] = _MADE.format(language=language) + _filled(
            text, checkout, lessons, language
        )
    return found


def locale(checkout: Checkout) -> Path:
    """Return the folder of the README's translations."""
    return checkout.root / "docs" / "locale"


def said(checkout: Checkout) -> list[Message]:
    """Return the messages of README.md, for its translators; those of its generated parts are the package's."""
    pieces = blocks.split(regions.emptied(_read(checkout.root / "README.md")))
    return [Message(piece.message, "README.md", piece.kind) for piece in pieces if piece.message is not None]


def pictures(checkout: Checkout) -> dict[Path, bytes]:
    """Return the pictures of the READMEs that notebooks have stored: each file, and its content as PNG."""
    picture, name, call = _PAGES
    if f"]({picture})" not in _read(checkout.root / "README.md"):
        return {}
    lesson = next(lesson for lesson in checkout.lessons if lesson.name == name)
    return {
        checkout.diagram(Path(picture).stem, language).with_suffix(".png"): _stored(
            checkout.notebook(lesson, language, EXERCISES), call, checkout
        )
        for language in LANGUAGES
    }


def _stored(path: Path, call: str, checkout: Checkout) -> bytes:
    """Return the picture that the cell with this call shows in a committed notebook."""
    for cell in notebook.read(path).cells if path.is_file() else ():
        if cell.cell_type == "code" and call in cell.source:
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output.data["image/png"])
    raise LabError(
        _(
            "{file}: no cell of it shows the picture that {call} draws, and README.md shows it. Run `loaderlab build`."
        ).format(file=checkout.name(path), call=f"{call})")
    )


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.is_file() else ""


def _filled(text: str, checkout: Checkout, lessons: Sequence[dict[str, Edition]], language: str) -> str:
    parts: dict[str, Callable[[], str]] = {
        "languages": lambda: _languages(language),
        "badges": lambda: _badges(checkout, language),
        "start": lambda: _start(checkout, language),
        "lessons": lambda: _table(checkout, lessons, language),
        "paths": lambda: _paths(checkout),
    }
    with speaking(language):
        for name, content in parts.items():
            if regions.has(text, name):
                text = regions.put(text, name, content())
    return text


def _languages(language: str) -> str:
    names = {code: "README.md" if code == "en" else f"README.{code}.md" for code in LANGUAGES}
    return " · ".join(
        f"**{LANGUAGES[code]}**" if code == language else f"[{LANGUAGES[code]}]({file})"
        for code, file in names.items()
    )


def _badges(checkout: Checkout, language: str) -> str:
    """Return the badges of the repository, and the link to its website; nothing while it has no address."""
    if not checkout.has_address:
        return ""
    tests = f"{checkout.repository}/actions/workflows/ci.yml"
    run, read = _("Tests"), _("Read it on the website")
    badges = [f"[![{run}]({tests}/badge.svg)]({tests})"]
    if first := next((lesson for lesson in checkout.lessons if lesson.number == 0), None):
        colab = checkout.colab(checkout.notebook(first, language, EXERCISES))
        badges.append(f"[![{_(OPEN_IN_COLAB)}]({COLAB_BADGE})]({colab})")
    if checkout.website:
        page = f"{checkout.website.rstrip('/')}/{language}/index.html"
        badges.append(f"[{read}]({page})")
    return " ".join(badges)


def _start(checkout: Checkout, language: str) -> str:
    """Return the commands for the first minutes; while the repository has no address, the page on which they stand has it."""
    commands = {
        "make lab" if language == "en" else f"make lab LESSONS_IN={language}": _(
            "opens JupyterLab on the first lesson"
        ),
        ".venv/bin/loaderlab diagnose train.py:make_loader": _("what slows down a loader of yours"),
    }
    width = max(map(len, commands))
    lines = [f"{command.ljust(width)}  # {words}" for command, words in commands.items()]
    if checkout.has_address:
        clone = f"git clone {checkout.repository} && cd {checkout.repository.rpartition('/')[2]}"
        words = _(
            "These commands are for Linux and macOS. To install nothing, open a lesson in Colab with its badge below."
        )
    else:
        clone = "git clone ADDRESS loader-lab && cd loader-lab"
        words = _("On Linux and macOS; `ADDRESS` is the one that the button **Code** on this page shows:")
    return "\n".join([words, "", "```console", clone, *lines, "```"])


def docs(checkout: Checkout) -> dict[Path, str]:
    """Return the pages of docs/ that have something generated in them.

    That is timetables, the newest recording of `loaderlab peers`, and the findings of `diagnose`.
    """
    found: dict[Path, str] = {}
    for file, name, content in (
        ("teaching.md", "agenda", _timetables),
        ("scripts.md", "peers", _peers),
        ("scripts.md", "kinds", _kinds),
    ):
        path = checkout.root / "docs" / file
        if path.is_file():
            text = found.get(path) or path.read_text("utf-8")
            found[path] = regions.put(text, name, content(checkout))
    return found


def _kinds(_checkout: Checkout) -> str:
    """Return the table of what `diagnose` can find."""
    from loaderlab.scripts.diagnosis import kinds  # needs torch, which nothing else here does

    return kinds.table()


def drawings(checkout: Checkout) -> dict[Path, str]:
    """Return the pictures that docs/ shows and that come from recordings: each file and its content."""
    recording = picture.newest(checkout.package / "lessons")
    return {} if recording is None else {_picture(checkout): picture.svg(recording)}


def _picture(checkout: Checkout) -> Path:
    return checkout.images / f"{picture.BENCHMARK}.svg"


def _peers(checkout: Checkout) -> str:
    """Return the picture of the newest recording, with machine and date, and what it says; nothing while there is none."""
    recording = picture.newest(checkout.package / "lessons")
    if recording is None:
        return ""
    with speaking("en"):
        lines = "\n".join(f"- {line}" for line in picture.said(recording))
    image = f"![{picture.ALT}](../{checkout.name(_picture(checkout))})"
    return f"{image}\n\n{picture.stamp(recording)}. `loaderlab peers` measures yours.\n\n{lines}"


def _table(checkout: Checkout, lessons: Sequence[dict[str, Edition]], language: str) -> str:
    """Return a row for each lesson: its promise, links to it in the other languages, its minutes, one badge."""
    others = [code for code in LANGUAGES if code != language]
    badge = checkout.has_address
    spoken = " · ".join(LANGUAGES[code] for code in others)
    head = (_("What you can do at its end"), spoken, _("Minutes"), _("In a class"))
    rows = [f"| # | {' | '.join(head)} |{' |' * badge}", f"|--:|---|---|--:|--:|{'--:|' * badge}"]
    for editions in lessons:
        edition, lesson = editions[language], editions[language].source.lesson
        path = checkout.notebook(lesson, language, EXERCISES)
        words = edition.lesson_texts.get(lesson.promise, lesson.promise) or edition.title
        links = (f"[{code}]({checkout.name(checkout.notebook(lesson, code, EXERCISES))})" for code in others)
        cells = [
            str(lesson.number),
            f"[{words}]({checkout.name(path)})",
            " · ".join(links),
            str(outline.read(lesson).minutes),
            str(outline.read(lesson, language).in_class.minutes.way),
        ]
        if badge:
            cells.append(f"[![{edition.say(OPEN_IN_COLAB)}]({COLAB_BADGE})]({checkout.colab(path)})")
        rows.append(f"| {' | '.join(cells)} |")
    solutions = _("Each lesson has a solution, in [`{folder}`]({folder}).").format(
        folder=f"{checkout.name(checkout.folder(language, SOLUTIONS))}/"
    )
    return "\n".join([*rows, "", solutions])


def _paths(checkout: Checkout) -> str:
    """Return a row for each path through the course, and how long the whole of it takes."""
    alone = [outline.read(lesson, current()) for lesson in checkout.lessons]
    together = [each.in_class for each in alone]
    rows = [
        f"| {_(path.time)} | {_which(path, checkout)} | {path.minutes(alone)} | {path.minutes(together)} |"
        for path in PATHS
    ]
    have, take, minutes, in_class = _("You have"), _("Lessons"), _("Minutes"), _("In a class")
    table = [f"| {have} | {take} | {minutes} | {in_class} |", "|---|---|--:|--:|", *rows]
    hours, longer = (
        round(sum(sum(each.minutes) for each in all_of_it) / 60) for all_of_it in (alone, together)
    )
    whole = _("With all of that, the course takes about {hours} hours, or {longer} in a class.").format(
        hours=hours, longer=longer
    )
    return "\n".join([*table, "", f"{_(outline.MINUTES)} {whole}"])


def _which(path: CoursePath, checkout: Checkout) -> str:
    """Return the numbers of the lessons on a path, with the sections of one that it does not take whole."""
    if not path.lessons:
        return _("all")
    first, *others = (str(lesson.number) for lesson in path.taken(checkout.lessons))
    if path.sections:
        first = _("{lesson} (sections {which})").format(
            lesson=first, which=", ".join(map(str, path.sections))
        )
    return ", ".join([first, *others])


def _timetables(checkout: Checkout) -> str:
    """Return the timetables of `loaderlab agenda`, one row for each lesson between two breaks."""
    outlines = [outline.read(lesson).in_class for lesson in timetable.by_preference(checkout.lessons)]
    return "\n\n".join(_timetable(hours, timetable.plan(outlines, 60 * hours)) for hours in HOURS)


def _timetable(hours: int, day: Sequence[Line]) -> str:
    blocks = (list(lines) for _key, lines in groupby(day, lambda line: (line.kind, line.outline)))
    begun = ((*divmod(lines[0].start, 60), lines) for lines in blocks)
    rows = [f"| {hour}:{minute:02d} | {_block(lines)} |" for hour, minute, lines in begun]
    summary = f"<details><summary>{hours} hours</summary>"
    return "\n".join([summary, "", "| Time | |", "|--:|---|", *rows, "", "</details>"])


def _block(lines: Sequence[Line]) -> str:
    lesson, minutes = lines[0].outline, sum(line.minutes for line in lines)
    if lesson is None:
        return f"{lines[0].kind}, {minutes} minutes"
    parts = [line.part for line in lines]
    numbers = [str(number) for number, part in enumerate(lesson.exercises, 1) if part in parts]
    return f"**{lesson.name}**, {minutes} minutes" + (f"; exercises: {', '.join(numbers)}" if numbers else "")
