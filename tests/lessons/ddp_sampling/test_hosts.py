"""Lesson 7: the script of the notebook on two hosts, which are two network namespaces of this machine."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

import pytest

from loaderlab import course
from loaderlab.i18n import language
from loaderlab.lessons.ddp_sampling import hosts, sampling
from places import scripts
from processes import running

LESSON = course.lesson("ddp_sampling")


@pytest.fixture
def train(tmp_path):
    """The script that the notebook writes."""
    path = tmp_path / "train.py"
    path.write_text(scripts(LESSON)["train.py"], encoding="utf-8")
    return path


def network() -> tuple[str, str]:
    """What must be as before: the machine's interfaces, its name."""
    links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    return re.sub(r"@\S+", "", links), socket.gethostname()


@pytest.fixture
def two_networks():
    """Skips where the system allows none; afterwards nothing of them is left."""
    language.use("en")
    why = hosts.why_not()
    if why:
        pytest.skip(f"No two networks of one's own here: {why}")
    before = network()
    yield
    assert network() == before


def dealt(rows):
    """Host and indices of each rank, one list for each epoch."""
    return [[(row["host"], row["indices"]) for row in rows if row["epoch"] == epoch] for epoch in range(2)]


def expected():
    names = ["host-a", "host-a", "host-b", "host-b"]
    return [list(zip(names, sampling.orders(11, 4, epoch=epoch), strict=True)) for epoch in range(2)]


@pytest.mark.long
def test_the_ranks_of_two_hosts_share_the_samples(two_networks, train):
    both = hosts.run(train)
    assert both.statuses == [0, 0], both.errors[-2000:]
    assert dealt(both.rows) == expected()
    assert all(len({row["weight"] for row in both.rows if row["epoch"] == epoch}) == 1 for epoch in range(2))
    assert both.live and not running(train)


def test_the_transcript_is_what_a_real_run_gives():
    language.use("en")
    both = hosts.shown("train.py")
    assert both.statuses == [0, 0] and dealt(both.rows) == expected()
    assert re.search(r"A transcript, recorded with PyTorch \d\S+ on Linux \S+, \d{4}-\d\d-\d\d", repr(both))


@pytest.mark.long
def test_a_host_that_stalls_is_stopped_and_nothing_is_left(two_networks, tmp_path):
    script = tmp_path / "stall.py"
    script.write_text("import time\nprint('{\"rank\": 0}', flush=True)\ntime.sleep(600)\n")
    for seconds in (10, 45):  # the second time, where the machine is so slow that the ranks had not begun
        both = hosts.run(script, timeout=seconds)
        assert both.statuses == [None, None] and not running(script)
        if len(both.rows) == 4:
            break
    assert len(both.rows) == 4


def test_without_two_networks_there_is_a_reason(monkeypatch):
    hosts.why_not.cache_clear()
    monkeypatch.setattr(sys, "platform", "darwin")
    try:
        assert hosts.why_not() == "Only Linux has network namespaces."
    finally:
        hosts.why_not.cache_clear()
