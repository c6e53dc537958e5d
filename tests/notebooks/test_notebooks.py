"""The committed notebooks are whole and up to date, and pytest treats their cells as conftest.py promises."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from loaderlab.publish import bootstrap_cell
from loaderlab.publish.activity import ANSWER, CHECK
from places import ROOT, notebooks

A_MACHINE_PATH = re.compile(r"(?<![\w.])/(?:tmp|home|root|work|Users|private|var/folders)/|[A-Z]:\\Users\\")


@lru_cache(maxsize=1)
def read(notebook: Path) -> NotebookNode:
    """The notebook, read once for all the tests that look at it, which follow each other."""
    return nbformat.read(notebook, as_version=4)


def code_cells(notebook: Path) -> list[NotebookNode]:
    return [cell for cell in read(notebook).cells if cell.cell_type == "code"]


def outputs(notebook: Path) -> list[NotebookNode]:
    return [output for cell in code_cells(notebook) for output in cell.outputs]


def text(output: NotebookNode) -> str:
    """Everything in an output that a reader can read."""
    data = output.get("data", {})
    readable = [data[kind] for kind in data if kind.startswith(("text/", "image/svg"))]
    return "\n".join([output.get("text", ""), *readable])


def test_the_notebooks_are_what_the_sources_give(gettext: None) -> None:
    from loaderlab.publish import checkout, review

    here = checkout.here()
    assert review.problems(here, here.chosen([])) == []


def test_every_cell_was_executed(notebook: Path) -> None:
    """But for the one that installs what was there, and lesson 0's, which writes a file for a learner."""
    left = [cell for cell in code_cells(notebook) if cell.execution_count is None]
    saves = ['card.save("my_loop.png")'] * (notebook.stem == "00_start_here")
    assert [cell.source for cell in left if cell.id != bootstrap_cell.ID] == saves


@pytest.mark.parametrize("lesson", sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_what_is_compared_is_the_same_in_all_notebooks_of_a_lesson(lesson: str) -> None:
    """What has no words, and what is beside a bet: where one of the runs differs, a machine's luck was stored as a fact."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name, path in ((name, path) for name, path in notebooks().items() if path.stem == lesson):
        for cell in code_cells(path):
            if cell.id.startswith((ANSWER, CHECK)) or "nbval-ignore-output" in cell.metadata.get("tags", ()):
                continue
            told = " ".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
            wordless = set(re.findall(r"[^\W\d_]+", told)) <= {"True", "False", "None"}
            # Each language has words of its own, with numbers of their own.
            alike = "" if wordless else name.partition("-")[0]
            if told and (wordless or "lab.compare(" in cell.source):
                found.setdefault((cell.id, alike), {}).setdefault(told, []).append(name)
    assert found
    assert [told for told in found.values() if len(told) > 1] == []


def test_no_output_shows_where_it_was_made(notebook: Path) -> None:
    assert [found for o in outputs(notebook) for found in A_MACHINE_PATH.findall(text(o))] == []


def test_a_path_of_this_machine_is_recognised(tmp_path: Path) -> None:
    assert A_MACHINE_PATH.search(f"wrote /tmp/{tmp_path.name}/x.py")
    assert not A_MACHINE_PATH.search("samples/s, https://example.org/home/page, </g>")


# How pytest treats a notebook: small notebooks, run by one pytest of their own.

WARN = "import sys; print('advice', file=sys.stderr); print('result')"
ENDED = "import atexit, pathlib\n_ = atexit.register(pathlib.Path('ended').touch)"


def executed(source: str, *stored: NotebookNode, tags: tuple[str, ...] = ()) -> NotebookNode:
    return new_code_cell(source, outputs=list(stored), execution_count=1, metadata={"tags": list(tags)})


def stdout(printed: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=printed)


def stderr(printed: str) -> NotebookNode:
    return new_output("stream", name="stderr", text=printed)


SMALL = {
    "gpu": [executed("raise SystemError('no GPU here')", tags=("gpu",)), executed("print(1)", stdout("1\n"))],
    "other_stderr": [executed(WARN, stdout("result\n"), stderr("other advice\n"))],
    "other_stdout": [executed(WARN, stdout("another result\n"))],
    "ended": [executed(ENDED)],
    "left": [executed("import tempfile\n_ = tempfile.mkdtemp(prefix='kept-')")],
}


@dataclass
class Report:
    """What pytest says of each small notebook, and the folder in which they ran."""

    folder: Path
    cases: dict[str, list[Element]]

    def outcomes(self, name: str) -> Counter[str]:
        """How many cells of this notebook passed, failed, were skipped, or ended in an error."""
        found = ([child.tag for child in case] or ["passed"] for case in self.cases[name])
        return Counter(outcome for outcomes in found for outcome in outcomes)

    def words(self, name: str) -> str:
        """The reasons that pytest gives."""
        return "\n".join(
            f"{child.get('message')}\n{child.text}" for case in self.cases[name] for child in case
        )


def run(folder: Path) -> Report:
    """Run the small notebooks under the repository's conftest.py, where there is no GPU."""
    shutil.copy(ROOT / "conftest.py", folder)
    (folder / "pytest.ini").write_text(f"[pytest]\npythonpath = {ROOT}/tests/helpers\nmarkers = long\n")
    for name, cells in SMALL.items():
        nbformat.write(new_notebook(cells=cells), folder / f"{name}.ipynb")
    options = ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=300", "--junitxml=report.xml"]
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "PYTEST_ADDOPTS": ""}
    subprocess.run(
        [sys.executable, "-m", "pytest", *options],
        cwd=folder,
        env=environment,
        check=False,
        capture_output=True,
    )
    cases: dict[str, list[Element]] = {name: [] for name in SMALL}
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        cases[case.get("classname", "").removesuffix(".ipynb")].append(case)
    return Report(folder, cases)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    return run(tmp_path_factory.mktemp("small"))


def test_a_gpu_cell_is_skipped_with_the_reason(report: Report) -> None:
    assert report.outcomes("gpu") == {"skipped": 1, "passed": 1}
    assert "needs CUDA" in report.words("gpu")


def test_stderr_is_not_compared(report: Report) -> None:
    assert report.outcomes("other_stderr") == {"passed": 1}


def test_stdout_is_compared(report: Report) -> None:
    assert report.outcomes("other_stdout") == {"failure": 1}


def test_the_kernel_ends_by_itself(report: Report) -> None:
    assert report.outcomes("ended") == {"passed": 1}
    assert (report.folder / "ended").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="Reads /proc and /dev/shm.")
def test_what_a_notebook_leaves_behind_is_an_error(report: Report) -> None:
    assert report.outcomes("left")["error"] == 1
    assert re.search(r"left behind.*temporary files.*kept-", report.words("left"))


def test_a_cell_that_hangs_is_stopped_in_this_repository(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getoption("nbval_cell_timeout") <= 300
