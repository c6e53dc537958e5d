"""Lesson 3: what stands behind the sweeps: widths, orders, clocks, and kernels that are compiled at run time."""

import json
import random
from pathlib import Path

import pytest
import torch
from torch import nn

from loaderlab.i18n import language
from loaderlab.lessons.warps import curve, exercises, kernels
from loaderlab.lessons.warps.tiles import Product
from loaderlab.notebook import recordings, session
from loaderlab.notebook.recordings import Result


@pytest.fixture(autouse=True)
def english():
    language.use("en")


def steps(n, sms, most=1024):
    waves = [Product(m, n, sms=sms).waves for m in range(1, most + 2)]
    return [m for m in range(1, most + 1) if waves[m] != waves[m - 1]]


@pytest.mark.parametrize("sms", [1, 8, 40, 46, 58, 66, 82, 84, 108, 114, 132, 142, 148])
def test_four_rows_of_tiles_are_a_wave_on_any_device(sms):
    """Also where the SMs are no multiple of four."""
    assert steps(curve.columns("whole_wave", sms), sms)[:2] == [128, 256]
    assert sms < 4 or steps(curve.columns("quarter_wave", sms), sms) == [512, 1024]


def test_32_columns_for_each_sm_would_not_do():
    assert steps(32 * 58, 58)[0] == 384


def measured(wide, narrow, seed=0):
    """The sweep of two products whose tiles have so many rows, as a GPU would measure it."""
    noise = random.Random(seed)
    return Result(
        "gemm",
        [
            {"columns": kind, "rows": m, "sms": 58, "product_ms": -(-m // tile) * noise.uniform(0.99, 1.01)}
            for kind, tile in zip(curve.WIDTHS, (wide, narrow), strict=True)
            for m in range(1, 301)
            for _repeat in range(3)
        ],
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_steps_of_each_width_are_counted_for_itself(seed):
    [at_64, at_32] = curve.steps(measured(256, 32, seed), multiples=(64, 32), most=256)
    assert at_64 == {"multiples_of": 64, "whole_wave": 25, "quarter_wave": 100}
    assert at_32 == {"multiples_of": 32, "whole_wave": 12, "quarter_wave": 100}


def test_a_width_that_was_not_measured_has_no_column_of_steps():
    wide = measured(64, 32).where(columns="whole_wave")
    assert curve.steps(wide, multiples=(64,), most=256) == [{"multiples_of": 64, "whole_wave": 100}]


def test_how_many_times_as_long_is_said_for_each_result_or_not_at_all():
    both = [measured(64, 32).where(columns=kind) for kind in curve.WIDTHS]
    assert curve.longer(both, "rows", at=[65], than=64) == pytest.approx([2, 1.5], rel=0.03)
    assert curve.longer(both[:1], "rows", at=[1, 129], than=64) == pytest.approx([1, 3], rel=0.03)
    assert curve.longer([*both, Result("gemm", note="no GPU")], "rows", at=[65], than=64) is None


def test_on_the_recorded_curve_the_exercise_fills_up_what_takes_twice_as_long():
    [file] = (Path(curve.__file__).parent / "recordings").glob("gemm-sweep*.json")
    times = {}
    for row in json.loads(file.read_text("utf-8"))["rows"]:
        if row["columns"] == "quarter_wave" and row["rows"] <= 512:
            times.setdefault(row["rows"], []).append(row["product_ms"])
    best = exercises.BEST_ROWS.table.right
    assert [best(times, m) for m in (64, 65, 72, 73, 255, 256)] == [64, 73, 73, 73, 256, 256]


def test_by_the_bytes_that_travel_a_line_for_each_element_is_eight_and_a_half_times_as_dear():
    model = {row["stride"]: row["element_ns"] for row in curve.by_distance(0.2)}
    assert [model[16] / model[1], model[32] / model[1], model[2] / model[1]] == pytest.approx([8.5, 8.5, 1.5])


def test_every_number_comes_once_before_any_comes_again_and_in_another_order():
    drawn = list(curve.shuffled(range(50), repeats=3))
    parts = [drawn[i : i + 50] for i in (0, 50, 100)]
    assert all(sorted(part) == list(range(50)) for part in parts)
    assert len({tuple(part) for part in [*parts, range(50)]}) == 4


def test_operations_are_counted_and_views_are_not():
    net = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
    for batch in (torch.ones(1, 4), torch.ones(9, 4)):
        with torch.no_grad():
            assert curve.operations(lambda batch=batch: net(batch)) == 2
            assert curve.operations(lambda batch=batch: net(batch.t().t())) == 2


def test_the_clock_gives_the_time_of_one_call():
    calls = []
    assert curve.ms(lambda: calls.append(1), "cpu", launches=4) >= 0
    assert len(calls) == 5


def test_times_relative_to_one_point():
    rows = [
        {"by": by, "x": x, "y": factor * x} for by, factor in (("a", 1.0), ("b", 7.0)) for x in (2, 4, 4, 8)
    ]
    done = curve.relative(Result("r", rows), "x", "y", by="by", at=4)
    assert [row["relative"] for row in done.rows] == [0.5, 1, 1, 2] * 2


def test_the_model_of_blocks_follows_the_warps_or_the_bytes():
    rows = {(r["bound_by"], r["block"]): r["relative"] for r in curve.by_block(2**22, at=128, most=256)}
    assert rows["arithmetic", 100] == pytest.approx(1.28, abs=0.001)
    assert rows["arithmetic", 96] == pytest.approx(1, abs=0.001) and rows["memory", 100] == 1


def test_a_kernel_that_cannot_be_compiled_is_said_and_the_lesson_goes_on(monkeypatch):
    session.begin("warps", language="en")
    monkeypatch.setattr(recordings, "_have", lambda need: 1)

    def broken(source, name):
        raise RuntimeError("no such library\nand more")

    monkeypatch.setattr(torch.cuda, "_compile_kernel", broken, raising=False)
    result = recordings.benchmark(kernels.latency_sweep, most=2, mib=1, repeats=1, requires={"cuda": 1})
    assert not result.rows and "(no such library)" in result.stamp and "NVRTC" in result.stamp
    monkeypatch.delattr(torch.cuda, "_compile_kernel")
    result = recordings.benchmark(kernels.latency_sweep, most=2, mib=1, repeats=1, requires={"cuda": 1})
    assert "_compile_kernel" in result.stamp


def test_a_missing_toolkit_keeps_no_kernel_from_being_compiled(monkeypatch):
    from torch.utils import cpp_extension

    seen = []
    monkeypatch.setattr(cpp_extension, "CUDA_HOME", None)
    monkeypatch.setattr(
        torch.cuda, "_compile_kernel", lambda *a: seen.append(cpp_extension.CUDA_HOME), raising=False
    )
    kernels.compiled("spin")
    assert seen[0] and cpp_extension.CUDA_HOME is None
