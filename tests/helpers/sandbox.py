"""Bubblewrap on this machine."""

from __future__ import annotations

import shutil
import subprocess
from functools import cache


@cache
def bubblewrap_starts() -> bool:
    """Return whether bubblewrap is here, and starts."""
    command = ["bwrap", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "true"]
    return (
        shutil.which("bwrap") is not None
        and not subprocess.run(command, capture_output=True, check=False).returncode
    )
