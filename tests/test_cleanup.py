"""Nothing is left behind: after a whole notebook, an interrupt in mid-benchmark, a failing cell."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import psutil
import pytest
from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="Reads /dev/shm.")

SHARED = Path("/dev/shm")
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
}
FAILING = {
    "in the step": "def step(batch): raise ValueError('by design')\nlab.measure.epoch(loader, step)",
    "in the loop": "for batch in loader: raise ValueError('by design')",
    "in a worker": "loader.dataset.seconds = 'by design'\nlab.measure.epoch(loader)",
}


class Kernel:
    """A kernel with a temporary folder of its own, and what it owns outside its memory."""

    def __init__(self, root: Path, temporary: Path) -> None:
        self.temporary = temporary
        self.shared_before = set(SHARED.glob("torch_*"))
        self.manager = KernelManager()
        self.manager._kernel_spec = KernelSpec(
            argv=[sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        )
        path = os.pathsep.join(filter(None, [str(root), os.environ.get("PYTHONPATH")]))
        environment = os.environ | {"TMPDIR": str(temporary), "PYTHONPATH": path}
        self.manager.start_kernel(env=environment, cwd=str(temporary))
        self.client: BlockingKernelClient = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)
        self.process = psutil.Process(self.manager.provisioner.pid)
        self.family = {self.process}

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

    def workers(self) -> set[psutil.Process]:
        """The kernel's living descendants, except those that are Python's own."""
        found = set()
        for child in self.process.children(recursive=True):
            try:
                if child.status() != psutil.STATUS_ZOMBIE and not any(
                    name in " ".join(child.cmdline()) for name in PYTHONS_OWN
                ):
                    found.add(child)
            except psutil.NoSuchProcess:
                continue
        self.family |= found
        return found

    def shut_down(self) -> None:
        self.family |= set(self.process.children(recursive=True))
        self.client.stop_channels()
        self.manager.shutdown_kernel()

    def left_behind(self) -> dict[str, list[str]]:
        """What outlived the kernel, by kind; empty when nothing did."""
        _, alive = psutil.wait_procs(list(self.family), timeout=15)
        # Torch's own helper removes the segments of a process that has ended, a moment later.
        within(10, lambda: not self.orphans())
        found = {
            "processes": [str(process) for process in alive],
            "segments": [str(path) for path in self.orphans()],
            "temporary files": [path.name for path in self.temporary.rglob("*") if not of_torch(path)],
        }
        return {kind: names for kind, names in found.items() if names}

    def orphans(self) -> list[Path]:
        """New segments whose process has ended."""
        return [path for path in set(SHARED.glob("torch_*")) - self.shared_before if orphaned(path)]


def orphaned(segment: Path) -> bool:
    """Whether the process that made the segment, the pid in its name, has ended."""
    return not psutil.pid_exists(int(segment.name.split("_")[1]))


def of_torch(path: Path) -> bool:
    """Whether this is the folder, one per user and empty, that torch itself makes for what it compiles."""
    return path.name.startswith("torchinductor_") and not any(path.iterdir())


def within(seconds: float, reached: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def kernel(root: Path, tmp_path: Path) -> Iterator[Kernel]:
    kernel = Kernel(root, tmp_path)
    yield kernel
    if kernel.manager.has_kernel:
        kernel.manager.shutdown_kernel(now=True)


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_interrupt_leaves_nothing(kernel: Kernel, code: str) -> None:
    assert kernel.run(LOADER)["status"] == "ok"
    running = kernel.start(code)
    assert within(30, lambda: len(kernel.workers()) >= 2)
    time.sleep(0.5)
    kernel.manager.interrupt_kernel()
    assert kernel.reply(running)["ename"] == "KeyboardInterrupt"
    assert within(15, lambda: not kernel.workers())
    assert kernel.run("1 + 1")["status"] == "ok"
    kernel.shut_down()
    assert kernel.left_behind() == {}


@pytest.mark.parametrize("code", FAILING.values(), ids=FAILING.keys())
def test_a_failing_cell_leaves_nothing(kernel: Kernel, code: str) -> None:
    assert kernel.run(LOADER)["status"] == "ok"
    assert kernel.run(code)["status"] == "error"
    assert within(15, lambda: not kernel.workers())
    kernel.shut_down()
    assert kernel.left_behind() == {}


def test_what_is_left_behind_is_noticed(kernel: Kernel) -> None:
    segment = SHARED / "torch_99999999_left_behind"  # no process has such a number
    kernel.run("import subprocess, tempfile\nchild = subprocess.Popen(['sleep', '60'])")
    kernel.run(f"tempfile.mkdtemp(prefix='kept-')\nopen('{segment}', 'w').close()")
    assert len(kernel.workers()) == 1
    kernel.shut_down()
    left = kernel.left_behind()
    segment.unlink(missing_ok=True)
    assert set(left) == {"segments", "temporary files"}


def test_a_whole_notebook_leaves_nothing(kernel: Kernel, english_solution: Path) -> None:
    for cell in nbformat.read(english_solution, as_version=4).cells:
        if cell.cell_type == "code" and "gpu" not in cell.metadata.get("tags", ()):
            assert kernel.run(cell.source)["status"] == "ok", cell.source
    assert within(15, lambda: not kernel.workers())
    kernel.shut_down()
    assert kernel.left_behind() == {}
