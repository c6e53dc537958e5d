"""The cells that need a GPU run on a stand-in for one: they are plain code, and their rows can be drawn.

The figures are those of no GPU, and are thrown away. Of a notebook only the cells that these cells need are run.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

TESTS = Path(__file__).parent


def names(source: str) -> tuple[set[str], set[str]]:
    """The names that a cell binds at its top level, and all that it uses; a script that it writes has its file name."""
    if written := re.search(r"%%writefile \{lab\.scratch\}/(\w+\.py)", source):
        return {written[1]}, set()
    tree = ast.parse(TransformerManager().transform_cell(source))
    nodes = list(ast.walk(tree))
    bound = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    bound |= {(alias.asname or alias.name).split(".")[0] for node in imported for alias in node.names}
    bound |= {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    used |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    modules = {getattr(node, "module", None) or alias.name for node in imported for alias in node.names}
    return bound, used | {f"{module}.py" for module in modules}


def for_a_gpu(cells: list[NotebookNode]) -> list[NotebookNode]:
    """The cells tagged `gpu`, and those before them that bind what they use."""
    kept: list[NotebookNode] = []
    wanted: set[str] = set()
    for i, cell in reversed(list(enumerate(cells))):
        bound, used = names(cell.source)
        if "gpu" in cell.metadata.get("tags", ()) or bound & wanted or i == 0:
            kept.insert(0, cell)
            wanted = (wanted - bound) | used
    return kept


def test_what_a_cell_needs_is_found() -> None:
    sources = ["import lab", "a = 1", "b = a", "c = 3", "def f(x):\n    return b"]
    cells = [new_code_cell(source) for source in sources]
    cells.append(new_code_cell("lab.benchmark(f)", metadata={"tags": ["gpu"]}))
    assert [cell.source for cell in for_a_gpu(cells)] == [
        "import lab",
        "a = 1",
        "b = a",
        "def f(x):\n    return b",
        "lab.benchmark(f)",
    ]


def test_a_script_that_a_cell_imports_or_names_is_needed() -> None:
    sources = [
        "import lab",
        "%%writefile {lab.scratch}/one.py\nx = 1",
        "%%writefile {lab.scratch}/two.py\nx = 2",
    ]
    sources += ["%%writefile {lab.scratch}/three.py\nx = 3", "from one import x", "y = run('two.py')"]
    cells = [new_code_cell(source) for source in sources]
    cells.append(new_code_cell("lab.benchmark(x, y)", metadata={"tags": ["gpu"]}))
    assert [cell.source for cell in for_a_gpu(cells)] == [
        source for source in [*sources, "lab.benchmark(x, y)"] if "three" not in source
    ]


def test_a_mistake_in_a_gpu_cell_is_found(tmp_path: Path) -> None:
    cells = ["import torch", "torch.zeros(2).to('cuda').pin_memory().no_such_method()"]
    with pytest.raises(Exception, match="no_such_method"):
        run([new_code_cell(source) for source in cells], tmp_path)


def run(cells: list[NotebookNode], folder: Path) -> list[NotebookNode]:
    """Run these cells in a kernel whose GPU is the stand-in, and return them with their outputs."""
    first = new_code_cell("import stand_in\nstand_in.install()")
    document = new_notebook(cells=[first, *cells])
    places = [str(TESTS), str(TESTS.parent), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, places))}
    client = NotebookClient(
        document, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env=environment)
    return document.cells[1:]


@pytest.mark.skipif(sys.platform == "win32", reason="A Dataset of a cell needs fork.")
def test_the_cells_for_a_gpu_run_whole(english_solution: Path, tmp_path: Path) -> None:
    cells = [c for c in nbformat.read(english_solution, as_version=4).cells if c.cell_type == "code"]
    if not any("gpu" in cell.metadata.get("tags", ()) for cell in cells):
        pytest.skip("This lesson has no cell for a GPU.")
    cells = for_a_gpu(cells)
    for cell in cells:  # what is tested are the calls, for which few batches do
        cell.source = re.sub(r"\bbatches=\d+", "batches=4", cell.source)
    done = run(cells, tmp_path)
    shown = [
        "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)
        for cell in done
        if "gpu" in cell.metadata.get("tags", ())
    ]
    assert [text for text in shown if "Not run" in text] == []
    assert any("stand-in" in text for text in shown)
