"""Each rule for what may be believed, broken once; and what is no reason for doubt."""

import os
import time
from types import SimpleNamespace

import psutil
import pytest

from loaderlab.measuring import child
from loaderlab.measuring.others import Others
from loaderlab.measuring.soundness import Circumstances, oddities
from loaderlab.model.rehearsal import burn

QUIET = Circumstances(others=0.05, cores=2, threads=1)
ROWS = [
    {"kind": kind, "num_workers": n, "samples_per_second": rate * wobble}
    for kind, rates in {"wait": (100, 200), "memory": (900, 300)}.items()
    for n, rate in zip((0, 2), rates, strict=True)
    for wobble in (0.8, 1.0, 1.2)
] + [{"kind": "wait", "limit": 200.0}, {"kind": "memory", "limit": 950.0}]


def found(rows=ROWS, y="samples_per_second", now=QUIET, by="kind"):
    return [(o.kind, o.group, o.at, round(o.size, 2)) for o in oddities(rows, "num_workers", y, by, now)]


def test_rows_that_hold_together_are_left_alone():
    assert found() == []


def test_a_median_above_its_own_limit_is_odd_and_one_within_its_noise_is_not():
    rows = [row | {"limit": 300.0} if row.get("limit") == 950.0 else row for row in ROWS]
    assert found(rows) == [("limit", "memory", 0, 3.0)]
    near = [row | {"limit": 860.0} if row.get("limit") == 950.0 else row for row in ROWS]
    assert found(near) == []


def test_one_limit_may_stand_for_all_lines():
    rows = [*(row for row in ROWS if "limit" not in row), {"limit": 500.0}]
    assert found(rows) == [("limit", "memory", 0, 1.8)]


def test_repeats_that_differ_by_more_than_a_factor_of_two_are_odd():
    slow = {"kind": "wait", "num_workers": 2, "samples_per_second": 90.0}
    assert found([*ROWS, slow]) == [("spread", "wait", 2, 2.67)]


def test_repeats_of_a_share_or_a_size_may_differ():
    rows = [{"num_workers": 2, "copied_percent": value} for value in (0.1, 0.4)]
    assert found(rows, "copied_percent", by=None) == []


@pytest.mark.parametrize("y", ["batch_ms", "kernel_us", "us_per_sample", "gb_per_s", "seconds"])
def test_every_kind_of_time_and_rate_is_looked_at(y):
    rows = [{"num_workers": 2, y: value} for value in (1.0, 3.0)]
    assert [kind for kind, *_rest in found(rows, y, by=None)] == ["spread"]


def test_other_programs_are_odd_from_a_tenth_of_the_cores_on_and_the_learners_browser_is_none():
    assert found(now=Circumstances(others=0.6, cores=2, threads=1)) == [("others", None, None, 0.6)]
    assert found(now=Circumstances(others=1.7, cores=16, threads=1)) == [("others", None, None, 1.7)]
    assert found(now=Circumstances(others=0.4, cores=2, threads=1)) == []
    assert found(now=Circumstances(others=1.5, cores=16, threads=1)) == []


def test_a_main_process_with_more_threads_than_workers_is_odd_where_both_are_compared():
    now = Circumstances(others=0.0, cores=2, threads=4)
    assert found(now=now) == [("threads", None, None, 4)]
    alone = [row for row in ROWS if row.get("num_workers") == 0]
    assert found(alone, now=now) == []


def test_what_nobody_knows_is_no_reason_for_doubt():
    assert found(now=Circumstances()) == []


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="Nothing tells the cores of a process here.")
def test_own_work_and_that_of_children_is_not_that_of_others(monkeypatch):
    cores = len(os.sched_getaffinity(0))

    def all_busy(percpu):
        times = SimpleNamespace(user=time.perf_counter(), nice=0.0, system=0.0, steal=0.0)
        return [times] * (max(os.sched_getaffinity(0)) + 1)

    monkeypatch.setattr(psutil, "cpu_times", all_busy)
    others = Others()
    before = os.times()
    with child.busy(1):
        burn(900)
    ours, used = others.cores(), os.times()
    own = sum(now - then for now, then in zip(used[:4], before[:4], strict=True))
    share = own / (used.elapsed - before.elapsed)
    assert share > 0 and ours == pytest.approx(
        cores - share, abs=share / 3
    )  # on a busy machine the share is small
