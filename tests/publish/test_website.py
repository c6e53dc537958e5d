"""The website in a real browser: from a folder and from a server, alone in the world, and readable by everybody."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag, urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, Response

from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish.checkout import TRANSLATIONS
from places import ROOT, STUDENT_FOLDERS

pytestmark = [pytest.mark.long, pytest.mark.minutes(4)]

LESSONS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
PAGES = [f"{language}/{page}.html" for language in LANGUAGES for page in ("index", *LESSONS, "search")]
# Each lesson in one language, for what takes seconds a page; before them, the pages that every language has.
IN_TURN = [
    "en/search.html",
    *(f"{language}/{page}.html" for language, page in zip(cycle(LANGUAGES), ("index", *LESSONS))),
]
# On a server, without the lessons: test_playing.py opens those, does all that they offer, and looks at what they ask for.
ON_A_SERVER = ["index.html", "en/index.html", "en/search.html"]
PICTURES = {"image/png", "image/svg+xml"}
PATIENCE = 120_000  # ms, on a machine that does other things
OPEN_ALL = "() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
LABELS = """() => [...document.querySelectorAll('[aria-label], [title]')].flatMap(
    element => [element.ariaLabel, element.title]).filter(label => label)"""
CONTENT = """() => ({
    links: [...document.querySelectorAll('a[href]')].map(link => link.href),
    ids: [...document.querySelectorAll('[id]')].map(element => element.id),
    pictures: [...document.querySelectorAll('main img')].map(image => image.alt),
    text: document.querySelector('main')?.textContent ?? '',
    formulas: document.querySelectorAll('math').length,
})"""


@dataclass
class Opened:
    """What a page asked for and complained about while it was opened, and what stands in it."""

    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    address: str = ""
    content: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport={"width": 1280, "height": 900}) as window:
        window.set_default_timeout(PATIENCE)
        yield window


@pytest.fixture
def page(window: BrowserContext) -> Page:
    return window.new_page()


def opened(page: Page, address: str) -> Opened:
    """Open an address to the end in a page that has opened nothing yet, and say what happened."""
    found = Opened()
    page.on("console", lambda said: said.type in ("error", "warning") and found.complaints.append(said.text))
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("requestfailed", lambda request: found.complaints.append(f"{request.failure}: {request.url}"))
    page.on("request", lambda request: found.requests.append(request.url))
    page.on("response", lambda response: response.status < 400 or found.complaints.append(response.url))
    page.goto(address, wait_until="networkidle")
    found.address, found.content = urldefrag(page.url)[0], page.evaluate(CONTENT)
    return found


def all_opened(browser: Browser, base: str, names: list[str]) -> dict[str, Opened]:
    """Each page in a window of its own: what one was still asking for when it was left is no complaint of the next."""
    found = {}
    with browser.new_context(viewport={"width": 1280, "height": 900}) as window:
        window.set_default_timeout(PATIENCE)
        for name in names:
            with window.new_page() as page:
                found[name] = opened(page, f"{base}/{name}")
    return found


@pytest.fixture(scope="module")
def pages(browser: Browser, website: Path) -> dict[str, Opened]:
    """Every page of the website, opened from its folder, once for all that is asked of it."""
    return all_opened(browser, website.as_uri(), ["index.html", *PAGES])


def expect_quiet(opened: dict[str, Opened], base: str) -> None:
    for name, page in opened.items():
        assert page.complaints == [], name
        assert [url for url in page.requests if not url.startswith((base, "data:"))] == [], name


def test_every_page_opens_from_a_folder_without_a_complaint_and_without_another_host(
    pages: dict[str, Opened], website: Path
) -> None:
    expect_quiet(pages, website.as_uri())


def test_pages_open_from_a_server_without_a_complaint_and_without_another_host(
    browser: Browser, server: str
) -> None:
    expect_quiet(all_opened(browser, server, ON_A_SERVER), server)


@pytest.mark.parametrize(("scheme", "pages"), [("light", IN_TURN), ("dark", IN_TURN[:3])])
def test_axe_finds_nothing_serious(browser: Browser, website: Path, scheme: str, pages: list[str]) -> None:
    page = browser.new_page(color_scheme=scheme)
    found = set()
    for name in pages:
        page.goto(f"{website.as_uri()}/{name}")
        page.evaluate(OPEN_ALL)
        # Code is coloured everywhere alike, one element a word: read once.
        context = None if name == pages[2] else {"exclude": [["pre"]]}
        for violation in Axe().run(page, context).response["violations"]:
            if violation["impact"] in ("serious", "critical"):
                found.add((name, violation["id"], violation["nodes"][0]["html"][:200]))
    page.close()
    assert found == set()


def test_every_picture_of_a_notebook_is_on_its_page_with_its_text(pages: dict[str, Opened]) -> None:
    for language, folder in STUDENT_FOLDERS.items():
        for lesson in LESSONS:
            cells = nbformat.read(ROOT / folder / f"{lesson}.ipynb", 4).cells
            outputs = [output for cell in cells for output in cell.get("outputs", ())]
            pictures = [output for output in outputs if PICTURES & set(output.get("data", ()))]
            drawn = sum(output.get("data", {}).get("text/html", "").count("<img ") for output in outputs)
            texts = pages[f"{language}/{lesson}.html"].content["pictures"]
            assert len(texts) == len(pictures) + drawn and all(texts), (language, lesson)


def test_formulas_are_set_and_stand_once(pages: dict[str, Opened]) -> None:
    for language, folder in STUDENT_FOLDERS.items():
        for lesson in LESSONS:
            source = (ROOT / folder / f"{lesson}.ipynb").read_text("utf-8")
            content = pages[f"{language}/{lesson}.html"].content
            assert "\\cdot" not in content["text"] and "\\text{" not in content["text"]
            assert content["formulas"] >= ("\\\\cdot" in source)


def test_links_lead_somewhere(pages: dict[str, Opened]) -> None:
    ids = {page.address: {"", *page.content["ids"]} for page in pages.values()}
    ours = {link for page in pages.values() for link in page.content["links"] if link.startswith("file:")}
    broken = []
    for link in ours:
        address, fragment = urldefrag(link)
        fragment = fragment.partition("?")[0]  # what is behind it sets the knobs of that explorer
        there = Path(unquote(urlsplit(address).path)).is_file()
        if not there or (address in ids and unquote(fragment) not in ids[address]):
            broken.append(link)
    assert len(ours) > len(PAGES) and broken == []


def test_the_first_page_leads_to_the_reader_s_language(browser: Browser, website: Path) -> None:
    for locale, language in (("pl-PL", "pl"), ("fr-CA", "fr"), ("de-DE", "en")):
        page = browser.new_page(locale=locale)
        page.goto(f"{website.as_uri()}/index.html")
        page.wait_for_url(f"**/{language}/index.html")
        page.close()


def test_a_page_is_in_one_language(page: Page, website: Path) -> None:
    labels = {}
    for language in LANGUAGES:
        page.goto(f"{website.as_uri()}/{language}/{LESSONS[0]}.html")
        labels[language] = set(page.evaluate(LABELS))
        assert page.get_attribute("html", "lang") == language
    names = {"Loader Lab"}
    assert labels["en"] > names
    assert all(labels["en"] & labels[language] == names for language in TRANSLATIONS)


@pytest.mark.parametrize(
    ("language", "word", "lesson"),
    [
        ("en", "pinned", "02_pin_memory"),
        ("fr", "épinglées", "02_pin_memory"),
        ("pl", "przypiętą", "02_pin_memory"),
    ],
)
def test_the_search_finds_a_word_in_another_form_without_a_server(
    page: Page, website: Path, language: str, word: str, lesson: str
) -> None:
    page.goto(f"{website.as_uri()}/{language}/search.html?q={word}")
    page.wait_for_selector("ul.search li a")
    found = page.eval_on_selector_all("ul.search li a", "links => links.map(link => link.href)")
    assert any(f"/{lesson}.html" in link for link in found)


def test_answers_wait_on_the_screen_and_stand_on_paper(page: Page, website: Path) -> None:
    page.goto(f"{website.as_uri()}/en/{LESSONS[1]}.html")
    results = page.locator("details.folded .cell_output")
    assert results.count() > 10
    visible = "results => results.map(result => result.checkVisibility({contentVisibilityAuto: true}))"
    assert not any(results.evaluate_all(visible))
    page.emulate_media(media="print")
    page.wait_for_function(
        """() => [...document.querySelectorAll('details.folded .cell_output')].every(
            result => result.checkVisibility({contentVisibilityAuto: true}))"""
    )


def test_who_reads_in_the_dark_prints_on_white(browser: Browser, website: Path) -> None:
    page = browser.new_page(color_scheme="dark")
    page.goto(f"{website.as_uri()}/en/index.html")
    page.evaluate(
        "addEventListener('beforeprint', () => { document.title = document.documentElement.dataset.theme; })"
    )
    page.pdf()
    assert page.title() == "light"
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    page.close()


@pytest.mark.parametrize(
    ("name", "requests", "kilobytes"), [("en/index", 35, 350), ("en/01_workers", 45, 600)]
)
def test_a_page_is_light(page: Page, server: str, name: str, requests: int, kilobytes: int) -> None:
    """Bytes as they travel from a server that compresses, as GitHub's does."""
    # Python comes when the reader gets to what needs it; test_playing.py has its weight.
    page.add_init_script("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })")
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))  # noqa: PLW0108 - it takes no built-in function
    found = opened(page, f"{server}/{name}.html")
    sizes = [len(gzip.compress(response.body())) for response in responses]
    assert len(found.requests) <= requests and sum(sizes) <= 1000 * kilobytes, (
        len(found.requests),
        sum(sizes),
    )
