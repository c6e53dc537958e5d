"""What lesson 2 says of the H200's recordings is what they say."""

import json
import statistics
from collections import defaultdict
from pathlib import Path

import pytest

from loaderlab.lessons import pin_memory
from loaderlab.lessons.pin_memory.model import milliseconds

FOLDER = Path(pin_memory.__file__).parent
TEXT = (FOLDER / "lesson.md").read_text("utf-8")


def rows(name):
    (file,) = (FOLDER / "recordings").glob(f"{name}-*.json")
    return json.loads(file.read_text("utf-8"))["rows"]


@pytest.fixture(scope="module")
def sent():
    """Medians of GB/s, ms by the host's clock and by events, for each way to send and size in MiB."""
    times = defaultdict(list)
    for row in rows("transfers")[:-1]:
        times[row["variant"], row["mib"]].append((row["gb_per_s"], row["host_ms"], row["events_ms"]))
    return {key: tuple(map(statistics.median, zip(*each, strict=True))) for key, each in times.items()}


def test_the_rates_of_large_batches(sent):
    assert (
        "32 MiB and more crossed at 53 to 55 GB/s from memory pinned beforehand, and at about 10 from" in TEXT
    )
    for mib in (32, 64, 128, 256):
        assert 53 <= sent["pinned", mib][0] < 55.5 and sent["pageable", mib][0] == pytest.approx(10, abs=0.8)
    assert "cannot copy more than 5.4 there" in TEXT and "which was 6.6 GB/s there" in TEXT
    last = rows("transfers")[-1]
    assert (round(last["worker_rate"], 1), round(last["host_rate"], 1)) == (5.4, 6.6)


def test_pinning_on_the_fly_wins_and_loses(sent):
    assert "2.6 times as fast for 64 MiB, and 3.4 times as slow for 2 MiB" in TEXT
    assert round(sent["pageable", 64][1] / sent["on_the_fly", 64][1], 1) == 2.6
    assert round(sent["on_the_fly", 2][1] / sent["pageable", 2][1], 1) == 3.4
    assert "From 2 to 8 MiB its pinning takes about 0.4 ms" in TEXT
    for mib in (2, 4, 8):
        _rate, host, events = sent["on_the_fly", mib]
        assert round(host - events, 1) == 0.4
    assert "from 64 MiB on, the events see a transfer nearly as fast as from pinned memory" in TEXT
    assert sent["on_the_fly", 64][2] < 1.15 * sent["pinned", 64][2]
    assert sent["on_the_fly", 8][2] > 1.5 * sent["pinned", 8][2]


def test_a_small_transfer_costs_the_host_some_25_microseconds(sent):
    assert "here some 25 microseconds" in TEXT
    assert all(0.02 < sent["pinned", 2.0**power][1] < 0.03 for power in range(-8, -1))


def test_six_batches_with_all_ingredients_and_without_each():
    assert (
        "8.8 ms with nothing missing, about 15 without the second stream or `non_blocking`, and 49 from"
        in TEXT
    )
    ends = defaultdict(float)
    for row in rows("overlaps"):
        ends[row["variant"]] = max(ends[row["variant"]], row["end_ms"])
    assert round(ends["complete"], 1) == 8.8 and round(ends["pageable_source"]) == 49
    assert {round(ends["default_stream"]), round(ends["blocking"])} == {15}
    assert "would take at least 12 ms there" in TEXT
    assert int(milliseconds(64, rows("transfers")[-1]["worker_rate"])) == 12


def test_with_workers_pinning_shortens_what_the_loop_pays_and_without_it_makes_asking_longer():
    assert "4.6 ms in all become 1.2" in TEXT
    paid = {(row["num_workers"], row["pin_memory"]): row for row in rows("loader-costs")}
    both = [round(paid[2, pin]["next_ms"] + paid[2, pin]["to_ms"], 1) for pin in (False, True)]
    assert both == [4.6, 1.2] and paid[2, True]["next_ms"] < paid[2, False]["next_ms"]
    assert paid[0, True]["next_ms"] > paid[0, False]["next_ms"]
