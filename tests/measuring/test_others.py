"""What other programs leave of the cores, and what that says of a child process."""

from __future__ import annotations

import pytest

from loaderlab.measuring import others
from loaderlab.measuring.others import Others


@pytest.mark.parametrize(
    ("busy", "own", "quota", "share", "free"),
    [
        (0.0, 0.0, 4.0, 1.0, 1.0),
        (20.0, 20.0, 4.0, 1.0, 1.0),
        (30.0, 10.0, 4.0, 0.5, 0.5),
        (10.0, 10.0, 1.0, 0.25, 1.0),
        (20.0, 0.0, 1.0, 0.125, 1.0),
        (35.0, 0.0, 1.0, 0.03125, 0.5),
    ],
    ids=[
        *("nobody works", "only we work", "others have two of four cores", "a quota of one of four cores"),
        *("a quota in what they leave", "half of a quota"),
    ],
)
def test_all_that_others_leave_is_to_be_had_and_a_quota_takes_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch, busy: float, own: float, quota: float, share: float, free: float
) -> None:
    clock = iter([(0.0, 0.0, 0.0), *[(10.0, busy, own)] * 2])
    monkeypatch.setattr(Others, "_now", staticmethod(lambda: next(clock)))
    monkeypatch.setattr(others.os, "sched_getaffinity", lambda _pid: set(range(4)))
    monkeypatch.setattr(others, "usable_cores", lambda: quota)
    meter = Others()
    assert (meter.share(), meter.free()) == pytest.approx((share, free))
