"""`loaderlab site`: the course as a website, made by Sphinx from the committed notebooks; none of them is run.

A notebook was made for JupyterLab. Here it becomes what a page needs: folds where outputs wait, alternative texts where
Sphinx looks for them, links to pages instead of files. How the pages look is said in docs/site/.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loaderlab.course import outline
from loaderlab.course.comparison import BET
from loaderlab.course.markup import plain
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import LANGUAGES, current, messages, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import front
from loaderlab.publish import (
    activity,
    bootstrap_cell,
    browser_modules,
    first_bet,
    notebook,
    page_head,
    policy,
    start_page,
    stored_results,
)
from loaderlab.publish.archive import archive
from loaderlab.publish.checkout import EXERCISES, KINDS, SOLUTIONS, Checkout, at_its_remote, here
from loaderlab.publish.solvable import solvable

if TYPE_CHECKING:
    from nbformat import NotebookNode

    from loaderlab.course import Lesson

PICTURES = ("image/png", "image/svg+xml")
# Beside the pages of a language: what can be downloaded.
DOWNLOADS, ANSWERS, SHARED = "download", "solutions", "shared"
# Beside the languages: what the pages of all of them share.
WEB = "web"

# In the first line of a notebook, its own language and the others: a page has them in its bar.
_LANGUAGE = re.compile(r"\*\*[^*]+\*\*|\[[^\]]+\]\(\.\./notebooks(?:_\w+)?/\w+\.ipynb\)")
_NEXT = re.compile(r'href="(\w+)\.ipynb"')
_NO_HEADING = '<th class="head"><p></p></th>'
_SOLUTION = re.compile(r"\[([^\]]+)\]\(\.\./solutions/\w+/(\w+\.ipynb)\)")
_PICTURE = re.compile(r'<img (?P<rest>[^>]*src="(?P<file>_images/[^"]+\.png)")')
_KNOBS = re.compile(r"\[([^\]]+)\]\((#\w+\?[^)\s]+)\)")


class Row(NamedTuple):
    """A lesson on the first page; ``file``: its name without ".ipynb"; ``picture``: the first that its notebook has stored."""

    file: str
    title: str
    promise: str
    minutes: outline.Minutes
    picture: bytes


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab site`."""
    parser.add_argument("folder", type=Path, help="where the website is written")


def run(options: argparse.Namespace) -> int:
    """Make the website; returns the exit status."""
    make(at_its_remote(here()), options.folder)
    print(_("written: {file}").format(file=options.folder / "index.html"))
    return 0


def make(checkout: Checkout, folder: Path) -> None:
    """Write the website into ``folder``: a folder of pages for each language, and a page that leads to the reader's.

    Raises :class:`LabError` where Sphinx is missing, or finds something wrong: a link into nothing is an error.
    """
    installed = {Path(sys.prefix): all(map(find_spec, ("sphinx", "myst_nb")))}
    installed[_packages(checkout)] = _packages(checkout).is_dir()
    if lacking := [place for place, is_there in installed.items() if not is_there]:
        raise LabError(
            _(
                "What makes the website is not installed in {folder}. `make site` installs what the website needs, in an environment of its "
                "own."
            ).format(folder=lacking[0])
        )
    folder.mkdir(parents=True, exist_ok=True)
    archives = {language: archive(checkout, language) for language in LANGUAGES}
    _bring(checkout, folder / WEB, archives)
    played = _played(checkout, archives["en"])
    if not checkout.pages:
        print(
            _(
                "The website has no address, so a shared link to it shows a sentence, but no picture. `loaderlab "
                "publish` sets an address."
            )
        )
    about: dict[str, page_head.Shared] = {}
    for language in LANGUAGES:
        shutil.rmtree(folder / language, ignore_errors=True)
        with speaking(language), tempfile.TemporaryDirectory() as scratch:
            lessons = stage(checkout, language, Path(scratch), played)
            _sphinx(checkout, language, Path(scratch), folder / language)
            shared = _shared(lessons, folder / language / SHARED)
            _finish(checkout, folder / language, boot(language), shared)
            about[language] = shared["index"]
    first = page_head.tags(about["en"], "en", "index", checkout.pages)
    page = (_configuration(checkout) / "index.html").read_text("utf-8").replace("<title>", f"{first}<title>")
    (folder / "index.html").write_text(policy.guarded(with_languages(page)), "utf-8")


def _shared(lessons: Sequence[Row], folder: Path) -> dict[str, page_head.Shared]:
    """Return what a shared link shows of each page, in the language that is spoken; write the pictures of it into ``folder``."""
    folder.mkdir()
    pictures = {"index": page_head.picture_of_course()} | {
        row.file: page_head.picture_of_lesson(row.picture) if row.picture else page_head.picture_of_course()
        for row in lessons
    }
    for name, picture in pictures.items():
        (folder / f"{name}.png").write_bytes(picture)
    says = {"index": (start_page.title(), start_page.lead())} | {
        row.file: (row.title, row.promise) for row in lessons
    }
    place = f"{folder.parent.name}/{folder.name}"
    return {
        name: page_head.Shared(plain(title), plain(text), f"{place}/{name}.png")
        for name, (title, text) in says.items()
    }


def boot(language: str) -> str:
    """Return the tag of the script that brings a page to life, with the language that is spoken and its words."""
    words = escape(json.dumps(activity.words(), ensure_ascii=False))
    about = f'data-language="{language}" data-archive="{language}.zip" data-words="{words}"'
    return f'<script defer src="../{WEB}/boot.js" {about}></script>'


def _finish(checkout: Checkout, folder: Path, script: str, shared: Mapping[str, page_head.Shared]) -> None:
    """Give the pages of a language style, description and the ``script`` that begins them, and their policy, which nothing of Sphinx's breaks."""
    sheets = [_configuration(checkout) / "style" / f"{name}.css" for name in ("site", "lab")]
    style = page_head.style([sheets[0], front.STYLE, sheets[1]])
    for path in folder.glob("*.html"):
        name, page = path.stem, path.read_text("utf-8")
        about = page_head.tags(shared[name], current(), name, checkout.pages) if name in shared else ""
        page = page.replace("</head>", f"{about}{style}{script}</head>", 1).replace(_NO_HEADING, "<td></td>")
        page = page.replace("<table", '<div class="wide"><table').replace("</table>", "</table></div>")
        page = _PICTURE.sub(lambda image: f"<img {_size(folder / image['file'])} {image['rest']}", page)
        path.write_text(policy.guarded(page), "utf-8")
    for path in (folder / "_static").glob("*.js"):
        path.write_text(policy.harmless(path.name, path.read_text("utf-8")), "utf-8")


def _size(png: Path) -> str:
    """Return the attributes that keep a picture's room until it comes, which is when somebody gets near it."""
    width, height = struct.unpack(">II", png.read_bytes()[16:24])
    return f'width="{width}" height="{height}" loading="lazy"'


def _bring(checkout: Checkout, folder: Path, archives: Mapping[str, bytes]) -> None:
    """Write what all pages share: the scripts, Python, and what of the course it runs in each language."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(_configuration(checkout) / WEB, folder)
    (folder / "front").mkdir()
    for path in (front.CARD, front.EXPLORER):
        shutil.copy(path, folder / "front")
    for place, content in browser_modules.files(_packages(checkout)).items():
        (folder / place).parent.mkdir(exist_ok=True)
        (folder / place).write_bytes(content)
    for language, content in archives.items():
        (folder / f"{language}.zip").write_bytes(content)


def _played(checkout: Checkout, archive: bytes) -> set[tuple[str, str]]:
    """Return the exercises that are solved on their page, by lesson and name."""
    solutions, given, points = {}, {}, {}
    for lesson in checkout.lessons:
        solved = notebook.read(checkout.notebook(lesson, "en", SOLUTIONS))
        given[lesson.name] = activity.given(solved)
        for name, exercise in lesson.exercises().items():
            points[lesson.name, name] = exercise.points
        for cell in solved.cells:
            if cell.id.startswith(activity.ANSWER) and not cell.source.startswith("%%"):
                solutions[lesson.name, cell.id.removeprefix(activity.ANSWER)] = cell.source
    return solvable(archive, solutions, given, points)


def with_languages(page: str) -> str:
    """Return the page that leads to a reader's language, with a link to each."""
    links = (f'<a href="{code}/index.html" lang="{code}">{name}</a>' for code, name in LANGUAGES.items())
    return page.replace("<!-- languages -->", " · ".join(links))


def stage(checkout: Checkout, language: str, folder: Path, played: Collection[tuple[str, str]]) -> list[Row]:
    """Write what Sphinx reads into ``folder``: the pages of ``language``, which is spoken, and what they offer to download.

    Returns what the first page says of the lessons.

    ``played``: the exercises that are solved on their page. Both have the address of the checkout, whatever the committed notebooks have.
    """
    (folder / DOWNLOADS).mkdir()
    shutil.copytree(_configuration(checkout) / "locale", folder / "locale")
    (folder / ANSWERS).mkdir()
    lessons = []
    for lesson in checkout.lessons:
        path = checkout.notebook(lesson, language, EXERCISES)
        committed, solution = (_addressed(checkout, lesson, language, kind) for kind in KINDS)
        title, *_prose = committed.cells[0].source.split("\n")
        promise = messages(language, lesson.folder).get(lesson.promise, lesson.promise)
        name, minutes = title.removeprefix("# "), outline.read(lesson).minutes
        lessons.append(Row(path.stem, name, promise, minutes, _first_picture(committed)))
        for place, made in ((DOWNLOADS, committed), (ANSWERS, solution)):
            (folder / place / path.name).write_text(notebook.canonical(made), encoding="utf-8")
        with speaking(language, lesson.folder):
            adapted = notebook.canonical(page(committed, path, lesson, played))
        (folder / path.name).write_text(adapted, encoding="utf-8")
    (folder / "index.md").write_text(_first_page(checkout, lessons, len(played)), encoding="utf-8")
    return lessons


def _first_picture(notebook: NotebookNode) -> bytes:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    stored = (output["data"]["image/png"] for output in outputs if "image/png" in output.get("data", {}))
    return next(map(base64.b64decode, stored), b"")


def _addressed(checkout: Checkout, lesson: Lesson, language: str, kind: str) -> NotebookNode:
    path = checkout.notebook(lesson, language, kind)
    found = notebook.read(path)
    notebook.readdress(found, checkout, path)
    return found


def page(
    notebook: NotebookNode, path: Path, lesson: Lesson, played: Collection[tuple[str, str]]
) -> NotebookNode:
    """Return a lesson's committed notebook as Sphinx wants it, in the language that is spoken.

    ``path``: where it lies; ``played``: the exercises that are solved on their page.
    """
    from nbformat import v4

    notebook.cells = [cell for cell in notebook.cells if cell.id != bootstrap_cell.ID]
    title = notebook.cells[0]
    title.source = _offer(title.source, path.name)
    checks = {f"{activity.CHECK}{name}" for of, name in played if of == lesson.name}
    activity.explained(notebook)
    live = _live(notebook, lesson, checks)
    on, when = stored_results.machine(notebook), stored_results.day(notebook)
    notebook.cells = [cell for cell in notebook.cells if cell.id not in checks]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _links(cell.source)
            continue
        tag, says = _fold(cell, cell.id in live)
        cell.metadata = {"tags": tag, "mystnb": {"image": _texts(cell), "code_prompt_show": says}}
        if cell.id in live:
            cell.outputs = [v4.new_output("display_data", {"text/html": live[cell.id]})]
        elif below := activity.beside_case(cell, on, when):
            cell.outputs.append(v4.new_output("display_data", {"text/html": below}))
        for output in list(cell.outputs):
            data = output.get("data", {})
            data.pop(BET, None)  # which no page shows, and Sphinx does not know
            if "text/html" in data:
                data["text/html"] = _NEXT.sub(r'href="\1.html"', data["text/html"])
    return notebook


def _fold(cell: NotebookNode, live: bool) -> tuple[list[str], str]:
    """Return the tags of myst-nb that fold a cell, or its output, and the words to open it with."""
    if live and activity.only_shows(cell):
        return ["remove-input"], ""
    if "setup" in cell.metadata.get("tags", ()):
        return ["hide-cell"], _("Set-up")
    if cell.metadata.get("jupyter", {}).get("outputs_hidden"):
        return ["hide-output"], _("Show the result")
    return [], ""


def _links(text: str) -> str:
    """Return links to an explorer, and to the lesson's solution, as a website has them."""
    # To Sphinx a link to an explorer, such as `#timeline?num_workers=5`, would be one to a heading that is not there.
    text = _KNOBS.sub(lambda link: f'<a href="{escape(link[2])}">{link[1]}</a>', text)
    return _SOLUTION.sub(lambda link: _download(link[1], f"{ANSWERS}/{link[2]}"), text)


def _offer(text: str, file: str) -> str:
    """Return the notebook's title and prose, and only then its minutes and its links, with one more: to download it."""
    heading, links, rest = text.split("\n\n", 2)
    *others, minutes = (link for link in links.split(" · ") if not _LANGUAGE.fullmatch(link))
    about = " · ".join([minutes, *others, _download(_("Download the notebook"), f"{DOWNLOADS}/{file}")])
    return f'{heading}\n\n{rest}\n\n<div class="about">\n\n{about}\n\n</div>'


def _download(words: str, file: str) -> str:
    return f"{{download}}`{words} <{file}>`"


def _texts(cell: NotebookNode) -> dict[str, str]:
    """Return the alternative text of a cell's picture, which Sphinx looks for in the cell."""
    found = [
        output.metadata[kind]["alt"]
        for output in cell.outputs
        for kind in PICTURES
        if "alt" in output.get("metadata", {}).get(kind, {})
    ]
    return {"alt": " ".join(found)} if found else {}


def _live(notebook: NotebookNode, lesson: Lesson, checks: Collection[str]) -> dict[str, str]:
    """Return the HTML of the cells that act on their page, by the cell's id; ``checks``: those that an editor stands for."""
    given, results, names = activity.given(notebook), activity.results(notebook), set[str]()
    on, when = stored_results.machine(notebook), stored_results.day(notebook)
    found = {}
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if cell.id.replace(activity.ANSWER, activity.CHECK, 1) in checks and cell.id not in checks:
            found[cell.id] = activity.exercise(cell, lesson, given)
        elif cell.id.startswith(activity.ANSWER):
            found[cell.id] = activity.elsewhere()
        else:
            found[cell.id] = activity.explorer(cell.source, lesson, names) or activity.card(
                cell, lesson, results, on, when
            )
    return {name: html for name, html in found.items() if html}


def _first_page(checkout: Checkout, lessons: list[Row], played: int) -> str:
    entries = [f"{number} · {_short(row.title)} <{row.file}>" for number, row in enumerate(lessons)]
    heading = _("Lessons")
    points = {
        lesson.name: {name: exercise.points for name, exercise in lesson.exercises().items()}
        for lesson in checkout.lessons
    }
    says = [
        f"# {start_page.title()}",
        start_page.lead(),
        start_page.whom(),
        _raw(first_bet.bet() + start_page.begin(lessons[0].file)),
        f"## {heading}",
        _raw(start_page.list_of((row.file, row.title, row.promise, str(row.minutes)) for row in lessons)),
        _(outline.MINUTES),
        *start_page.symptoms(checkout),
        *start_page.ways(checkout, lessons[0].file, played),
        _raw(activity.progress(points)),
        "\n".join(["```{toctree}", ":hidden:", "", *entries, "```"]),
    ]
    return "\n\n".join(filter(None, says)) + "\n"


def _short(title: str) -> str:
    return re.split(r"\s*:", title)[0]


def _raw(html: str) -> str:
    """Return HTML as Sphinx takes it over."""
    return f"````{{raw}} html\n{html}\n````" if html else ""


def _sphinx(checkout: Checkout, language: str, source: Path, out: Path) -> None:
    words = {
        "search": _("Search the lessons"),
        "tagline": _("PyTorch data loading, hands on"),
        "question": start_page.title(),
    }
    options = [f"-Dlanguage={language}", *(f"-A{name}={value}" for name, value in words.items())]
    with tempfile.TemporaryDirectory() as doctrees:
        command = [sys.executable, "-m", "sphinx", "-q", "-j", "auto", "--fail-on-warning"]
        done = subprocess.run(
            [*command, "-c", str(_configuration(checkout)), "-d", doctrees, *options, str(source), str(out)],
            env=os.environ | {"PYTHONPATH": str(checkout.root)},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise LabError(
            _("Sphinx cannot make the pages in {language}:\n{why}").format(
                language=LANGUAGES[language], why=done.stderr.strip()
            )
        )


def _configuration(checkout: Checkout) -> Path:
    return checkout.root / "docs" / "site"


def _packages(checkout: Checkout) -> Path:
    """Return the folder that `make site` has npm fill."""
    return checkout.root / "build" / "npm" / "node_modules"
