"""The grader's own folder: gone when it is done, whatever an answer left in it, and also where a run was killed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from loaderlab.measuring import temporary

PREFIX = "lab-grade-"


@contextmanager
def room() -> Iterator[Path]:
    """Yield an empty folder while the body runs. Those of graders that were killed are removed first."""
    temporary.sweep(f"{PREFIX}*", wipe)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        with temporary.locked(folder):
            yield folder
    finally:
        wipe(folder)


def wipe(folder: Path) -> None:
    """Remove a folder and all in it, however deep: each inner folder is first moved up, so that no path gets long."""
    numbers = (folder / f"wiped-{number}" for number in count())
    waiting = [folder]
    while waiting:
        here = waiting.pop()
        with suppress(OSError):
            here.chmod(0o700)
            for entry in list(os.scandir(here)):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                    continue
                if here != folder:
                    os.chmod(entry.path, 0o700)  # a folder that is moved is written to
                    moved = next(place for place in numbers if not os.path.lexists(place))
                    os.rename(entry.path, moved)
                else:
                    moved = Path(entry.path)
                waiting.append(moved)
            if here != folder:
                here.rmdir()
    with suppress(OSError):
        folder.rmdir()
