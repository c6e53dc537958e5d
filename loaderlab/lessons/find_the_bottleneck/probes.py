"""The probes of lesson 8: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from loaderlab.exercises.calls import Calls
from loaderlab.exercises.gaps import bridged
from loaderlab.exercises.probing import Probe
from loaderlab.lessons.find_the_bottleneck.model import Profile

# ---------------------------------------------------------------- which_repairs

Repairs = dict[str, dict[str, Any]]


def loop(target: float, repairs: Repairs, **numbers: Any) -> tuple[Profile, Repairs, float]:
    """Return a profile, the usual one but for these numbers, what can be repaired, and the samples/s to reach."""
    usual = {"read_ms": 0.25, "decode_ms": 0.5, "transport_ms": 2.0, "step_ms": 8.0}
    return Profile(**usual | {"batch": 32, "workers": 4, "cores": 4} | numbers), repairs, target


DECODER, STEP = {"decode_ms": 0.25}, {"step_ms": 4.0}
MORE = {"workers": 16}
REPAIRS = Calls(
    "which_repairs",
    {
        "storage": loop(3000, {"decoder": DECODER, "workers": MORE, "step": STEP}, read_ms=2.0),
        "step": loop(1500, {"workers": MORE, "decoder": DECODER, "step": {"step_ms": 16.0}}, step_ms=64.0),
        "cores": loop(3000, {"workers": MORE, "step": STEP, "cores": {"cores": 8}}, decode_ms=1.5, workers=8),
        "no_workers": loop(2500, {"decoder": DECODER, "step": STEP, "workers": {"workers": 4}}, workers=0),
        "starts": loop(
            3000, {"step": {"step_ms": 7.0}, "decoder": DECODER, "kept": {"persistent": True}}, workers=16, persistent=False
        ),
        "two_alike": loop(
            3200, {"decoder": {"decode_ms": 0.4}, "transport": {"transport_ms": 1.0}, "step": STEP},
            decode_ms=1.0, step_ms=16.0, cores=2, workers=8,
        ),
        "three_alike": loop(
            3500, {"step": STEP, "cores": {"cores": 8}, "transport": {"transport_ms": 1.5}, "workers": {"workers": 8}},
            read_ms=1.0, decode_ms=1.0, step_ms=16.0, cores=2,
        ),
        "best_first": loop(
            3150, {"workers": {"workers": 8}, "cores": {"cores": 8}, "decoder": {"decode_ms": 1.25}},
            read_ms=0.5, decode_ms=2.0,
        ),
        "harmful": loop(4000, {"workers": MORE, "step": STEP}, persistent=False),
        "exact": loop(4000, {"decoder": DECODER, "step": {"step_ms": 7.0}}, step_ms=16.0),
        "enough": loop(3000, {"decoder": DECODER, "step": STEP}),
        "nothing_offered": loop(3000, {}),
        "out_of_reach": loop(9000, {"decoder": DECODER, "workers": MORE, "step": STEP}),
        "no_repairs": loop(9000, {}),
    },
)  # fmt: skip

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
    Probe("which_repairs", "function", REPAIRS.probe),
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
