"""SVG and PNG draw the same operations: they show the same, and the SVG also where there is no DejaVu Sans."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image, ImageChops, ImageStat
from resvg_py import svg_to_bytes

from loaderlab import course
from loaderlab.drawing import Bitmap, Picture, png
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.operations import SCALE
from loaderlab.drawing.scene import Scene
from loaderlab.i18n import language

SCENES = [(lesson, scene) for lesson in course.lessons() for scene in lesson.scenes().values()]
BLOCK = 16  # pixels of the PNG: of so many squared, the mean colours are compared
# Of 255: letters have soft edges in one way or another, and only those of the PNG are kerned, which moves them by 2.5 pixels at
# most. A text that is 5 pixels away makes 40 and more.
LIKE = 38
RED, BLUE = "#cc3311", "#005a99"


def rendered(svg: str, width: int, fonts: tuple[Path, ...] = png.fonts()) -> Image.Image:
    """The SVG as a renderer shows it that has only these fonts."""
    drawn = svg_to_bytes(
        svg_string=svg, width=width, background="white", skip_system_fonts=True, font_files=[str(path) for path in fonts],
        sans_serif_family="DejaVu Sans",
    )  # fmt: skip
    return Image.open(io.BytesIO(bytes(drawn))).convert("RGB")


def both(canvas: Canvas) -> tuple[Image.Image, Image.Image]:
    """The drawing by Pillow, and its SVG."""
    drawn = png.drawn(canvas.width, canvas.height, canvas.operations)
    return drawn, rendered(canvas.svg(), drawn.width)


def furthest(one: Image.Image, other: Image.Image) -> int:
    """The largest difference of a block, of 255."""
    small = [
        image.resize((-(-image.width // BLOCK), -(-image.height // BLOCK)), Image.Resampling.BOX)
        for image in (one, other)
    ]
    return max(high for _low, high in ImageChops.difference(*small).getextrema())


@pytest.mark.parametrize("code", language.LANGUAGES)
@pytest.mark.parametrize(("lesson", "scene"), SCENES, ids=[f"{a.name}-{b.name}" for a, b in SCENES])
def test_svg_and_png_of_every_scene_show_the_same(lesson: course.Lesson, scene: Scene, code: str) -> None:
    with language.speaking(code, lesson.folder):
        drawn, shown = both(scene.draw(**scene.defaults).canvas)
    assert drawn.size == shown.size
    assert furthest(drawn, shown) <= LIKE


def written(text: str, size: float, anchor: str, bold: bool) -> Callable[[Canvas], None]:
    return lambda canvas: canvas.text(60.3, 30.4, text, size, RED, anchor, bold)


def lines(points: list[tuple[float, float]], width: float) -> Callable[[Canvas], None]:
    return lambda canvas: canvas.line(points, RED, width)


ALONE: dict[str, Callable[[Canvas], None]] = {
    "box": lambda canvas: canvas.box(10.3, 8.2, 90.1, 33, RED),
    "box with an edge": lambda canvas: canvas.box(10.3, 8.2, 90.1, 33, "white", RED),
    "edge": lambda canvas: canvas.box(10.3, 8.2, 90.1, 33, None, RED),
    "box of nothing": lambda canvas: canvas.box(10.3, 8.2, 10.3, 8.2, RED),
    "hatch": lambda canvas: canvas.hatch(10.3, 8.2, 90.1, 47, RED),
    "hatch, narrow": lambda canvas: canvas.hatch(9.8, 11.1, 90.1, 49, BLUE, 4),
    "hatch, wide": lambda canvas: canvas.hatch(7.6, 5.4, 90.1, 52.5, RED, 8),
    "hatch of nothing": lambda canvas: canvas.hatch(9.8, 11.1, 9.8, 11.1, BLUE),
    "disc": lambda canvas: canvas.disc(60.5, 30.5, 9, "white", BLUE, 3),
    "cells": lambda canvas: canvas.cells(10.6, 9.1, 7, 3, [[RED, None, BLUE, BLUE], [], [None, RED]]),
}
for width in (1, 1.5, 2, 5):
    ALONE[f"line across, {width}"] = lines([(10.7, 20.3), (90.2, 20.3)], width)
    ALONE[f"line down, {width}"] = lines([(50.8, 50.1), (50.8, 10.4)], width)
    ALONE[f"line through points, {width}"] = lines([(10.7, 20.3), (50.2, 45.6), (90, 8.1)], width)
for size, bold in ((11.5, False), (12, False), (12, True), (18, False)):
    for anchor in ("lm", "mm", "rm"):
        ALONE[f"text {size} {anchor} {bold}"] = written("błąd 80", size, anchor, bold)


@pytest.mark.parametrize("draw", ALONE.values(), ids=ALONE.keys())
def test_each_operation_is_at_the_same_place_and_has_the_same_colour(draw: Callable[[Canvas], None]) -> None:
    canvas = Canvas(120, 60)
    draw(canvas)
    white = Image.new("RGB", (120 * SCALE, 60 * SCALE), "white")
    # Where it is dark: at least half of a pixel is covered.
    places, colours = [], []
    for image in both(canvas):
        mask = (
            ImageChops.difference(image, white)
            .convert("L")
            .point([255 * (value > 60) for value in range(256)])
        )
        box = mask.getbbox()
        assert box
        places.append(box)
    left, top, right, bottom = (max(edges) for edges in zip(*places, strict=True))
    assert all(abs(a - b) <= 1 for a, b in zip(*places, strict=True)), places
    for image in both(canvas):
        colours.append(ImageStat.Stat(image.crop((left - 1, top - 1, right + 1, bottom + 1))).mean)
    assert all(abs(a - b) < 16 for a, b in zip(*colours, strict=True)), colours


def test_a_sheet_below_another_is_drawn_as_it_is_alone() -> None:
    upper, lower = Canvas(120, 31), Canvas(100, 60)
    upper.box(0, 0, 120, 31, BLUE)
    for draw in ALONE.values():
        draw(lower)
    lower.spot(1, 2, 3, 4, "here")
    sheet = upper.with_below(lower)
    assert [(spot.top, spot.bottom) for spot in sheet.spots] == [(33, 35)]
    assert (sheet.width, sheet.height) == (120, 91)
    assert len(upper.operations) == 1
    below, alone = (png.drawn(each.width, each.height, each.operations) for each in (sheet, lower))
    part = below.crop((0, 31 * SCALE, 100 * SCALE, 91 * SCALE))
    assert ImageChops.difference(part, alone).getbbox() is None


@pytest.mark.parametrize(
    ("file", "family"), [("STIXGeneral", "STIXGeneral"), ("DejaVuSansMono", "DejaVu Sans Mono")]
)
def test_where_there_is_no_dejavu_sans_a_text_is_as_wide_as_it_was_laid_out(file: str, family: str) -> None:
    """In letters that are narrower, and in some that are wider."""
    canvas = Canvas(300, 40)
    canvas.text(150, 20, "main process, device: 100 ms", 12, "#000000", "mm")
    svg, white = canvas.svg(), Image.new("RGB", (600, 80), "white")
    other = svg.replace("'DejaVu Sans'", f"'{family}'")
    free = re.sub(r' textLength="[^"]*" lengthAdjust="[^"]*"', "", other)
    there = (png.fonts()[0].with_name(f"{file}.ttf"),)
    boxes = []
    for each, fonts in ((svg, png.fonts()), (other, there), (free, there)):
        box = ImageChops.difference(rendered(each, 600, fonts), white).getbbox()
        assert box
        boxes.append(box)
    plain, fitted, unfitted = boxes
    assert abs(fitted[0] - plain[0]) <= 2 and abs(fitted[2] - plain[2]) <= 2, boxes
    assert abs(unfitted[2] - plain[2]) > 15, boxes  # or this test proves nothing


def test_an_svg_is_well_formed_and_can_be_heard() -> None:
    canvas = Canvas(120, 60)
    canvas.text(10, 20, "a < b & c")
    root = ElementTree.fromstring(Picture(canvas, 'says "1 < 2" & more').svg)
    space = "{http://www.w3.org/2000/svg}"
    assert root.get("role") == "img"
    assert [title.text for title in root.iter(f"{space}title")] == ['says "1 < 2" & more']
    (text,) = root.iter(f"{space}text")
    assert text.text == "a < b & c"
    assert float(text.get("textLength", 0)) == pytest.approx(text_width("a < b & c"), abs=0.01)


def test_a_bitmap_knows_its_size_and_is_shown_in_an_svg() -> None:
    canvas = Canvas(120, 60)
    canvas.box(0, 0, 60, 60, RED)
    picture = Picture(Bitmap(canvas.png(), 120), "half of it is red")
    assert (picture.width, picture.height) == (120, 60)
    assert picture.png == canvas.png()
    shown = rendered(picture.svg, 240)
    assert shown.getpixel((50, 50)) != shown.getpixel((200, 50))
    with pytest.raises(TypeError, match="bitmap"):
        _ = picture.canvas


def test_nothing_is_drawn_before_it_is_asked_for_and_then_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    for kind in ("svg", "png"):
        draw = getattr(Canvas, kind)
        monkeypatch.setattr(
            Canvas, kind, lambda *given, draw=draw, kind=kind: drawn.append(kind) or draw(*given)
        )
    picture = Picture(Canvas(120, 60), "white")
    assert (picture.width, picture.height, drawn) == (120, 60, [])
    assert picture.svg == picture.svg and drawn == ["svg"]
    assert picture.png == picture.png and drawn == ["svg", "png"]
