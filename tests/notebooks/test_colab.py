"""A notebook file alone, in an environment like Colab's, installs the package, no more, and runs whole.

The environment has Colab's IPython, ipykernel and ipywidgets, and a google.colab module. torch and the other
large packages are linked from the environment that runs the tests. The list of sessions says that the notebook was opened
from a branch of a fork, and pip gets what it makes of an archive of HEAD, as GitHub packs it. What runs are the solutions, whose cells are those of the
lessons and the answers, with the start method of Python 3.14: the lessons as learners get them run with fork elsewhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path
from urllib.parse import quote

import nbformat
import pytest
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from packaging.requirements import Requirement

from leftovers import STOP_THE_SERVERS, Leftovers
from loaderlab.notebook.stored import ABOUT, without_views
from loaderlab.notebook.widget import VIEW
from loaderlab.publish import bootstrap_cell, notebook, press, source
from loaderlab.publish.checkout import here
from places import ROOT

COLAB = ["ipywidgets==7.7.1", "ipykernel==6.17.1", "ipython==7.34.0"]
# With what Colab's ipywidgets asks for, Jupyter.
PREINSTALLED = ["torch", "numpy", "pillow", "matplotlib", "psutil", "jupyterlab"]
UNTOUCHED = ["torch", "numpy", "matplotlib", "ipywidgets", "ipykernel", "ipython"]
A_CELL = 300  # s
FORK = "a-fork/n"
ARCHIVE = "https://github.com/{name}/archive/{ref}.zip"
UPSTREAM = replace(here(), repository="https://github.com/o/n", ref="v1.0")

LIST_FILES = """
import hashlib, json, sys
from importlib.metadata import distribution

def lines(found):
    yield found.version
    for file in found.files:
        path = found.locate_file(file)
        # The byte code that a first import writes is no change.
        if "__pycache__" not in str(file):
            yield f"{file} {path.exists() and (path.stat().st_size, path.stat().st_mtime_ns)}"

found = {name: "\\n".join(lines(distribution(name))) for name in sys.argv[1:]}
print(json.dumps({name: hashlib.sha256(text.encode()).hexdigest() for name, text in found.items()}))
"""

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="Colab runs Linux."),
    pytest.mark.minutes(9),
]


def with_dependencies(names: list[str]) -> dict[str, Distribution]:
    """The installed distributions of these names and of all that they require here."""
    found: dict[str, Distribution] = {}
    todo = list(names)
    while todo:
        name = todo.pop().lower()
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # an extra, or for another system
            continue
        required = map(Requirement, found[name].requires or [])
        todo += [r.name for r in required if r.marker is None or r.marker.evaluate({"extra": ""})]
    return found


def link_into(site: Path, found: Distribution) -> None:
    """Gives another environment this distribution, by hard links: at once, and safe from its pip."""

    def link(source: str, target: str) -> None:
        try:
            os.link(source, target)
        except OSError:  # another file system
            shutil.copy2(source, target)

    for file in found.files or []:
        source = Path(found.locate_file(file))
        if ".." in file.parts or file.suffix == ".pyc" or not source.is_file():
            continue
        # With the byte code that is there by now, which else the first notebook would have to make.
        for path in (source, Path(cache_from_source(str(source)))) if file.suffix == ".py" else (source,):
            target = site / file.parent / path.relative_to(source.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and not target.exists():
                link(str(path), str(target))


def site_of(home: Path) -> Path:
    """The folder of an environment into which its pip installs."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))


def pip(python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]) -> Path:
    """The Python of an environment like Colab's, without Loader Lab."""
    home = tmp_path_factory.mktemp("colab")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    python = home / "bin" / "python"
    site = site_of(home)
    others = [Requirement(each).name for each in COLAB]
    for name, found in with_dependencies(PREINSTALLED).items():
        if name not in others and not any(site.glob(f"{name.replace('-', '_')}-*.dist-info")):
            link_into(site, found)
    done = pip(python, "install", "-q", "--no-compile", *COLAB)
    if done.returncode:
        missing(f"pip cannot install Colab's packages: {done.stderr[-500:]}")
    colab = site / "google" / "colab"
    colab.mkdir(parents=True)
    (colab / "__init__.py").write_text('"""Stands for Colab\'s own module."""\n', encoding="utf-8")
    # Imported before the first cell, as in Colab.
    (site / "colab.pth").write_text("import google.colab\n", encoding="utf-8")
    return python


@pytest.fixture(scope="module")
def before(python: Path) -> dict[str, str]:
    """What of Colab's packages must stay as it was."""
    return fingerprints(python)


@pytest.fixture(scope="module")
def wheel(
    root: Path, python: Path, tmp_path_factory: pytest.TempPathFactory, missing: Callable[[str], None]
) -> Path:
    """What pip makes there of HEAD as GitHub packs it: once, since each notebook would have the same made."""
    if not shutil.which("git") or not (root / ".git").exists():
        missing("An archive of HEAD needs git and a clone.")
    folder = tmp_path_factory.mktemp("github") / FORK / "archive" / "feature" / "x"
    folder.mkdir(parents=True)
    archive = folder / "main.zip"
    command = ["git", "-C", str(root), "archive", "--prefix=loader-lab-main/", "-o", str(archive), "HEAD"]
    subprocess.run(command, check=True)
    made = pip(python, "wheel", "-q", "--no-deps", "-w", str(folder), str(archive))
    assert made.returncode == 0, made.stderr
    (wheel,) = folder.glob("loaderlab-*.whl")
    return wheel


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The kernel's environment: nothing of the package in this checkout, another start method, and Colab's list of sessions."""
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "tests" / "helpers" / "start_method"))
    monkeypatch.setenv("LOADERLAB_START_METHOD", "forkserver")
    monkeypatch.setenv("LOADERLAB_REPEATS", "1")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    file = quote(f"https://github.com/{FORK}/blob/feature/x/notebooks/00_start_here.ipynb", safe="")
    (tmp_path / "served" / "api").mkdir(parents=True)
    (tmp_path / "served" / "api" / "sessions").write_text(json.dumps([{"path": f"fileId={file}"}]))
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "served")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("COLAB_JUPYTER_IP", "127.0.0.1")
        monkeypatch.setenv("KMP_TARGET_PORT", str(server.server_port))
        yield
        server.shutdown()


def fingerprints(python: Path) -> dict[str, str]:
    """A hash of the installed files of every package that must stay as it was: names, sizes and times."""
    found: dict[str, str] = json.loads(subprocess.check_output([str(python), "-c", LIST_FILES, *UNTOUCHED]))
    return found


def run(notebook: Path, python: Path) -> NotebookNode:
    """The notebook, executed by that Python in the folder that holds it."""
    document = nbformat.read(notebook, as_version=4)
    kernel = AsyncKernelManager()
    command = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    kernel._kernel_spec = KernelSpec(argv=command)
    kernel.shutdown_wait_time = 180.0  # s: it cleans up before it ends
    place = {"metadata": {"path": str(notebook.parent)}}
    # A client that was given its kernel manager leaves the kernel running unless told otherwise.
    client = NotebookClient(document, km=kernel, timeout=A_CELL, resources=place, skip_cells_with_tag="")
    document.cells.append(nbformat.v4.new_code_cell(STOP_THE_SERVERS))
    client.execute(cleanup_kc=True)
    del document.cells[-1]
    return document


def published(committed: Path) -> str:
    """The committed notebook as it is in every fork, once its owner has set the address."""
    document = nbformat.read(committed, as_version=4)
    about = document.metadata["loaderlab"]
    lesson = next(lesson for lesson in UPSTREAM.lessons if lesson.name == about["lesson"])
    edition = press.all_editions(UPSTREAM, source.read(lesson), [])[about["language"]]
    assembled = notebook.assemble(edition, about["kind"])
    notebook.carry_outputs(assembled, document)
    return notebook.canonical(assembled)


def shown(document: NotebookNode, kind: str) -> int:
    cells = [cell for cell in document.cells if cell.cell_type == "code"]
    return sum(kind in output.get("data", {}) for cell in cells for output in cell.outputs)


def pictures(document: NotebookNode) -> int:
    """As PNG; diagrams of an installed package as an image of their SVG."""
    outputs = [output for cell in document.cells for output in cell.get("outputs", ())]
    kinds = [output.get("data", {}) for output in outputs]
    return sum("image/png" in data or "data:image/svg+xml" in data.get("text/html", "") for data in kinds)


def controls(document: NotebookNode) -> int:
    outputs = [output for cell in document.cells for output in cell.get("outputs", ())]
    return sum(ABOUT in output.get("metadata", {}) for output in outputs)


def compared(document: NotebookNode) -> dict[str, str]:
    """What is the same everywhere: the text of each cell whose output is not tagged to be ignored."""
    cells = [cell for cell in document.cells if cell.cell_type == "code"]
    ignored = {"nbval-ignore-output", "gpu", bootstrap_cell.SKIPPED}
    return {
        cell.id: "".join(
            output.text if output.output_type == "stream" else output.get("data", {}).get("text/plain", "")
            for output in cell.outputs
            if output.get("name") != "stderr"
        )
        for cell in cells
        if not ignored & set(cell.metadata.get("tags", ()))
    }


def forget(python: Path) -> None:
    """Remove what the notebook before installed of ours, as pip would, but at once."""
    site = site_of(python.parents[1])
    for path in (site / "loaderlab", *site.glob("loaderlab-*.dist-info"), *site.glob("polib*")):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def installed(python: Path) -> bool:
    asks = "from importlib.metadata import version; version('loaderlab')"
    return subprocess.run([str(python), "-c", asks], check=False, stderr=subprocess.DEVNULL).returncode == 0


def test_a_notebook_alone_runs_whole_in_colab_and_leaves_nothing(
    solution: Path, python: Path, before: dict[str, str], wheel: Path, environment: None, tmp_path: Path
) -> None:
    forget(python)
    assert not installed(python)
    alone, temporary = tmp_path / "content" / solution.name, tmp_path / "tmp"
    alone.parent.mkdir()
    temporary.mkdir()
    text = published(solution)
    assert text.count(ARCHIVE) == 1
    from_there = wheel.as_uri().replace(f"{FORK}/archive/feature/x", "{name}/archive/{ref}")
    alone.write_text(text.replace(ARCHIVE, from_there), "utf-8")

    leftovers = Leftovers(temporary)
    with leftovers.inherited():
        document = run(alone, python)

    assert leftovers.found() == {}
    assert installed(python)
    assert fingerprints(python) == before
    committed = nbformat.read(solution, as_version=4)
    live = shown(document, VIEW)
    for output in (output for cell in document.cells for output in cell.get("outputs", ())):
        without_views(output)
    assert pictures(document) == pictures(committed) > 0
    assert live == controls(document) == controls(committed) > 0
    assert compared(document) == compared(committed)
