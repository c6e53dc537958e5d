"""Evidence made by hand: a case for each kind of slowness, and each way in which an experiment can fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loaderlab.scripts.diagnosis import clone
from loaderlab.scripts.diagnosis.clock import Taken
from loaderlab.scripts.diagnosis.contents import Contents
from loaderlab.scripts.diagnosis.evidence import Evidence
from loaderlab.scripts.diagnosis.finding import Tried
from loaderlab.scripts.diagnosis.isolated import Outcome
from loaderlab.scripts.diagnosis.payload import Field
from loaderlab.scripts.diagnosis.throughput import PartSeconds, period

MIB = 2**20
# Batches of 10 samples in 50 ms, two at once; a step of 60 ms hides them.
COSTS = PartSeconds(
    (Taken(0.005, 0.0),) * 100, 10, Taken(0.001), 0.0005, 0.0005, 0.0001, Taken(0.0, 0.06), epoch=500
)
GOOD = Evidence(
    cores=4,
    workers=2,
    persistent=True,
    without_workers=(("num_workers", 0), ("persistent_workers", False)),
    has_step=True,
    own_collate=True,
    contents=Contents(10, 1, MIB),
    costs=COSTS,
    receive_tensor=(0.0005, 0.0005),
    rates=(160.0, 164.0),
    shm_free=1024 * MIB,
    memory_free=8192 * MIB,
)


def with_(evidence: dict[str, Any] | None = None, **costs: Any) -> Evidence:
    """Evidence in which the loop takes what its parts explain."""
    made = replace(GOOD, costs=replace(COSTS, **costs), **(evidence or {}))
    parts = made.as_run
    seconds = period(parts, replace(made, persistent=True))
    wait = max(0.0, 1 - parts.step.all / seconds)
    return replace(made, rates=(10 / seconds, 10.2 / seconds), wait=wait)


SHORT = Taken(0.0, 0.005)  # a step
WAITING = (Taken(0.0005, 0.02),) * 100
RARE = (Taken(0.0005, 0.001),) * 98 + (Taken(0.0, 0.5),) * 2
CASES = {
    "step_limit": GOOD,
    "waiting_storage": with_(samples=WAITING, step=SHORT),
    "too_few_workers": with_(step=SHORT),
    "computing": with_({"workers": 4}, step=SHORT),
    "slow_collate": with_({"workers": 4}, collate=Taken(0.2), step=SHORT),
    "slow_sampler": with_(sampler=0.2, step=SHORT),
    "slow_sending": with_({"contents": Contents(10, 0, 0, 30 * MIB)}, send=0.2, receive=0.2, step=SHORT),
    "rare_slow_samples": with_({"workers": 4}, samples=RARE, step=SHORT),
    "short_queue": with_(
        {"workers": 2, "prefetch": 1},
        samples=((Taken(0.0, 0.001),) * 44 + (Taken(0.0, 0.02),) * 6) * 10,
        step=Taken(0.0, 0.017),
        collate=Taken(),
    ),
    "restarted_workers": with_({"persistent": False}, start_worker=2.0, epoch=10, step=SHORT),
    "workers_for_nothing": with_(
        samples=(Taken(1e-6),) * 100, collate=Taken(1e-5), step=Taken(), receive=0.001
    ),
    "too_many_workers": with_({"workers": 24}, step=Taken(0.0, 0.055)),
    "fewer_workers": with_(
        {"workers": 4, "tried": (Tried((("num_workers", 1),), (90.0, 91.0), (200.0, 202.0)),)}, step=SHORT
    ),
    "fighting_threads": with_({"workers": 4, "threads": 4, "worker_cpu": 0.5}, step=SHORT),
    "kept_batches": replace(
        GOOD, growth_batches=200, files_kept=198, keeping="kept.append(loss), train.py:9"
    ),
    "copied_objects": with_(
        {"growth": 300 * MIB, "growth_batches": 40, "objects": (("paths", 10**6, 80.0 * MIB),)}
    ),
    "growing_memory": with_({"growth": 300 * MIB, "steady": 7.5 * MIB, "growth_batches": 40}),
    "shm_filled": with_({"prefetch": 512}),
    "large_order": replace(GOOD, order=5000 * MIB),
    "pinned_for_nothing": with_({"pinned": True}),
    "batches": replace(GOOD, is_loader=False, wait=0.9),
    "locked_threads": replace(
        GOOD, is_loader=False, wait=0.9, lock=(4, 1.02, 0.008), threaded='ParallelMapper(method="thread")'
    ),
    "uneven_steps": replace(GOOD, slow_steps=(0.2, 0.7, 0.2)),
    "only_in_workers": replace(GOOD, alone=False, wait=0.9),
    "idle_workers": replace(with_({"workers": 4, "iterable": True}, step=SHORT), ended_workers=3),
    "heavy_field": with_(
        {"field": Field('["mask"]', "int64 (10, 150, 64, 64)", 60 * MIB, 62 * MIB, MIB, "one_hot")},
        collate=Taken(0.08),
        send=0.05,
        receive=0.02,
        step=SHORT,
    ),
    "uneven_rounds": with_({"cores": 2}, epoch=3, step=SHORT),
    "padding": with_({"contents": Contents(32, 2, MIB, form="pair", padded=0.6)}),
    "slow_epoch_start": replace(
        GOOD, costs=replace(COSTS, begin=9.0, epoch=50), whole=10 / (0.06 + 9.0 / 50)
    ),
    "not_measured": replace(GOOD, rates=(GOOD.rate / 5,), wait=0.8),
    # With four cores two more workers would help; with what others leave of them nothing would.
    "too_noisy": replace(with_(step=SHORT), share=0.3),
}

# The experiment, how it ended, and the finding.
FAILURES = [
    ("parts", Outcome([], "late"), "hangs"),
    ("loop", Outcome([], "late"), "workers_hang"),
    ("parts", Outcome([], "late", wanted=5.0), "too_noisy"),
    ("parts", Outcome([], "late", wanted=5.0, dead=1), "worker_died"),
    ("parts", Outcome([], "died", -11), "crashes"),
    ("parts", Outcome([], "raised", 0, "KeyError", "'label'"), "raises"),
    ("loop", Outcome([], "raised", 0, "PicklingError", "Can't pickle <function <lambda>>"), "unpicklable"),
    ("loop", Outcome([], "raised", 0, "RuntimeError", "DataLoader worker (pid(s) 7) exited unexpectedly"), "worker_died"),
    ("loop", Outcome([], "raised", 0, "RuntimeError", "unable to allocate shared memory(shm)"), "shm_full"),
    ("loop", Outcome([], "raised", 0, "OSError", "[Errno 24] Too many open files"), "too_many_files"),
    ("loop", Outcome([], "done"), "empty"),
    ("parts", Outcome([], "raised", 0, "TypeError", "no copy", f'File "{clone.__file__}", line 1, in clone\n'), "own_failure"),
]  # fmt: skip
