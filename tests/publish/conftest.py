"""The tiny course, built once; and the website, with a server and a browser."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from filelock import FileLock
from playwright.sync_api import Browser

from chromium import chromium
from loaderlab.publish import execution
from places import ROOT
from publish_course import Course, build, course_at, pretend

# Where this variable is set, it names the folder of the website to look at.
WEBSITE = "LOADERLAB_WEBSITE"


@pytest.fixture(scope="session")
def built(gettext: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("course")
    build(root)
    return root


@pytest.fixture
def course(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A copy of the course, translated and built; running is only pretended, and noted in ``ran``."""
    made = course_at(shutil.copytree(built, tmp_path / "course"))
    monkeypatch.setattr(execution, "run", pretend(made))
    return made


class Handler(SimpleHTTPRequestHandler):
    """A server that keeps what it is asked for to itself, and sends no policy, as GitHub's: pages have their own."""

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - as its parent has it
        pass


class Server(ThreadingHTTPServer):
    """A server that is silent on browsers that leave in the middle of an answer."""

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@pytest.fixture(scope="session")
def website(tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]) -> Path:
    """The one that was made a moment ago, as `.ci/run` says; else the process of the tests that comes first makes it, for all."""
    if made := os.environ.get(WEBSITE):
        return Path(made)
    python = ROOT / ".venv-site" / "bin" / "python"
    if not python.exists():
        missing("`make site` installs what the website is made with.")
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "website"
    with FileLock(shared / "website.lock"):
        if not folder.exists():
            unfinished = shared / "unfinished" / "website"
            subprocess.run([python, "-m", "loaderlab", "site", unfinished], cwd=ROOT, check=True)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def server(website: Path) -> Iterator[str]:
    """Its address, below which the website lies in a folder, as that of a project does on GitHub."""
    handler = functools.partial(Handler, directory=website.parent)
    with Server(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/{website.name}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(missing: Callable[[str], None]) -> Iterator[Browser]:
    with chromium(missing) as browser:
        yield browser
