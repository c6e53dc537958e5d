"""The cells that need a GPU run on a stand-in for one: they are plain code, and their rows can be recorded and drawn.

The figures are those of no GPU, and are thrown away.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode

from loaderlab import course
from loaderlab.publish import notebook, recording, source
from loaderlab.publish.checkout import here
from loaderlab.publish.edition import Edition
from making import with_what_they_need
from places import ROOT

pytestmark = pytest.mark.minutes(4)

# What is tested are the calls, for which little work does.
SMALLER = {
    # More than four workers, whose first batches do not count.
    r"\bbatches=\d+": "batches=8",
    r"\bpasses=\d+": "passes=1",
    r"\brepeats=\d+": "repeats=1",
    r"\bsteps=\d+": "steps=6",
    r"\bsamples=1024": "samples=256",
    r"\b1024 \* batches": "64 * batches",
    r"\bbatch_size=1024": "batch_size=64",
    r"\bat_least=\d+": "at_least=1",
    r"\blargest_mib=\d+": "largest_mib=8",
    r"\bmib=\d+": "mib=2",
    r"\belements=2\*\*2\d": "elements=2**16",
    r", 2\*\*19\]": "]",
    r"\bcurve\.within\(\d+": "curve.within(1",
    r"\bbatch_sizes=\[[^]]*\]": "batch_sizes=[8]",
    r"\bsteps_ms=\[[^]]*\]": "steps_ms=[1]",
    r"\bsteps_ms, cores = .*": "steps_ms, cores = [0, 1], [1]",
}
HELPERS = ROOT / "tests" / "helpers"

LESSONS = [
    lesson.name
    for lesson in course.lessons()
    if any("gpu" in cell.tags for cell in source.read(lesson).cells)
]


def for_gpu(cell: NotebookNode) -> bool:
    return "gpu" in cell.metadata.get("tags", ())


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels find the stand-in where they would find a GPU, and cells with little to do."""
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "gpu.py").write_text("import stand_in\nstand_in.install()\n")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("LOADERLAB_REPEATS", "1")
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(filter(None, [str(HELPERS), os.environ.get("PYTHONPATH")]))
    )
    assemble = notebook.assemble

    def light(edition: Edition, kind: str) -> NotebookNode:
        document = assemble(edition, kind)
        document.cells = with_what_they_need(document.cells, for_gpu)
        for cell in document.cells:
            for pattern, smaller in SMALLER.items():
                cell.source = re.sub(pattern, smaller, cell.source)
        return document

    monkeypatch.setattr(notebook, "assemble", light)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="A Dataset of a cell needs fork.")
@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("name", LESSONS)
def test_a_lap_runs_the_cells_for_a_gpu_and_keeps_what_they_measured(name: str, tmp_path: Path) -> None:
    done = recording.lap(here(), [name], tmp_path / "out")
    missing = ("Not run", "is missing", "ended early")
    assert [str(ran) for ran in done if ran.failed or any(words in ran.said for words in missing)] == []
    kept = [json.loads(path.read_text()) for path in tmp_path.glob(f"out/recordings/{name}/*.json")]
    assert kept and any(ran.gpu for ran in done)
    assert {recording["device"] for recording in kept} <= {"stand-in"}


def test_the_stand_in_refuses_what_pytorch_for_cuda_refuses() -> None:
    environment = os.environ | {"PYTHONPATH": str(HELPERS)}
    program = HELPERS / "wrong_calls.py"  # in a process of its own, whose CUDA is replaced for good
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, env=environment)
    assert done.stdout.split("\n")[0] == "[] []", done.stdout + done.stderr


BENCHMARKS = [
    (lesson.name, name)
    for lesson in course.lessons()
    for cell in source.read(lesson).cells
    for name in re.findall(r"lab\.benchmark\(\s*(?:\w+\.)?(\w+)", cell.source)
]


def cells_and_modules(name: str) -> str:
    """The code of a lesson: of its cells, without their magics, and of its modules."""
    lesson = next(lesson for lesson in course.lessons() if lesson.name == name)
    cells = [cell.source for cell in source.read(lesson).cells if cell.is_code]
    modules = [
        path.read_text(encoding="utf-8") for path in (ROOT / "loaderlab" / "lessons" / name).glob("*.py")
    ]
    return "\n".join([*(cell for cell in cells if not cell.startswith("%")), *modules])


def lost_with_another(function: ast.FunctionDef) -> list[str]:
    """The rows that a loop yields outside of an attempt, and not from ways that were compared."""

    compared = {
        ast.unparse(node.targets[0])
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and "compare(" in ast.unparse(node.value)
    }

    def guarded(node: ast.AST) -> bool:
        if isinstance(node, ast.With):
            return any("attempt" in ast.unparse(item.context_expr).split("(")[0] for item in node.items)
        if not isinstance(node, ast.For):
            return False
        over = ast.unparse(node.iter)
        return "compare(" in over or over.removesuffix(".items()") in compared

    def look(node: ast.AST, looped: bool = False, safe: bool = False) -> Iterator[str]:
        safe, looped = safe or guarded(node), looped or isinstance(node, ast.For | ast.While)
        if isinstance(node, ast.Yield | ast.YieldFrom) and looped and not safe:
            yield ast.unparse(node)
        for child in ast.iter_child_nodes(node):
            yield from look(child, looped, safe)

    return list(look(function))


@pytest.mark.parametrize(("lesson", "name"), sorted(set(BENCHMARKS)))
def test_a_way_that_fails_loses_no_rows_of_another(lesson: str, name: str) -> None:
    tree = ast.parse(cells_and_modules(lesson))
    function = next(
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name
    )
    assert lost_with_another(function) == []
