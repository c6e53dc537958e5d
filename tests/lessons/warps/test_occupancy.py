"""Lesson 3: how many warps an SM holds, and how much of a load's latency they hide."""

from itertools import pairwise

import pytest

from loaderlab.i18n import language
from loaderlab.lessons.warps import scene
from loaderlab.lessons.warps.occupancy import Residency, busy_share, enough, issued


@pytest.fixture(autouse=True)
def english():
    language.use("en")


@pytest.mark.parametrize(
    ("held", "blocks", "strictest"),
    [
        (Residency("A100", 128, 32), 16, ["warps", "registers"]),
        (Residency("A100", 128, 64), 8, ["registers"]),
        (Residency("A100", 32, 16), 32, ["blocks"]),
        (Residency("T4", 256, 32), 4, ["warps"]),
        (Residency("L4", 512, 32), 3, ["warps"]),
        (Residency("H100", 1024, 33), 1, ["registers"]),
        (Residency("H100", 128, 32, 227), 1, ["shared"]),
        (Residency("L4", 128, 32, 100), 0, ["shared"]),  # one KiB of each block is CUDA's own
        (Residency("T4", 128, 32, 64), 1, ["shared"]),
        (Residency("A100", 1024, 255), 0, ["registers"]),
        # Registers are given out within a quarter of the SM: 65,536 // (64 × 200) would be five blocks.
        (Residency("L4", 64, 200, 17), 4, ["registers"]),
        (Residency("L4", 64, 168, 17), 5, ["shared"]),
    ],
)
def test_an_sm_holds_as_many_blocks_as_the_strictest_limit_allows(held, blocks, strictest):
    assert (held.blocks, held.strictest) == (blocks, strictest)


@pytest.mark.parametrize("latency", [50, 400, 1000])
@pytest.mark.parametrize("instructions", [1, 20, 60, 200])
@pytest.mark.parametrize("warps", [1, 5, 8, 16])
def test_the_share_of_busy_cycles_is_that_of_the_timeline(warps, instructions, latency):
    period = max(instructions + latency, warps * instructions)
    turns = issued(warps, instructions, latency, 100 * period)
    cycles = sorted(cycle for spans in turns for span in spans for cycle in span)
    assert len(set(cycles)) == len(cycles)  # one instruction in each cycle
    assert len(cycles) / (100 * period) == pytest.approx(busy_share(warps, instructions, latency), rel=0.02)
    assert (warps >= enough(instructions, latency)) == (busy_share(warps, instructions, latency) == 1)
    for spans in turns:
        assert all(later.start - span.stop >= latency for span, later in pairwise(spans))


def test_the_sentence_says_how_much_of_the_latency_is_hidden():
    values = {
        "gpu": "A100",
        "block": 128,
        "registers": 64,
        "shared_kib": 0,
        "instructions": 20,
        "latency": 400,
    }
    said = scene.draw_warps(**values).text
    assert "occupancy is 50%" in said and "38% of the cycles" in said and "all cycles: 21" in said
    assert "100% of the cycles" in scene.draw_warps(**values | {"instructions": 60}).text
    none = scene.draw_warps(**values | {"registers": 255, "block": 1024})
    assert none.text == "No block fits: it wants more registers than the SM has."
