"""Users that exist for answers only: numbers that no program runs as, and that no other grader takes meanwhile."""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import psutil

from loaderlab.teaching.grading.workdir import wipe

# systemd's list of numbers keeps these free: https://systemd.io/UIDS-GIDS
NUMBERS = range(60706, 61184)


class Strangers:
    """``numbers``: so many users. They are ours until this process ends, and all that it forked."""

    def __init__(self, count: int) -> None:
        """Claim ``count`` users; raises ``OSError`` where there are not enough of them."""
        self.numbers: list[int] = []
        self._claims: list[socket.socket] = []
        taken = _running()
        for number in NUMBERS:
            if len(self.numbers) == count:
                break
            if number not in taken and self._claim(number):
                self.numbers.append(number)
        if len(self.numbers) < count:
            raise OSError("no free numbers for users")

    def _claim(self, number: int) -> bool:
        """Claim a number; return whether it was free: a name that lives in no folder, and goes with the last process that has it open."""
        if sys.platform != "linux":
            return True
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0loaderlab-stranger-{number}")
        except OSError:
            claim.close()
            return False
        self._claims.append(claim)
        return True


def sweep(number: int, place: Path = Path("/dev/shm")) -> None:
    """Remove what this user left where everybody may write: nobody else has this number, so it is no one else's."""
    with suppress(OSError):
        for entry in list(os.scandir(place)):
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_uid != number:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    wipe(Path(entry.path))
                else:
                    os.unlink(entry.path)


def _running() -> set[int]:
    """Return the users that some process runs as."""
    found: set[int] = set()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            found |= set(process.uids())
    return found
