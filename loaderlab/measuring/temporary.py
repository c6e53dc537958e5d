"""The temporary folder: whether it is fit for a lesson, and folders in it that a killed process does not leave for ever."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows, which has no such locks
    fcntl = None  # type: ignore[assignment]

# The path of a socket has at most 104 bytes on macOS and 108 on Linux, and multiprocessing and torch put sockets into
# folders of their own, inside the folder of a child process: what is over is for the temporary folder itself.
LONGEST = 50
PLACES = ("/tmp", "/var/tmp", "/dev/shm")
MARK = "lab-own_"
YOUNG = 60  # seconds in which a folder may not have been locked yet


def place() -> str:
    """Return the temporary folder, or another one where its name is too long for sockets; raises ``OSError`` where there is none."""
    if is_short(current := tempfile.gettempdir()):
        return current
    return next((other for other in PLACES if os.access(other, os.W_OK | os.X_OK)), current)


@contextmanager
def ended_gently() -> Iterator[None]:
    """Let SIGTERM end the body as Ctrl-C does: what runs in it is ended, and its files are removed."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def is_short(folder: str) -> bool:
    """Return whether the path leaves room for the sockets that workers make in subfolders; Windows has none."""
    return os.name != "posix" or len(os.fsencode(folder)) <= LONGEST


def shorten() -> None:
    """Use :func:`place` from now on, in this process and in all that it starts."""
    with suppress(OSError):
        os.environ["TMPDIR"] = tempfile.tempdir = place()


def free() -> int:
    """Return the bytes that this user can still write into :func:`place`; 0 where there is none."""
    try:
        return shutil.disk_usage(place()).free
    except OSError:
        return 0


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def own(kind: str = "") -> Iterator[Path]:
    """Yield an empty folder while the body runs. ``kind`` begins its name; if the process is killed, :func:`sweep` removes it."""
    folder, owner = Path(tempfile.mkdtemp(prefix=kind + MARK)), os.getpid()
    try:
        with ExitStack() as stack:
            # On a file system without locks nobody can tell whose it is, so it is never swept.
            with suppress(OSError):
                stack.enter_context(locked(folder))
            yield folder
    finally:
        # From Python 3.14 on a forked worker first drops the exit functions that it inherited, with all that they hold.
        if os.getpid() == owner:
            _remove(folder)


def sweep(names: str = f"*{MARK}*", remove: Callable[[Path], None] = _remove) -> None:
    """Remove the folders of this user that :func:`own` made for processes that are gone.

    Or those of other ``names``, whose processes hold the lock of :func:`locked`, with what can ``remove`` them.
    """
    if fcntl is None:
        return
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(names):
            with suppress(OSError):
                status = folder.lstat()
                if status.st_uid == os.geteuid() and time.time() - status.st_mtime > YOUNG:
                    with locked(folder):
                        remove(folder)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock the folder; raises ``OSError`` where another process holds it. The lock ends with the process."""
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
