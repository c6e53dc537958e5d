"""The committed notebooks are whole and up to date, and pytest treats their cells as conftest.py promises."""

from __future__ import annotations

import re
import shutil
import sys
from functools import lru_cache
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook, new_output

from loaderlab.publish.review import MOST_BYTES
from places import STUDENT_FOLDERS

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


def test_there_is_a_notebook_for_every_lesson_language_and_kind(root: Path) -> None:
    from loaderlab import course

    folders = [*STUDENT_FOLDERS.values(), *(f"solutions/{language}" for language in STUDENT_FOLDERS)]
    expected = {f"{folder}/{lesson.file}.ipynb" for folder in folders for lesson in course.lessons()}
    assert expected
    found = [path for folder in folders for path in (root / folder).glob("*.ipynb")]
    assert {path.relative_to(root).as_posix() for path in found} == expected


def test_the_notebooks_are_what_the_sources_give(gettext: None) -> None:
    from loaderlab import publish

    assert publish.check([]) == []


def test_every_cell_was_executed(notebook: Path) -> None:
    assert [cell.source for cell in code_cells(notebook) if cell.execution_count is None] == []


def test_no_output_is_an_error(notebook: Path) -> None:
    assert [o.evalue for o in outputs(notebook) if o.output_type == "error"] == []


def test_no_output_shows_where_it_was_made(notebook: Path) -> None:
    assert [found for o in outputs(notebook) for found in A_MACHINE_PATH.findall(text(o))] == []


def test_no_widget_state_is_stored(notebook: Path) -> None:
    assert "widgets" not in read(notebook).metadata


def test_a_notebook_is_small(notebook: Path) -> None:
    assert notebook.stat().st_size < MOST_BYTES


def test_a_path_of_this_machine_is_recognised(tmp_path: Path) -> None:
    assert A_MACHINE_PATH.search(f"wrote /tmp/{tmp_path.name}/x.py")
    assert not A_MACHINE_PATH.search("samples/s, https://example.org/home/page, </g>")


# How pytest treats a notebook: small notebooks, run by a pytest of their own.


@pytest.fixture
def run(pytester: pytest.Pytester, root: Path):
    """Runs the cells as a notebook, under the repository's conftest.py; returns pytest's result."""
    shutil.copy(root / "conftest.py", pytester.path)
    pytester.makeini(f"[pytest]\npythonpath = {root}/tests/helpers\nmarkers = long")

    def run(*cells: NotebookNode, timeout: float = 60) -> pytest.RunResult:
        nbformat.write(new_notebook(cells=list(cells)), pytester.path / "tiny.ipynb")
        options = ("--nbval", "--nbval-current-env", f"--nbval-cell-timeout={timeout}", "-rs")
        return pytester.runpytest_subprocess(*options, "tiny.ipynb")

    return run


def executed(source: str, *stored: NotebookNode, tags: tuple[str, ...] = ()) -> NotebookNode:
    return new_code_cell(source, outputs=list(stored), execution_count=1, metadata={"tags": list(tags)})


def stdout(printed: str) -> NotebookNode:
    return new_output("stream", name="stdout", text=printed)


WARN = "import sys; print('advice', file=sys.stderr); print('result')"


def test_a_gpu_cell_is_skipped_with_the_reason(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    gpu = executed("raise SystemError('no GPU here')", tags=("gpu",))
    result = run(gpu, executed("print(1)", stdout("1\n")))
    result.assert_outcomes(skipped=1, passed=1)
    result.stdout.fnmatch_lines(["*SKIPPED*needs CUDA*"])


@pytest.mark.parametrize("stored", [(), (new_output("stream", name="stderr", text="other advice\n"),)])
def test_stderr_is_not_compared(run, stored: tuple[NotebookNode, ...]) -> None:
    run(executed(WARN, stdout("result\n"), *stored)).assert_outcomes(passed=1)


def test_stdout_is_compared(run) -> None:
    run(executed(WARN, stdout("another result\n"))).assert_outcomes(failed=1)


def test_stdout_is_not_compared_where_the_cell_says_so(run) -> None:
    cell = executed(WARN, stdout("another result\n"), tags=("nbval-ignore-output",))
    run(cell).assert_outcomes(passed=1)


def test_a_cell_that_hangs_is_stopped(run) -> None:
    result = run(executed("import time; time.sleep(600)"), timeout=1)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Timeout of 1 seconds exceeded*"])


def test_the_kernel_ends_by_itself(run, pytester: pytest.Pytester) -> None:
    cell = executed("import atexit, pathlib\n_ = atexit.register(pathlib.Path('ended').touch)")
    run(cell).assert_outcomes(passed=1)
    assert (pytester.path / "ended").exists()


def test_a_cell_that_hangs_is_stopped_in_this_repository(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.getoption("nbval_cell_timeout") <= 300


@pytest.mark.skipif(sys.platform != "linux", reason="Reads /proc and /dev/shm.")
def test_what_a_notebook_leaves_behind_is_an_error(run) -> None:
    cell = executed("import tempfile\n_ = tempfile.mkdtemp(prefix='kept-')")
    result = run(cell)
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*left behind*temporary files*kept-*"])
