"""The set-up cell of a notebook that is opened without the package: what it says where that cannot be installed."""

from __future__ import annotations

import dataclasses
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from loaderlab.i18n.language import LANGUAGES, LOCALE, messages
from loaderlab.publish import checkout, notebook, press, source
from loaderlab.publish.checkout import EXERCISES

# As IPython runs a cell, where there is no such package.
RUN = """
import sys
from IPython.core.interactiveshell import InteractiveShell
sys.modules["loaderlab"] = None
shell = InteractiveShell.instance()
shell.colors = "NoColor"
sys.exit(not shell.run_cell(open(sys.argv[1], encoding="utf-8").read()).success)
"""


class Private(http.server.BaseHTTPRequestHandler):
    """Says what GitHub says of a repository that is not there, or not for everybody."""

    def do_GET(self) -> None:
        git = self.path.startswith("/private/n.git") or "service=git" in self.path
        self.send_response(401 if git else 404)
        self.send_header("WWW-Authenticate", 'Basic realm="GitHub"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Private) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def setup_cell(language: str, repository: str) -> str:
    here = dataclasses.replace(checkout.here(), repository=repository)
    editions = press.all_editions(here, source.read(here.lessons[0]), [])
    cells = notebook.assemble(editions[language], EXERCISES).cells
    return str(next(cell.source for cell in cells if cell.id == "setup"))


def start_of(message: str, language: str) -> str:
    """The first five words of a message, as a reader of that language sees them."""
    return " ".join(messages(language, LOCALE).get(message, message).split()[:5])


def run(cell: str, folder: Path) -> str:
    file = folder / "cell.py"
    file.write_text(cell, "utf-8")
    # Where git cannot ask on a terminal, it would ask this program, and wait for it.
    ask = folder / "ask"
    ask.write_text("#!/bin/sh\nsleep 600\n")
    ask.chmod(0o755)
    environment = os.environ | {
        "GIT_ASKPASS": str(ask),
        "PYTHONUTF8": "1",
        "IPYTHONDIR": str(folder / "ipython"),
    }
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(file)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    return " ".join((done.stdout + done.stderr).split())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_repository_that_is_missing_or_private_is_an_error_in_the_readers_language(
    host: str, language: str, tmp_path: Path
) -> None:
    said = run(setup_cell(language, f"{host}/private/n"), tmp_path)
    assert "404" in said
    last = said.rpartition("ImportError: ")[2].replace("\u00a0", " ")
    assert f"{host}/private/n" in last and last.startswith(start_of(notebook.NOT_INSTALLED, language))


def test_without_a_network_the_cell_says_what_to_do(tmp_path: Path) -> None:
    said = run(setup_cell("en", "http://127.0.0.1:9/o/n"), tmp_path)
    assert "refused" in said and "check the network" in said.rpartition("ImportError: ")[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_an_address_nothing_is_installed_and_the_cell_says_what_to_do(
    language: str, tmp_path: Path
) -> None:
    cell = setup_cell(language, checkout.PLACEHOLDER)
    assert "pip" not in cell and "github" not in cell
    last = run(cell, tmp_path).rpartition("ImportError: ")[2]
    assert last.startswith(start_of(notebook.NO_ADDRESS, language))
    assert "make lab" in last and "loaderlab publish --repository OWNER/NAME" in last


def test_the_set_up_cell_needs_no_git(tmp_path: Path) -> None:
    assert "git+" not in setup_cell("en", "https://github.com/o/n")
