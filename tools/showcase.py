"""Write the animation of the READMEs: the timeline explorer of lesson 1, in each language, while its first slider moves.

Where the model, its sentence or what draws it changed (a test says so).

Command: python tools/showcase.py
"""

from __future__ import annotations

import hashlib
import inspect
import io
from dataclasses import replace
from pathlib import Path

from PIL import Image

from loaderlab.drawing import png, timeline
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.operations import SCALE
from loaderlab.drawing.style import BLUE, EDGE, INK, PALE, WIDTH
from loaderlab.i18n.language import LANGUAGES, speaking
from loaderlab.lessons.workers import scene
from loaderlab.model.pipeline import Setting, Timeline, rounds, simulate
from loaderlab.publish import code
from loaderlab.publish.checkout import ROOT

WORKERS = (0, 1, 2, 3, 4, 5)  # what the slider shows, one after the other
LOOP = Setting(load_ms=40, step_ms=10, cores=8, spread=0.3, start_ms=25, epochs=1)
_DURATIONS = [1500, 1100, 1100, 1100, 1100, 2600]  # ms of each
_COLOURS = 48
_MOST = 8  # where the slider ends
_HEAD = 64  # pixels above the timeline


def main() -> None:
    """Write the animation in each language, where it is not what it would be now."""
    for language in LANGUAGES:
        path = file(language)
        if not is_current(path, language):
            path.write_bytes(animation(language))
            print(path.relative_to(ROOT))


def file(language: str) -> Path:
    """Return the file of the animation."""
    folder = ROOT / "images" if language == "en" else ROOT / "images" / language
    return folder / "explorer.gif"


def animation(language: str) -> bytes:
    """Return the explorer while its slider moves: a GIF that knows what it was drawn from."""
    with speaking(language, Path(scene.__file__).parent):
        runs = _runs()
        frames = [_frame(run, max(run.total_ms for run in runs)) for run in runs]
    height = max(frame.height for frame in frames) // SCALE
    film = Image.new("RGB", (WIDTH, height * len(frames)), "white")  # one palette for all
    for number, frame in enumerate(frames):
        small = frame.resize((WIDTH, frame.height // SCALE), Image.Resampling.LANCZOS)
        film.paste(small, (0, height * number))
    film = _on_white(film.quantize(_COLOURS, Image.Quantize.MEDIANCUT))
    images = [film.crop((0, top, WIDTH, top + height)) for top in range(0, film.height, height)]
    gif = io.BytesIO()
    images[0].save(
        gif,
        "GIF",
        save_all=True,
        append_images=images[1:],
        duration=_DURATIONS,
        loop=0,
        comment=_digest(language),
    )
    return gif.getvalue()


def is_current(path: Path, language: str) -> bool:
    """Return whether the GIF at ``path`` shows what the model says now. Pixels are not compared: they depend on versions."""
    if not path.is_file():
        return False
    with Image.open(path) as image:
        return bool(image.info.get("comment") == _digest(language))


def paces(language: str) -> list[str]:
    """Return the first of the explorer's sentences in each frame: how long the device waits, and the time of a batch."""
    with speaking(language, Path(scene.__file__).parent):
        return [_pace(run.setting) for run in _runs()]


def _runs() -> list[Timeline]:
    """Return the same loop with each number of workers, as the model predicts it."""
    return [simulate(rounds(replace(LOOP, num_workers=workers))) for workers in WORKERS]


def _pace(setting: Setting) -> str:
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
    files = [Path(__file__), *(Path(inspect.getfile(each)) for each in (timeline, Canvas, png))]
    drawing = [code.essence(file.read_text("utf-8")) for file in files]
    shown = [repr(run) for run in _runs()]
    return hashlib.sha256("\0".join([*drawing, *shown, *paces(language)]).encode()).hexdigest().encode()


if __name__ == "__main__":
    main()
