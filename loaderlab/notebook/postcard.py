"""A card that says how long a loop waits, for a colleague: a picture that carries what it was computed from."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass

from loaderlab.drawing import GREEN, GREY, INK, RED, WIDTH, Bitmap, Picture, png_metadata
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.measure import Epoch

HEIGHT, MARGIN, BAR = 390, 40, 64
LARGE, MIDDLE, FINE = 40, 18, 13  # sizes of text


def postcard(run: Epoch) -> Picture:
    """Draw a card of ``run``, as :func:`lab.measure.epoch` measured it: the share of waiting, and what could be gained.

    Save it from the notebook as any picture. It carries the seconds of each batch, the first ones apart, and what of the
    machine is in its last line; no names and no paths. Raises :class:`LabError` where there are too few batches for a share.
    """
    if run.batches <= run.apart:
        raise LabError(
            _(
                "The loader delivered {batches} batches, and the first {apart} do not count. Expected: more of them. "
                "Measure a longer epoch."
            ).format(batches=run.batches, apart=run.apart)
        )
    devices = [machine.device_name("cpu"), *machine.look().gpus]
    today = datetime.date.today().isoformat()
    card = _Card(run, ", ".join([*map(machine.described, devices), today]))
    rows = [
        {"batch": at, "wait_ms": round(1000 * wait, 3), "step_ms": round(1000 * step, 3), "samples": samples}
        for at, (wait, step, samples) in enumerate(zip(run.waits, run.steps, run.samples, strict=True))
    ]
    content = {"schema": png_metadata.SCHEMA, "x": "batch", "y": "wait_ms", "apart": run.apart, "rows": rows}
    content |= {"devices": devices, "drawn": today}
    if os.environ.get(png_metadata.BUILDING):
        content |= {png_metadata.COURSES_OWN: True}
    return Picture(Bitmap(png_metadata.pack(card.drawing().png(), content)), card.text)


@dataclass(frozen=True)
class _Card:
    run: Epoch
    stamp: str

    @property
    def title(self) -> str:
        return _("My loop waits {share}% of its time").format(share=number(100 * self.run.wait_share))

    @property
    def gain(self) -> str:
        if self.run.wait_share > 0.99:
            return _("It hardly computes at all: everything is to be gained.")
        gain = 1 / (1 - self.run.wait_share)
        words = _("With batches that are always there: about {gain} times as fast.")
        return words.format(gain=number(gain, 1))

    @property
    def pace(self) -> str:
        rate = self.run.samples_per_second
        return _("Now: {rate} samples/s. Batches measured: {batches}.").format(
            rate=number(rate, 0 if rate >= 10 else 1), batches=self.run.batches
        )

    @property
    def text(self) -> str:
        return f"{self.title}. {self.gain} {self.pace} ({self.stamp})"

    def drawing(self) -> Canvas:
        canvas = Canvas(WIDTH, HEIGHT)
        size = LARGE
        while text_width(self.title, size, bold=True) > WIDTH - 2 * MARGIN:
            size -= 1
        canvas.text(MARGIN, 72, self.title, size, INK, "lm", bold=True)
        right, top = WIDTH - MARGIN, 124
        middle = MARGIN + self.run.wait_share * (right - MARGIN)
        canvas.box(middle, top, right, top + BAR, GREEN)
        if self.run.wait_share:
            canvas.hatch(MARGIN, top, middle, top + BAR, RED, 8)
        waits, computes = _("waits for data"), _("computes")
        canvas.text(MARGIN, top + BAR + 20, waits, MIDDLE, RED, "lm")
        canvas.text(right, top + BAR + 20, computes, MIDDLE, "#00704f", "rm")
        canvas.text(MARGIN, 258, self.gain, MIDDLE, INK, "lm")
        canvas.text(MARGIN, 288, self.pace, MIDDLE, INK, "lm")
        canvas.line([(MARGIN, 334), (right, 334)], "#dddddd")
        canvas.text(MARGIN, 360, self.stamp, FINE, GREY, "lm")
        canvas.text(right, 360, "Loader Lab", FINE, GREY, "rm")
        canvas.box(0, 0, 8, HEIGHT, RED)
        return canvas
