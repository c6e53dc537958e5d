"""Scripts that fill /dev/shm or use up the open files run apart: in a child process, with a /dev/shm of their own.

Where the system does not allow a /dev/shm of one's own, a limit on the size of files stands in for it; where
that is not enough either, a recorded transcript is shown, and says so.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import child
from loaderlab.notebook import transcripts

CONFINED = Path(__file__).with_name("confined.py")
TRANSCRIPTS = Path(__file__).with_name("transcripts")
_ERROR = re.compile(r"\w+(\.\w+)*(Error|Exception)\b")
FORCE = "LOADERLAB_APART"  # "limit" or "recorded": as on a machine that allows no more


@dataclass(frozen=True)
class Ending:
    """The ending of a script that ran apart, and its output.

    ``how``: "own", "limit", "recorded", or "none" where it could not run at all;
    ``status`` is its exit status, negative for a signal, None where it had to be stopped.
    """

    how: str
    status: int | None
    output: str
    errors: str
    mib: float | None = None
    signal: str = ""  # its name where it ran: signals have other numbers on other systems
    stamp: str = ""

    @property
    def ended(self) -> str:
        """The ending in one word: finished, error, signal, stopped, or unknown where it could not run."""
        if self.how == "none":
            return "unknown"
        if self.status is None:
            return "stopped"
        return "finished" if self.status == 0 else "signal" if self.status < 0 else "error"

    @property
    def reason(self) -> str:
        """The error that ended it: the loader's own where there is one, since workers write to the same stream."""
        lines = [line for line in self.errors.splitlines() if _ERROR.match(line)]
        of_loader = [line for line in lines if re.search(r"DataLoader (timed out|worker \(pid)", line)]
        return (of_loader or lines or [""])[-1]

    def times(self, words: str) -> int:
        """Return how often these words stand in the output."""
        return self.output.count(words)

    def __repr__(self) -> str:
        lines = [self._where()]
        if self.how == "none":
            return lines[0]
        lines += [line for line in self.output.splitlines() if line.strip()]
        if self.ended == "error":
            lines += _short(self.reason)
        lines.append(self._end())
        return "\n".join(lines)

    def _where(self) -> str:
        sentences = {
            "own": _("The script ran with its own /dev/shm, of {mib} MiB:"),
            "limit": _(
                "This system does not allow a separate /dev/shm, so a limit of {limit} MiB for every file replaces it:"
            ),
            "recorded": _("This cannot be shown here. Here is a transcript, {stamp}:"),
            "none": _("This cannot be shown here, and there is no transcript of it."),
        }
        return sentences[self.how].format(mib=number(self.mib or 0), limit=1, stamp=self.stamp)

    def _end(self) -> str:
        if self.ended == "signal":
            return _("A signal ended the script: {name}.").format(name=self.signal)
        words = {
            "finished": _("The script ran to its end."),
            "error": _("The script ended with an error."),
            "stopped": _("The script did not end, and was stopped."),
        }
        return words[self.ended]


def run(
    script: str | Path,
    *arguments: str,
    shm_mib: float,
    imitate: bool = True,
    timeout: float = 120.0,  # three spawned workers, one after the other, on a busy machine
) -> Ending:
    """Run a script apart, for at most ``timeout`` seconds, with a /dev/shm of its own of ``shm_mib`` MiB.

    ``imitate`` says whether a limit on the size
    of files would show the same. Never touches what other programs have in /dev/shm, and leaves nothing there.
    Only if it is interrupted where it has no /dev/shm of its own, names of empty or small segments may stay.
    """
    for mode in _modes(imitate):
        try:
            outcome = child.run(
                CONFINED, mode, str(shm_mib), str(timeout), str(script), *arguments, timeout=timeout + 20
            )
            found = json.loads(outcome.output.splitlines()[-1])
        except (OSError, ValueError, IndexError):  # too few open files, or no such system call
            continue
        if found.pop("confined"):
            ending = Ending(mode, **found, mib=shm_mib, signal=_signal(found["status"]))
            _record(script, arguments, ending)
            return ending
    return _recorded(script, arguments)


def _modes(imitate: bool) -> list[str]:
    forced = os.environ.get(FORCE, "")
    if sys.platform != "linux" or forced == "recorded":
        return []
    return [
        mode
        for mode, possible in (("own", forced != "limit" and own_shm_possible()), ("limit", imitate))
        if possible
    ]


@lru_cache(maxsize=1)
def own_shm_possible() -> bool:
    """Return whether a process may have a /dev/shm of its own here: asked once, by trying it in a child process."""
    try:
        return bool(json.loads(child.run(CONFINED, "probe", timeout=120).output)["own"])
    except (OSError, ValueError, KeyError):
        return False


def _transcript(script: str | Path, arguments: tuple[str, ...]) -> Path:
    return TRANSCRIPTS / ("-".join([Path(script).stem, *arguments]) + ".json")


def _record(script: str | Path, arguments: tuple[str, ...], ending: Ending) -> None:
    """Write down a real run, where an author asks for it."""
    if not transcripts.wanted() or ending.how == "limit":
        return
    short = re.sub(
        r'(?:/[^/\s"]+)+/(?=[^/\s"]+\.py)', "", ending.errors
    )  # file names without this machine's folders
    kept = asdict(ending) | {"errors": short}
    del kept["how"], kept["stamp"]
    transcripts.write(_transcript(script, arguments), kept)


def _recorded(script: str | Path, arguments: tuple[str, ...]) -> Ending:
    transcript = transcripts.read(_transcript(script, arguments))
    if transcript is None:
        return Ending("none", None, "", "")
    return Ending("recorded", **transcript.kept, stamp=transcript.stamp)


def _short(reason: str, width: int = 150) -> list[str]:
    """Return a long message in lines that a notebook shows whole."""
    import textwrap

    return textwrap.wrap(reason, width, break_long_words=False) if reason else []


def _signal(status: int | None) -> str:
    """Return the name of the signal that ended a process, "" where none did."""
    try:
        return (
            f"{signal.Signals(-status).name} ({signal.strsignal(-status)})" if status and status < 0 else ""
        )
    except ValueError:
        return str(-status) if status else ""
