"""The decision of `diagnose`: from evidence made by hand to the finding that has to come first."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from loaderlab.scripts.diagnosis import decision
from loaderlab.scripts.diagnosis.clock import Taken
from loaderlab.scripts.diagnosis.clone import refused
from loaderlab.scripts.diagnosis.contents import Contents, form_of, padded
from loaderlab.scripts.diagnosis.decision import decide, proposals
from loaderlab.scripts.diagnosis.evidence import (
    Evidence,
    Trouble,
    facts,
    of_loop,
    of_parts,
    rate_of_whole_epochs,
)
from loaderlab.scripts.diagnosis.finding import Tried
from loaderlab.scripts.diagnosis.isolated import Outcome
from loaderlab.scripts.diagnosis.kept import Kept
from loaderlab.scripts.diagnosis.lines import Line
from loaderlab.scripts.diagnosis.loop import Batches, EpochTimes, Tree
from loaderlab.scripts.diagnosis.throughput import PartSeconds, WorkerSetting, period
from zoo.evidence import CASES, COSTS, FAILURES, GOOD, MIB, RARE, SHORT, with_


@pytest.mark.parametrize("name", CASES)
def test_it_is_named_first(name: str) -> None:
    assert decide(CASES[name])[0].name == name


def test_where_nothing_is_to_be_gained_no_change_is_advised() -> None:
    assert [(finding.name, finding.change) for finding in decide(GOOD)] == [("step_limit", None)]
    assert [finding.change for finding in decide(CASES["computing"])] == [None]


def trees(*mib: float, batches: int = 10) -> list[Tree]:
    return [Tree(0, batches * n, 0.0, round(each * MIB), 0) for n, each in enumerate(mib)]


@pytest.mark.parametrize(
    ("looks", "steady"),
    [
        (trees(*range(0, 600, 50)), 5),
        (trees(*range(0, 300, 25)), 0),  # in each third, no more than a look may be off by
        (trees(0, 100, 170, 210, 240, 260, 270, 280, 285, 288, 290, 291), 0),  # copies of objects, which end
        (trees(0, 0, 0, 200, 200, 200, 200, 200, 200, 200, 200, 200), 0),  # an arena
        (trees(0, 100, 200, 300), 0),  # too few looks
        (trees(*range(0, 60, 5)), 0),  # no more than the batches under way
        (trees(*range(0, 600, 50), batches=1), 0),  # hardly more batches than are ahead
    ],
)
def test_growth_is_said_only_where_it_goes_on(looks: list[Tree], steady: float) -> None:
    """Two workers, of which each has as many as four batches of 10 MiB."""
    seen = replace(GOOD, contents=Contents(10, 1, 10 * MIB))
    found = of_loop(looks, seen)
    assert found["steady"] == pytest.approx(steady * MIB) and (found["growth"] > 0) == (
        looks[-1].own_bytes > 80 * MIB
    )


@pytest.mark.parametrize(("most", "said"), [(None, True), (3000.0 * MIB, True), (1000.0 * MIB, False)])
def test_what_is_kept_is_named_before_all_else_if_memory_ends_by_it(most: float | None, said: bool) -> None:
    """8 GiB in minutes; by index, two workers keep no more than all samples."""
    line = "self.cache[i] = sample, data.py:9"
    case = replace(CASES["too_few_workers"], kept=Kept("dataset.cache", line, MIB / 10, most))
    first = decide(case)[0]
    assert first.name == ("growing_memory" if said else "too_few_workers")
    assert (line in str(first.evidence)) == said


@pytest.mark.parametrize(("mib", "first"), [(1, "growth"), (200, "batches under way")])
def test_of_the_memory_that_is_said_first_which_takes_most_of_it(mib: int, first: str) -> None:
    case = CASES["growing_memory"]
    found = decide(replace(case, contents=Contents(10, 1, mib * MIB), shm_free=None))
    assert found[0].evidence[0].label.startswith(first)


@pytest.mark.parametrize(
    ("lock", "name"),
    [
        ((4, 1.02, 0.008), "locked_threads"),
        ((1, 1.02, 0.005), "batches"),  # one that computes has it
        ((4, 3.5, 0.008), "batches"),  # several work at once
        ((4, 1.02, 0.0002), "batches"),  # nobody waits for it
        ((4, 0.3, 0.008), "batches"),  # other programs, or a disk, leave them no more
    ],
)
def test_threads_that_wait_for_the_interpreter_are_told_from_those_that_work_or_rest(
    lock: tuple[int, float, float], name: str
) -> None:
    case = replace(CASES["locked_threads"], lock=lock)
    assert decide(case)[0].name == name
    loader = replace(CASES["computing"], lock=lock, workers=0, cores=1)
    assert decide(loader)[0].name == ("computing" if name == "batches" else name)
    assert decide(replace(case, has_step=True, wait=0.0))[0].name == "step_limit"


def test_the_order_of_an_epoch_is_said_in_mib_and_after_all_else_where_it_fits() -> None:
    for mib, name, expected in (
        (400, "step_limit", ["step_limit", "large_order"]),
        (40, "step_limit", ["step_limit"]),
        (400, "too_few_workers", ["too_few_workers"]),  # beside what costs
        (5000, "too_few_workers", ["large_order", "too_few_workers"]),
    ):
        found = decide(replace(CASES[name], order=mib * MIB))
        assert [one.name for one in found] == expected
        assert name == "too_few_workers" or mib == 40 or f"{mib} MiB" in found[1].sentence


def test_copies_of_objects_are_said_with_their_size_and_after_what_costs() -> None:
    case = CASES["copied_objects"]
    assert "80 MiB" in decide(case)[0].sentence and decide(case)[0].cost.hours is None
    for name in ("computing", "too_few_workers"):
        slow = replace(CASES[name], growth=case.growth, objects=case.objects, steady=7.5 * MIB)
        assert [one.name for one in decide(slow)][:: len(decide(slow)) - 1] == [name, "copied_objects"]
        assert decide(replace(slow, memory_free=300 * MIB))[0].name == "copied_objects"


def test_at_most_three_changes_are_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = with_(
        {"persistent": False, "pinned": True, "prefetch": 512, "contents": Contents(10, 0, MIB, 30 * MIB, "pair", 0.5)},
        samples=RARE, collate=Taken(0.5), sampler=0.2, send=0.2, receive=0.2, start_worker=1.2, epoch=5,
    )  # fmt: skip
    assert sum(finding.change is not None for finding in decide(everything)) == 3
    monkeypatch.setattr(decision, "CHANGES", 9)
    assert sum(finding.change is not None for finding in decide(everything)) > 3


def test_what_was_tried_decides_and_not_the_model() -> None:
    """The model likes more workers; a trial says that they bring nothing, or that one is faster than two."""
    case, more = CASES["too_few_workers"], decide(CASES["too_few_workers"])[0].changes
    one = (("num_workers", 1),)
    assert more in proposals(case) and one in proposals(case)
    for after, other, expected in (
        ((300.0, 310.0), (80.0, 82.0), ("too_few_workers", more)),
        ((98.0, 104.0), (80.0, 82.0), ("computing", ())),
        ((98.0, 104.0), (250.0, 260.0), ("fewer_workers", one)),
    ):
        before = (100.0, 102.0)
        tried = (Tried(more, before, after), Tried(one, before, other))
        first = decide(replace(case, tried=tried))[0]
        assert (first.name, first.changes) == expected
        if first.tried:
            assert first.cost.samples == pytest.approx(sum(first.tried.after) / 2 - 101)


def test_of_several_numbers_of_workers_the_least_is_advised_that_gains_as_much() -> None:
    tried = tuple(
        Tried((("num_workers", n),), (100.0, 101.0), (rate, rate + 1))
        for n, rate in ((8, 400), (4, 395), (3, 200))
    )
    assert decide(replace(CASES["too_few_workers"], tried=tried))[0].changes == (("num_workers", 4),)


def test_a_trial_explains_what_the_parts_do_not() -> None:
    case = slower(with_(step=SHORT), 5)
    assert decide(case)[0].name == "not_measured" and decide(case)[0].change is None
    threads = Tried((("torch_threads", 1),), (10.0, 11.0), (60.0, 61.0))
    assert decide(replace(case, tried=(threads,)))[0].name == "fighting_threads"


def test_a_change_that_makes_it_slower_or_does_not_work_is_not_advised() -> None:
    case = CASES["too_many_workers"]
    (advised,) = decide(case)[0].changes
    assert advised[0] == "num_workers"
    for after, error, kept in (
        ((160.0, 163.0), "", True),
        ((90.0, 91.0), "", False),
        ((), "OSError: no", False),
    ):
        found = decide(replace(case, tried=(Tried((advised,), (161.0, 162.0), after, error),)))[0]
        assert bool(found.changes) == bool(found.change) == kept


def test_where_the_step_is_the_limit_nothing_is_tried() -> None:
    assert proposals(GOOD) == [] and proposals(replace(GOOD, is_loader=False)) == []


@pytest.mark.parametrize("prefetch", [1, 2, 8])
def test_an_epoch_begins_with_nothing_made(prefetch: int) -> None:
    """Two workers make a batch in 10 ms each; the first one is waited for, whatever follows."""
    for epoch, seconds in ((1, 0.01), (3, 0.02), (8, 0.04), (1000, 5.0)):
        costs = PartSeconds((Taken(0.0, 0.01),), epoch=epoch)
        assert epoch * period(costs, WorkerSetting(2, 4, prefetch, persistent=True)) == pytest.approx(
            seconds, 0.01
        )
        later = replace(costs, step=Taken(0.0, 0.02))
        assert epoch * period(later, WorkerSetting(2, 4, prefetch, persistent=True)) == pytest.approx(
            0.01 + epoch * 0.02, 0.01
        )


def test_in_order_all_wait_for_the_slowest_batch_that_is_under_way() -> None:
    """One batch of sixteen takes 100 ms, the others hardly anything, in four workers: two of them at once, at best."""
    costs = PartSeconds((Taken(0.0, 0.1), *15 * (Taken(0.0, 1e-5),)) * 4)
    for prefetch, batches in ((1, 16), (4, 16), (8, 32)):
        assert period(costs, WorkerSetting(4, 4, prefetch)) == pytest.approx(0.1 / batches, rel=0.01)
    assert period(costs, WorkerSetting(4, 4, 1, in_order=False)) == pytest.approx(costs.load.all / 4)


def test_where_others_decide_what_is_said_it_is_too_noisy_to_say() -> None:
    """With four cores two more workers would help; with what others leave of them nothing would."""
    busy = replace(CASES["too_few_workers"], share=0.3)
    noisy, workers, *_others = decide(busy)
    assert [noisy.name, workers.name] == ["too_noisy", "too_few_workers"]
    assert workers.cost.samples is None, "nothing is said of what it brings"
    assert decide(replace(GOOD, share=0.3))[0].name == "step_limit"  # the device's step does not care
    nothing_left = decide(replace(GOOD, share=0.08))[0]
    assert nothing_left.name == "too_noisy" and "92 %" in nothing_left.sentence


def test_a_change_brings_no_more_than_the_waiting_that_was_measured() -> None:
    """The parts alone say that loading takes most of the time, and the loop hardly waits: it is the step."""
    for wait, expected in ((0.02, "step_limit"), (0.5, "too_few_workers")):
        evidence = with_({"workers": 0}, step=Taken(0.02))
        found = decide(replace(evidence, wait=wait, costs=replace(evidence.costs, step=Taken())))
        assert [finding.name for finding in found] == [expected]
        assert all(f.cost.samples <= 1.01 * evidence.rate for f in found if f.cost.samples)


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
    first, next_ = (EpochTimes(0.0, 0.0, 8, True, seconds=seconds) for seconds in (5.0, 0.5))
    for persistent, epochs, batches_a_second in (
        (True, [first, next_], 16),
        (True, [first], 0),
        (False, [first, next_], 16 / 5.5),
        (False, [first], 1.6),
    ):
        assert rate_of_whole_epochs(epochs, 10, persistent) == pytest.approx(10 * batches_a_second)


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


@pytest.mark.parametrize(("experiment", "outcome", "name"), FAILURES)
def test_what_fails_is_named(experiment: str, outcome: Outcome, name: str) -> None:
    method = "spawn" if name == "unpicklable" else "fork"
    broken = replace(GOOD, method=method, share=0.2, troubles=(Trouble(experiment, 0, outcome, 6.0),))
    assert [finding.name for finding in decide(broken)] == [name]


def slower(evidence: Evidence, times: float) -> Evidence:
    """The loop takes so many times what its parts explain."""
    return replace(evidence, rates=tuple(rate / times for rate in evidence.rates), wait=0.8, whole=0.0)


@pytest.mark.parametrize(
    ("threads", "worker_cpu", "name"),
    [(2, None, "fighting_threads"), (1, None, "not_measured"), (2, 0.0501, "not_measured"), (2, 0.4, "fighting_threads")],
)  # fmt: skip
def test_threads_that_are_counted_are_looked_at_before_something_unknown_is_blamed(
    threads: int, worker_cpu: float | None, name: str
) -> None:
    """Four workers on four cores; where there was time to measure, what was measured decides."""
    crowd = slower(with_({"workers": 4, "threads": threads, "worker_cpu": worker_cpu}, step=SHORT), 12)
    first = decide(crowd)[0]
    assert first.name == name and first.tried is None
    if name == "fighting_threads":
        assert first.changes == (("torch_threads", 1),) and "set_num_threads(1)" in str(first.change)
        assert len({row.label for row in first.evidence}) == len(first.evidence)
    assert decide(replace(crowd, share=0.5))[0].name == "too_noisy"


def test_an_epoch_of_which_most_is_made_ahead_shows_no_rate_but_its_own() -> None:
    """Eight workers with two batches each: 16 batches are all under way before the first one has come."""
    eight = replace(GOOD, workers=8, prefetch=2, persistent=False)
    for count, steady in ((16, False), (31, False), (32, True)):
        said = [
            Batches((0.0,) * (count - 1), (0.005,) * (count - 1), (10,) * (count - 1), 0),
            EpochTimes(0.0, 1.0, count, True, seconds=2.0),
        ]
        seen = replace(eight, **of_loop(said, eight))
        assert bool(seen.rates) == steady
        assert steady or (
            seen.rate == pytest.approx(10 * count / 2.0) and seen.wait == pytest.approx(1 - 0.005 * count / 2)
        )
    unended = [said[0], replace(said[1], ended=False, batches=16)]
    assert replace(eight, **of_loop(unended, eight)).rates, "there is nothing better"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"persistent_workers": True},
        {"prefetch_factor": 5},
        {"multiprocessing_context": "spawn"},
        {"timeout": 30},
        {"persistent_workers": True, "prefetch_factor": 1, "multiprocessing_context": "fork"},
    ],
)
def test_what_is_advised_instead_of_workers_is_taken_by_a_dataloader(given: dict[str, Any]) -> None:
    made = {"dataset": range(9), "num_workers": 2, **given}
    seen = replace(CASES["workers_for_nothing"], **facts(DataLoader(**made)))
    (first, *_others) = decide(replace(seen, cores=4))
    assert first.name == "workers_for_nothing" and dict(first.changes)["num_workers"] == 0
    assert len(list(DataLoader(**made | dict(first.changes)))) == 9
    died = replace(seen, troubles=(Trouble("loop", 0, Outcome([], "late", dead=1), 6.0),))
    (advised,) = decide(died)
    assert eval(
        str(advised.change).replace("...", "None"), {"DataLoader": lambda _data, **changes: changes}
    ) == dict(first.changes)


class Locked(list[int]):
    """A dataset that no other process can be given."""

    def __init__(self) -> None:
        super().__init__([1, 2])
        self.lock = threading.Lock()


def test_advice_that_a_dataloader_would_refuse_is_seen_before_it_is_given() -> None:
    loader = DataLoader([1, 2], num_workers=1, persistent_workers=True, timeout=5)
    assert "persistent_workers" in refused(loader, {"num_workers": 0, "prefetch_factor": None})
    without = {"num_workers": 0, "persistent_workers": False, "prefetch_factor": None}
    assert refused(loader, without) and not refused(loader, without | {"timeout": 0})
    assert not refused(loader, {"num_workers": 3, "prefetch_factor": 8, "in_order": False})
    assert not refused(DataLoader([1, 2]), {"num_workers": 3, "persistent_workers": True})
    assert "no_such" in refused(loader, {"no_such": 1})
    assert not refused(DataLoader([1, 2], num_workers=1), {"multiprocessing_context": "spawn"})
    assert "lock" in refused(DataLoader(Locked(), num_workers=1), {"multiprocessing_context": "spawn"})
    assert not refused([1, 2], {"num_workers": 1})


@pytest.mark.parametrize(
    ("name", "form", "advised"),
    [
        ("slow_collate", "pair", True), ("slow_collate", "other", False), ("slow_collate", "array", False),
        ("slow_sending", "array", True), ("slow_sending", "other", False),
    ],
)  # fmt: skip
def test_code_is_advised_only_for_samples_that_it_can_take(name: str, form: str, advised: bool) -> None:
    case = CASES[name]
    found = decide(replace(case, contents=replace(case.contents, form=form)))[0]
    assert found.name == name and bool(found.change) == advised


@pytest.mark.parametrize(
    ("sample", "form"),
    [
        (torch.zeros(3), "array"), (np.zeros(3), "array"), ((torch.zeros(3), 1), "pair"), ((np.zeros(3), torch.tensor(1)), "pair"),
        ({"x": torch.zeros(3)}, "other"), ((torch.zeros(3), torch.zeros(3)), "other"), ((torch.zeros(3), "a"), "other"), (3, "other"),
    ],
)  # fmt: skip
def test_the_form_of_a_sample_is_told(sample: Any, form: str) -> None:
    assert form_of(sample) == form


@pytest.mark.parametrize("opencv", [True, False])
def test_the_threads_of_opencv_are_set_only_where_it_is_imported(opencv: bool) -> None:
    pools = (("torch", 1), ("cv2", 4)) if opencv else ()
    change = str(decide(replace(CASES["fighting_threads"], pools=pools))[0].change)
    assert ("cv2" in change) == opencv
    compile(change, "advice", "exec")


def test_one_thread_is_set_after_what_the_loader_does_in_its_workers() -> None:
    (advised, *_others) = decide(replace(CASES["fighting_threads"], worker_init="start_worker"))
    lines = [line.strip() for line in str(advised.change).splitlines()]
    assert lines.index("torch.set_num_threads(1)") > [
        line.startswith("start_worker(worker)") for line in lines
    ].index(True)


def test_where_other_threads_ran_a_copy_that_hangs_is_no_proof() -> None:
    for experiment in ("parts", "loop"):
        hanging = replace(GOOD, troubles=(Trouble(experiment, 0, Outcome([], "late"), 6.0),))
        assert "copy of this process" not in decide(hanging)[0].sentence
        assert "(wandb)" in decide(replace(hanging, other_threads=("wandb",)))[0].sentence


def test_the_threads_of_this_process_are_noticed_where_it_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = threading.Event()
    writer = threading.Thread(target=stop.wait, name="writer", daemon=True)
    writer.start()
    try:
        for copied in (True, False):
            monkeypatch.setattr("loaderlab.scripts.diagnosis.evidence.forks", lambda copied=copied: copied)
            assert ("writer" in facts([])["other_threads"]) == copied
    finally:
        stop.set()
        writer.join()


def test_of_what_grows_it_is_said_when_the_memory_ends_and_only_if_that_is_in_a_training() -> None:
    """7.5 MiB in each batch of 10 samples, at some 160 samples a second: 8 GiB are taken in about a minute."""
    case = CASES["growing_memory"]
    (growing, *_others) = decide(case)
    per_second = 7.5 * MIB / (10 / case.rate)
    assert growing.cost.hours == pytest.approx(8192 * MIB / per_second / 3600)
    plenty = replace(case, memory_free=2**60)
    assert "growing_memory" not in [one.name for one in decide(plenty)]
    # Workers that start in each epoch give it back: after 500 batches of 7.5 MiB at most.
    for persistent, free, said in ((False, 8192, False), (False, 1024, True), (True, 8192, True)):
        seen = replace(case, persistent=persistent, memory_free=free * MIB)
        assert ("growing_memory" in [one.name for one in decide(seen)]) == said


def test_what_costs_nothing_is_left_out_beside_what_costs() -> None:
    slow = with_(
        {"persistent": False, "pinned": True, "contents": Contents(10, 0, MIB, 30 * MIB)},
        samples=RARE, collate=Taken(0.5), sampler=0.2, send=0.2, receive=0.2, start_worker=1.2, epoch=5,
    )  # fmt: skip
    found = decide(slow)
    assert len(found) > 1 and all(one.cost.samples for one in found)
    assert "pinned_for_nothing" not in [one.name for one in found]
    assert "pinned_for_nothing" in [one.name for one in decide(CASES["pinned_for_nothing"])]


def test_where_no_step_is_given_no_cost_is_made_up() -> None:
    without = with_({"has_step": False, "workers": 4}, step=Taken())
    assert decide(without)[0].name == "computing" and decide(without)[0].cost.samples is None
    limited = decide(with_({"workers": 4}, step=SHORT))[0]
    assert limited.name == "computing" and limited.cost.samples and limited.cost.samples > 0


def test_of_batches_from_elsewhere_the_rate_of_whole_epochs_is_of_samples_too() -> None:
    """Thirty batches of 32, each 20 ms and a step of 10 ms: without the wait it is three times as fast."""
    stream = Evidence(is_loader=False, has_step=True)
    said = [Batches((0.02,) * 30, (0.01,) * 30, (32,) * 30, 0), EpochTimes(0.0, 0.02, 30, True, seconds=0.9)]
    seen = replace(stream, **of_loop(said, stream))
    assert seen.rate == pytest.approx(32 / 0.03) and seen.expected_rate == pytest.approx(32 / 0.03)
    assert decide(seen)[0].cost.samples == pytest.approx(2 * 32 / 0.03)


def test_what_begins_each_epoch_is_shared_among_its_batches() -> None:
    """An order that takes long to draw costs little in a long epoch; workers that stay do not start again."""
    costs = replace(COSTS, begin=3.0, epoch=100)
    for persistent in (False, True):
        setting = WorkerSetting(2, 4, persistent=persistent)
        assert period(costs, setting) - period(replace(costs, begin=0.0), setting) == pytest.approx(0.03)
    started = replace(COSTS, restart=2.0, epoch=100)
    gained = period(started, WorkerSetting(2, 4)) - period(started, WorkerSetting(2, 4, persistent=True))
    assert gained == pytest.approx(0.02)
    assert [one.name for one in decide(replace(GOOD, costs=replace(COSTS, begin=9.0, epoch=10**5)))] == [
        "step_limit"
    ]


@pytest.mark.parametrize("persistent", [False, True])
def test_the_wait_at_the_begin_of_an_epoch_is_that_of_those_that_are_not_the_first(persistent: bool) -> None:
    """Of workers that stay, only the first epoch has their start; what is left belongs to each epoch."""
    seen = replace(GOOD, persistent=persistent)
    epochs = [EpochTimes(0.0, first, 50, True, seconds=4.0) for first in (5.0, 1.05)]
    costs = of_loop(epochs, seen)["costs"]
    late = costs.begin if persistent else costs.restart
    assert late == pytest.approx(0.95, abs=0.05) and (costs.restart if persistent else costs.begin) == 0
    assert of_loop([EpochTimes(0.0, 0.06, 50, True, seconds=4.0)] * 2, seen)["costs"].restart == 0


def test_a_first_batch_whose_workers_wait_for_a_core_is_no_wait_of_its_own() -> None:
    """1.2 s of which other programs have taken most, or none."""
    for late, begin in ((1.1, 0.0), (0.0, 1.1)):
        said = [EpochTimes(0.0, 1.2, 50, True, seconds=4.0, late=late)] * 3
        assert of_loop(said, GOOD)["costs"].begin == pytest.approx(begin, abs=0.01)


def test_an_epoch_of_a_stream_has_as_many_batches_as_it_had() -> None:
    endless = replace(GOOD, costs=replace(COSTS, epoch=None))
    assert of_loop([EpochTimes(0.0, 0.1, 50, True, seconds=4.0)], endless)["costs"].epoch == 50
    assert of_loop([EpochTimes(0.0, 0.1, 50, False, seconds=4.0)], endless)["costs"].epoch is None


def test_workers_that_end_long_before_the_others_are_counted() -> None:
    stream = replace(GOOD, workers=4, iterable=True, costs=replace(COSTS, epoch=100))
    looks = [Tree(0, batches, 0.0, 0, 0, ended) for batches, ended in ((1, 0), (20, 3), (100, 4))]
    assert of_loop(looks, stream)["ended_workers"] == 3
    assert of_loop(looks, replace(stream, iterable=False))["ended_workers"] == 0
    assert of_loop(looks[::2], stream)["ended_workers"] == 0  # all end at the end


def test_a_step_that_is_slow_now_and_then_is_told_from_one_that_is_always() -> None:
    rests = Taken(0.0, 0.01)
    for times, slow in (((rests,) * 4 + (Taken(0.1),), True), ((rests,) * 5, False)):
        said = [("step", one) for one in times * 6]
        found = of_parts(said, COSTS)
        assert found["costs"].step.all == pytest.approx(sum(one.all for one in times) / 5)
        assert bool(found["slow_steps"][1]) == slow
    assert not of_parts([("step", rests)] * 11 + [("step", Taken(0.1))], COSTS)["slow_steps"][
        1
    ]  # once is chance


def test_a_first_batch_that_is_made_beside_those_of_other_workers_is_no_wait() -> None:
    """Eight workers on four cores make a batch of 51 ms each at once."""
    busy = replace(GOOD, workers=8, persistent=False)
    for first, waits in ((0.19, False), (0.5, True)):
        seen = of_loop([EpochTimes(0.0, first, 50, True, seconds=4.0)] * 2, busy)["costs"]
        assert bool(seen.restart) == waits


def test_of_many_small_tensors_the_form_is_blamed_and_not_the_workers() -> None:
    case = CASES["workers_for_nothing"]
    small = replace(case, contents=replace(case.contents, tensors=1536))
    assert decide(case)[0].name == "workers_for_nothing"
    assert decide(replace(small, receive_tensor=(0.0, 1e-5)))[0].name == "slow_sending"
    assert decide(replace(small, receive_tensor=(0.001, 0.001)))[0].name == "workers_for_nothing"


def test_where_no_workers_are_faster_as_tried_the_form_of_what_is_sent_is_blamed_too() -> None:
    case = CASES["workers_for_nothing"]
    tried = Tried(case.without_workers, (100.0, 101.0), (400.0, 401.0))
    small = replace(case, tried=(tried,), contents=replace(case.contents, tensors=1536))
    for receive, name in ((1e-5, "slow_sending"), (0.001, "workers_for_nothing")):
        assert [one.name for one in decide(replace(small, receive_tensor=(0.001, receive)))] == [name]


@pytest.mark.parametrize(
    ("phase", "share", "waits", "first"),
    [
        ("sample", 0.7, "", "computing"),
        ("sample", 0.35, "", "slow_sending"),  # less than the sending takes
        ("sample", 0.7, "the network", "slow_sending"),
        ("collate", 0.7, "", "slow_sending"),
    ],
)
def test_of_two_edits_that_is_said_first_which_frees_more(
    phase: str, share: float, waits: str, first: str
) -> None:
    """Loading a batch takes 51 ms, and sending it 15, of two cores; what needs no edit stands before both."""
    costly = Line(phase, "train.py", 7, "get", "copy.deepcopy(record)", share, "copies", waits=waits)
    case = with_(
        {"cores": 2, "lines": (costly,), "contents": Contents(10, 40, MIB)},
        send=0.005,
        receive=0.01,
        step=SHORT,
    )
    found = decide(case)
    assert found[0].name == first and "slow_sending" in [one.name for one in found]
    assert found[0].name != "computing" or "deepcopy" in found[0].sentence
    assert decide(replace(CASES["too_few_workers"], lines=(costly,)))[0].name == "too_few_workers"


def test_a_stream_that_begins_each_epoch_late_is_seen_without_workers() -> None:
    """6,400 samples are drawn in 0.9 s before the first of 50 batches; map-style datasets have a sampler for that."""
    stream = with_(
        {"workers": 0, "iterable": True, "persistent": False}, samples=(Taken(0.0005),), epoch=50, step=SHORT
    )
    epochs = [EpochTimes(0.0, 0.9 + first, 50, True, seconds=1.5) for first in (0.6, 0.02, 0.01)]
    begun = of_loop(epochs, stream)["costs"]
    assert begun.begin == pytest.approx(0.9, abs=0.02)
    assert decide(replace(stream, costs=begun))[0].name == "slow_epoch_start"
    assert of_loop(epochs, replace(stream, iterable=False))["costs"].begin == 0
    healthy = [EpochTimes(0.0, 0.01, 50, True, seconds=3.0)] * 2
    assert of_loop(healthy, stream)["costs"].begin == 0


def test_the_rate_of_whole_epochs_has_what_begins_each_where_no_whole_one_was_seen() -> None:
    begun = replace(GOOD, costs=replace(COSTS, begin=2.0, epoch=50))
    assert begun.expected_rate == pytest.approx(500 / (500 / GOOD.rate + 2.0))
    assert decide(begun)[0].name == "slow_epoch_start"


def test_padding_is_what_all_samples_of_a_batch_fill_up_with() -> None:
    tokens = torch.zeros(16, 100, dtype=torch.long)
    for number, row in enumerate(tokens):
        row[: 10 + number] = 7
    assert padded(tokens) == padded(tokens[:, :, None].float().expand(-1, -1, 3)) == 0.75
    assert padded(tokens[:, :25]) == 0.0  # to the longest of the batch
    assert padded(torch.full((16, 100), 3)) == 0.0  # of all the same length
    # What has no columns of its own is no error, either.
    ragged = torch.nested.nested_tensor([torch.ones(20, 2), torch.ones(30, 2)] * 8)
    assert padded(ragged) == padded(tokens.to_sparse()) == padded(torch.zeros(16, 100, 0)) == 0.0
    assert padded(tokens[:4]) == padded(tokens.float()) == padded(tokens[:, None, :, None]) == 0.0


def test_padding_is_said_before_the_limit_that_it_makes_and_by_a_collate_function_of_ones_own_only_cured() -> (
    None
):
    found = decide(CASES["padding"])
    assert [one.name for one in found] == ["padding"] and "pad_sequence" in str(found[0].change)
    assert found[0].cost.samples is not None and found[0].cost.samples > CASES["padding"].rate
    assert decide(replace(CASES["padding"], own_collate=False))[0].change is None


def test_workers_that_take_more_beside_each_other_are_the_limit_that_they_are_together() -> None:
    """Two threads of one core, say: alone, the step of 30 ms would hide a batch of 25."""
    cores = replace(
        GOOD, cores=2, costs=replace(COSTS, samples=(Taken(0.0049, 0.0),) * 100, step=Taken(0.0, 0.03))
    )
    measured = replace(cores, rates=(10 / 0.042, 10 / 0.042), wait=0.28)
    assert decide(replace(measured, worker_cpu=0.08))[0].name == "computing"
    # Or the loop has no core when it wants one, which the parts do not show.
    assert decide(measured)[0].name == "computing"
    # A step that computes for itself takes its cores from nobody.
    light = replace(cores.costs, samples=(Taken(0.0005, 0.0),) * 100, step=Taken(0.056, 0.0, 0.028))
    assert decide(replace(measured, costs=light, rates=(10 / 0.031,) * 2, wait=0.1))[0].name == "step_limit"
    assert (
        decide(replace(measured, costs=replace(cores.costs, samples=(Taken(0.002, 0.0),) * 100)))[0].name
        == "not_measured"
    )
    assert (
        decide(replace(cores, rates=(10 / 0.0305,) * 2, wait=0.01, worker_cpu=0.05))[0].name == "step_limit"
    )


def test_sending_that_takes_longer_in_the_loop_than_alone_is_not_called_unmeasured() -> None:
    pieces = with_({"contents": Contents(64, 512, MIB)}, send=0.1, receive=0.2, step=SHORT)
    found = decide(slower(pieces, 2.5))
    assert found[0].name == "slow_sending"
    assert decide(slower(replace(pieces, contents=Contents(64, 2, MIB)), 2.5))[0].name == "not_measured"


def test_a_table_that_is_read_row_by_row_is_named() -> None:
    rows = with_({"workers": 0, "contents": Contents(2048, 2, 2048 * 80, form="pair"), "own_collate": False},
                 samples=(Taken(2e-6),) * 100, collate=Taken(0.004), step=SHORT)  # fmt: skip
    assert "one by one" in decide(rows)[0].advice
    pictures = replace(rows, contents=Contents(2048, 2, 2048 * 150_000, form="pair"))
    assert "one by one" not in decide(pictures)[0].advice
