"""Every picture is as wide as a page, small as a PNG, and has its sentence, whatever it has to show."""

from __future__ import annotations

import io
import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from loaderlab import drawing
from loaderlab.drawing import Bitmap, Picture, plots, style, timelines
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.operations import SCALE, Box, Cells, Hatch, Text
from loaderlab.i18n import language
from loaderlab.measuring.measure import Spread
from loaderlab.model.pipeline import Setting, rounds, simulate
from loaderlab.notebook import front


def image(picture: Picture) -> Image.Image:
    return Image.open(io.BytesIO(picture.png)).convert("RGB")


def timeline(**values: object) -> Picture:
    return drawing.timeline({"": simulate(rounds(Setting(**values)))}, text="what it shows")


def colours(picture: Picture) -> set[tuple[int, ...]]:
    """Colours that are there in quantity, rounded, because the palette of a picture is small."""
    found = image(picture).getcolors(1 << 20)
    return {tuple(round(c / 32) for c in colour) for count, colour in found if count > 300}


def like(colour: str) -> tuple[int, ...]:
    return tuple(round(int(colour[i : i + 2], 16) / 32) for i in (1, 3, 5))


@pytest.mark.parametrize("workers", [0, 1, 2, 4, 8, 16])
def test_a_timeline_is_small_and_as_wide_as_a_page(workers: int) -> None:
    picture = timeline(num_workers=workers, spread=0.3)
    assert image(picture).width == drawing.WIDTH * SCALE
    assert len(picture.png) < 40_000


def test_a_timeline_grows_with_its_workers_and_one_fills_most_of_the_room_for_many() -> None:
    heights = [image(timeline(num_workers=n)).height for n in (0, 1, 4, 16)]
    assert heights == sorted(set(heights))
    assert heights[1] > 0.75 * heights[-1]


@pytest.mark.parametrize("workers", [0, 2])
def test_a_batch_says_under_a_pointer_who_loaded_it_and_who_waited(workers: int) -> None:
    run, picture = simulate(rounds(Setting(num_workers=workers))), timeline(num_workers=workers)
    texts = [spot.text for spot in picture.canvas.spots]
    for d in run.deliveries:
        who = "main process" if d.worker is None else f"worker {d.worker}"
        about = [text for text in texts if text.startswith(f"Batch {d.batch}.")]
        assert len(about) == 2 * len(run.epochs)  # where it is loaded, and where its step is
        assert any(f": {who}, " in text and f" {d.ready - d.asked:.0f} ms for it" in text for text in about)
    for left, top, width, height, _text in picture.spots:
        assert left >= 0 <= top and left + width <= 100.01 and top + height <= 100.01


def test_two_timelines_share_their_axis() -> None:
    short, long = simulate(Setting(2, step_ms=1)), simulate(Setting(2, step_ms=40))
    picture = drawing.timeline({"Predicted": short, "Measured": long}, text="both")
    assert len(picture.png) < 40_000
    half = image(picture).height // 2
    right = (image(picture).width * 3 // 4, 0, image(picture).width, half)
    assert len(image(picture).crop(right).getcolors(1 << 20)) < len(
        image(picture).crop((right[0], half, right[2], 2 * half)).getcolors(1 << 20)
    )


def test_steps_are_drawn_only_where_there_are_steps() -> None:
    assert like(drawing.GREEN) in colours(timeline(step_ms=10))
    assert like(drawing.BLUE) in colours(timeline(step_ms=0))


def test_a_timeline_of_almost_nothing_can_be_drawn() -> None:
    run = simulate(Setting(1, load_ms=0, step_ms=0, start_ms=0, batches=1, epochs=1))
    assert drawing.timeline({"": run}, text="nothing").png


def test_every_label_of_a_long_language_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    """The left margin and the legend follow the words, so that none is cut or painted over."""
    monkeypatch.setattr(timelines, "_", lambda message: message + " en français")
    written: list[tuple[float, float]] = []
    for workers in (0, 3, 16):
        texts = [each for each in timeline(num_workers=workers).canvas.operations if isinstance(each, Text)]
        assert any(text.text.endswith(" en français") for text in texts)
        for text in texts:
            width = text_width(text.text, text.size, text.bold)
            left = {"l": text.x, "m": text.x - width / 2, "r": text.x - width}[text.anchor[0]]
            written.append((left, left + width))
    assert min(left for left, _right in written) >= 0
    assert max(right for _left, right in written) <= drawing.WIDTH


@pytest.mark.parametrize("length", [0.3, 7, 99.9, 1000, 123_456])
def test_ticks_are_round_and_few(length: float) -> None:
    values = drawing.ticks(length, 9)
    assert 2 <= len(values) <= 9
    assert values[0] == 0
    assert values[-1] <= length * (1 + 1e-9)


def test_equal_cells_look_alike_and_different_ones_do_not() -> None:
    assert like(drawing.PALETTE[1]) not in colours(drawing.strip([0, 0, 0, 0], text="one worker"))
    assert {like(c) for c in drawing.PALETTE[:2]} <= colours(drawing.strip([0, 1, 0, 1], text="two workers"))


def test_a_long_strip_goes_on_below() -> None:
    short, long = (drawing.strip(list(range(n)), text="") for n in (10, 100))
    assert image(long).height > image(short).height


def spread(value: float) -> Spread:
    return Spread(value, 0.9 * value, 1.1 * value, 3)


def test_rates_have_one_panel_each_and_their_limit() -> None:
    series = {name: {n: spread(100.0 * (n + 1)) for n in (0, 1, 2)} for name in ("reading", "decoding")}
    words = {"x_label": "num_workers", "y_label": "samples/s", "stamp": "here", "text": "what it shows"}
    plain, limited = drawing.rates(series, **words), drawing.rates(series, limit={"decoding": 500.0}, **words)
    assert plain.png != limited.png
    assert len(limited.png) < 40_000
    assert image(limited).width == drawing.WIDTH * SCALE
    assert {like(drawing.BLUE), like(drawing.ORANGE)} <= colours(limited)


def test_rates_take_names_and_one_value() -> None:
    picture = drawing.rates({"": {"fork": spread(3.0)}}, limit=4.0, x_label="start", y_label="s", text="x")
    assert picture.png.startswith(b"\x89PNG")


def test_a_picture_can_be_heard() -> None:
    data, metadata = Picture(Bitmap(b"png"), "what it shows")._repr_mimebundle_()
    assert data == {"image/png": b"png", "text/plain": "what it shows"}
    assert metadata["image/png"]["alt"] == "what it shows"


def test_no_picture_brings_pyplot_along() -> None:
    code = (
        "import sys; from loaderlab import drawing; from loaderlab.measuring.measure import Spread\n"
        "drawing.rates({'': {1: Spread(1, 1, 1, 1)}}, x_label='', y_label='', text='')\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_axis_keeps_the_point_in_every_language() -> None:
    before = language.current()
    try:
        pictures = set()
        for name in ("en", "fr"):
            language.use(name)
            pictures.add(drawing.rates({"": {1: spread(0.5)}}, x_label="", y_label="", text="").png)
    finally:
        language.use(before)
    assert len(pictures) == 1


BUSY = {
    "gpu": drawing.Kind(drawing.GREEN, "computes"),
    "wait": drawing.Kind(drawing.RED, "waits", hatched=True),
}


def test_tracks_show_every_kind_that_occurs_and_no_other() -> None:
    bars = {"device": [drawing.Bar(0, 40, "gpu", "0"), drawing.Bar(60, 100, "gpu", "1")]}
    picture = drawing.tracks({"": bars}, BUSY, text="what it shows", stamp="measured here")
    assert image(picture).width == drawing.WIDTH * SCALE
    assert like(drawing.GREEN) in colours(picture)
    with_wait = {"device": [*bars["device"], drawing.Bar(40, 60, "wait")]}
    assert drawing.tracks({"": with_wait}, BUSY, text="").png != drawing.tracks({"": bars}, BUSY, text="").png


def test_tracks_of_two_panels_stand_below_each_other() -> None:
    bars = {"device": [drawing.Bar(0, 40, "gpu")]}
    one, two = (drawing.tracks(dict.fromkeys(names, bars), BUSY, text="") for names in (["a"], ["a", "b"]))
    assert image(two).height > image(one).height


@pytest.mark.parametrize("bars", [[], [drawing.Bar(0, 0, "gpu")]])
def test_tracks_of_almost_nothing_can_be_drawn(bars: list[drawing.Bar]) -> None:
    assert drawing.tracks({"": {"device": bars}}, BUSY, text="").png


def level(limit: float | None, area: bool = True) -> Picture:
    line = drawing.Line("level", [(0, 10), (5, 60), (10, 0)], drawing.SKY, area=area, steps=True)
    words = {"x_label": "ms", "y_label": "MiB", "text": "what it shows", "limit_label": "size"}
    return drawing.chart([line], limit=limit, **words)


def test_an_area_is_red_only_above_its_limit() -> None:
    assert like(drawing.RED) not in colours(level(100))
    assert like(drawing.RED) in colours(level(30))
    assert like(drawing.SKY) in colours(level(30))


@pytest.mark.parametrize("above", [1e-9, 0.001, 0.01, 0.1])
def test_an_area_may_exceed_its_limit_by_less_than_a_pixel(above: float) -> None:
    line = drawing.Line("sizes", [(0, 8 + above), (10, 8)], area=True)
    assert drawing.chart([line], limit=8, x_label="x", y_label="y", text="hardly above").png


def test_a_chart_takes_few_operations() -> None:
    """An axis each with its ticks and labels, three areas, and a limit of dashes."""
    assert len(level(30).canvas.operations) < 150


@pytest.mark.parametrize("points", [[], [(0, 0)], [(3, 4)], [(0, 0), (1, 0)]])
def test_a_chart_of_almost_nothing_can_be_drawn(points: list[tuple[float, float]]) -> None:
    assert drawing.chart([drawing.Line("", points)], x_label="x", y_label="y", text="").png


@pytest.mark.parametrize("log", ["", "x", "xy"])
def test_curves_show_measurement_model_and_limit(log: str) -> None:
    series = {"pinned": {2.0**i: spread(2.0**i) for i in range(-8, 10)}}
    words = {"x_label": "MiB", "y_label": "GB/s", "text": "what it shows", "log": log}
    plain = drawing.curves(series, **words)
    guessed = drawing.curves(series, model={"pinned": {1.0: 3.0, 512.0: 400.0}}, **words)
    limited = drawing.curves(series, limit=600.0, marks=(32, 128), **words)
    assert len({plain.png, guessed.png, limited.png}) == 3
    assert len(limited.png) < 40_000
    assert drawing.curves({}, model={"": {1.0: 2.0, 2.0: 3.0}}, **words).png


def test_a_grid_shows_the_kinds_of_its_cells() -> None:
    kinds = {1: drawing.Kind(drawing.BLUE, "one"), 2: drawing.Kind(drawing.RED, "two", hatched=True)}
    one = drawing.grid([[1, 2, 1], [2, 2]], kinds, text="words", row_labels=("a", "b"), lines=("above",))
    other = drawing.grid([[1, 2, 1], [2, 1]], kinds, text="words", row_labels=("a", "b"), lines=("above",))
    assert one.text == "words"
    assert like(drawing.BLUE) in colours(one)
    assert one.canvas != other.canvas


def test_the_frame_of_a_grid_lies_around_its_cells_and_a_hatch_on_its_cell() -> None:
    kinds = {1: drawing.Kind(drawing.BLUE, "one"), 2: drawing.Kind(drawing.RED, "two", hatched=True)}
    drawn = drawing.grid([[1, 1, 2]], kinds, text="", row_labels=("a",), legend=()).canvas.operations
    (cells,) = (each for each in drawn if isinstance(each, Cells))
    (frame,) = (each for each in drawn if isinstance(each, Box))
    (hatch,) = (each for each in drawn if isinstance(each, Hatch))
    assert cells.rows == ((drawing.BLUE, drawing.BLUE, None),)
    right, bottom = cells.left + 3 * cells.wide, cells.top + cells.tall
    assert (frame.left, frame.top) == (cells.left - 1, cells.top - 1)
    assert (frame.right, frame.bottom) == (right + 1, bottom + 1)
    assert (hatch.left, hatch.top) == (cells.left + 2 * cells.wide, cells.top)
    assert (hatch.right, hatch.bottom) == (right, bottom)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (300, 300), (1, 500), (200, 1)])
def test_a_grid_of_any_size_fits_the_page(rows: int, columns: int) -> None:
    kinds = {True: drawing.Kind(drawing.BLUE, "used"), False: drawing.Kind(drawing.RED, "idle", hatched=True)}
    picture = drawing.grid([[x % 2 == 0 for x in range(columns)]] * rows, kinds, text="")
    width, height = image(picture).size
    assert width == drawing.WIDTH * SCALE
    assert height < width


def lightness(colour: str) -> float:
    """CIE L*, from 0 (black) to 100 (white): what is left of a colour in grey print, and for somebody who sees none."""
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    y = sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
    return 116 * y ** (1 / 3) - 16


def test_colours_are_told_apart_without_colour() -> None:
    gaps = {(a, b): abs(lightness(a) - lightness(b)) for a, b in itertools.combinations(drawing.PALETTE, 2)}
    assert min(gaps.values()) >= 7
    assert min(gaps[pair] for pair in itertools.pairwise(drawing.PALETTE)) >= 15  # neighbours


def test_the_smallest_letters_can_be_read_where_a_picture_is_700_wide() -> None:
    css = Path(front.__file__).with_name("front.css").read_text()
    narrowest = int(re.search(r"\.lab-sheet {[^}]*min-width: (\d+)px", css)[1])
    assert style.SMALL * narrowest / drawing.WIDTH >= 10
    assert style.SMALL * 700 / drawing.WIDTH >= 10


@pytest.mark.parametrize(
    ("length", "end"), [(0, 1), (1, 1), (1.01, 1.5), (29, 30), (31, 40), (99, 100), (101, 150)]
)
def test_an_axis_ends_at_a_round_value(length: float, end: float) -> None:
    assert style.steady(length) == pytest.approx(end)


def test_what_goes_on_when_the_axis_ends_is_cut_there() -> None:
    def drawn(*bars: drawing.Bar) -> Picture:
        kinds = {"load": drawing.Kind(drawing.BLUE, "loads")}
        return drawing.tracks({"": {"loop": bars}}, kinds, text="", until=400)

    cut = drawn(drawing.Bar(0, 300, "load"), drawing.Bar(300, 900, "load"), drawing.Bar(900, 950, "load"))
    assert cut == drawn(drawing.Bar(0, 300, "load"), drawing.Bar(300, 400, "load"))


def test_there_is_no_half_a_worker_on_an_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    monkeypatch.setattr(plots, "printed", lambda figure, *_words: drawn.append(figure))
    words = {"x_label": "workers", "y_label": "MiB", "text": "what it shows"}
    for points in ((0, 1, 2), (0.0, 1.0, 2.0)):
        drawing.curves({"": {x: spread(x + 1.0) for x in points}}, **words)
    whole, others = ([tick % 1 == 0 for tick in figure.axes[0].get_xticks()] for figure in drawn)
    assert all(whole) and not all(others)
