"""What a long cell says: while it runs, in turns where one thing calls another, and nothing when it is done."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import IPython.display
import nbformat
import pytest
from nbclient import NotebookClient

from loaderlab.measuring import child, measure, patience
from loaderlab.notebook import recordings, session


class Line:
    """Stands for an output that is shown and changed."""

    def __init__(self, shown: list[str]) -> None:
        self.shown = shown

    def update(self, html: Any) -> None:
        self.shown.append(html.data)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What a reader sees, in order; "new" where an output begins."""
    found: list[str] = []

    def display(html: Any, display_id: bool) -> Line:
        found.extend(["new", html.data])
        return Line(found)

    monkeypatch.setattr(patience, "_shell", lambda: SimpleNamespace(execution_count=1))
    monkeypatch.setattr(patience, "_line", None)
    monkeypatch.setattr(IPython.display, "display", display)
    return found


def words(shown: list[str]) -> list[str]:
    return [html.removeprefix('<p role="status">⏳ ').removesuffix("</p>") for html in shown]


def test_what_is_called_speaks_meanwhile_and_nothing_is_left(shown: list[str]) -> None:
    with patience.saying("outer") as say:
        with patience.saying("inner <b>"):
            pass
        say("other")
    with patience.saying("second"):
        pass
    assert words(shown) == [
        "new", "outer", "inner &lt;b&gt;", "outer", "other", "", "second", "",
    ]  # fmt: skip


def test_an_error_leaves_nothing(shown: list[str]) -> None:
    with pytest.raises(KeyboardInterrupt), patience.saying("outer"), patience.saying("inner"):
        raise KeyboardInterrupt
    assert words(shown)[-2:] == ["outer", ""]


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.5, []), (3.0, ["new", "Measuring in turns, for about 6 s more.", ""])]
)
def test_a_comparison_says_how_long_the_rounds_take_that_follow(
    seconds: float, said: list[str], shown: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0

    def wait() -> None:
        nonlocal now
        now += seconds

    monkeypatch.setattr(measure.time, "perf_counter", lambda: now)
    measure.compare({"one": wait}, repeats=2, warmup=1)
    assert words(shown) == said


def test_a_benchmark_and_a_child_process_say_what_they_do(
    shown: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    script = tmp_path / "short.py"
    script.write_text("print(1)")
    child.run(script, timeout=30)
    assert words(shown) == ["new", "Running short.py in a process of its own, for at most 30 s.", ""]
    monkeypatch.setattr(session, "current", lambda: SimpleNamespace(lesson=None))

    def sweep() -> Iterator[dict[str, int]]:
        yield {"n": 1}

    recordings.benchmark(sweep)
    assert words(shown)[-2:] == ["Measuring: sweep takes some seconds.", ""]


def test_without_a_reader_there_is_no_output(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    assert patience._shell() is None  # nobody looks on at a test
    monkeypatch.delenv(patience.QUIET)
    assert patience._shell() is not None
    monkeypatch.setattr(kernel, "get_ipython", lambda: None)
    assert patience._shell() is None


def test_a_notebook_that_was_run_keeps_no_word_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a real kernel, as a learner's notebook is saved: an output without words, and none in quiet."""
    cell = "from loaderlab.measuring.patience import saying\nwith saying('wait'):\n    print(1)"
    for quiet in ("", "1"):
        monkeypatch.setenv(patience.QUIET, quiet)
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)])
        NotebookClient(notebook, timeout=120).execute()
        kinds = [output.output_type for output in notebook.cells[0].outputs]
        assert kinds == (["stream"] if quiet else ["display_data", "stream"])
        assert "wait" not in str(notebook.cells[0].outputs)
