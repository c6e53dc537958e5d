"""The first two code cells of a notebook that is opened without the package, in a stand-in of Colab.

The stand-in has Colab's module, its environment variables, its list of sessions, and a pip that notes what it is asked for.
"""

from __future__ import annotations

import dataclasses
import http.server
import json
import os
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from loaderlab.i18n.language import LANGUAGES, LOCALE, messages
from loaderlab.publish import bootstrap, bootstrap_cell, checkout, notebook, press, source
from loaderlab.publish.checkout import EXERCISES

# As IPython runs cells: the next one only after one that did not fail.
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "NoColor"
sys.exit(not all(shell.run_cell(cell).success for cell in json.load(open(sys.argv[1], encoding="utf-8"))))
"""
PIP = """
import json, os, sys
from pathlib import Path
arguments = sys.argv[1:]
kept = Path(arguments[arguments.index("-c") + 1]).read_text()
with open(os.environ["ASKED"], "a") as file:
    print(json.dumps([*arguments[:-3], arguments[-1], kept]), file=file)
if "PIP_SAYS" in os.environ:
    sys.exit(os.environ["PIP_SAYS"])
package = Path(os.environ["SITE"], "loaderlab")
package.mkdir()
(package / "__init__.py").write_text("def begin(name, language): print(f'begun: {name}, {language}')")
"""
COLAB = """
import json, os
def blocking_request(name, timeout_sec):
    assert name == "get_ipynb" and timeout_sec
    return json.loads(os.environ["NOTEBOOK"])
"""
# What pip 26 says on its last lines, or so.
GONE = "  ERROR: HTTP error 404 while getting {url}\nERROR: Could not install requirement loaderlab"
OFFLINE = "WARNING: Retrying\nERROR: Could not install packages due to an OSError: Name or service not known"
DRIVE = "fileId=1w6mqQiNV3liPIX70NOgitOlDF1_4sRMw"


class Colab:
    """A machine of Colab: ``sessions`` is what its server answers; as bytes, whatever it is."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.sessions, self.wait = folder, [], threading.Event()
        self.sessions: list[Any] | bytes
        self.variables: dict[str, str] = {"NOTEBOOK": json.dumps({"ipynb": {"metadata": {}}})}
        site = folder / "site"
        for name, text in {
            "pip/__init__.py": "",
            "pip/__main__.py": PIP,
            "google/colab/__init__.py": "",
            "google/colab/_message.py": COLAB,
        }.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)

    @property
    def asked(self) -> list[list[str]]:
        """What pip was asked for, each time: its arguments, the requirement, the constraints."""
        file = self.folder / "asked"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    @property
    def requirements(self) -> list[str]:
        return [asked[-2] for asked in self.asked]

    def opened(self, address: str) -> None:
        """The notebook was opened from there."""
        self.sessions = [{"path": f"fileId={quote(address, safe='')}", "name": address.rpartition("/")[2]}]

    def copied(self, *files: str) -> None:
        """The notebook is a copy in Drive, of these, the newest first."""
        self.sessions = [{"path": DRIVE, "name": "Copy of 01_workers.ipynb"}]
        provenance = [{"file_id": file, "timestamp": 1} for file in files]
        self.variables["NOTEBOOK"] = json.dumps(
            {"ipynb": {"metadata": {"colab": {"provenance": provenance}}}}
        )

    def run(self, cells: list[str], succeeds: bool = True, **variables: str) -> str:
        """Run the cells in a new kernel; returns what they said."""
        file = self.folder / "cells.json"
        file.write_text(json.dumps(cells), "utf-8")
        site = self.folder / "site"
        path = os.pathsep.join([str(site), sysconfig.get_path("purelib")])
        environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "COLAB"))
        }
        environment |= {
            "PYTHONUTF8": "1",
            "PYTHONPATH": path,
            "IPYTHONDIR": str(self.folder / "ipython"),
            "SITE": str(site),
            "ASKED": str(self.folder / "asked"),
            # Not asked for what is on the same machine.
            "http_proxy": "http://127.0.0.1:9",
        }
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.handler()) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            environment |= {
                "COLAB_JUPYTER_IP": "127.0.0.1",
                "KMP_TARGET_PORT": str(server.server_address[1]),
                **self.variables,
                **variables,
            }
            begun = time.monotonic()
            done = subprocess.run(
                # Without what .pth files add: this checkout.
                [sys.executable, "-S", "-c", RUN, str(file)],
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            seconds = time.monotonic() - begun
            self.wait.set()
            server.shutdown()
        said = done.stdout + done.stderr
        print(f"[{seconds:.1f} s, pip: {self.requirements}]", said)
        assert (done.returncode == 0) == succeeds, said
        return " ".join(said.split())

    def handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        colab = self

        class Sessions(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path != "/api/sessions":
                    self.send_error(404)
                    return
                if colab.sessions == b"later":
                    colab.wait.wait()
                    return
                self.send_response(200)
                self.end_headers()
                text = colab.sessions
                self.wfile.write(text if isinstance(text, bytes) else json.dumps(text).encode())

            def log_message(self, *_arguments: object) -> None:
                pass

        return Sessions


@pytest.fixture
def colab(tmp_path: Path) -> Colab:
    return Colab(tmp_path)


def first_cells(language: str = "en", repository: str = checkout.PLACEHOLDER, typed: str = "") -> list[str]:
    here = dataclasses.replace(checkout.here(), repository=repository, ref="v1.0")
    editions = press.all_editions(here, source.read(here.lessons[0]), [])
    cells = [c for c in notebook.assemble(editions[language], EXERCISES).cells if c.cell_type == "code"]
    installs, begins = (cell.source for cell in cells[:2])
    assert [line for line in begins.split("\n") if line] == [
        "import loaderlab as lab",
        f'lab.begin("start_here", language="{language}")',
    ]
    return [installs.replace('repository = ""', f"repository = {typed!r}"), begins]


def archive(name: str, ref: str) -> str:
    return f"loaderlab @ https://github.com/{name}/archive/{ref}.zip"


def start_of(message: str, language: str) -> str:
    """The first five words of a message, as a reader of that language sees them."""
    return " ".join(messages(language, LOCALE).get(message, message).split()[:5])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("opened", "name", "ref"),
    [
        ("https://github.com/o/n/blob/main/notebooks/01_workers.ipynb", "o/n", "main"),
        (
            "https://github.com/a-fork/The.Course/blob/v1.0/notebooks_fr/01_a.ipynb",
            "a-fork/The.Course",
            "v1.0",
        ),
    ],
)
def test_a_notebook_opened_from_a_repository_installs_that_and_says_so_in_a_line(
    colab: Colab, language: str, opened: str, name: str, ref: str
) -> None:
    colab.opened(opened)
    said = colab.run(first_cells(language))
    assert colab.requirements == [archive(name, ref)]
    assert f"https://github.com/{name} ({ref})" in said and f"PyTorch: {version('torch')}" in said.replace(
        "\u00a0", " "
    ).replace(" :", ":")
    assert said.endswith(f"begun: start_here, {language}")


def test_nothing_that_is_there_is_replaced(colab: Colab) -> None:
    colab.opened("https://github.com/o/n/blob/main/notebooks/01_workers.ipynb")
    colab.run(first_cells())
    [[*arguments, _requirement, kept]] = colab.asked
    assert arguments == ["install", "-q", "--retries", "1", "--timeout", "5"]
    assert {f"torch=={version('torch')}", f"ipython=={version('ipython')}"} < set(kept.split())


def test_a_fork_of_a_published_course_installs_its_own(colab: Colab) -> None:
    colab.opened("https://github.com/fork/n/blob/mine/notebooks/01_workers.ipynb")
    colab.run(first_cells(repository="https://github.com/o/n"))
    assert colab.requirements == [archive("fork/n", "mine")]


def test_a_copy_in_drive_installs_what_it_was_copied_from(colab: Colab) -> None:
    colab.copied(
        "1Zx", "https://github.com/fork/n/blob/b/notebooks/01.ipynb", "https://github.com/o/n/blob/b/01.ipynb"
    )
    colab.run(first_cells(repository="https://github.com/o/n"))
    assert colab.requirements == [archive("fork/n", "b")]


@pytest.mark.parametrize("path", [DRIVE, "/content/01_workers.ipynb", "fileId=upload%3A1"])
def test_a_copy_or_an_upload_installs_from_the_address_that_built_it(colab: Colab, path: str) -> None:
    colab.sessions = [{"path": path, "name": "01_workers.ipynb"}]
    colab.run(first_cells(repository="https://github.com/o/n"))
    assert colab.requirements == [archive("o/n", "v1.0")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_no_address_is_known_one_sentence_says_what_to_type(colab: Colab, language: str) -> None:
    colab.copied()
    said = colab.run(first_cells(language), succeeds=False)
    assert said.replace("\u00a0", " ").startswith(start_of(bootstrap_cell.UNKNOWN, language))
    assert "`repository`" in said and "Traceback" not in said and "begun" not in said
    assert colab.asked == []


@pytest.mark.parametrize(
    ("typed", "ref"),
    [("o/n", "HEAD"), (" https://github.com/o/n/ ", "HEAD"), ("https://github.com/o/n/tree/b", "b")],
)
def test_what_is_typed_is_installed_before_all_else(colab: Colab, typed: str, ref: str) -> None:
    colab.opened("https://github.com/private/n/blob/main/notebooks/01_workers.ipynb")
    colab.run(first_cells(typed=typed))
    assert colab.requirements == [archive("o/n", ref)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_private_fork_is_a_sentence_and_not_another_package(colab: Colab, language: str) -> None:
    colab.opened("https://github.com/private/n/blob/main/notebooks/01_workers.ipynb")
    cells = first_cells(language, repository="https://github.com/o/n")
    said = colab.run(cells, succeeds=False, PIP_SAYS=GONE)
    assert said.replace("\u00a0", " ").startswith(start_of(bootstrap_cell.CLOSED, language))
    assert "https://github.com/private/n (main)" in said and "Traceback" not in said
    assert colab.requirements == [archive("private/n", "main")]


def test_without_a_network_a_sentence_has_what_pip_says(colab: Colab) -> None:
    colab.opened("https://github.com/o/n/blob/main/notebooks/01_workers.ipynb")
    said = colab.run(first_cells(), succeeds=False, PIP_SAYS=OFFLINE)
    assert "Name or service not known”. Expected: a network." in said and "Traceback" not in said
    colab.run(first_cells())  # and again, with a network


def test_restart_and_run_all_installs_nothing_and_says_nothing_of_it(colab: Colab) -> None:
    colab.opened("https://github.com/o/n/blob/main/notebooks/01_workers.ipynb")
    colab.run(first_cells())
    colab.sessions = b"later"
    assert colab.run(first_cells()) == "begun: start_here, en"
    assert len(colab.asked) == 1


@pytest.mark.parametrize(
    "sessions",
    [
        b"later",
        b"<html>",
        b"",
        {"path": 1},
        [{"name": "x"}],
        [{"path": "fileId=https%3A%2F%2Fgithub.com.evil.org%2Fo%2Fn%2Fblob%2Fmain%2Fnotebooks%2F01.ipynb"}],
        [{"path": "fileId=https%3A%2F%2Fevil.org%2Fo%2Fn%2Fblob%2Fmain%2Fnotebooks%2F01.ipynb"}],
        [{"path": "fileId=evil%2Fn"}],
        [
            {"path": "fileId=https%3A%2F%2Fgithub.com%2Fo%2Fn%2Fblob%2Fmain%2Fnotebooks%2F01.ipynb"},
            {"path": "fileId=https%3A%2F%2Fgithub.com%2Fevil%2Fn%2Fblob%2Fmain%2Fnotebooks%2F01.ipynb"},
        ],
    ],
)
def test_a_server_that_is_silent_or_says_something_else_is_not_believed(colab: Colab, sessions: Any) -> None:
    colab.sessions = sessions
    said = colab.run(first_cells(), succeeds=False)
    assert said.startswith(start_of(bootstrap_cell.UNKNOWN, "en")) and colab.asked == []


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("https://github.com/o/n/blob/feature/x/notebooks/01.ipynb", ("o/n", "feature/x")),
        ("https://github.com/o/n/blob/a/notebooks/b/notebooks_pl/01.ipynb", ("o/n", "a/notebooks/b")),
        ("https://github.com/o/n/blob/refs/pull/7/head/solutions/en/01.ipynb", ("o/n", "refs/pull/7/head")),
        ("https://github.com/o/n/blob/main/my/01.ipynb", ("o/n", "main")),
        ("https://github.com/o/.github/tree/b", ("o/.github", "b")),
        ("https://github.com/o/n.git", ("o/n", "HEAD")),
        ("github.com/o/n", ("o/n", "HEAD")),
        ("http://github.com/o/n", ("", "")),
        ("https://github.com@evil.org/o/n", ("", "")),
        ("https://github.com/o/n/../../evil/n", ("", "")),
        ("https://github.com/o/n/blob/../../evil/n/notebooks/01.ipynb", ("", "")),
        ("https://github.com/o/..", ("", "")),
        ("https://github.com/o/..git", ("", "")),
        ("https://github.com/your_name/loader-lab/blob/main/notebooks/01.ipynb", ("", "")),
        ("https://github.com/-o/n", ("", "")),
        ("https://github.com/o/n/blob/main#egg=x/notebooks/01.ipynb", ("", "")),
        ("https://github.com/o/n/blob/main --pre/notebooks/01.ipynb", ("", "")),
        ("--index-url=https://evil.org", ("", "")),
        ("", ("", "")),
    ],
)
def test_only_owner_and_name_on_github_are_an_address(address: str, found: tuple[str, str]) -> None:
    assert bootstrap._parsed(address) == found


def test_outside_colab_the_published_address_is_used_and_nobody_asked(colab: Colab) -> None:
    for name in ("COLAB_JUPYTER_IP", "KMP_TARGET_PORT", "NOTEBOOK"):
        colab.variables[name] = ""
    colab.run(first_cells(repository="https://github.com/o/n"))
    assert colab.requirements == [archive("o/n", "v1.0")]


def test_the_cell_leaves_no_module_to_a_learner(colab: Colab) -> None:
    names = "print('left:', sorted(n for n in dir() if not n.startswith('_') and n not in before))"
    colab.opened("https://github.com/o/n/blob/main/notebooks/01_workers.ipynb")
    said = colab.run(["before = {*dir(), 'before'}", first_cells()[0], names])
    assert said.endswith("left: ['repository']")


class Private(http.server.BaseHTTPRequestHandler):
    """Says what GitHub says of a repository that is not there, or not for everybody."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, *_arguments: object) -> None:
        pass


@pytest.fixture
def host() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Private) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_pip_says_of_a_private_repository_what_the_cell_looks_for(host: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "-q", "--retries", "0", "--dry-run"]
    done = subprocess.run(
        [*command, f"loaderlab @ {host}/private/n/archive/main.zip"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "error 404" in done.stderr.partition("ERROR: ")[2].partition("\n")[0]
