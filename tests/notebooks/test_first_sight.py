"""A lesson as GitHub and VS Code show it, where no cell can be folded: what a reader does first is soon in sight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from nbconvert import HTMLExporter
from playwright.sync_api import Page

from chromium import chromium

WIDTH, SCREEN = 1012, 900  # CSS pixels: GitHub's column, and a laptop


@pytest.fixture(scope="module")
def page(missing: Callable[[str], None]) -> Iterator[Page]:
    with chromium(missing) as browser, browser.new_page(viewport={"width": WIDTH, "height": SCREEN}) as page:
        page.route("**/*", lambda route: route.abort())  # MathJax and its kind: nothing is asked of the web
        yield page


def test_the_first_bet_is_on_the_first_two_screens(page: Page, student_notebook: Path) -> None:
    html, _resources = HTMLExporter(template_name="classic").from_filename(str(student_notebook))
    page.set_content(html)
    bet = page.locator(".code_cell", has_text="lab.predict(").first.bounding_box()
    assert bet is not None
    assert bet["y"] + bet["height"] <= 2 * SCREEN
