"""How pytest treats a notebook: which cells are skipped, and which outputs are not compared."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache, partial

import pytest


@lru_cache(maxsize=1)
def cuda_is_available() -> bool:
    """Asked in a child process, because importing torch here would cost every run of the tests seconds."""
    question = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", question], capture_output=True, check=False).returncode == 0


def pytest_collectstart(collector: pytest.Collector) -> None:
    # What is written to stderr (torch's advice on workers, say) depends on the machine.
    if hasattr(collector, "skip_compare"):
        collector.skip_compare += ("stderr",)
        collector.teardown = partial(end_kernel, collector)


def end_kernel(notebook: pytest.Collector) -> None:
    """nbval kills its kernels, which then leave their scratch folders behind: let this one end by itself."""
    kernel = notebook.kernel
    if kernel is not None and kernel.is_alive():
        kernel.kc.stop_channels()
        kernel.km.shutdown_kernel()


def pytest_itemcollected(item: pytest.Item) -> None:
    cell = getattr(item, "cell", None)
    if cell is not None and "gpu" in cell.metadata.get("tags", ()) and not cuda_is_available():
        item.add_marker(pytest.mark.skip(reason="This cell needs CUDA, and torch finds none here."))
