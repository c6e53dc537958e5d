"""How pytest treats a notebook: which cells are skipped, what is compared, and that it leaves nothing behind."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from queue import Empty
from typing import Any

import pytest

from leftovers import STOP_THE_SERVERS, Leftovers
from places import ROOT

# Nobody looks on while a notebook runs here; an output that comes and goes would count as one.
os.environ["LOADERLAB_QUIET"] = "1"
# Where tests run beside each other, a thread that waits keeps no core busy: with OpenMP's own rule, lesson 8 costs half as much again.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


@lru_cache(maxsize=1)
def cuda_is_available() -> bool:
    """Whether torch finds a GPU: asked in a child process, and only where there is a driver, because importing torch takes seconds."""
    if sys.platform == "linux" and not any(map(os.path.exists, ("/dev/nvidiactl", "/dev/dxg"))):
        return False
    question = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    return subprocess.run([sys.executable, "-c", question], capture_output=True, check=False).returncode == 0


# What of a test's name tells it from others of its file that may run in another process: in JupyterLab the language, of answers the lesson.
APART = {"test_browser.py": r"\[(\w+)-student-", "test_answers.py": r"\[([a-z_]+)-"}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Run the tests of a file in one process, but for files whose tests take one process minutes."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file, *_rest = nodeid.split("::")
            part = re.search(APART.get(file.rpartition("/")[2], "$^"), nodeid)
            return f"{file}[{part[1]}]" if part else file

    return ByFile(config, log)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where only tests that measure are asked for, files that have none are not even imported."""
    only_serial = re.search(r"(?<!not )\bserial\b", config.getoption("markexpr", ""))
    if only_serial and collection_path.suffix in (".py", ".ipynb") and collection_path.name != "conftest.py":
        return collection_path.suffix == ".ipynb" or "serial" not in collection_path.read_text("utf-8")
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let what takes one process minutes begin first: at the end, all others would wait for it."""

    def minutes(item: pytest.Item) -> int:
        mark = item.get_closest_marker("minutes")
        return mark.args[0] if mark else item.path.suffix == ".ipynb"

    items.sort(key=minutes, reverse=True)


@lru_cache(maxsize=1)
def strangers_in_the_checkout() -> frozenset[str]:
    """Return the files that git neither has nor ignores, as they were when it was first asked."""
    command = ["git", "ls-files", "--others", "--exclude-standard"]
    try:
        return frozenset(
            subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
        )
    except (OSError, subprocess.CalledProcessError):  # no git, or no checkout
        return frozenset()


def pytest_sessionstart(session: pytest.Session) -> None:
    strangers_in_the_checkout()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """No test writes into the checkout. On a machine of one's own, an editor may have."""
    if hasattr(session.config, "workerinput"):
        return
    before = strangers_in_the_checkout()
    strangers_in_the_checkout.cache_clear()
    if written := sorted(strangers_in_the_checkout() - before):
        print(f"\nWritten into the checkout while the tests ran: {', '.join(written)}")
        if os.environ.get("CI"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_collection_finish() -> None:
    """Thousands of collected tests are no garbage: without this, each collection of garbage looks at all of them, 0.4 s long."""
    gc.collect()
    gc.freeze()


def pytest_collectstart(collector: pytest.Collector) -> None:
    if hasattr(collector, "skip_compare"):  # a notebook
        # What is written to stderr (torch's advice on workers, say) depends on the machine.
        collector.skip_compare += ("stderr",)
        room = Room(collector)
        collector.setup, collector.teardown = room.begin, room.end


@contextmanager
def start_method(notebook: Path) -> Iterator[None]:
    """Give the kernels of solutions the default start method of Linux under Python 3.14, or another one that is asked for.

    So the code of each lesson runs under two defaults, here and in the learners' notebooks.
    """
    method = os.environ.get("LOADERLAB_START_METHOD", "forkserver" if "solutions" in notebook.parts else "")
    with pytest.MonkeyPatch.context() as patch:
        if method and sys.platform == "linux":
            patch.setenv("LOADERLAB_START_METHOD", method)
            patch.setenv("PYTHONPATH", str(ROOT / "tests" / "helpers" / "start_method"), prepend=os.pathsep)
        yield


class Room:
    """A temporary folder of its own for the kernel of a notebook, which must be empty when the kernel has ended."""

    def __init__(self, notebook: pytest.Collector) -> None:
        self.notebook, self.start_kernel = notebook, notebook.setup

    def begin(self) -> None:
        """Start the kernel. No figure that is measured is compared with a stored one, so each is measured once."""
        self.folder = tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True)
        self.leftovers = Leftovers(Path(self.folder.name))
        with (
            self.leftovers.inherited(),
            start_method(self.notebook.path),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("LOADERLAB_REPEATS", "1")
            patch.setenv(
                "PYTHONPATH", str(ROOT), prepend=os.pathsep
            )  # requirements.txt does not install the package
            self.start_kernel()

    def end(self) -> None:
        """nbval would kill the kernel, which then leaves its scratch folders behind: let it end by itself."""
        kernel = self.notebook.kernel
        if kernel is not None and kernel.is_alive():
            with suppress(Empty):  # a cell that ran out of time may still be running
                kernel.await_idle(kernel.execute_cell_input(STOP_THE_SERVERS), timeout=60)
            kernel.kc.stop_channels()
            kernel.km.shutdown_wait_time = 180.0  # s: on a busy machine it takes its time to clean up
            kernel.km.shutdown_kernel()
        found = self.leftovers.found() if sys.platform == "linux" else {}
        self.folder.cleanup()
        assert not found, f"The notebook left behind: {found}"


def pytest_itemcollected(item: pytest.Item) -> None:
    cell = getattr(item, "cell", None)
    if cell is None:
        return
    if "gpu" in cell.metadata.get("tags", ()) and not cuda_is_available():
        item.add_marker(pytest.mark.skip(reason="This cell needs CUDA, and torch finds none here."))
