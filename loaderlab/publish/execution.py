"""Running a notebook, and keeping of its outputs what is worth a commit."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from loaderlab.errors import LabError
from loaderlab.language import translate as _

if TYPE_CHECKING:
    from nbformat import NotebookNode

SECONDS_PER_CELL = 300
# Folders that are another one on each machine, or in each run, and say nothing to a reader.
_TEMPORARY = re.escape(tempfile.gettempdir())
_FOLDERS = (
    (re.compile(_TEMPORARY + r"[/\\]loaderlab-\w+"), "scratch"),
    (re.compile(_TEMPORARY + r"[/\\]ipykernel_\d+[/\\]\d+\.py"), "notebook"),
    (re.compile(r"[^\s\"'=:(]*[/\\]site-packages\b"), "site-packages"),
)


def run(notebook: NotebookNode, folder: Path, where: str, environment: Mapping[str, str]) -> None:
    """Run every cell in ``folder`` and store the outputs in ``notebook``. ``environment``: the kernel's.

    ``where`` (lesson and language) names the notebook in the :class:`LabError` that a failing cell raises.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellControlSignal, CellExecutionError, DeadKernelError

    metadata = notebook.metadata.copy()
    started: list[int] = []
    client = NotebookClient(
        notebook,
        timeout=SECONDS_PER_CELL,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
        store_widget_state=False,
        on_cell_start=lambda cell, cell_index: started.append(cell_index),
    )
    folder.mkdir(parents=True, exist_ok=True)
    try:
        client.execute(env=dict(environment))
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
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = _merged_streams(cell.outputs)
            for output in cell.outputs:
                if output.output_type == "stream":
                    for pattern, name in _FOLDERS:
                        output.text = pattern.sub(name, output.text)


def _merged_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """How the kernel cut a stream into messages is chance: what follows on one stream is one output."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else None
        if (
            last is not None
            and output.output_type == last.output_type == "stream"
            and output.name == last.name
        ):
            last.text += output.text
        else:
            merged.append(output)
    return merged
