"""``child.run`` for scripts that need torch: in a fork of this process, where it is imported already.

Only where nothing of an answer has run in this process: what the script starts from must be clean.
"""

from __future__ import annotations

import os
import runpy
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from loaderlab.measuring import child
from loaderlab.measuring.child import Outcome
from loaderlab.measuring.others import Others
from loaderlab.teaching.grading import spawned


def run(
    script: str | Path,
    *arguments: str,
    timeout: float = 60.0,
    path: Sequence[str | Path] = (),
    real: bool = False,
) -> Outcome:
    """Do as :func:`loaderlab.measuring.child.run`, without starting Python and importing torch once more.

    Nor do the processes that the script spawns, but where the script needs a ``real`` spawn: to measure how long one takes.
    """
    with tempfile.TemporaryDirectory(prefix="lab-", ignore_cleanup_errors=True) as folder:
        printed = [Path(folder, name) for name in ("output", "errors")]
        pid = os.fork()
        if pid == 0:
            status = 1
            with suppress(BaseException):
                status = _script(script, arguments, path, folder, printed, real)
            os._exit(status)
        others = Others()
        try:
            code = _wait(pid, time.monotonic() + timeout)
        finally:
            share = others.share()  # before the end: of what is killed, the system does not tell what it had
            child.end_tree(pid)
        output, errors = (file.read_text("utf-8", "replace") for file in printed)
    return Outcome(code, output, errors, share)


def _script(
    script: str | Path,
    arguments: Sequence[str],
    path: Sequence[str | Path],
    folder: str,
    printed: Sequence[Path],
    real: bool,
) -> int:
    os.setsid()
    for number, file in enumerate(printed, 1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT), number)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", 1, encoding="utf-8") for number in (1, 2))
    places = [*map(str, path), str(Path(child.__file__).parents[2])]
    os.environ |= {"PYTHONPATH": os.pathsep.join(places)} | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)
    tempfile.tempdir = None
    if sys.platform == "linux" and not real:
        spawned.plant()
    sys.path[:0] = [str(Path(script).parent), *places]
    sys.argv = [str(script), *arguments]
    return spawned.status(lambda: runpy.run_path(str(script), run_name="__main__"))


def _wait(pid: int, until: float) -> int | None:
    """Return the exit status as subprocess gives it; None where the time is over."""
    while time.monotonic() < until:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    return None
