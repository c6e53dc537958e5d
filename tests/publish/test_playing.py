"""The lessons in a real browser: explorers follow, bets are taken, exercises judged, and no other host is asked for anything."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, product
from pathlib import Path
from typing import Literal
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Response, expect

from answers import answers, solution
from loaderlab import course
from loaderlab.course.question import without
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.i18n.language import translate as _
from loaderlab.notebook import progress
from places import EVERY

pytestmark = [pytest.mark.long, pytest.mark.minutes(6)]

PATIENCE = 120_000  # ms, on a machine that does other things
expect.set_options(timeout=PATIENCE)
MEGABYTES = 8
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LESSON, SCENE, EXERCISE, BET, NO_BET = "01_workers", "timeline", "choose_num_workers", "wait", "times"
FORGETTING = "**/forgetting"  # where no page is, but what one would remember can be cleared
ENDLESS = f"def {EXERCISE}(throughputs, tolerance=0.05):\n    while True:\n        pass\n"
OUT_OF_TIME = (
    "Your answer was still running after {seconds} s and was stopped. Look for a loop that never ends."
)
FILES = {lesson.file: lesson for lesson in course.lessons()}
# Each lesson in one language, since each takes seconds; where that is asked for, in all.
PAGES = list(product(LANGUAGES, FILES)) if os.environ.get(EVERY) else list(zip(cycle(LANGUAGES), FILES))


def in_one(language: str) -> pytest.MarkDecorator:
    """In one language, another one than its neighbours; where that is asked for, in all."""
    return pytest.mark.parametrize("language", LANGUAGES if os.environ.get(EVERY) else [language])


@pytest.fixture
def complaints() -> list[str]:
    """What pages of the test complained about, and what they asked other hosts for."""
    return []


@pytest.fixture
def window(first_visit: Visit) -> BrowserContext:
    """What all tests look through: Python has come on the first visit, and starts sooner for the others."""
    return first_visit.page.context


@dataclass
class Visit:
    """A reader's first visit of the website: what came, before something was touched and in all, with compressed sizes in bytes."""

    page: Page
    untouched: list[str]
    sizes: dict[str, int]
    complaints: list[str]


@pytest.fixture(scope="module")
def first_visit(browser: Browser, server: str) -> Iterator[Visit]:
    """In a browser that has never been here, a knob of a lesson is moved, and an answer of it is checked."""
    with browser.new_context(viewport={"width": 1280, "height": 900}) as window, window.new_page() as page:
        window.set_default_timeout(PATIENCE)
        complaints: list[str] = []
        watch(page, server, complaints)
        sizes: dict[str, int] = {}

        def weigh(response: Response) -> None:
            sizes[response.url] = len(gzip.compress(response.body()))

        page.on("response", weigh)
        page.goto(f"{server}/en/index.html", wait_until="networkidle")
        untouched = list(sizes)
        page.goto(f"{server}/en/{LESSON}.html")
        slide(explorer(page).locator("input[type=range]").first, 3)
        page.wait_for_url("**#*num_workers=3*")
        exercise(page).locator(".lab-check").click()
        expect(page.locator(f"#exercise-{EXERCISE} .lab-verdict")).not_to_be_empty()
        page.remove_listener("response", weigh)
        yield Visit(page, untouched, sizes, complaints)


@pytest.fixture
def page(window: BrowserContext, server: str, complaints: list[str]) -> Iterator[Page]:
    """A page of a reader who has done nothing yet."""
    with window.new_page() as page:
        page.route(FORGETTING, lambda route: route.fulfill(body=""))
        page.goto(f"{server}/forgetting")
        page.evaluate("() => localStorage.clear()")
        watch(page, server, complaints)
        yield page


def watch(page: Page, server: str, complaints: list[str]) -> None:
    page.on("console", lambda said: said.type in ("error", "warning") and complaints.append(said.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("response", lambda response: response.status < 400 or complaints.append(response.url))
    page.on(
        "request",
        lambda request: request.url.startswith((server, "data:", "blob:")) or complaints.append(request.url),
    )


def explorer(page: Page, name: str = SCENE) -> Locator:
    """The explorer of that name, in view and with its knobs."""
    found = page.locator(f"#{name}.lab-live")
    found.scroll_into_view_if_needed()
    return found


def card_of(page: Page, name: str = BET) -> Locator:
    """The question's card, in view and with its fields: they come with the page's script, not with its text."""
    found = page.locator(f"#card-{name}.lab-live")
    found.scroll_into_view_if_needed()
    return found


def slide(knob: Locator, value: float) -> None:
    knob.focus()  # as a reader does, which ends a picture that moves by itself
    knob.evaluate("(knob, value) => { knob.value = value; knob.dispatchEvent(new Event('input')); }", value)


def exercise(page: Page, name: str = EXERCISE) -> Locator:
    part, found = page.locator(f"#exercise-{name}"), page.locator(f"#exercise-{name}.lab-live")
    for _try in range(PATIENCE // 100):
        # Again and again, as a reader does: a page whose script comes late then goes to what its link names.
        part.scroll_into_view_if_needed()
        if found.count():
            break
        page.wait_for_timeout(100)
    expect(found).to_be_visible()
    return found


def write(page: Page, part: Locator, text: str) -> None:
    """Replace what stands in the editor, as a reader does."""
    part.locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(text)


def words(language: str, message: str) -> str:
    with speaking(language, FILES[LESSON].folder):
        return _(message)


def test_python_comes_when_something_is_touched_and_weighs_little(first_visit: Visit) -> None:
    assert not [url for url in first_visit.untouched if "pyodide" in url]
    names = {urlsplit(url).path.rpartition("/")[2] for url in first_visit.sizes}
    assert {"pyodide.asm.wasm", "python_stdlib.zip", "en.zip", "codemirror-view.js"} <= names
    assert sum(first_visit.sizes.values()) < 1e6 * MEGABYTES, first_visit.sizes
    assert first_visit.complaints == []


def test_axe_finds_nothing_serious_in_what_answers_by_day_and_by_night(first_visit: Visit) -> None:
    page = first_visit.page
    page.locator(f"#card-{BET} .lab-show").click()
    expect(page.locator(f"#card-{BET} .lab-result")).not_to_be_empty()
    context = {"include": [[f"#{SCENE}"], [f"#{SCENE}-2"], [f"#card-{BET}"], [f"#exercise-{EXERCISE}"]]}
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
        found = Axe().run(page, context).response["violations"]
        assert [
            (scheme, each["id"], each["nodes"][0]["html"][:200])
            for each in found
            if each["impact"] in ("serious", "critical")
        ] == []
    first_visit.complaints.clear()  # axe looks for style sheets also where they are not


@in_one("pl")
def test_a_knob_and_a_link_in_the_prose_are_followed_and_the_own_link_shows_the_same(
    page: Page, server: str, window: BrowserContext, complaints: list[str], language: str
) -> None:
    lesson = FILES[LESSON]
    scene = lesson.scenes()[SCENE]
    page.goto(f"{server}/{language}/{LESSON}.html")
    part = explorer(page)
    first = json.loads(part.get_attribute("data-lab") or "")["state"]["values"]
    slide(part.locator("input[type=range]").first, 4)
    with speaking(language, lesson.folder):
        drawn = scene.draw(**first | {"num_workers": 4}).text
        text = without(drawn, lesson.questions()[SCENE])  # while they are open, the answers are left out
    expect(part.locator(".lab-sentence")).to_have_text(text)
    expect(part.locator("img")).to_have_attribute("alt", text)
    page.wait_for_url("**#*num_workers=4*")
    query = urlsplit(page.evaluate("() => location.href")).fragment.partition("?")[2]
    assert dict(parse_qsl(query)) == {"num_workers": "4"}
    with window.new_page() as other:
        watch(other, server, complaints)
        other.goto(page.url)
        expect(other.locator(f"#{SCENE} .lab-sentence")).to_have_text(text)
        expect(other.locator(f"#{SCENE}")).to_be_in_viewport()
    link, knob = (
        page.locator(f'a[href^="#{SCENE}?num_workers"]').last,
        part.locator("input[type=range]").first,
    )
    wanted = (link.get_attribute("href") or "").partition("=")[2]
    assert knob.input_value() != wanted
    link.click()
    page.wait_for_url(f"**#*num_workers={wanted}*")
    expect(knob).to_have_value(wanted)
    # As who types an address, or goes back.
    page.evaluate("hash => { location.hash = hash; }", f"{SCENE}?num_workers=5")
    expect(knob).to_have_value("5")
    # What is no number is repeated as it was typed, and becomes nothing of the page.
    page.evaluate(
        "hash => { location.hash = hash; }", f"{SCENE}?num_workers={quote('<b class=stranger>1</b>')}"
    )
    expect(part.locator(".lab-sentence")).to_contain_text("<b class=stranger>")
    expect(page.locator(".stranger")).to_have_count(0)
    assert complaints == []


@in_one("fr")
def test_an_exercise_is_judged_wrong_and_right_and_an_endless_loop_ends_by_hand_or_by_itself(
    page: Page, server: str, complaints: list[str], language: str
) -> None:
    lesson, judge = FILES[LESSON], FILES[LESSON].exercises()[EXERCISE]
    wrong = next(answer for answer in answers(lesson.name, EXERCISE) if not answer.right)
    page.goto(f"{server}/{language}/{LESSON}.html")
    knob = explorer(page).locator("input[type=range]").first
    slide(knob, 3)
    page.wait_for_url("**#*num_workers=3*")
    part = exercise(page)
    card, status = part.locator(".lab-verdict"), part.locator(".lab-status")
    write(page, part, wrong.text)
    page.keyboard.press("Shift+Enter")
    expect(card).to_contain_text(wrong.verdict(language).message)
    part.locator(".lab-hint").click()
    expect(status).to_contain_text(re.compile("1.*[23456]"))

    write(page, part, ENDLESS)
    page.keyboard.press("Shift+Enter")
    expect(part.locator(".lab-stop")).to_be_enabled()
    # Meanwhile a picture follows: it has a Python of its own.
    slide(knob, 7)
    page.wait_for_url("**#*num_workers=7*")
    part.locator(".lab-stop").click()
    expect(status).to_have_text(words(language, "Stopped."))

    write(page, part, solution(lesson.name, EXERCISE).text)
    part.locator(".lab-check").click()
    with speaking(language):
        full = _("Correct: {points}/{top} points.").format(points=judge.points, top=judge.points)
    expect(card).to_contain_text(full)

    write(page, part, ENDLESS)
    part.locator(".lab-check").click()
    seconds = f"{judge.probe.seconds:g}"
    expect(status).to_have_text(words(language, OUT_OF_TIME).format(seconds=seconds))
    write(page, part, wrong.text)  # which takes no point away
    part.locator(".lab-check").click()
    expect(card).to_contain_text(wrong.verdict(language).message)
    kept = page.evaluate("() => JSON.parse(localStorage.loaderlab).lessons")
    assert kept[lesson.name]["points"] == {EXERCISE: judge.points}
    page.reload()
    exercise(page)
    assert page.locator(f"#exercise-{EXERCISE} .cm-content").inner_text().split() == wrong.text.split()
    assert complaints == []


@in_one("pl")
def test_a_bet_or_who_makes_none_opens_the_result_and_the_why_and_a_bet_is_there_the_next_day(
    page: Page, server: str, complaints: list[str], language: str
) -> None:
    page.goto(f"{server}/{language}/{LESSON}.html")
    card, why = card_of(page), page.locator(f"details[data-lab-why~={BET}]")
    assert not why.get_attribute("open") and card.locator(".lab-result").is_hidden()
    for field, text in zip(card.locator("input").all(), ("16", "1"), strict=True):
        field.fill(text)
    page.keyboard.press("Enter")
    result = card.locator(".lab-result")
    expect(result).to_contain_text("16 ms")
    expect(result.locator(".lab-stamp")).to_contain_text("PyTorch")
    expect(why).to_have_attribute("open", "")
    other = card_of(page, NO_BET)
    other.locator(".lab-show").click()
    expect(other.locator(".lab-result")).not_to_be_empty()
    expect(page.locator(f"details[data-lab-why~={NO_BET}]")).to_have_attribute("open", "")
    page.reload()
    card.scroll_into_view_if_needed()
    expect(result).to_contain_text("16 ms")
    assert card_of(page, NO_BET).locator(".lab-result").is_hidden()  # what was not bet waits again
    assert complaints == []


def test_progress_goes_into_a_working_copy_and_comes_from_one(
    page: Page, server: str, tmp_path: Path
) -> None:
    lesson = FILES[LESSON].name
    page.goto(f"{server}/en/index.html")
    lessons = {lesson: {"points": {EXERCISE: 3}, "guesses": {BET: [16, 1]}}}
    (tmp_path / progress.FILE).write_text(json.dumps({"version": progress.VERSION, "lessons": lessons}))
    expect(page.locator("#progress .lab-work")).to_be_visible()
    page.locator(".lab-bring").set_input_files(tmp_path / progress.FILE)
    expect(page.locator("#progress .lab-points")).to_contain_text("3 of")
    with page.expect_download() as waiting:
        page.locator(".lab-take").click()
    waiting.value.save_as(tmp_path / progress.FILE)
    kept = progress.recall(tmp_path, lesson)
    assert kept["points"] == {EXERCISE: 3} and kept["guesses"] == {BET: [16, 1]}
    (tmp_path / "other.json").write_text("[]")
    page.locator(".lab-bring").set_input_files(tmp_path / "other.json")
    expect(page.locator("#progress .lab-status")).to_contain_text("no progress file")
    expect(page.locator("#progress .lab-points")).to_contain_text("3 of")


def test_a_page_says_from_a_folder_what_it_lacks(page: Page, website: Path) -> None:
    page.goto(f"{website.as_uri()}/en/{LESSON}.html")
    part = page.locator(f"#{SCENE}")
    assert part.locator("img").is_visible() and "server" in part.locator(".lab-lacks").inner_text()


@pytest.mark.parametrize(("language", "lesson"), PAGES)
def test_everything_of_a_lesson_answers(
    page: Page, server: str, complaints: list[str], language: str, lesson: str
) -> None:
    """Every explorer moves, every card that has a result shows it, every solution gets its points, and all of it fits a window."""
    about = FILES[lesson]
    page.goto(f"{server}/{language}/{lesson}.html")
    page.evaluate("() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    expect(page.locator(":is(.lab-explorer-part, .lab-card-part):not(.lab-live)")).to_have_count(0)
    for part in page.locator(".lab-explorer-part").all():
        part.scroll_into_view_if_needed()
        before = part.locator("img").get_attribute("src")
        knob = part.locator("input[type=range]").first
        slide(knob, knob.evaluate("(knob) => Number(knob.value) === Number(knob.max) ? knob.min : knob.max"))
        expect(part.locator("img")).not_to_have_attribute("src", before or "")
    for part in page.locator(".lab-card-part").all():
        if (show := part.locator(".lab-show")).is_visible():
            show.click()
            expect(part.locator(".lab-result")).not_to_be_empty()
    names = [part.get_attribute("id") or "" for part in page.locator(".lab-exercise-part").all()]
    for name in (name.removeprefix("exercise-") for name in names):
        part = exercise(page, name)
        write(page, part, solution(about.name, name).text)
        part.locator(".lab-check").click()
        points = about.exercises()[name].points
        with speaking(language):
            full = _("Correct: {points}/{top} points.").format(points=points, top=points)
        expect(part.locator(".lab-verdict")).to_contain_text(full)
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert complaints == []


def test_a_later_visit_begins_with_the_memory_of_the_first_if_it_can(first_visit: Visit, server: str) -> None:
    """What stands in the kept memory is what answers; where that is rubbish, Python is loaded as the first time."""
    page = first_visit.page
    kept = "async () => (await (await caches.open('loaderlab-python')).keys()).length"
    change = """async ([from, to]) => {
        const cache = await caches.open("loaderlab-python");
        const [old, fresh] = [from, to].map((text) => new TextEncoder().encode(text));
        for (const name of await cache.keys()) {
            const memory = new Uint8Array(await (await cache.match(name)).arrayBuffer());
            for (let at = memory.indexOf(old[0]); at >= 0; at = memory.indexOf(old[0], at + 1))
                if (old.every((byte, i) => memory[at + i] === byte)) memory.set(fresh, at);
            await cache.put(name, new Response(from ? memory : "rubbish"));
        }
    }"""

    def answer(workers: int) -> str:
        page.goto(f"{server}/en/{LESSON}.html")
        part = explorer(page)
        slide(part.locator("input[type=range]").first, workers)
        page.wait_for_url(f"**#*num_workers={workers}*")
        return part.locator("img").get_attribute("src") or ""

    first = answer(4)
    for _try in range(PATIENCE // 100):
        if page.evaluate(kept):
            break
        page.wait_for_timeout(100)
    page.goto("about:blank")
    assert answer(4) == first
    page.evaluate(change, ["viewBox", "viewBOX"])
    page.goto("about:blank")
    assert "viewBox" in first and answer(4) == first.replace("viewBox", "viewBOX")
    page.evaluate(change, ["", ""])
    page.goto("about:blank")
    assert answer(4) == first
    assert first_visit.complaints == []
