"""Every cell knows its place in a slide show, and the slides fit on a wall of 1280 × 720."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from playwright.sync_api import Page, Route

from chromium import chromium
from loaderlab import course
from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish import catalog, notebook, press, talk
from loaderlab.publish.checkout import EXERCISES, KINDS, Checkout
from loaderlab.publish.edition import Edition
from loaderlab.publish.fitting import Fitting
from loaderlab.publish.slides import FRAGMENT, NOTES, SKIP, SLIDE, SUBSLIDE
from loaderlab.publish.source import SETUP, read
from places import EVERY, ROOT

WALL = {"width": 1280, "height": 720}
# What reveal.js does to the page, as far as it matters here: one slide at a time, each 1280 px wide.
AS_REVEAL = ".reveal .slides {width: 1280px} aside.notes {display: none}"
# For each slide that does not fit: its beginning and why. What scrolls inside a slide is cut off, too.
MISFITS = """() => [...document.querySelectorAll('.slides section section')].flatMap(slide => {
    const faults = [], place = slide.getBoundingClientRect();
    for (const element of slide.querySelectorAll('*')) {
        const box = element.getBoundingClientRect(), style = getComputedStyle(element);
        if (!box.width || !box.height || (element.closest('svg') && element.tagName !== 'svg')) continue;
        if (box.bottom - place.top > 700 || box.right > 1270)
            faults.push(`${element.tagName} ends at ${box.right} × ${box.bottom - place.top}`);
        const text = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
        if (text && !element.closest('svg') && parseFloat(style.fontSize) < 16)
            faults.push(`${element.tagName} has letters of ${style.fontSize}`);
        if (style.overflow !== 'visible' && !['IMG', 'svg'].includes(element.tagName)
            && (element.scrollHeight > element.clientHeight + 2
                || element.scrollWidth > element.clientWidth + 2))
            faults.push(`${element.tagName} is cut off`);
    }
    return faults.length ? [`${slide.innerText.trim().slice(0, 60)}: ${faults[0]}`] : [];
})"""


@pytest.fixture(scope="module")
def editions() -> dict[tuple[str, str], Edition]:
    """Every edition of every lesson, by lesson and language."""
    checkout = Checkout(ROOT, tuple(course.lessons()), "https://example.org", "main")
    package = catalog.of_package(checkout)
    found = {}
    for source in map(read, checkout.lessons):
        messages = [*package, *catalog.of_lesson(checkout, source, source.diagrams)]
        for language, edition in press.all_editions(checkout, source, messages).items():
            found[source.lesson.name, language] = edition
    return found


@pytest.fixture(scope="module")
def wall(missing: Callable[[str], None]) -> Iterator[Page]:
    with chromium(missing) as browser:
        page = browser.new_page(viewport=WALL)
        page.route("**/*", without_internet)
        yield page


def without_internet(route: Route) -> None:
    if route.request.url.startswith("file:"):
        route.continue_()
    else:
        route.abort()


def slide_type(cell: NotebookNode) -> str:
    return cell.metadata.get("slideshow", {}).get("slide_type", "")


def fitted(*cells: NotebookNode) -> list[tuple[str, str]]:
    """What becomes of cells: the slide type and the source of each."""
    new, _resources = Fitting().preprocess(nbformat.v4.new_notebook(cells=list(cells)), {})
    return [(slide_type(cell), cell.source) for cell in new.cells]


def prose(text: str, kind: str = SUBSLIDE) -> NotebookNode:
    return nbformat.v4.new_markdown_cell(text, metadata={"slideshow": {"slide_type": kind}})


def code(source: str, *outputs: str) -> NotebookNode:
    made = [nbformat.v4.new_output("stream", text=text) for text in outputs]
    metadata = {"slideshow": {"slide_type": FRAGMENT}}
    return nbformat.v4.new_code_cell(source, outputs=made, metadata=metadata)


@pytest.mark.long
@pytest.mark.usefixtures("gettext")
def test_every_cell_of_every_notebook_has_its_place(editions: dict[tuple[str, str], Edition]) -> None:
    types: dict[tuple[str, str], list[str]] = {}
    for (lesson, language), edition in editions.items():
        for kind in KINDS:
            cells = notebook.assemble(edition, kind).cells
            assert {*map(slide_type, cells)} <= {SLIDE, SUBSLIDE, FRAGMENT, SKIP, NOTES}
            in_english = types.setdefault((lesson, kind), [*map(slide_type, cells)])
            assert [*map(slide_type, cells)] == in_english, (lesson, language)
            for cell in cells:
                is_check = cell.metadata.get("nbgrader", {}).get("grade", False)
                is_section = cell.cell_type == "markdown" and cell.source.startswith(("# ", "## "))
                assert (slide_type(cell) == SLIDE) == is_section
                assert slide_type(cell) == SKIP or not (is_check or cell.id == SETUP)


def test_code_waits_on_the_slide_of_its_question_and_output_behind_code() -> None:
    shown = fitted(prose("**Predict first.** How many?"), code("print(2)", "2\n"))
    assert [kind for kind, _source in shown] == [SUBSLIDE, FRAGMENT, FRAGMENT]
    assert shown[1][1] == "print(2)" and shown[2][1] == ""


def test_what_does_not_fit_begins_a_slide_and_nothing_is_lost() -> None:
    paragraphs = [f"{number} " + "word " * 100 for number in range(9)]
    shown = fitted(prose("## Title\n\n" + "\n\n".join(paragraphs), SLIDE))
    assert [kind for kind, _source in shown] == [SLIDE, *[SUBSLIDE] * (len(shown) - 1)] and len(shown) > 1
    assert "".join(source for _kind, source in shown).split() == [
        "##",
        "Title",
        *" ".join(paragraphs).split(),
    ]
    lines = [f"step_{number}()" for number in range(60)]
    shown = fitted(code("\n".join(lines), "\n".join(lines)))
    assert "\n".join(source for _kind, source in shown if source).split("\n") == lines


def test_a_long_table_has_its_head_on_every_slide() -> None:
    rows = "\n".join(f"| {number} | x |" for number in range(40))
    shown = fitted(prose(f"| n | what |\n|--|--|\n{rows}"))
    assert len(shown) > 1 and all(source.startswith("| n | what |\n|--|--|\n") for _kind, source in shown)
    assert "\n".join(source for _kind, source in shown).count("| x |") == 40


def test_a_heading_stays_with_what_it_stands_above() -> None:
    shown = fitted(prose("word " * 1000), prose("A\n\n" * 12 + "### Heading\n\n" + "word " * 200))
    assert not any(source.strip().endswith("### Heading") for _kind, source in shown)


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_to_talk_by_a_lesson_has_about_ten_slides_of_few_words(lesson: course.Lesson) -> None:
    checkout = Checkout(ROOT, tuple(course.lessons()), "", "")
    for language in LANGUAGES:
        whole = notebook.read(checkout.notebook(lesson, language, EXERCISES))
        cells = talk.told(whole).cells
        slides = [cell.source for cell in cells if slide_type(cell) == SLIDE]
        words = [len(slide.split()) for slide in slides]
        assert 8 <= len(slides) <= 12 and all(slides)
        assert max(words[1:-1]) < 100 and max(words) < 150, (language, words)
        assert not any(cell.source for cell in cells if cell.cell_type == "code")
        assert not any("<details>" in cell.source or "](" in cell.source for cell in cells)
        assert sum(cell.cell_type == "code" for cell in cells) >= 3


@pytest.mark.long
@pytest.mark.usefixtures("gettext")
@pytest.mark.parametrize("shows", ["lesson", "talk"])
def test_the_slides_fit_on_the_wall(
    editions: dict[tuple[str, str], Edition], wall: Page, tmp_path: Path, shows: str
) -> None:
    """One lesson of each language, or every lesson in every one."""
    for (lesson, language), edition in editions.items():
        in_turn = edition.source.lesson.number == 4 * list(LANGUAGES).index(language)
        if in_turn or os.environ.get(EVERY):
            new = notebook.assemble(edition, EXERCISES)
            old = edition.checkout.notebook(edition.source.lesson, language, EXERCISES)
            notebook.carry_outputs(new, notebook.read(old))
            (tmp_path / f"{lesson}-{language}.ipynb").write_text(notebook.canonical(new), encoding="utf-8")
    command = [sys.executable, "-m", "nbconvert", "--to", "slides", "--config", "jupyter_nbconvert_config.py"]
    command += [f"--Fitting.shows={shows}", *map(str, tmp_path.glob("*.ipynb"))]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    files = sorted(tmp_path.glob("*.slides.html"))
    assert len(files) >= len(LANGUAGES)
    for file in files:
        wall.goto(file.as_uri(), wait_until="domcontentloaded")
        wall.add_style_tag(content=AS_REVEAL)
        assert (wall.locator(".slides section section").count() > 20) == (shows == "lesson")
        assert wall.evaluate(MISFITS) == [], file.name
        shown = notebook.read(file.with_name(file.name.replace(".slides.html", ".ipynb")))
        assert wall.locator("html").get_attribute("lang") == shown.metadata["loaderlab"]["language"]
        assert f"# {wall.title()}" == shown.cells[0].source.partition("\n")[0]
        alts = wall.evaluate("[...document.images].map(image => image.alt)")
        assert all(alts) and not any(alt.startswith("No description") for alt in alts)
