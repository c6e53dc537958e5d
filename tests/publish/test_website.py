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
from playwright.sync_api import Browser, BrowserContext, Page, Response, ViewportSize

from loaderlab.i18n.language import LANGUAGES
from loaderlab.publish import first_bet
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
# The pages whose colours are looked at, which takes half of axe's time: lessons have theirs from one style sheet, and the last one has the case.
COLOURED = {*IN_TURN[:3], IN_TURN[-1]}
# On a server, without the lessons: test_playing.py opens those, does all that they offer, and looks at what they ask for.
ON_A_SERVER = ["index.html", "en/index.html", "en/search.html"]
PICTURES = {"image/png", "image/svg+xml"}
SCREEN: ViewportSize = {"width": 1280, "height": 900}
TELEPHONE: ViewportSize = {"width": 390, "height": 844}
PATIENCE = 120_000  # ms, on a machine that does other things
OPEN_ALL = "() => document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
CONTENT = """() => ({
    links: [...document.querySelectorAll('a[href]')].map(link => link.href),
    ids: [...document.querySelectorAll('[id]')].map(element => element.id),
    pictures: [...document.querySelectorAll('main img')].map(image => image.alt),
    text: document.querySelector('main')?.textContent ?? '',
    heading: document.querySelector('h1')?.innerText ?? '',
    formulas: document.querySelectorAll('math').length,
    language: document.documentElement.lang,
    labels: [...document.querySelectorAll('[aria-label], [title]')].flatMap(
        element => [element.ariaLabel, element.title]).filter(label => label),
    tags: Object.fromEntries([...document.querySelectorAll('meta[content]')].map(
        tag => [tag.name || tag.getAttribute('property'), tag.content])),
})"""
# What is wider than the screen, but for what scrolls in a frame of its own.
WIDER = """() => [...document.querySelectorAll('body *')].filter(each => each.checkVisibility()
    && each.getBoundingClientRect().right > innerWidth + 1
    && !each.closest('pre, .wide, .formula, p:has(> math), .lab-frame, .lab-script, .lab-curve')).map(each => each.outerHTML.slice(0, 200))"""


@dataclass
class Opened:
    """What a page asked for and complained about while it was opened, and what stands in it."""

    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    address: str = ""
    content: dict[str, Any] = field(default_factory=dict)


@pytest.fixture
def window(browser: Browser) -> Iterator[BrowserContext]:
    with browser.new_context(viewport=SCREEN) as window:
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
    with browser.new_context(viewport=SCREEN) as window:
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
def test_axe_finds_nothing_and_on_a_telephone_nothing_is_wider_than_the_screen(
    browser: Browser, website: Path, scheme: str, pages: list[str]
) -> None:
    page = browser.new_page(color_scheme=scheme)
    found = set()
    for name in pages:
        page.set_viewport_size(SCREEN)
        page.goto(f"{website.as_uri()}/{name}")
        page.evaluate(OPEN_ALL)
        # Code is coloured everywhere alike, one element a word: read once.
        context = None if name == pages[2] else {"exclude": [["pre"]]}
        options = {"rules": {"color-contrast": {"enabled": name in COLOURED}}}
        for violation in Axe().run(page, context, options).response["violations"]:
            found.add((name, violation["id"], violation["nodes"][0]["html"][:200]))
        page.set_viewport_size(TELEPHONE)
        found |= {(name, "wider", html) for html in page.evaluate(WIDER)}
        if page.evaluate("() => document.documentElement.scrollWidth") > TELEPHONE["width"]:
            found.add((name, "wider", "the page"))
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


def test_a_page_is_in_one_language(pages: dict[str, Opened]) -> None:
    content = {language: pages[f"{language}/{LESSONS[0]}.html"].content for language in LANGUAGES}
    assert [each["language"] for each in content.values()] == list(LANGUAGES)
    labels = {language: set(each["labels"]) for language, each in content.items()}
    assert labels["en"] and not any(labels["en"] & labels[language] for language in TRANSLATIONS)


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
    ("name", "requests", "kilobytes"), [("en/index", 12, 40), ("en/01_workers", 35, 500)]
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


@pytest.mark.parametrize(("name", "kilobytes"), [("en/index", 20), ("pl/index", 20), ("en/01_workers", 75)])
def test_nothing_but_the_page_itself_comes_before_it_is_painted(
    page: Page, server: str, website: Path, name: str, kilobytes: int
) -> None:
    page.goto(f"{server}/{name}.html", wait_until="networkidle")
    loaded = (
        "() => performance.getEntriesByType('resource').map(each => [each.renderBlockingStatus, each.name])"
    )
    blocking = [address for status, address in page.evaluate(loaded) if status != "non-blocking"]
    assert blocking == []
    assert len(gzip.compress((website / f"{name}.html").read_bytes())) <= 1000 * kilobytes


@pytest.mark.parametrize("size", [(1350, 940), (390, 844)])
def test_what_is_read_does_not_move(browser: Browser, server: str, size: tuple[int, int]) -> None:
    """The sum of all layout shifts, as browsers count them: 0.1 is what one calls good; and each part takes the room that was kept for it."""
    sum_up = """new PerformanceObserver(list => { for (const each of list.getEntries())
        window.shifted = (window.shifted ?? 0) + each.value; }).observe({ type: "layout-shift", buffered: true });"""
    heights = """() => Object.fromEntries([...document.querySelectorAll(':is(.lab-card-part, .lab-explorer-part)')].map(
        part => [part.id, Math.round(part.getBoundingClientRect().height)]))"""
    unfold = (
        "() => document.querySelectorAll('details:not(.lab-more)').forEach(fold => { fold.open = true; })"
    )
    for name in ("en/index", "fr/01_workers", "pl/03_warps", "en/06_webdataset"):
        rooms = []
        for blocked in (True, False):
            with browser.new_page(viewport={"width": size[0], "height": size[1]}) as page:
                page.add_init_script(sum_up)
                if blocked:
                    page.route("**/boot.js", lambda route: route.abort())
                page.goto(f"{server}/{name}.html", wait_until="networkidle", timeout=PATIENCE)
                assert (page.evaluate("() => window.shifted") or 0) <= 0.05, name
                page.evaluate(unfold)
                if not blocked:
                    page.wait_for_function(
                        "() => !document.querySelector('.lab-explorer-part:not(.lab-live)')"
                    )
                rooms.append(page.evaluate(heights))
        assert all(abs(rooms[1][part] - kept) <= 4 for part, kept in rooms[0].items()), (name, rooms)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_says_in_its_language_what_a_shared_link_shows(
    pages: dict[str, Opened], website: Path, language: str
) -> None:
    said = set()
    for name in ("index", *LESSONS):
        content = pages[f"{language}/{name}.html"].content
        tags = content["tags"]
        assert tags["og:description"] == tags["description"] and "`" not in tags["description"]
        assert tags["og:title"] in content["heading"].removesuffix("#")
        assert (website / language / "shared" / f"{name}.png").is_file()
        said.add(tags["description"])
    assert len(said) == 1 + len(LESSONS)


def test_who_bets_sees_what_happens_and_then_moves_the_workers(page: Page, website: Path) -> None:
    page.goto(f"{website.as_uri()}/en/index.html")
    bet = page.locator("#bet")
    asked = bet.locator(f'.loop[data-workers="{first_bet.ASKED}"]')
    assert asked.locator("i").first.is_hidden() and bet.locator(".knob").is_hidden()
    half, right = round(first_bet.waits(first_bet.FEWEST) / 2), round(first_bet.waits(first_bet.ASKED))
    for guess in (half, right):
        bet.get_by_role("button", name=f"{guess}%", exact=True).press("Enter")
        assert f"{right}%" in bet.locator(".verdict").inner_text()
    assert asked.locator("i").count() == 2 * first_bet.LOOP.batches and asked.locator("i").last.is_visible()
    bet.locator("input").press("ArrowRight")
    assert asked.is_hidden()
    more = bet.locator(f'.loop[data-workers="{first_bet.ASKED + 1}"]')
    assert f"{round(first_bet.waits(first_bet.ASKED + 1))}%" in more.inner_text()


def test_the_first_picture_moves_but_for_those_who_want_no_motion(browser: Browser, website: Path) -> None:
    moving = "() => document.getAnimations().length"
    for motion, moves in (("no-preference", True), ("reduce", False)):
        with browser.new_page(reduced_motion=motion) as page:
            page.goto(f"{website.as_uri()}/en/index.html")
            assert bool(page.evaluate(moving)) == moves


def test_a_look_that_was_chosen_stays_and_the_system_s_own_is_followed(browser: Browser, server: str) -> None:
    theme = "() => document.documentElement.dataset.theme"
    with browser.new_page(color_scheme="light") as page:
        page.goto(f"{server}/en/index.html")
        page.locator(".look").click()
        page.reload()
        assert page.evaluate(theme) == "dark"
        page.locator(".look").click()
        page.emulate_media(color_scheme="dark")
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")


def test_on_a_telephone_the_lessons_and_their_sections_are_behind_a_button(
    browser: Browser, website: Path
) -> None:
    with browser.new_page(viewport=TELEPHONE) as page:
        page.goto(f"{website.as_uri()}/pl/{LESSONS[1]}.html")
        lessons = page.locator("#contents")
        assert lessons.is_hidden() and page.locator(".seek").is_visible()
        page.locator(".menu").press("Enter")
        assert lessons.locator("a").count() > len(LESSONS) + 5 and lessons.is_visible()
        page.keyboard.press("Escape")
        assert lessons.is_hidden()
