"""The cell that installs the package in a notebook that is opened without it, in a stand-in of Colab.

The stand-in has Colab's variables, its list of sessions, and a pip that notes what it is asked for.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import pytest

from loaderlab.i18n.language import LANGUAGES, LOCALE, messages
from loaderlab.publish import bootstrap_cell, checkout

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Colab runs Linux.")

# As IPython runs cells: the next one only after one that did not fail.
RUN = """
import json, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.colors = "NoColor"
sys.exit(not all(shell.run_cell(cell).success for cell in json.loads(sys.argv[1])))
"""
PIP = """
import sys
from pathlib import Path
site = Path(__file__).parents[1]
with (site / "asked").open("a") as file:
    print(*sys.argv[1:], file=file)
(site / "loaderlab.py").write_text("begin = lambda: print('begun')")
"""
BEGINS = "import loaderlab as lab\nlab.begin()"
IN_DRIVE = "fileId=1w6mqQiNV3liPIX70NOgitOlDF1_4sRMw"
PUBLISHED = "https://github.com/o/published"
UNPUBLISHED = checkout.PLACEHOLDER


def cell(repository: str = UNPUBLISHED, language: str = "en", typed: str = "") -> str:
    known = messages(language, LOCALE)
    here = dataclasses.replace(checkout.here(), repository=repository, ref="v1.0")
    source = bootstrap_cell.source(here, lambda text: known.get(text, text))
    return source.replace('repository = ""', f'repository = "{typed}"')


class Colab:
    """A machine of Colab, whose server answers at ``port``, and which has nothing but what is in ``site``."""

    def __init__(self, folder: Path, port: int) -> None:
        self.served, self.site, self.port = folder / "api", folder / "site", port
        self.served.mkdir()
        (self.site / "pip").mkdir(parents=True)
        (self.site / "pip" / "__init__.py").touch()
        (self.site / "pip" / "__main__.py").write_text(PIP)

    def opens(self, *addresses: str) -> None:
        """List notebooks that were opened from these addresses on GitHub, and one of Drive."""
        files = [f"fileId={quote('https://github.com/' + each, safe='')}" for each in addresses]
        sessions = [{"path": path, "name": "01.ipynb"} for path in (IN_DRIVE, *files)]
        (self.served / "sessions").write_text(json.dumps(sessions))

    @property
    def asked(self) -> list[str]:
        """What pip was asked for, each time."""
        file = self.site / "asked"
        return file.read_text().splitlines() if file.exists() else []

    def run(self, *cells: str, typed: str = "", succeeds: bool = True) -> str:
        """Run the cells in a new kernel, with what is typed where one asks; returns what they said."""
        environment = os.environ | {
            "COLAB_JUPYTER_IP": "127.0.0.1",
            "KMP_TARGET_PORT": str(self.port),
            "PYTHONPATH": os.pathsep.join([str(self.site), sysconfig.get_path("purelib")]),
            "IPYTHONDIR": str(self.site / "ipython"),
            "PIP_RETRIES": "0",
        }
        # Without what .pth files add: this checkout.
        command = [sys.executable, "-S", "-c", RUN, json.dumps(cells)]
        done = subprocess.run(
            command,
            cwd=self.site,
            env=environment,
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        said = done.stdout + done.stderr
        assert (done.returncode == 0) == succeeds, said
        return said.replace("Note: you may need to restart the kernel to use updated packages.\n", "")


@pytest.fixture
def colab(tmp_path: Path, missing: Callable[[str], None]) -> Iterator[Colab]:
    if not shutil.which("curl"):
        missing("The cell asks Colab by curl, which is not installed.")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield Colab(tmp_path, server.server_port)
        server.shutdown()


@pytest.mark.parametrize("repository", [UNPUBLISHED, PUBLISHED])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cell_is_twelve_lines_that_are_the_same_but_for_words(repository: str, language: str) -> None:
    lines, english = (cell(repository, each).split("\n") for each in (language, "en"))
    assert len(lines) <= 12 and max(map(len, lines)) <= 130
    other = [line for line in lines if line not in english]
    assert len(other) == (0 if language == "en" else 2 if repository == PUBLISHED else 3)


@pytest.mark.parametrize(
    ("address", "archive"),
    [
        ("a-fork/The.Course/blob/feature/x/notebooks_fr/01.ipynb", "a-fork/The.Course/archive/feature/x"),
        ("o/n/blob/a/notebooks/b/notebooks/01.ipynb", "o/n/archive/a/notebooks/b"),
        ("o/n/blob/feature%2Fx/notebooks/01.ipynb", "o/n/archive/feature/x"),
        ("o/n/blob/fix#7/notebooks/01.ipynb", "o/n/archive/fix%237"),
        ("o/n/blob/refs/pull/7/head/solutions/en/01.ipynb", "o/n/archive/refs/pull/7/head"),
    ],
)
def test_a_notebook_installs_the_repository_and_the_ref_that_it_was_opened_from(
    colab: Colab, address: str, archive: str
) -> None:
    colab.opens(address)
    assert colab.run(cell(PUBLISHED), BEGINS) == "begun\n"
    assert colab.asked == [f"install -q https://github.com/{archive}.zip"]


def test_two_notebooks_of_one_course_are_no_doubt_and_those_of_two_courses_are(colab: Colab) -> None:
    colab.opens("o/n/blob/b/notebooks/01.ipynb", "o/n/blob/b/notebooks_fr/02.ipynb")
    assert colab.run(cell()) == ""
    (colab.site / "loaderlab.py").unlink()
    colab.opens("o/n/blob/b/notebooks/01.ipynb", "fork/n/blob/b/notebooks/01.ipynb")
    assert colab.run(cell(), typed="fork/n\n") == f"{bootstrap_cell._ASK} "
    assert [each.split("github.com/")[1] for each in colab.asked] == [
        "o/n/archive/b.zip",
        "fork/n/archive/HEAD.zip",
    ]


@pytest.mark.parametrize("server", ["lists a copy in Drive", "answers 404", "is silent"])
def test_where_no_address_is_known_one_line_asks_for_it(colab: Colab, server: str) -> None:
    if "Drive" in server:
        colab.opens()
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        colab.port = nobody.getsockname()[1] if "silent" in server else colab.port
        assert colab.run(cell(), BEGINS, typed="o/n\n") == f"{bootstrap_cell._ASK} begun\n"
    assert colab.asked == ["install -q https://github.com/o/n/archive/HEAD.zip"]


def test_a_copy_in_drive_installs_from_the_published_address(colab: Colab) -> None:
    colab.opens()
    assert colab.run(cell(PUBLISHED), BEGINS) == "begun\n"
    assert colab.asked == [f"install -q {PUBLISHED}/archive/v1.0.zip"]


def test_what_is_typed_into_the_form_goes_before_all_else(colab: Colab) -> None:
    colab.opens("private/n/blob/b/notebooks/01.ipynb")
    assert colab.run(cell(PUBLISHED, typed="o/n"), BEGINS) == "begun\n"
    assert colab.asked == ["install -q https://github.com/o/n/archive/HEAD.zip"]


@pytest.mark.parametrize(("network", "error"), [(True, "HTTP error 404"), (False, "Connection refused")])
def test_what_pip_says_of_a_private_repository_or_no_network_is_shown(
    colab: Colab, network: bool, error: str
) -> None:
    colab.opens("private/n/blob/b/notebooks/01.ipynb")
    shutil.rmtree(colab.site / "pip")  # so that the real one is asked
    host = f"http://127.0.0.1:{colab.port if network else 1}"
    said = colab.run(cell().replace("https://github.com", host), BEGINS, succeeds=False)
    before, _between, _after = said.partition("No module named 'loaderlab'")
    assert "ERROR" in before and error in before and "/private/n/archive/b.zip" in before


def test_the_cell_leaves_no_module_nor_helper_and_does_nothing_where_the_package_is(colab: Colab) -> None:
    names = "print(sorted(name for name in {*dir()} - before if not name.startswith('_')))"
    colab.opens("o/n/blob/b/notebooks/01.ipynb")
    assert colab.run("before = {*dir(), 'before'}", cell(), names) == "['repository']\n"
    assert colab.run("before = {*dir(), 'before'}", cell(), names) == "['lab', 'repository']\n"
    assert len(colab.asked) == 1
