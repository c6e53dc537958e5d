"""Nothing is left behind after an interrupt in mid-benchmark, or a failing cell; after whole notebooks: conftest.py."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

from leftovers import SHARED, Leftovers
from waiting import within

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Reads /dev/shm.")

# They belong to Python, serve all later workers, and end with the kernel.
PYTHONS_OWN = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")

LOADER = """
import loaderlab as lab
from torch.utils.data import DataLoader

loader = DataLoader(lab.data.SleepDataset(100_000, 0.01), batch_size=4, num_workers=2)
"""
ENDLESS = {
    "in lab.measure": "lab.measure.epoch(loader)",
    "in a plain loop": "for batch in loader: pass",
    "in lab.measure.compare": "lab.measure.compare({n: lambda: lab.measure.epoch(loader) for n in 'ab'})",
    "in persistent workers": (
        "kept = DataLoader(loader.dataset, batch_size=4, num_workers=2, persistent_workers=True)\n"
        "try:\n    lab.measure.epoch(kept)\nfinally:\n    del kept"
    ),
    "in the workers of an earlier pass": (
        "kept = DataLoader(lab.data.SleepDataset(8, 0), num_workers=2, persistent_workers=True)\n"
        "with lab.keeping(kept):\n    lab.measure.epoch(kept), lab.measure.epoch(loader)"
    ),
}
FAILING = {
    "in the step": "def step(batch): raise ValueError('by design')\nlab.measure.epoch(loader, step)",
    "in the loop": "for batch in loader: raise ValueError('by design')",
    "in a worker": "loader.dataset.seconds = 'by design'\nlab.measure.epoch(loader)",
}


class Kernel:
    """A kernel with a temporary folder of its own, and what it owns outside its memory."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self.leftovers = Leftovers(temporary)
        self.manager = KernelManager()
        self.manager._kernel_spec = KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        )
        path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
        environment = os.environ | self.leftovers.environment | {"PYTHONPATH": path}
        self.manager.start_kernel(env=environment, cwd=str(temporary))
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=120)
        self.pid = self.manager.provisioner.pid

    def run(self, code: str, timeout: float = 120) -> dict[str, Any]:
        """The content of the kernel's reply to this code."""
        return self.client.execute_interactive(
            code, allow_stdin=False, timeout=timeout, output_hook=lambda _: None
        )["content"]

    def start(self, code: str) -> str:
        # Otherwise the kernel refuses what comes within 0.1 s of the interrupt.
        return self.client.execute(code, allow_stdin=False, stop_on_error=False)

    def reply(self, message: str, timeout: float = 60) -> dict[str, Any]:
        """The content of the reply to the code that :meth:`start` sent."""
        while True:
            found = self.client.get_shell_msg(timeout=timeout)
            if found["parent_header"].get("msg_id") == message:
                return found["content"]

    def workers(self) -> list[psutil.Process]:
        """The kernel's living descendants, except those that are Python's own."""
        return [process for process in self.leftovers.processes() if not self._is_helper(process)]

    def _is_helper(self, process: psutil.Process) -> bool:
        try:
            return process.pid == self.pid or any(name in " ".join(process.cmdline()) for name in PYTHONS_OWN)
        except psutil.NoSuchProcess:
            return True

    def left_behind(self, patience: float = 15) -> dict[str, list[str]]:
        """What is left of the kernel after it has been shut down, by kind; empty where nothing is."""
        self.client.stop_channels()
        self.manager.shutdown_wait_time = 60.0  # on a busy machine it takes its time to clean up
        self.manager.shutdown_kernel()
        return self.leftovers.found(patience)


@pytest.fixture
def kernel(root: Path, tmp_path: Path) -> Iterator[Kernel]:
    kernel = Kernel(root, tmp_path)
    yield kernel
    if kernel.manager.has_kernel:
        kernel.manager.shutdown_kernel(now=True)


@pytest.mark.long
def test_an_interrupt_leaves_nothing_nor_does_a_failing_cell(kernel: Kernel) -> None:
    """One after the other in a kernel, as a learner's: each begins with none of the workers of the one before."""
    assert kernel.run(LOADER)["status"] == "ok"
    for where, code in ENDLESS.items():
        running = kernel.start(code)
        assert within(60, lambda: len(kernel.workers()) >= 2), where
        time.sleep(0.5)
        kernel.manager.interrupt_kernel()
        assert kernel.reply(running)["ename"] == "KeyboardInterrupt", where
        assert within(60, lambda: not kernel.workers()), where
        assert kernel.run("1 + 1")["status"] == "ok", where
    for where, code in FAILING.items():
        assert kernel.run(code)["status"] == "error", where
        assert within(60, lambda: not kernel.workers()), where
    assert kernel.left_behind() == {}


def test_what_is_left_behind_is_noticed(kernel: Kernel) -> None:
    segment = SHARED / "torch_99999999_left_behind"  # no process has such a number
    kernel.run("import subprocess, tempfile\nsubprocess.Popen(['sleep', '60'], start_new_session=True)")
    kernel.run(f"tempfile.mkdtemp(prefix='kept-')\nopen('{segment}', 'w').close()")
    (sleeper,) = kernel.workers()
    try:
        left = kernel.left_behind(patience=2)
    finally:
        segment.unlink(missing_ok=True)
        sleeper.kill()
    assert set(left) == {"processes", "segments", "temporary files"}
