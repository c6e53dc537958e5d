"""The probes of lesson 8: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from loaderlab.exercises.calls import Calls
from loaderlab.exercises.gaps import bridged
from loaderlab.exercises.probing import Probe


def case(**numbers: Any) -> tuple[dict[str, Any]]:
    """Return a profile: the usual numbers, but for these."""
    usual = {"read_ms": 0.25, "decode_ms": 0.5, "transport_ms": 2.0, "step_ms": 8.0}
    return (usual | {"batch": 32, "workers": 4, "cores": 4} | numbers,)


WHERE = Calls(
    "where_is_time",
    {
        "slow_storage": case(read_ms=2.0, cores=16),
        "one_worker": case(workers=1, cores=8),
        "few_cores": case(workers=16, cores=2, read_ms=2.0, decode_ms=1.0),
        "cores_and_transport": case(
            workers=16, cores=1, decode_ms=0.0625, read_ms=0.5, transport_ms=8.0, step_ms=1.0
        ),
        "slow_step": case(step_ms=64.0),
        "large_message": case(decode_ms=0.03125, read_ms=0.0, transport_ms=32.0, step_ms=4.0),
        "alone": case(workers=0),
        "alone_with_message": case(workers=0, transport_ms=64.0, step_ms=2.0),
        "small_batch": case(batch=4, workers=2, read_ms=4.0, step_ms=4.0),
    },
)

BUSY = Calls(
    "busy_share",
    {
        "typical": ([(0, 2), (4, 6), (8, 9)], 0, 10),
        "full": ([(0, 5), (5, 10)], 0, 10),
        "idle": ([], 0, 10),
        "overlap": ([(0, 6), (4, 8)], 0, 10),
        "inside": ([(0, 8), (1, 2), (3, 4)], 0, 10),
        "twice": ([(2, 4), (2, 4)], 0, 8),
        "unsorted": ([(8, 9), (0, 6), (5, 7)], 0, 10),
        "cut": ([(-4, 2), (8, 14), (20, 30)], 0, 10),
        "later": ([(105, 110), (90, 101)], 100, 120),
        "before": ([(-9, -1), (2, 4)], 0, 8),
        "fractions": ([(0.125, 1.5), (2.625, 2.75), (3.0, 3.25)], 0, 4),
    },
)

# ---------------------------------------------------------------- training and fast

SCRIPT = Path(__file__).with_name("evidence.py")
IMPORTS = ("loaderlab.lessons.find_the_bottleneck.evidence",)
FILES = 256  # as many as photos, so that a label says which photo it is
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


PROBES = (
    Probe("where_is_time", "function", WHERE.probe),
    Probe("training", "file", counts, seconds=120.0, imports=IMPORTS, parts=("Photos", "Training")),
    Probe(
        "fast",
        "file",
        nearness,
        seconds=120.0,
        imports=IMPORTS,
        serial=True,
        glance=glance,
        parts=("Training",),
    ),
    Probe("busy_share", "function", BUSY.probe),
)
