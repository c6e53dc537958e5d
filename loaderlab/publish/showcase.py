"""The pictures of the README: the timeline explorer in motion, and the pages that readers copy, as lesson 5 stored them."""

from __future__ import annotations

import base64
import hashlib
import inspect
import io
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from PIL import Image

from loaderlab.drawing import png, timeline
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.operations import SCALE
from loaderlab.drawing.style import BLUE, EDGE, INK, PALE, WIDTH
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import speaking
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.workers import scene
from loaderlab.model.pipeline import Setting, Timeline, rounds, simulate
from loaderlab.publish import code, notebook
from loaderlab.publish.checkout import EXERCISES, Checkout

WORKERS = (0, 1, 2, 3, 4, 5)  # what the slider shows, one after the other
LOOP = Setting(load_ms=40, step_ms=10, cores=8, spread=0.3, start_ms=25, epochs=1)
_DURATIONS = [1500, 1100, 1100, 1100, 1100, 2600]  # ms of each
_COLOURS = 48
_MOST = 8  # where the slider ends
_HEAD = 64  # pixels above the timeline
_PAGES = ("copy_on_write", "pages.picture(")  # the lesson, and what the cell calls that drew them


def animation(checkout: Checkout, language: str) -> bytes:
    """Return the explorer of lesson 1 while its first slider moves: a GIF that knows what it was drawn from."""
    with _speaking(checkout, language):
        runs = _runs()
        frames = [_frame(run, max(run.total_ms for run in runs)) for run in runs]
        about = _digest(language)
    height = max(frame.height for frame in frames) // SCALE
    film = Image.new("RGB", (WIDTH, height * len(frames)), "white")  # one palette for all
    for number, frame in enumerate(frames):
        small = frame.resize((WIDTH, frame.height // SCALE), Image.Resampling.LANCZOS)
        film.paste(small, (0, height * number))
    film = _on_white(film.quantize(_COLOURS, Image.Quantize.MEDIANCUT))
    tops = range(0, film.height, height)
    images = [film.crop((0, top, WIDTH, top + height)) for top in tops]
    file = io.BytesIO()
    images[0].save(
        file, "GIF", save_all=True, append_images=images[1:], duration=_DURATIONS, loop=0, comment=about
    )
    return file.getvalue()


def alternative(checkout: Checkout, language: str) -> str:
    """Return the content of the animation, in words."""
    with _speaking(checkout, language):
        first, last = _runs()[0], _runs()[-1]
        return _(
            "The explorer of lesson 1, while the number of workers goes from {first} to {last}. {before} → {after}"
        ).format(
            first=WORKERS[0],
            last=WORKERS[-1],
            before=_pace(first.setting),
            after=_pace(last.setting),
        )


def is_current(path: Path, checkout: Checkout, language: str) -> bool:
    """Return whether the GIF at ``path`` shows what the model says now. Pixels are not compared: they depend on versions."""
    if not path.is_file():
        return False
    with _speaking(checkout, language), Image.open(path) as image:
        return bool(image.info.get("comment") == _digest(language))


def pages(checkout: Checkout, language: str) -> bytes:
    """Return the picture of memory pages that the committed notebook of that language shows, as PNG."""
    lesson = next(lesson for lesson in checkout.lessons if lesson.name == _PAGES[0])
    path = checkout.notebook(lesson, language, EXERCISES)
    for cell in notebook.read(path).cells if path.is_file() else ():
        if cell.cell_type == "code" and _PAGES[1] in cell.source:
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    return base64.b64decode(output.data["image/png"])
    raise LabError(
        _(
            "{file}: no cell of it shows the picture that {call} draws, and README.md shows it. Run `loaderlab build`."
        ).format(file=checkout.name(path), call=f"{_PAGES[1]})")
    )


def _speaking(checkout: Checkout, language: str) -> AbstractContextManager[None]:
    return speaking(language, checkout.package / "lessons" / "workers")


def _runs() -> list[Timeline]:
    """Return the same loop with each number of workers, as the model predicts it."""
    return [simulate(rounds(replace(LOOP, num_workers=workers))) for workers in WORKERS]


def _pace(setting: Setting) -> str:
    """Return the first of the explorer's sentences: how long the device waits, and the time of a batch."""
    return scene.sentence(setting).partition(". ")[0] + "."


def _frame(run: Timeline, least_ms: float) -> Image.Image:
    """Return the explorer as it shows ``run``: slider, sentence, timeline."""
    workers = run.setting.num_workers
    picture = timeline({"": run}, text=_pace(run.setting), least_ms=least_ms)
    canvas = Canvas(WIDTH, _HEAD)
    left, right, y, radius = 130, 430, 20, 9
    at = left + (right - left) * workers / _MOST
    canvas.text(EDGE, y, "num_workers", 13, INK, "lm", bold=True)
    canvas.line([(left, y), (right, y)], PALE, 5)
    canvas.line([(left, y), (at, y)], BLUE, 5)
    canvas.disc(at, y, radius, "white", BLUE, 3)
    canvas.text(right + 26, y, str(workers), 15, BLUE, "lm", bold=True)
    canvas.text(EDGE, 47, picture.text, 13, INK, "lm")
    shown = canvas.with_below(picture.canvas)
    return png.drawn(shown.width, shown.height, shown.operations)


def _on_white(image: Image.Image) -> Image.Image:
    """Return the picture with what is nearly white as white: its ground is the mean of several colours."""
    palette = image.getpalette() or []
    for start in range(0, len(palette), 3):
        if min(palette[start : start + 3]) > 248:
            palette[start : start + 3] = [255, 255, 255]
    image.putpalette(palette)
    return image


def _digest(language: str) -> bytes:
    """Return a digest of the content of the frames, and of the files that draw them."""
    shown = [f"{run!r} {_pace(run.setting)}" for run in _runs()]
    files = [Path(__file__), *(Path(inspect.getfile(each)) for each in (timeline, Canvas, png))]
    drawing = [code.essence(file.read_text("utf-8")) for file in files]
    return hashlib.sha256("\0".join([language, *drawing, *shown]).encode()).hexdigest().encode()
