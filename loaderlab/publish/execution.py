"""Running a notebook, and keeping of its outputs what is worth a commit."""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loaderlab.drawing import png_metadata
from loaderlab.i18n import language
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.patience import QUIET
from loaderlab.notebook.stored import without_views

if TYPE_CHECKING:
    from nbclient import NotebookClient
    from nbformat import NotebookNode

    from loaderlab.publish.checkout import Checkout

SECONDS_PER_CELL = 300
# Folders that are another one on each machine, or in each run, and say nothing to a reader.
_TEMPORARY = re.escape(tempfile.gettempdir())
_FOLDERS = (
    (re.compile(_TEMPORARY + r"[/\\]loaderlab-\w+"), "scratch"),
    (re.compile(_TEMPORARY + r"[/\\]ipykernel_\d+[/\\]\d+\.py"), "notebook"),
    (re.compile(r"[^\s\"'=:(]*[/\\]site-packages\b"), "site-packages"),
)


def environment(checkout: Checkout) -> dict[str, str]:
    """Return the environment of a kernel: it imports this checkout, whatever else is installed; its rows are no learner's."""
    path = os.pathsep.join(filter(None, [str(checkout.root), os.environ.get("PYTHONPATH")]))
    return os.environ | {"PYTHONPATH": path, png_metadata.BUILDING: "1", QUIET: "1"}


def run(notebook: NotebookNode, folder: Path, where: str, environment: Mapping[str, str]) -> set[str]:
    """Run every cell in ``folder`` and store the outputs in ``notebook``; returns the messages that were said.

    ``environment``: the kernel's. ``where`` (lesson and language) names the notebook in the :class:`LabError` that a
    failing cell raises.
    """
    from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor

    with tempfile.TemporaryDirectory(prefix="loaderlab-") as place:
        said = Path(place, "said")
        _execute(notebook, folder, where, {**environment, language.SAID: str(said)})
        lines = said.read_text("utf-8").splitlines() if said.is_file() else []
    merging = CoalesceStreamsPreprocessor()  # how the kernel cut a stream into messages is chance
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            merging.preprocess_cell(cell, {}, 0)
            for output in cell.outputs:
                without_views(output)
                if output.output_type == "stream":
                    for pattern, name in _FOLDERS:
                        output.text = pattern.sub(name, output.text)
    return set(map(json.loads, lines))


def attempt(
    notebook: NotebookNode, folder: Path, environment: Mapping[str, str], seconds: float
) -> tuple[dict[int, float], str]:
    """Run every cell in ``folder``, each for at most ``seconds``, and go on after one that fails.

    Returns how many seconds each cell took, by its index, and what ended the run before the last cell: nothing, or how
    the kernel died. ``environment``: the kernel's.
    """
    from nbclient.exceptions import DeadKernelError

    begun: dict[int, float] = {}
    took: dict[int, float] = {}
    client = _client(
        notebook,
        folder,
        timeout=seconds,
        interrupt_on_timeout=True,
        allow_errors=True,
        on_cell_start=lambda cell, cell_index: begun.setdefault(cell_index, time.monotonic()),
        on_cell_executed=lambda cell, cell_index, execute_reply: took.setdefault(
            cell_index, time.monotonic() - begun[cell_index]
        ),
    )
    try:
        client.execute(env=dict(environment))
    except DeadKernelError as error:
        return took, str(error).strip()
    return took, ""


def _execute(notebook: NotebookNode, folder: Path, where: str, environment: dict[str, str]) -> None:
    from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

    metadata = notebook.metadata.copy()
    started: list[int] = []
    client = _client(
        notebook,
        folder,
        timeout=SECONDS_PER_CELL,
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    try:
        client.execute(env=environment)
    except (CellControlSignal, DeadKernelError) as error:
        what = (
            f"{error.ename}: {error.evalue}" if isinstance(error, CellExecutionError) else str(error).strip()
        )
        raise LabError(
            _(
                "{where}: cell {number} failed with\n{error}\nThe cell begins:\n{code}\nNothing was written. "
                "Expected: every cell runs, an unsolved one included. Mend the lesson, then build again."
            ).format(
                where=where,
                number=started[-1] + 1 if started else "?",
                error=what,
                code="\n".join(notebook.cells[started[-1]].source.split("\n")[:5]) if started else "?",
            )
        ) from None
    notebook.metadata = metadata  # the client adds the kernel's version, and the state of widgets


def _client(notebook: NotebookNode, folder: Path, **options: Any) -> NotebookClient:
    from nbclient import NotebookClient

    folder.mkdir(parents=True, exist_ok=True)
    return NotebookClient(
        notebook,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        store_widget_state=False,
        **options,
    )
