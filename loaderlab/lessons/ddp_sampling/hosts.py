"""Two hosts on one machine: live where the system allows two networks of one's own, else a transcript of a real run."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import translate as _
from loaderlab.lessons.ddp_sampling import launch, two_hosts
from loaderlab.notebook import transcripts

DRIVER = Path(two_hosts.__file__)
TRANSCRIPTS = Path(__file__).with_name("transcripts")
FORCE = "LOADERLAB_HOSTS"  # "live" or "recorded"
ENVIRONMENT = {"OMP_NUM_THREADS": "1"}  # the names lead each rank to the right network


@dataclass(frozen=True)
class Together:
    """The output of the ranks of two hosts; ``stamp`` says where a transcript is from."""

    statuses: list[int | None]
    output: dict[str, str]
    stamp: str = ""
    errors: str = ""

    @property
    def live(self) -> bool:
        return not self.stamp

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The JSON objects that the ranks printed, from both hosts."""
        return launch.Launched(0, "\n".join(self.output.values()), "", 0).rows

    def __repr__(self) -> str:
        if self.stamp:
            return _("A transcript, {stamp}. Exit statuses: {statuses}").format(
                stamp=self.stamp, statuses=self.statuses
            )
        return _("The script ran here, in two networks of its own. Exit statuses: {statuses}").format(
            statuses=self.statuses
        )


def run(script: str | Path, *arguments: str, timeout: float = 180.0) -> Together:
    """Run a script with ``--nnodes=2`` in two network namespaces; raises OSError where there can be none."""
    command = [sys.executable, str(DRIVER), str(timeout), str(script), *arguments]
    outcome = launch.guarded(command, timeout + 15, ENVIRONMENT)
    found = _last(outcome.output)
    if not found.pop("possible", False):
        raise OSError(found.get("why") or outcome.errors[-300:])
    together = Together(**found, errors=outcome.errors)
    if transcripts.wanted() and together.statuses == [0, 0]:
        transcripts.write(_transcript(script), {"statuses": together.statuses, "output": together.output})
    return together


def shown(script: str | Path) -> Together:
    """Return the transcript of this script on two hosts, or, where ``LOADERLAB_HOSTS=live`` is set, a run here."""
    transcript = transcripts.read(_transcript(script))
    if transcript is None or transcripts.wanted() or os.environ.get(FORCE) == "live":
        return run(script)
    return Together(**transcript.kept, stamp=transcript.stamp)


@lru_cache(maxsize=1)
def why_not() -> str:
    """Return why this system allows no two networks of one's own; "" where it does."""
    if sys.platform != "linux":
        return "Only Linux has network namespaces."
    outcome = launch.guarded([sys.executable, str(DRIVER), "probe"], 20, {})
    found = _last(outcome.output)
    return "" if found.get("possible") else str(found.get("why") or outcome.errors[-300:] or "unknown")


def _last(output: str) -> dict[str, Any]:
    try:
        return dict(json.loads(output.splitlines()[-1]))
    except (ValueError, IndexError):
        return {}


def _transcript(script: str | Path) -> Path:
    return TRANSCRIPTS / f"{Path(script).stem}.json"
