"""Before a loader runs in the notebook itself: is there room for it? If not, a sentence instead of a hang."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from loaderlab.notebook.rows import Rows

MIB = 2**20


def lacking(files: int = 0, shm: int = 0) -> dict[str, int]:
    """Return what is missing for ``files`` more open files and ``shm`` more bytes in /dev/shm; empty where nothing is.

    Either ``files`` or ``shm``, as much as is needed, and as much as is ``free``.
    """
    from loaderlab.measuring import machine, memory  # and with them psutil

    free = free_files()
    if free is not None and free < files:
        return {"files": files, "free": max(0, free)}
    size, used = machine.shm_size(), memory.shm_bytes()
    if size is not None and used is not None and size - used < shm:
        return {"shm": shm, "free": size - used}
    return {}


def said(lack: Mapping[str, int]) -> str:
    """Return the findings of :func:`lacking` as a sentence; "" where nothing is missing."""
    if "files" in lack:
        return _(
            "Not run: this needs {files} more open files, and {free} are left. Run `ulimit -n 4096` before you start Jupyter."
        ).format(**lack)
    if "shm" in lack:
        return _("Not run: this needs {mib} MiB in /dev/shm, and {free} MiB are free.").format(
            mib=number(lack["shm"] / MIB, 1), free=number(lack["free"] / MIB, 1)
        )
    return ""


def free_files() -> int | None:
    """Return how many more files this process may open, or None where the system does not say."""
    from loaderlab.measuring import machine

    limit = machine.open_files_limit()
    if limit is None or not os.path.isdir("/proc/self/fd"):
        return None
    try:
        return limit - len(os.listdir("/proc/self/fd"))
    except OSError:  # not even one more
        return 0


def measure(
    function: Callable[[], Iterable[Mapping[str, Any]]], files: int = 64, shm: int = 0, linux: bool = False
) -> Rows:
    """Return the rows that ``function()`` yields, if there is room for ``files`` open files and ``shm`` bytes.

    ``linux``: only there can be seen what it looks at.
    """
    from loaderlab.lessons.shared_memory import segments
    from loaderlab.notebook.rows import Rows

    why = said(lacking(files, shm))
    if linux and not segments.present():
        why = _("Not run: only Linux lets us look into /dev/shm.")
    if why:
        return Rows(why=why)
    try:
        return Rows(function())
    except (OSError, RuntimeError) as error:
        if not _no_room(error):
            raise
        return Rows(
            why=_("Stopped because there was no room: {error}").format(error=str(error).splitlines()[-1])
        )


def _no_room(error: BaseException) -> bool:
    words = ("Too many open files", "No space left", "timed out", "unable to allocate", "bus error")
    number_of_error = getattr(error, "errno", None)
    return number_of_error in (errno.EMFILE, errno.ENOSPC) or any(w in str(error) for w in words)


def __getattr__(name: str) -> Any:
    """Return `Rows`, for the lesson's cells: imported when asked for, since psutil comes with it, which a browser has not."""
    if name == "Rows":
        from loaderlab.notebook.rows import Rows

        return Rows
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
