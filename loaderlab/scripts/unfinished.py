"""Files and folders that are being written: they lie beside their place, and get their names at the end."""

from __future__ import annotations

import glob
import os
import shutil
import socket
import sys
from pathlib import Path

from .words import translate as _


def unfinished(target: Path) -> Path:
    """Return a name beside ``target`` to write to. What an earlier run of this host left there is removed, and named.

    A run that is ended by SIGTERM or SIGKILL, as on a preempted machine, cannot clean up after itself. What another host
    writes on a shared disk is left alone: nothing here says whether its process still runs.
    """
    host = socket.gethostname()
    for left in target.parent.glob(glob.escape(f"{target.name}.{host}") + ".*.part"):
        number = left.name.split(".")[-2]
        if number.isdecimal() and _has_ended(int(number)):
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink(missing_ok=True)
            text = _("{file}: this was left by a run that was ended, and is removed. Its work begins anew.")
            print(text.format(file=left), file=sys.stderr, flush=True)
    return target.with_name(f"{target.name}.{host}.{os.getpid()}.part")


def _has_ended(process: int) -> bool:
    if sys.platform == "win32":
        return False  # there, signal 0 is Ctrl-C
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:  # it runs, for another user
        return False
    return False
