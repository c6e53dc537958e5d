"""The decision of `diagnose`: from evidence made by hand to the finding that has to come first."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from loaderlab.scripts.diagnosis import decision
from loaderlab.scripts.diagnosis.clock import Taken
from loaderlab.scripts.diagnosis.contents import Contents
from loaderlab.scripts.diagnosis.decision import as_it_is, decide
from loaderlab.scripts.diagnosis.evidence import Evidence, Trouble, of_loop, whole_rate
from loaderlab.scripts.diagnosis.isolated import Outcome
from loaderlab.scripts.diagnosis.loop import Batches, Epoch
from loaderlab.scripts.diagnosis.model import Costs, Setting, period

MIB = 2**20
# Batches of 10 samples in 50 ms, two at once; a step of 60 ms hides them.
COSTS = Costs(
    (Taken(0.005, 0.0),) * 100, 10, Taken(0.001), 0.0005, 0.0005, 0.0001, Taken(0.0, 0.06), epoch=500
)
GOOD = Evidence(
    cores=4,
    workers=2,
    persistent=True,
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
    parts = as_it_is(made)
    seconds = period(parts, replace(made.setting, persistent=True))
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
    "fighting_threads": with_({"workers": 4, "threads": 4, "worker_cpu": 0.5}, step=SHORT),
    "copied_objects": with_({"growth": 300 * MIB, "growth_batches": 40, "objects": (("paths", 10**6),)}),
    "growing_memory": with_({"growth": 300 * MIB, "growth_late": 150 * MIB, "growth_batches": 40}),
    "shm_filled": with_({"prefetch": 512}),
    "pinned_for_nothing": with_({"pinned": True}),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_named_first(name: str) -> None:
    assert decide(CASES[name])[0].name == name


def test_where_nothing_is_to_be_gained_no_change_is_advised() -> None:
    assert [(finding.name, finding.change) for finding in decide(GOOD)] == [("step_limit", None)]
    assert [finding.change for finding in decide(CASES["computing"])] == [None]


def test_memory_that_grows_only_at_first_is_no_finding() -> None:
    settled = replace(CASES["growing_memory"], growth_late=20 * MIB)
    assert "growing_memory" not in [finding.name for finding in decide(settled)]


def test_at_most_three_changes_are_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = with_(
        {"persistent": False, "pinned": True, "prefetch": 512, "contents": Contents(10, 0, MIB, 30 * MIB)},
        samples=RARE, collate=Taken(0.5), sampler=0.2, send=0.2, receive=0.2, start_worker=1.2, epoch=5,
    )  # fmt: skip
    assert sum(finding.change is not None for finding in decide(everything)) == 3
    monkeypatch.setattr(decision, "CHANGES", 9)
    assert sum(finding.change is not None for finding in decide(everything)) > 3


def test_a_prediction_is_the_measured_rate_times_what_the_model_gains() -> None:
    finding = decide(CASES["waiting_storage"])[0]
    workers = dict(finding.changes)["num_workers"]
    costs = CASES["waiting_storage"].costs
    gain = period(costs, Setting(2, 4)) / period(costs, Setting(workers, 4))
    assert finding.predicted is not None
    rate = CASES["waiting_storage"].rate
    assert gain > 3 and finding.predicted.rate == pytest.approx(rate * gain, rel=0.02)
    assert finding.predicted.low < finding.predicted.rate < finding.predicted.high


def test_without_workers_nothing_is_left_that_workers_wait_for() -> None:
    """However slow the loop with workers is: a prediction without them is what the parts take."""
    case = CASES["workers_for_nothing"]
    predicted = set()
    for share in (1.0, 0.7):
        finding = decide(replace(case, rates=tuple(share * rate for rate in case.rates)))[0]
        assert finding.changes == (("num_workers", 0),) and finding.predicted is not None
        predicted.add(finding.predicted.rate)
    assert predicted == {10 / period(case.costs, Setting(0, 4))}


@pytest.mark.parametrize("prefetch", [1, 2, 8])
def test_an_epoch_begins_with_nothing_made(prefetch: int) -> None:
    """Two workers make a batch in 10 ms each; the first one is waited for, whatever follows."""
    for epoch, seconds in ((1, 0.01), (3, 0.02), (8, 0.04), (1000, 5.0)):
        costs = Costs((Taken(0.0, 0.01),), epoch=epoch)
        assert epoch * period(costs, Setting(2, 4, prefetch, persistent=True)) == pytest.approx(seconds, 0.01)
        later = replace(costs, step=Taken(0.0, 0.02))
        assert epoch * period(later, Setting(2, 4, prefetch, persistent=True)) == pytest.approx(
            0.01 + epoch * 0.02, 0.01
        )


def test_an_epoch_waits_for_its_slowest_batch_in_whatever_order_they_come() -> None:
    slow, quick = Taken(0.0, 0.1), Taken(0.0, 0.001)
    costs = Costs((slow, *7 * (quick,)), epoch=4)
    for in_order in (True, False):
        assert 4 * period(costs, Setting(2, 4, 2, True, in_order)) == pytest.approx(0.1, 0.02)


def test_slow_samples_are_as_far_from_each_other_as_they_came() -> None:
    samples = tuple(Taken(0.0, 0.2 if index % 100 == 7 else 0.001) for index in range(300))
    slow = [index for index, load in enumerate(Costs(samples, 8).loads) if load > 0.1]
    assert {after - before for before, after in pairwise(slow)} == {12, 13}


def test_where_others_decide_what_is_said_it_is_too_noisy_to_say() -> None:
    """With four cores two more workers would help; with what others leave of them nothing would."""
    busy = replace(CASES["too_few_workers"], share=0.3)
    assert [finding.name for finding in decide(busy)][:2] == ["too_noisy", "too_few_workers"]
    assert decide(replace(GOOD, share=0.3))[0].name == "step_limit"  # the device's step does not care
    nothing_left = decide(replace(GOOD, share=0.08))[0]
    assert nothing_left.name == "too_noisy" and "92 %" in nothing_left.sentence


def test_a_change_brings_no_more_than_the_waiting_that_was_measured() -> None:
    """The parts alone say that loading takes most of the time, and the loop hardly waits: it is the step."""
    for wait, expected in ((0.02, "step_limit"), (0.5, "too_few_workers")):
        evidence = with_({"workers": 0}, step=Taken(0.02))
        found = decide(replace(evidence, wait=wait, costs=replace(evidence.costs, step=Taken())))
        assert [finding.name for finding in found] == [expected]
        assert all(f.predicted.rate <= 2 * evidence.rate for f in found if f.predicted)


@pytest.mark.parametrize(("share", "name"), [(1.0, "not_measured"), (0.6, "too_noisy")])
def test_where_the_loop_waits_for_more_than_its_parts_explain_nothing_to_gain_is_not_said(
    share: float, name: str
) -> None:
    waiting = replace(GOOD, wait=0.38, share=share)
    assert decide(waiting)[0].name == "step_limit"
    slower = replace(waiting, rates=(GOOD.rate / 1.3,))
    assert [finding.name for finding in decide(slower)] == [name]
    # 4.5 of 64.5 ms are for receiving, which a tensor would not take: too little to be advised, were it all the waiting.
    pipe = replace(slower, contents=Contents(10, 0, 0, MIB), costs=replace(COSTS, receive=0.005))
    assert [finding.name for finding in decide(replace(pipe, wait=0.08))] == ["step_limit"]
    assert decide(pipe)[0].name == "slow_sending"


def test_a_step_that_had_no_time_alone_is_taken_from_the_loop() -> None:
    without = with_({"workers": 0}, step=Taken())
    loop = of_loop([Batches((0.05,) * 4, (0.8,) * 4, (10,) * 4, 0)], without)
    assert decide(replace(without, **loop))[0].name == "step_limit"


def test_batches_that_were_made_while_the_first_was_awaited_are_no_sample() -> None:
    """Two workers give two batches every 10 ms, and at the beginning as many as they may have ready."""
    two, pace = replace(GOOD, prefetch=2), (0.01, 0.0)
    for waits in ((0.0, *3 * pace), (0.0, 0.0, 0.0, *30 * pace)):
        steps, samples = (0.0,) * len(waits), (10,) * len(waits)
        found = of_loop([Batches(waits, steps, samples, 0)], two)
        assert found["rates"] == pytest.approx([10 / 0.005])


def test_of_workers_that_stay_the_epoch_that_started_them_does_not_count() -> None:
    first, next_ = (Epoch(0.0, 0.0, 8, True, seconds=seconds) for seconds in (5.0, 0.5))
    for persistent, epochs, batches_a_second in (
        (True, [first, next_], 16),
        (True, [first], 0),
        (False, [first, next_], 16 / 5.5),
        (False, [first], 1.6),
    ):
        assert whole_rate(epochs, 10, persistent) == pytest.approx(10 * batches_a_second)


@pytest.mark.parametrize("epoch", [10, 10**8])
@pytest.mark.parametrize("workers", [1, 4, 16])
@pytest.mark.parametrize("sample", [1e-5, 3e-3])
def test_what_is_advised_can_be_done_all_at_once(epoch: int, workers: int, sample: float) -> None:
    evidence = with_(
        {"workers": workers, "persistent": False},
        samples=(Taken(sample),) * 60, step=Taken(2e-4), receive=0.005, start_worker=0.01, epoch=epoch,
    )  # fmt: skip
    found = decide(evidence)
    changes = [pair for finding in found for pair in finding.changes]
    assert len(dict(changes)) == len(set(changes)) and len({f.name for f in found}) == len(found)
    assert not {("num_workers", 0), ("persistent_workers", True)} <= set(changes)
    if "workers_for_nothing" in [finding.name for finding in found]:
        assert evidence.costs.send + evidence.costs.receive > evidence.costs.load.all


@pytest.mark.parametrize(
    "name", ["step_limit", "waiting_storage", "computing", "slow_collate", "restarted_workers"]
)
def test_a_loop_that_its_parts_do_not_explain_gets_no_name(name: str) -> None:
    slower = replace(CASES[name], rates=(CASES[name].rate / 5,), wait=0.8, whole=0.0)
    for share, expected in ((1.0, "not_measured"), (0.5, "too_noisy")):
        found = decide(replace(slower, share=share))
        assert [finding.name for finding in found] == [expected]
        assert found[0].change is None and " 5." in found[0].sentence
    assert decide(replace(slower, share=0.3, rates=(CASES[name].rate / 2,)))[0].name != "not_measured"


@pytest.mark.parametrize(
    ("outcome", "name"),
    [
        (Outcome([], "late"), "hangs"),
        (Outcome([], "late", wanted=5.0), "too_noisy"),
        (Outcome([], "late", wanted=5.0, dead=1), "worker_died"),
        (Outcome([], "died", -11), "crashes"),
        (Outcome([], "raised", 0, "KeyError", "'label'"), "raises"),
        (Outcome([], "raised", 0, "PicklingError", "Can't pickle <function <lambda>>"), "unpicklable"),
        (Outcome([], "raised", 0, "RuntimeError", "DataLoader worker (pid(s) 7) exited unexpectedly"), "worker_died"),
        (Outcome([], "raised", 0, "RuntimeError", "unable to allocate shared memory(shm)"), "shm_full"),
        (Outcome([], "raised", 0, "OSError", "[Errno 24] Too many open files"), "too_many_files"),
        (Outcome([], "done"), "empty"),
    ],
)  # fmt: skip
def test_what_fails_is_named(outcome: Outcome, name: str) -> None:
    broken = replace(GOOD, share=0.2, troubles=(Trouble("parts", 0, outcome, 6.0),))
    assert [finding.name for finding in decide(broken)] == [name]


def test_workers_that_hang_are_told_from_a_dataset_that_hangs() -> None:
    assert (
        decide(replace(GOOD, troubles=(Trouble("loop", 0, Outcome([], "late"), 6.0),)))[0].name
        == "workers_hang"
    )
