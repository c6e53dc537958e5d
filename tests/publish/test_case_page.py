"""The case on its page: three cards that share what a browser remembers, with rates that were measured elsewhere."""

from __future__ import annotations

import json
import mimetypes
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat import NotebookNode
from playwright.sync_api import Browser, Page, Route, expect

from chromium import chromium
from loaderlab import course
from loaderlab.course.case import Rates
from loaderlab.course.case_states import States, to_measure
from loaderlab.i18n.language import LANGUAGES, speaking, use
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.find_the_bottleneck.case import CASE
from loaderlab.notebook import front
from loaderlab.publish import activity, bootstrap_cell, page_head
from loaderlab.web import service
from places import ROOT
from service import ask

LESSON = "find_the_bottleneck"
STAMP = "Measured on another machine (PC 7) on 2026-11-26."
FRONT = "http://lab.test/en"
FOUND, LIMIT = 100.0, 2000.0
CELLS = {"script": "case = lab.case()\ncase", "desk": "case.desk(run)", "closing": "case.rest()"}


def clock(name: str) -> Rates:
    """A clock that is played: each repair is worth 100 samples/s, and only an honest clock claims what is true."""
    made = name.split()
    true = FOUND + 100 * len(made)
    return Rates(true if "clock" in made else 90_000.0, true, LIMIT)


STATES = States(CASE, {name: clock(name) for name in to_measure(CASE)})
RATES = {name: [each.claimed, each.true, each.limit] for name, each in STATES.rates.items()}


def about(card: str, **more: Any) -> dict[str, Any]:
    return {"kind": "case", "card": card, "rates": RATES, "stamp": STAMP} | more


def begin(card: str, **more: Any) -> dict[str, Any]:
    return {"ask": "begin", "lesson": LESSON, "part": card, "about": about(card, **more)}


def receive(card: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**begin(card, **more), "ask": "receive", "message": message}


def cell(card: str) -> NotebookNode:
    html = nbformat.v4.new_output("execute_result", {"text/html": f"<b>stored {card}</b>"})
    return nbformat.v4.new_code_cell(CELLS[card], outputs=[html])


def parts(language: str = "en", states: States | None = STATES) -> dict[str, str]:
    """The HTML of the three cards."""
    with speaking(language, course.lesson(LESSON).folder):
        return {
            card: activity.case(cell(card), course.lesson(LESSON), {"case"}, states, STAMP) for card in CELLS
        }


# What Python answers, with the zip of a page.


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_case_is_solved_in_a_page_as_it_is_here(language: str) -> None:
    script, refused, desk, late, closing = ask(
        language,
        receive("script", {"event": "accuse", "lines": [CASE.numbers(CASE.repairs[0].guilty)[0]]}),
        receive("desk", {"event": "repair", "name": "clock", "bet": "x"}),
        receive("desk", {"event": "repair", "name": "opens", "bet": "210"}),
        receive("script", {"event": "accuse", "lines": [39]}),  # it has not heard of the repair
        receive("closing", {"event": "rest"}),
    )
    assert script["case"] == {"accused": script["accused"], "seen": ["clock"], "steps": []}
    assert refused["error"] is True and "case" not in refused
    assert desk["case"] == {**script["case"], "steps": [{"name": "opens", "bet": 210}]}
    assert len(desk["repairs"]) == 8
    assert late["error"] is True and "case" not in late
    with speaking(language, course.lesson(LESSON).folder):
        words = _("From {first}% to {last}% of the limit. Repairs: {count} of {all}.")
        assert words.format(first=5, last=35, count=9, all=9) in closing["board"]
        assert _(CASE.repair("index").label) in closing["board"]
    assert len(closing["case"]["steps"]) == 9 and closing["picture"].startswith("<svg")


def test_every_rate_on_the_page_says_that_another_machine_measured_it() -> None:
    desk, repaired, closing = ask(
        "en",
        begin("desk"),
        receive("desk", {"event": "repair", "name": "opens", "bet": ""}),
        receive("closing", {"event": "rest"}),
    )
    for traits in (desk, repaired, closing):
        assert STAMP in traits["board"]
    drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", closing["picture"]))
    assert STAMP in drawn


def test_the_order_of_repairs_is_the_reader_s_and_the_rates_are_those_of_the_states() -> None:
    for order in (("opens", "clock", "index"), ("clock", "index", "opens")):
        steps = [{"name": name, "bet": None} for name in order]
        (found,) = ask("en", begin("desk", case={"steps": steps}))
        shown = [int(rate) for rate in re.findall(r"True: (\d+) of", found["board"])]
        made = [STATES.of(order[:count]).true for count in range(4)]
        assert shown == made and made[-1] == 300


def test_a_state_that_was_not_measured_is_said_and_nothing_is_made_of_others() -> None:
    fewer = {name: rate for name, rate in RATES.items() if name != "opens"}
    opens, clock, closing = ask(
        "en",
        receive("desk", {"event": "repair", "name": "opens", "bet": ""}, rates=fewer),
        receive("desk", {"event": "repair", "name": "clock", "bet": ""}, rates=fewer),
        receive("closing", {"event": "rest"}, rates={"": RATES[""], "clock": RATES["clock"]}),
    )
    assert opens["error"] is True and "not measured: opens" in opens["said"] and "case" not in opens
    assert clock["error"] is False
    assert closing["error"] is True and closing["board"] == "" and len(closing["case"]["steps"]) == 1


def test_all_repairs_can_be_taken_back_and_what_was_found_by_reading_stays() -> None:
    kept = {"accused": [39], "seen": ["index"], "steps": [{"name": "opens", "bet": 300}]}
    (found,) = ask("en", receive("desk", {"event": "again"}, case=kept))
    assert found["case"] == {**kept, "steps": []} and len(found["repairs"]) == 9


def test_a_progress_file_of_a_working_copy_brings_repairs_and_leaves_its_rates_there() -> None:
    own = {"claimed": 1.0, "true": 1.0, "limit": 1.0}
    kept = {
        "seen": ["index"],
        "found": own,
        "steps": [{"name": "opens", "bet": 3, "rates": own}, {"name": "gone"}, 7],
    }
    (found,) = ask("en", begin("desk", case=kept))
    assert "True: 200 of 2000" in found["board"] and len(found["repairs"]) == 8


# What the page is made of.


def test_a_page_without_measurements_keeps_the_stored_outputs() -> None:
    assert parts(states=None) == dict.fromkeys(CELLS, "")


def test_no_other_cell_and_no_other_lesson_gets_a_card() -> None:
    lesson = course.lesson(LESSON)
    for source in ("case.board", "run(['opens'])", "other.desk(run)", "%%time\ncase", "x = case.rest()"):
        assert activity.case(nbformat.v4.new_code_cell(source), lesson, {"case"}, STATES, STAMP) == ""
    assert activity.case(cell("desk"), course.lesson("workers"), {"case"}, STATES, STAMP) == ""


def test_the_committed_lesson_has_the_three_cards() -> None:
    notebook = nbformat.read(ROOT / "notebooks" / "08_find_the_bottleneck.ipynb", 4)
    named = activity.cases(notebook)
    assert named == {"case"}
    found = [
        activity.case(each, course.lesson(LESSON), named, STATES, STAMP)
        for each in notebook.cells
        if each.cell_type == "code" and each.id != bootstrap_cell.ID
    ]
    assert re.findall(r'id="case-(\w+)"', "".join(found)) == list(CELLS)


def test_without_a_script_a_page_shows_what_the_notebook_stored() -> None:
    for card, html in parts().items():
        assert f"<b>stored {card}</b>" in html and ("<details>" in html) == (card != "script")


def test_the_page_is_in_its_language() -> None:
    words = set(
        json.loads(unescape(re.search(r'data-lab="([^"]*)"', parts("en")["desk"])[1]))["state"][
            "words"
        ].values()
    )  # type: ignore[index]
    for language in set(LANGUAGES) - {"en"}:
        for card, html in parts(language).items():
            state = json.loads(unescape(re.search(r'data-lab="([^"]*)"', html)[1]))["state"]  # type: ignore[index]
            assert not words & set(state["words"].values()), (language, card)
            assert not re.findall(r"Take all|Keep the card|Make the repairs|needs a server", html)


# The page in a browser: the website's own scripts, with Python beside instead of within it.

PYTHON = """
export class OutOfTime extends Error {}
export class Stopped extends Error {}
export class Python { warm() {} ask(question) { return window.askPython(JSON.stringify(question)).then(JSON.parse); } }
"""
PAGE = """<!DOCTYPE html><html lang="{language}" data-theme="light"><head><meta charset="utf-8"><title>Case</title></head>
<body><main>{parts}</main></body></html>"""


@pytest.fixture(scope="module")
def browser(missing: Callable[[str], None]) -> Iterator[Browser]:
    with chromium(missing) as browser:
        yield browser


@pytest.fixture
def show(browser: Browser, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Page]]:
    """Open a page with the three cards; once more, with the same memory, by ``page.reload()``."""
    window, errors = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True), []
    window.set_default_timeout(10_000)

    def shown(language: str = "en") -> Page:
        html = PAGE.format(language=language, parts="".join(parts(language).values()))
        sheets = [ROOT / "docs/site/style/site.css", front.STYLE, ROOT / "docs/site/style/lab.css"]
        html = html.replace("</head>", f"{page_head.style(sheets)}</head>")

        def answer(route: Route) -> None:
            name = urlsplit(route.request.url).path.rpartition("/")[2]
            folder = front.STYLE.parent if "/front/" in route.request.url else ROOT / "docs" / "site" / "web"
            if name == "en":
                route.fulfill(body=html, content_type="text/html")
            elif name == "python.js":
                route.fulfill(body=PYTHON, content_type="text/javascript")
            elif name == "exercise.js":
                route.fulfill(body="export const exercise = null;", content_type="text/javascript")
            else:
                kind = mimetypes.guess_type(name)[0] or "text/plain"
                route.fulfill(body=(folder / name).read_text("utf-8"), content_type=kind)

        # The messages of a page lie in its zip.
        monkeypatch.setattr(service, "speak", lambda code, lesson: use(code, course.lesson(lesson).folder))
        service._cases.clear()
        page = window.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.expose_function("askPython", service.answer)
        page.route("**/*", answer)
        page.goto(FRONT)
        with speaking(language):
            began = {"archive": "", "language": language, "words": activity.words()}
        start = "([about]) => import('/web/page.js').then(({ begin }) => begin(document.querySelectorAll('[data-lab]'), about))"
        page.evaluate(start, [began])

        def again() -> None:
            service._cases.clear()  # as a Python that is loaded anew
            page.reload()
            page.evaluate(start, [began])

        page.again = again  # type: ignore[attr-defined]
        return page

    yield shown
    window.close()
    assert errors == []


def kept(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = page.evaluate("() => JSON.parse(localStorage.loaderlab).lessons")[LESSON]["case"]
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_case_is_solved_by_keyboard_and_is_there_the_next_day(
    show: Any, tmp_path: Path, language: str
) -> None:
    page = show(language)
    lines = page.locator("#case-script .lab-line input")
    lines.first.focus()
    for key in ("ArrowDown", "Space", "Enter"):
        page.keyboard.press(key)
    first = CASE.first + 1
    expect(page.locator("#case-script .lab-said")).to_contain_text(str(first))
    assert kept(page) == {"accused": [first], "seen": [], "steps": []}

    desk = page.locator("#case-desk")
    desk.locator("input[type=radio][value=opens]").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Tab")
    page.keyboard.type("205")
    page.keyboard.press("Enter")
    expect(desk.locator(".lab-board")).to_contain_text("205")
    expect(desk.locator(".lab-board")).to_contain_text(STAMP)
    expect(desk.locator("input[type=radio]")).to_have_count(8)
    assert kept(page)["steps"] == [{"name": "opens", "bet": 205}] and kept(page)["accused"] == [first]

    # It is too late to accuse.
    lines.nth(5).check()
    page.locator("#case-script .lab-bet").click()
    expect(page.locator("#case-script .lab-said")).to_contain_text("⚠")
    assert kept(page)["accused"] == [first]

    page.again()
    expect(page.locator("#case-script .lab-line input").nth(1)).to_be_checked()
    desk.scroll_into_view_if_needed()
    expect(desk.locator(".lab-board")).to_contain_text("205")
    closing = page.locator("#case-closing")
    closing.locator(".lab-rest").focus()
    page.keyboard.press("Enter")
    with speaking(language, course.lesson(LESSON).folder):
        expect(closing).to_contain_text(_("The case is closed"))
        words = _("Bets that were near: {near} of {all}.").format(near=1, all=1)
    expect(closing).to_contain_text(words)
    expect(closing).to_contain_text(STAMP)
    expect(closing.locator(".lab-rest")).to_be_hidden()
    expect(closing.locator(".lab-keep")).to_be_focused()
    expect(desk.locator("input[type=radio]")).to_have_count(0)
    with page.expect_download() as waiting:
        closing.locator(".lab-keep").click()
    waiting.value.save_as(tmp_path / waiting.value.suggested_filename)
    picture = (tmp_path / "my_case.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and int.from_bytes(picture[16:20]) == 1600

    desk.locator(".lab-again").click()
    expect(desk.locator("input[type=radio]")).to_have_count(9)
    expect(closing.locator(".lab-rest")).to_be_visible()
    assert kept(page) == {"accused": [first], "seen": [], "steps": []}


def test_what_was_ticked_and_not_yet_accused_stays_when_another_card_changes(show: Any) -> None:
    page = show()
    page.locator("#case-script .lab-line input").nth(3).check()
    page.locator("#case-desk input[value=clock]").check()
    page.locator("#case-desk .lab-bet").click()
    expect(page.locator("#case-desk input[type=radio]")).to_have_count(8)
    assert page.locator("#case-script .lab-line input").nth(3).is_checked()


def test_where_nothing_is_remembered_the_case_is_solved_all_the_same(show: Any) -> None:
    page = show()
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('private'); }; }")
    for count, name in enumerate(("clock", "opens"), 1):
        page.locator(f"#case-desk input[value={name}]").check()
        page.locator("#case-desk .lab-bet").click()
        expect(page.locator("#case-desk input[type=radio]")).to_have_count(9 - count)
    page.locator(".lab-rest").click()
    expect(page.locator("#case-closing .lab-stamp")).to_be_visible()
    assert "9 of 9" in page.locator("#case-closing").inner_text()


def test_a_progress_file_brings_the_case(show: Any) -> None:
    page = show()
    state = {"accused": [39], "seen": ["index"], "steps": [{"name": "opens", "bet": 210}]}
    file = json.dumps({"version": 1, "lessons": {LESSON: {"points": {}, "case": state}}})
    assert page.evaluate("(text) => import('/web/memory.js').then(({ read }) => read(text))", file)
    page.again()
    page.locator("#case-desk").scroll_into_view_if_needed()
    expect(page.locator("#case-desk .lab-board")).to_contain_text("Your bet: 210")
    expect(page.locator("#case-desk .lab-board")).to_contain_text("True: 200 of 2000")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_cards(show: Any, scheme: str) -> None:
    page = show()
    page.locator(".lab-rest").click()
    expect(page.locator("#case-closing .lab-stamp")).to_be_visible()
    page.evaluate("scheme => { document.documentElement.dataset.theme = scheme; }", scheme)
    found = Axe().run(page).response["violations"]
    assert [
        (each["id"], each["nodes"][0]["html"][:200])
        for each in found
        if each["impact"] in ("serious", "critical")
    ] == []


# The card to keep.


def test_the_picture_has_all_that_the_closing_card_sums_up() -> None:
    for language in LANGUAGES:
        lines = [39, CASE.numbers(CASE.repairs[0].guilty)[0]]
        kept = {"accused": lines, "seen": ["clock", "index"], "steps": [{"name": "opens", "bet": 210}]}
        (found,) = ask(language, receive("closing", {"event": "rest"}, case=kept))
        drawn = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", found["picture"]))
        with speaking(language, course.lesson(LESSON).folder):
            for repair in CASE.repairs:
                assert _(repair.label) in unescape(drawn)
            assert _("Bets that were near: {near} of {all}.").format(near=1, all=1) in unescape(drawn)
