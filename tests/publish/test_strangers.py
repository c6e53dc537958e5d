"""What strangers wrote, on a page: an answer reaches nothing but its own evidence, and a file of progress gives no points of its own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from answers import answers, solution
from loaderlab import course
from loaderlab.notebook import progress

pytestmark = [pytest.mark.long, pytest.mark.minutes(2)]

PATIENCE = 120_000  # ms, on a machine that does other things
expect.set_options(timeout=PATIENCE)
LESSON, EXERCISE = "workers", "choose_num_workers"
RIGHT = solution(LESSON, EXERCISE).text
TOP = course.lesson(LESSON).exercises()[EXERCISE].points
FULL = f"Correct: {TOP}/{TOP} points."

# Each tries one way out; what it says is printed, and what it asked for has half a second to arrive.
WAYS_OUT = """
import js, time, pyodide_js
from pyodide.code import run_js
from pyodide.ffi import to_js

OTHER = "{other}"
def request(asynchronous):
    asked = js.XMLHttpRequest.new()
    asked.open("GET", OTHER + "xhr", asynchronous)
    asked.send()

WAYS = {{
    "fetch": lambda: js.fetch(OTHER + "fetch"),
    "a request": lambda: request(True),
    "a request that waits": lambda: request(False),
    "import()": lambda: run_js("import('" + OTHER + "import.js')"),
    "a function of a text": lambda: js.Object.constructor("return fetch('" + OTHER + "function')")(),
    "a socket": lambda: js.WebSocket.new(OTHER.replace("http", "ws") + "socket"),
    "events": lambda: js.EventSource.new(OTHER + "events"),
    "a worker": lambda: js.Worker.new(OTHER + "worker.js"),
    "a letter's form": lambda: js.FontFace.new("x", "url(" + OTHER + "font)").load(),
    "a package": lambda: pyodide_js.loadPackage(OTHER + "x-1-py3-none-any.whl"),
    "databases": lambda: js.indexedDB.databases(),
    "caches": lambda: js.caches.keys(),
    "files": lambda: js.navigator.storage.getDirectory(),
    "other pages": lambda: js.BroadcastChannel.new("x").postMessage("x"),
    "the page": lambda: js.postMessage(to_js({{"id": 1, "answer": "{{}}"}})),
    "scripts": lambda: js.importScripts(OTHER + "script.js"),
}}
for name, way in WAYS.items():
    try:
        print(name + ":", way())
    except BaseException as error:
        print(name + ": no")
end = time.time() + 0.5
while time.time() < end:
    pass
"""

# It replaces what collects, what judges and what carries both, answers by itself, and stays when it has answered.
POISON = f"""
import builtins, json
from loaderlab.exercises import exercise, probing
from loaderlab.web import answer_cell, service
told = '{{"card": "<b>99 points</b>", "points": 99, "advice": [], "printed": ""}}'
probing.collect = answer_cell.collect = lambda probe, answer: {{"status": "probed", "evidence": "mine"}}
exercise.verdict = answer_cell.verdict = lambda *_: exercise.Verdict(99, 99, "99 points")
service.answer = json.dumps = lambda *_args, **_more: told
service.ANSWERS.clear()
try:
    import js
    from pyodide.ffi import create_once_callable, to_js
    js.setTimeout(create_once_callable(lambda: exec("while True: pass")), 0)
    js.postMessage(to_js({{"id": 1, "answer": told}}))
except BaseException as error:
    print(error)
def {EXERCISE}(throughputs, tolerance=0.05):
    return 99
"""


@pytest.fixture(scope="module")
def heard() -> list[str]:
    """What another server was asked for."""
    return []


@pytest.fixture(scope="module")
def other(heard: list[str]) -> Iterator[str]:
    """A server of somebody else's, which lets everybody read it."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            heard.append(self.path)
            self.send_response(200)
            self.send_header("Access-Control-Allow-Origin", "*")
            self.send_header("Content-Type", "text/javascript")
            self.end_headers()

        do_OPTIONS = do_HEAD = do_POST = do_GET

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def page(browser: Browser, server: str) -> Iterator[Page]:
    """The page of a lesson, on which one answer after the other is checked."""
    with browser.new_context() as window, window.new_page() as page:
        window.set_default_timeout(PATIENCE)
        page.goto(f"{server}/en/{course.lesson(LESSON).file}.html")
        yield page


@pytest.fixture
def check(page: Page) -> Callable[[str], tuple[str, str]]:
    """Check an answer; returns what stands on its card, and what is said of it."""

    def checked(text: str) -> tuple[str, str]:
        part = page.locator(f"#exercise-{EXERCISE}")
        part.scroll_into_view_if_needed()
        part.locator(".cm-content").click()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.insert_text(text)
        part.locator(".lab-check").click()
        expect(part.locator(".lab-stop")).to_be_enabled()
        expect(part.locator(".lab-stop")).to_be_disabled()
        return part.locator(".lab-verdict").inner_text(), part.locator(".lab-status").inner_text()

    return checked


def kept(page: Page) -> dict[str, int]:
    """The points that the browser remembers of the lesson."""
    found: dict[str, int] = page.evaluate(
        "lesson => JSON.parse(localStorage.loaderlab ?? '{}').lessons?.[lesson]?.points ?? {}", LESSON
    )
    return found


def test_an_answer_reaches_no_network_no_storage_and_not_the_page(
    check: Callable[[str], tuple[str, str]], other: str, heard: list[str]
) -> None:
    card, _status = check(WAYS_OUT.format(other=other) + RIGHT)
    assert FULL in card
    told = dict(line.split(": ", 1) for line in card.partition(FULL)[0].splitlines() if line)
    assert "pending" in told.pop("a package")  # it fails later
    assert set(told.values()) == {"no"} and len(told) == 15
    assert heard == []


def test_an_answer_neither_judges_itself_nor_the_next_ones_and_does_not_stay(
    check: Callable[[str], tuple[str, str]], page: Page
) -> None:
    wrong = next(answer for answer in answers(LESSON, EXERCISE) if not answer.right)
    before = kept(page)
    card, _status = check(POISON)
    assert "99 points" not in card and kept(page) == before
    for text, message in ((wrong.text, wrong.verdict("en").message), (RIGHT, FULL)):
        card, status = check(text)
        assert message in card and status == ""
    assert kept(page)[EXERCISE] == TOP


def test_an_answer_that_takes_all_memory_is_told_so_and_the_next_one_is_judged(
    check: Callable[[str], tuple[str, str]],
) -> None:
    card, _status = check("kept = bytearray(2_000_000_000)")
    assert "MemoryError" in card
    assert FULL in check(RIGHT)[0]


def test_an_answer_that_wants_what_no_browser_has_is_told_so_and_gets_no_card(
    check: Callable[[str], tuple[str, str]], page: Page
) -> None:
    said = page.locator(f"#exercise-{EXERCISE} .lab-work > p").first.inner_text()
    assert "no PyTorch and no NumPy" in said
    for text, name in (
        ("import numpy as np", "numpy"),
        (f"def {EXERCISE}(throughputs, tolerance=0.05):\n    return torch.tensor(throughputs)", "torch"),
    ):
        card, status = check(text)
        assert f"uses: {name}." in status and "0/" not in card


@pytest.mark.parametrize(
    "points", [{EXERCISE: 1e9}, {EXERCISE: "many"}, {EXERCISE: None}, {EXERCISE: -1}, {EXERCISE: TOP + 1}]
)
def test_a_file_gives_no_points_that_no_exercise_gives_and_the_page_says_so(
    browser: Browser, server: str, tmp_path: Path, points: dict[str, object]
) -> None:
    file = tmp_path / progress.FILE
    others = {"lessons": {LESSON: {"points": {**points, "tensor_loader": 1}}, "pin_memory": None}}
    file.write_text(json.dumps({"version": progress.VERSION, **others}))
    with browser.new_context() as window, window.new_page() as page:
        page.goto(f"{server}/en/index.html")
        expect(page.locator("#progress .lab-work")).to_be_visible()
        page.locator(".lab-bring").set_input_files(file)
        expect(page.locator("#progress .lab-status")).to_contain_text("were left out")
        expect(page.locator("#progress .lab-points")).to_contain_text("Points in this browser: 1 of")
        assert kept(page) == {"tensor_loader": 1}
