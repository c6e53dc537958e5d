"""The probes of lesson 8: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from loaderlab.exercises.gaps import bridged

# ---------------------------------------------------------------- training and fast

SCRIPT = Path(__file__).with_name("evidence.py")
IMPORTS = ("loaderlab.lessons.find_the_bottleneck.evidence",)
FILES = 250  # as many as photos, so that a label says which photo it is; the last batch of a rank is a smaller one
NEAR = 0.5  # of the limit, in any epoch, is enough


def counts(script: str | Path, timeout: float = 100) -> dict[str, Any]:
    """Count in two epochs: processes, threads, opens, tensors, photos, draws."""
    return _look("counted", script, timeout, files=FILES, photos=FILES, alike=True)


def nearness(script: str | Path, timeout: float = 100, patience: float = 60) -> dict[str, Any]:
    """How near the limit it runs; on a busy machine it is tried again for so many seconds of ``patience``."""
    return _look("near", script, timeout, str(patience))


def glance(script: str | Path, timeout: float = 30) -> dict[str, Any] | None:
    """Return the same beside other answers, without patience; None where only a quiet machine could tell."""
    found = nearness(script, timeout, patience=0)
    return None if found.get("undecided") or found.get("stopped", "") is None else found


def _bridged(source: str) -> str:
    """With what is still open in a class left out: each repair counts by itself."""
    try:
        return bridged(source)
    except SyntaxError:  # whoever imports it is told
        return source


def _look(what: str, script: str | Path, timeout: float, *more: str, **kinds: Any) -> dict[str, Any]:
    from loaderlab.lessons.find_the_bottleneck import photos  # and with it torch
    from loaderlab.measuring import child

    with tempfile.TemporaryDirectory(prefix="loaderlab-", ignore_cleanup_errors=True) as place:
        folder = photos.make(Path(place, "photos"), **kinds)
        result, modules = Path(place, "evidence.json"), Path(place, "modules")
        modules.mkdir()
        for file in Path(script).resolve().parent.glob("*.py"):
            (modules / file.name).write_text(_bridged(file.read_text("utf-8")), "utf-8")
        outcome = child.run(
            SCRIPT,
            what,
            str(script),
            str(folder),
            str(result),
            *more,
            timeout=timeout,
            path=[modules],
        )
        if outcome.timed_out:  # what it wrote while it was being ended says nothing
            return {"stopped": None, "share": outcome.share}
        if result.is_file():
            found: dict[str, Any] = json.loads(result.read_text())
            return found
    return {"stopped": (outcome.errors.strip().splitlines() or [f"exit status {outcome.status}"])[-1]}
