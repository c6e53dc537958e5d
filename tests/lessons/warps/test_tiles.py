"""Lesson 3: lanes, tiles and waves are counted right, and the explorers show them within the time of a slider."""

import itertools

import pytest

from loaderlab.i18n import language
from loaderlab.lessons.warps import curve, scene
from loaderlab.lessons.warps.tiles import Launch, Product, alignment


@pytest.fixture(autouse=True)
def english():
    language.use("en")


def test_one_image_is_4704_warps_and_no_batch_of_them_has_an_idle_lane():
    assert Launch(3 * 224 * 224).warps == 4704
    assert all(Launch(batch * 3 * 224 * 224).idle == 0 for batch in range(1, 200))


@pytest.mark.parametrize("block", [1, 31, 32, 100, 256, 1024])
@pytest.mark.parametrize("elements", [1, 31, 32, 33, 100, 1023, 5000])
def test_every_lane_is_used_or_idle(elements, block):
    launch = Launch(elements, block)
    used = [launch.used(warp) for warp in range(launch.warps)]
    assert sum(used) == elements
    assert launch.idle == sum(32 - lanes for lanes in used)
    assert launch.blocks * block >= elements > (launch.blocks - 1) * block


def test_31_32_and_33_rows_make_the_same_tiles_and_129_twice_those_of_128():
    assert {Product(m, 4096).tiles for m in (31, 32, 33, 128)} == {32}
    assert Product(129, 4096).tiles == 64


@pytest.mark.parametrize(
    ("m", "n", "tile_m", "tile_n", "sms"),
    list(itertools.product((1, 128, 129, 700), (1, 300, 4096), (64, 128), (64, 256), (1, 7, 108))),
)
def test_tiles_placed_one_by_one_fill_the_waves_that_were_computed(m, n, tile_m, tile_n, sms):
    """Played with lists: tiles are put on SMs in turn, and the results that each holds are added up."""
    areas = [
        min(tile_m, m - top) * min(tile_n, n - left)
        for top in range(0, m, tile_m)
        for left in range(0, n, tile_n)
    ]
    waves = [areas[i : i + sms] for i in range(0, len(areas), sms)]
    product = Product(m, n, tile_m, tile_n, sms)
    assert (product.tiles, product.waves, product.last_wave) == (len(areas), len(waves), len(waves[-1]))
    slots = len(waves) * sms * tile_m * tile_n
    assert product.efficiency == pytest.approx(sum(areas) / slots)


def test_alignment_is_16_bytes_in_every_type():
    assert {dtype: alignment(dtype) for dtype in ("fp16", "bf16", "tf32", "int8")} == {
        "fp16": 8, "bf16": 8, "tf32": 4, "int8": 16,
    }  # fmt: skip


def test_a_sweep_ends_with_its_time_but_gives_at_least_one():
    assert list(curve.within(60, range(5))) == list(range(5))
    assert list(curve.within(0, range(5))) == [0]


def test_the_sentences_say_what_the_arithmetic_says():
    assert "Idle lanes: 182 of 512" in scene.draw_lanes(33, 10, 1, 1, 256).text
    assert "no batch size leaves a lane idle" in scene.draw_lanes(33, 3, 224, 224, 256).text
    assert "Idle lanes in each block: 28" in scene.draw_lanes(33, 10, 1, 1, 100).text
    said = scene.draw_waves(385, 4096, 4090, "128x128", 108, "fp16").text
    assert "Tiles: 128, waves: 2" in said and "20 of 108" in said and "K = 4090" in said
    assert "⚠" not in scene.draw_waves(385, 4096, 4092, "128x128", 108, "tf32").text


def test_a_share_is_0_or_100_only_where_it_is_exactly_that():
    assert [scene.percent(share) for share in (0.0, 1.0, 0.0004, 0.9996, 0.5)] == ["0", "100", "0.04", "99.96", "50"]  # fmt: skip


def test_in_the_model_the_time_steps_after_multiples_of_128_or_of_512_rows_and_after_no_other():
    steps = {}
    for kind in ("whole_wave", "quarter_wave"):
        waves = [Product(m, curve.columns(kind, 108), sms=108).waves for m in range(1, 1025)]
        steps[kind] = [m for m in range(1, 1024) if waves[m] != waves[m - 1]]
    assert steps == {"whole_wave": list(range(128, 1024, 128)), "quarter_wave": [512]}


@pytest.mark.parametrize("batch", [1, 2, 4, 8, 16, 32, 33, 64, 65, 256])
def test_less_than_one_wave_and_less_than_one_row_of_tiles_is_lost(batch):
    shape = Product(197 * batch, 3072, sms=108)
    assert shape.wave_use > 1 - 1 / shape.waves and shape.tile_use > 1 - 1 / shape.tile_rows
