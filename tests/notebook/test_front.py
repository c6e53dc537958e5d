"""The front end in a browser without a notebook: a page gives it its model, and pure Python answers, as on the website."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page

from chromium import chromium
from loaderlab.course.case import Case, Inquiry, Rates, Repair
from loaderlab.course.case_card import DeskCard, ScriptCard
from loaderlab.course.panel import Panel
from loaderlab.course.prediction import TRUE_OR_FALSE, Prediction
from loaderlab.course.question import Question
from loaderlab.course.question_card import QuestionCard
from loaderlab.course.yardstick import Amount, Count
from loaderlab.drawing import Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.notebook import front
from waiting import within

SOON = 5  # s

# A model with the six methods of the specification. `window.held`: the answers wait until it is released.
HOST = """async ([source, css, state]) => {
    document.head.append(Object.assign(document.createElement('style'), {textContent: css}));
    const {default: {render}} = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'})));
    const traits = {answered: 0, ...state}, listeners = {};
    window.sent = [];
    window.model = {
        get: name => traits[name],
        set: (name, value) => { traits[name] = value; },
        on: (event, listener) => (listeners[event] ??= new Set()).add(listener),
        off: (event, listener) => listeners[event]?.delete(listener),
        save_changes: () => {},
        send: message => {
            if (window.dead) throw new Error('Cannot send');
            window.sent.push(message);
            if (!window.held) window.answer(message);
        },
    };
    window.update = changes => {
        const changed = Object.entries(changes).filter(([name, value]) => JSON.stringify(traits[name]) !== JSON.stringify(value));
        Object.assign(traits, changes);
        for (const [name] of changed) for (const listener of listeners[`change:${name}`] ?? []) listener();
    };
    window.answer = message => window.receive(JSON.stringify(message)).then(text => window.update(JSON.parse(text)));
    const el = document.createElement('div');
    document.body.replaceChildren(el);
    window.stop = render({model: window.model, el});
}"""


@pytest.fixture(scope="module")
def browser(missing: Callable[[str], None]) -> Iterator[Browser]:
    with chromium(missing) as browser:
        yield browser


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Show a card or a panel: ``show(model, script)``; the page reports no error."""
    pages, errors = [], []

    def shown(model: Any, script: Any) -> Page:
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        pages.append(page)
        page.on("pageerror", lambda error: errors.append(error))  # noqa: PLW0108 (playwright takes no built-in)

        def receive(text: str) -> str:
            message = json.loads(text)
            return json.dumps({**model.receive(message), "answered": message["turn"]})

        page.expose_function("receive", receive)
        page.evaluate(HOST, [script.read_text("utf-8"), front.STYLE.read_text("utf-8"), model.state])
        return page

    yield shown
    for page in pages:
        page.close()
    assert errors == []


def text(page: Page, place: str) -> str:
    return page.locator(place).inner_text().strip()


def says(page: Page, place: str, words: str) -> bool:
    return within(SOON, lambda: words in text(page, place))


def sent(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate("() => window.sent")
    return found


TIME = Prediction("time", "Time", "ms", by=Amount())
TWO = Prediction("two", "Counts", places=("first", "second"), by=Count())
LINE = Prediction("line", "Speed", "ms", places=("0", "2", "8"), by=Amount(), top=80)
MYTH = Prediction("myth", "It is faster", choices=TRUE_OR_FALSE)


def test_enter_goes_from_field_to_field_and_bets_in_the_last_and_lets_go_of_the_keyboard(show: Any) -> None:
    placed: list[Any] = []
    page = show(QuestionCard(TWO, "How <b>many</b>?", placed=placed.append), front.CARD)
    assert text(page, ".lab-question") == "How many?"
    page.locator("input").first.focus()
    for number in ("3", "0"):
        page.keyboard.type(number)
        page.keyboard.press("Enter")
    assert says(page, ".lab-said", "✓ Your guess: 3, 0") and placed == [(3, 0)]
    assert within(SOON, lambda: page.evaluate("() => document.activeElement === document.body"))


def test_what_is_no_bet_is_said_and_the_field_keeps_the_keyboard(show: Any) -> None:
    page = show(QuestionCard(TIME), front.CARD)
    page.locator("input").focus()
    page.keyboard.type("60-70")
    page.keyboard.press("Enter")
    assert says(page, ".lab-said", "more than one number")
    assert page.evaluate("() => document.activeElement.tagName") == "INPUT"
    page.keyboard.press("Control+A")
    page.keyboard.type("0.3 s")
    page.keyboard.press("Enter")
    assert says(page, ".lab-said", "300 ms")


def test_a_choice_is_made_by_arrows_and_enter(show: Any) -> None:
    placed: list[Any] = []
    page = show(QuestionCard(MYTH, placed=placed.append), front.CARD)
    page.locator("input").first.focus()
    page.keyboard.press("ArrowDown")
    assert sent(page) == []  # to look is not to bet
    page.keyboard.press("Enter")
    assert says(page, ".lab-said", "false") and placed == [False]


def test_the_result_appears_beside_the_bet_with_a_verdict_for_each_field(show: Any) -> None:
    card = QuestionCard(TWO)
    page = show(card, front.CARD)
    assert not page.locator(".lab-result").is_visible()
    card.bet((3, 0))
    page.evaluate("changes => window.update(changes)", card.show((3, 1)))
    assert says(page, ".lab-result", "✓ As you guessed.") and says(
        page, ".lab-result", "✗ Not as you guessed."
    )
    ask, result = (page.locator(place).bounding_box() for place in (".lab-ask", ".lab-result"))
    assert ask and result and result["x"] > ask["x"] + ask["width"] - 1 and abs(result["y"] - ask["y"]) < 5


def test_a_curve_is_drawn_by_keyboard_and_its_points_are_under_the_handles(show: Any) -> None:
    placed: list[Any] = []
    page = show(QuestionCard(LINE, placed=placed.append), front.CARD)
    handles = page.locator("input[type=range]").all()
    for presses, handle in enumerate(handles, 6):
        handle.focus()
        for _ in range(presses):
            page.keyboard.press("ArrowUp")
        assert (
            handle.get_attribute("aria-valuetext")
            == page.locator("input[type=text]").nth(presses - 6).input_value()
        )
    page.keyboard.press("Enter")
    assert within(SOON, lambda: placed == [(20, 23.3, 26.7)])
    handles[0].focus()
    page.keyboard.type("80")  # over the handle, where the keyboard is when the card asks
    assert page.locator("input[type=text]").first.input_value() == "80"
    page.locator("input[type=text]").nth(1).focus()
    heights = "() => document.querySelector('.lab-line').getAttribute('points').split(' ').map(p => +p.split(',')[1])"
    assert within(SOON, lambda: page.evaluate(heights)[0] == 14)  # at the top
    middles = page.evaluate(
        "() => [...document.querySelectorAll('input[type=range]')].map(s => s.getBoundingClientRect().x + s.getBoundingClientRect().width / 2)"
    )
    points = page.evaluate(
        "() => { const svg = document.querySelector('.lab-curve svg').getBoundingClientRect(); return document.querySelector('.lab-line')"
        ".getAttribute('points').split(' ').map(p => svg.x + +p.split(',')[0]); }"
    )
    assert all(abs(middle - point) < 2 for middle, point in zip(middles, points, strict=True))


def draw(load: int, step: int, overlap: bool) -> Picture:
    return Picture(Canvas(800, 200 + load), f"Load {load} ms. Half at {step} ms.")


SCENE = Scene(
    "s",
    (Parameter("load", "Load", 20, 1, 100), Parameter("step", "Step", 10, 1, 100), Parameter("overlap", "Overlap", False)),
    draw,
    tallest={"load": 100},
)  # fmt: skip
HALF = Question(
    {"load": 40},
    Prediction("half", "Half", "ms", by=Amount()),
    lambda: 10,
    moves=("step",),
    hides=("Half at {step} ms.",),
)


def panel(*questions: Question) -> Panel:
    return Panel(
        SCENE, SCENE.defaults, SCENE.draw(**SCENE.defaults), questions, ("Where is half?",) * len(questions)
    )


def test_the_picture_is_first_and_one_knob_is_in_sight(show: Any) -> None:
    page = show(panel(), front.EXPLORER)
    assert page.locator(".lab-explorer > :first-child img.lab-picture").count() == 1
    assert [name.inner_text() for name in page.locator(".lab-name").all() if name.is_visible()] == ["Load"]
    page.locator("summary").click()
    assert [name.inner_text() for name in page.locator(".lab-name").all() if name.is_visible()] == [
        "Load",
        "Step",
        "Overlap",
    ]


@pytest.mark.parametrize("height", [768, 900])
def test_the_picture_stays_in_view_while_a_knob_moves(show: Any, height: int) -> None:
    page = show(panel(HALF), front.EXPLORER)
    page.set_viewport_size({"width": 1366, "height": height})
    page.evaluate("() => { document.body.style.padding = '600px 0'; }")
    for knob in page.locator(".lab-controls input:visible, .lab-questions button").all():
        knob.focus()
        place = page.evaluate(
            "() => { const box = document.querySelector('.lab-picture').getBoundingClientRect(); return [box.top, box.bottom]; }"
        )
        assert place[0] >= 0 and place[1] <= height
        own = knob.bounding_box()
        assert own and own["y"] >= place[1] and own["y"] + own["height"] <= height
    # Scrolled further than where the picture begins, as a hand on a mouse wheel does.
    page.evaluate(
        "() => window.scrollTo(0, window.scrollY + document.querySelector('.lab-explorer').getBoundingClientRect().top + 150)"
    )
    top = "() => document.querySelector('.lab-picture').getBoundingClientRect().top"
    assert 0 <= page.evaluate(top) < 30


def test_a_knob_that_moves_faster_than_pictures_are_drawn_sends_only_its_last_place(show: Any) -> None:
    page = show(panel(), front.EXPLORER)
    page.evaluate("() => { window.held = true; }")
    slider = page.locator("input[type=range]").first
    slider.focus()
    for _ in range(5):
        slider.press("ArrowRight")
    assert [message["value"] for message in sent(page)] == [21]
    page.evaluate("() => { window.held = false; window.answer(window.sent[0]); }")
    assert says(page, ".lab-sentence", "Load 25 ms.")
    assert [message["value"] for message in sent(page)] == [21, 25]
    assert within(SOON, lambda: page.locator("img").get_attribute("alt") == "Load 25 ms. Half at 10 ms.")
    assert slider.input_value() == page.locator("input[type=number]").first.input_value() == "25"


def test_an_open_question_hides_what_it_asks_until_the_check_mark(show: Any) -> None:
    page = show(panel(HALF), front.EXPLORER)
    assert text(page, ".lab-sentence") == "Load 20 ms."
    page.locator(".lab-questions button").press("Enter")
    assert says(page, ".lab-asked", "Where is half?") and says(page, ".lab-sentence", "Load 40 ms.")
    assert [name.inner_text() for name in page.locator(".lab-name").all() if name.is_visible()] == ["Step"]
    field = page.locator(".lab-asked input")
    for answer, said in (("7", "✗ Not so"), ("9", "≈ You were near: the answer is 10 ms.")):
        field.fill(answer)
        field.press("Enter")
        assert says(page, ".lab-verdict", said)
    assert says(page, ".lab-sentence", "Half at 10 ms.")


@pytest.mark.parametrize(
    ("model", "script", "knob", "line"),
    [
        (QuestionCard(TIME), front.CARD, "input", ".lab-said"),
        (panel(), front.EXPLORER, "input[type=range]", ".lab-wait"),
    ],
    ids=["card", "explorer"],
)
def test_a_busy_kernel_and_one_that_is_gone_are_said_in_a_line(
    show: Any, model: Any, script: Any, knob: str, line: str
) -> None:
    page = show(model, script)

    def act() -> None:
        page.locator(knob).first.focus()
        if script == front.CARD:
            page.locator(knob).first.fill("7")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("ArrowRight")

    page.evaluate("() => { window.held = true; }")
    act()
    assert says(page, line, "The kernel is busy")
    page.evaluate("() => { window.held = false; window.answer(window.sent[0]); }")
    assert within(SOON, lambda: "The kernel is busy" not in text(page, "body"))
    assert not page.locator(".lab-gone").is_visible()
    page.evaluate("() => { window.dead = true; }")
    act()
    assert says(page, ".lab-gone", "The kernel was restarted.")


def test_when_a_view_is_taken_away_its_model_is_let_go(show: Any) -> None:
    for model, script in ((QuestionCard(LINE), front.CARD), (panel(HALF), front.EXPLORER)):
        page = show(model, script)
        page.evaluate("() => { window.stop(); document.body.replaceChildren(); }")
        page.evaluate(
            "changes => window.update(changes)",
            {"bets": 9, "result": "<b>7</b>", "sentence": "x", "answered": 9, "picture": "<svg/>"},
        )


def test_a_part_of_the_picture_says_its_own_under_a_pointer(show: Any) -> None:
    def drawn(load: int, step: int, overlap: bool) -> Picture:
        canvas = Canvas(800, 200)
        canvas.spot(400, 50, 600, 100, f"{load} ms")
        return Picture(canvas, "One")

    scene = Scene("s", SCENE.parameters, drawn)
    page = show(Panel(scene, scene.defaults, drawn(**scene.defaults)), front.EXPLORER)
    box = page.locator(".lab-picture").bounding_box()
    under = "([x, y]) => document.elementFromPoint(x, y).title"
    middle = [box["x"] + box["width"] * 0.625, box["y"] + box["height"] * 0.375]
    assert page.evaluate(under, middle) == "20 ms"
    assert page.evaluate(under, [box["x"] + box["width"] * 0.4, middle[1]]) == ""
    page.locator("input[type=range]").first.press("ArrowRight")
    assert within(SOON, lambda: page.evaluate(under, middle) == "21 ms")


LINK = """([href, place]) => {
    const link = Object.assign(document.createElement('a'), {href, textContent: 'with 40 ms'});
    document.querySelector('.lab-explorer').insertAdjacentElement(place, link);
}"""


@pytest.mark.parametrize("place", ["beforebegin", "afterend"])
def test_a_link_in_the_prose_sets_the_controls_that_it_names(show: Any, place: str) -> None:
    page = show(panel(), front.EXPLORER)
    page.evaluate(LINK, ["#s?load=40&overlap=true&other=1", place])
    page.locator("a").click()
    assert within(SOON, lambda: "Load 40 ms" in text(page, ".lab-sentence"))
    assert page.locator(".lab-number").first.input_value() == "40"
    assert page.locator("input[type=checkbox]").is_checked()
    assert [message["event"] for message in sent(page)] == ["link"]
    assert not urlsplit(page.url).fragment


@pytest.mark.parametrize("href", ["#t?load=40", "#s", "https://example.org/#s?load=40"])
def test_a_link_to_something_else_sets_nothing(show: Any, href: str) -> None:
    page = show(panel(), front.EXPLORER)
    page.evaluate(LINK, [href, "afterend"])
    page.evaluate("() => document.addEventListener('click', event => event.preventDefault())")
    page.locator("a").click()
    assert sent(page) == []


def test_a_link_sets_the_explorer_above_it_of_two_and_says_what_is_no_value(show: Any) -> None:
    page = show(panel(), front.EXPLORER)
    page.evaluate("""() => {
        const other = document.querySelector('.lab-explorer').cloneNode(true);
        document.body.prepend(other);
    }""")
    page.evaluate(LINK, ["#s?load=40", "afterend"])  # below the first, which is only a copy
    page.locator("a").click()
    assert sent(page) == []
    page.evaluate(
        "() => { document.body.append(document.querySelector('a')); document.querySelector('.lab-explorer').replaceChildren(); }"
    )
    page.locator("a").click()
    assert within(SOON, lambda: "Load 40 ms" in text(page, ".lab-sentence"))
    page.evaluate("() => document.querySelector('a').setAttribute('href', '#s?overlap=often')")
    page.locator("a").click()
    assert within(SOON, lambda: "Expected: True or False" in text(page, ".lab-sentence"))


def test_a_number_is_typed_and_one_key_is_one_step(show: Any) -> None:
    page = show(panel(), front.EXPLORER)
    slider, box = page.locator("input[type=range]").first, page.locator("input[type=number]").first
    for _time in range(2):
        box.fill("1000")
        box.press("Enter")
        assert within(SOON, lambda: [slider.input_value(), box.input_value()] == ["100", "100"])
        assert says(page, ".lab-error", "Load was set to 100")
        for key, value in (("ArrowDown", "99"), ("ArrowUp", "100")):
            box.press(key)
            assert within(
                SOON, lambda value=value: [slider.input_value(), box.input_value()] == [value, value]
            )
            assert within(SOON, lambda value=value: f"Load {value} ms." in text(page, ".lab-sentence"))
            assert page.locator(".lab-error").count() == 0


# The card in the cells of JupyterLab: a hidden one, one that goes deeper, the experiment, and the explanation after it.
CELLS = """() => {
    const cell = inside => Object.assign(document.createElement('div'), {className: 'jp-Cell', tabIndex: 0, innerHTML: inside});
    const fold = title => cell(`<div class="jp-MarkdownOutput"><details><summary><b>${title}</b></summary></details></div>`);
    const own = cell(''), hidden = cell('deeper'), experiment = cell('run'), why = fold('Why?');
    own.append(document.querySelector('.lab-card'));
    hidden.style.display = 'none';
    experiment.id = 'experiment';
    document.body.replaceChildren(own, hidden, experiment, fold('Deeper: how?'), why);
}"""
OPEN = "() => [...document.querySelectorAll('details')].map(fold => fold.open)"


def test_in_a_notebook_a_bet_goes_on_to_the_experiment_and_the_result_opens_the_why(show: Any) -> None:
    card = QuestionCard(TIME)
    page = show(card, front.CARD)
    page.evaluate(CELLS)
    page.locator("input").fill("7")
    page.locator("input").press("Enter")
    assert within(SOON, lambda: page.evaluate("() => document.activeElement.id") == "experiment")
    assert page.evaluate(OPEN) == [False, False]
    page.evaluate("changes => window.update(changes)", card.show(9))
    assert within(SOON, lambda: page.evaluate(OPEN) == [False, True])


def test_lines_are_accused_by_keyboard_and_by_a_list(show: Any) -> None:
    inquiry = Inquiry(
        Case("one()\ntwo()\nthree()\n\n", (Repair("two", "two", ("two()",), "Gone."),), {}, first=7)
    )
    page = show(ScriptCard(inquiry), front.CASE)
    assert page.get_by_label("Line 8: two()").count() == 1 and page.locator(".lab-line").count() == 4
    page.locator(".lab-line input").first.focus()
    for key in ("ArrowDown", "Space", "ArrowDown", "Space", "Enter"):
        page.keyboard.press(key)
    assert says(page, ".lab-said", "✓ Accused: 8, 9.") and inquiry.accused == {8, 9}
    page.locator("input.lab-lines").fill("7-8")
    page.keyboard.press("Enter")
    assert says(page, ".lab-said", "✓ Accused: 7, 8.") and inquiry.accused == {7, 8}
    assert page.locator(".lab-accused").count() == 2


def test_a_repair_is_chosen_with_a_bet_and_leaves_the_list(show: Any) -> None:
    repairs = (
        Repair("one", "first", ("one()",), "Gone.", speed=False),
        Repair("two", "second", ("two()",), "Gone, too."),
    )
    inquiry = Inquiry(Case("one()\ntwo()\n", repairs, {}))
    inquiry.found = Rates(900, 10, 100, 90, 9, 11, 1)
    desk = DeskCard(inquiry, lambda name, bet: inquiry.note(name, Rates(900, 50, 100, 90, 48, 52, 1), bet))
    page = show(desk, front.CASE)
    page.get_by_label("first").check()
    assert (
        page.get_by_text("No bet: this repair").is_visible() and not page.locator(".lab-number").is_visible()
    )
    page.get_by_label("second").check()
    page.get_by_label("second").focus()
    page.keyboard.press("Tab")
    page.keyboard.type("45")
    page.keyboard.press("Enter")
    assert (
        says(page, ".lab-said", "The script became faster by a factor of 5.0.") and inquiry.steps[0].bet == 45
    )
    assert within(SOON, lambda: page.locator("input[type=radio]").count() == 1)
    assert "Your bet: 45" in text(page, ".lab-board")
