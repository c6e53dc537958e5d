"""A real browser for tests: where it is, and how it is started so that it asks no other host for anything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

# The first has no window, and draws the same pages with a third less work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@contextmanager
def chromium(missing: Callable[[str], None]) -> Iterator[Browser]:
    """Start the browser of this machine; where there is none, ``missing`` is told."""
    found = [shutil.which(name) for name in NAMES]
    path = next(filter(None, found), None)
    if path is None:
        missing("This test needs Chromium or Chrome on the PATH.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
