"""A card that says how long a loop waits, for a colleague: a picture that carries what it was computed from, and a text."""

from __future__ import annotations

import datetime
import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from loaderlab.drawing import GREEN, GREY, INK, RED, WIDTH, Bitmap, Picture, png_metadata
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import atomic_write, machine
from loaderlab.measuring.measure import Epoch
from loaderlab.notebook.card import framed, heading

HEIGHT, MARGIN, BAR = 390, 40, 64
LARGE, MIDDLE, FINE = 40, 18, 13  # sizes of text
# The bar in a chat: so many squares, hatched for waiting as on the card, of letters that every font has.
SQUARES, WAITS, COMPUTES = 20, "▨", "■"


@dataclass(frozen=True)
class Postcard(Picture):
    """A card of a loop: a picture, and ``message``, the same for a chat; it can be saved and sent."""

    message: str

    def save(self, file: str | Path = "my_loop.png") -> Saved:
        """Write the card into a PNG ``file``, beside the notebook unless it says otherwise; returns what to send with it.

        An older card there is replaced. Raises :class:`LabError` where ``file`` is no name of a PNG, is another picture, or
        cannot be written.
        """
        path = Path(file).absolute()
        if path.suffix.lower() != ".png":
            raise LabError(
                _(
                    "{file} is no name for a postcard. Expected: a name that ends in .png, such as `my_loop.png`. Choose one."
                ).format(file=path.name)
            )
        if path.exists() and not _is_card(path):
            raise LabError(
                _(
                    "{file} is there already, and it is no postcard: nothing was written. Choose another name."
                ).format(file=path)
            )
        atomic_write.write(path, self.png, 0o644)
        return Saved(path, self.message)


@dataclass(frozen=True)
class Saved:
    """The answer to a card that was saved: where it lies, and the text to send with it."""

    path: Path
    message: str

    @property
    def where(self) -> str:
        return _("Saved: {file}").format(file=self.path)

    def __repr__(self) -> str:
        return f"{self.where}\n\n{self.message}"

    def _repr_html_(self) -> str:
        label = _("For a chat: click the text, and copy it (Ctrl+C, on a Mac Cmd+C)")
        lines = self.message.count("\n") + 1
        # A field, since a click selects all of it, and the keyboard reaches it.
        field = (
            f'<textarea readonly rows="{lines}" aria-label="{escape(label)}" onfocus="this.select()" '
            'style="display:block;width:100%;max-width:760px;box-sizing:border-box;margin-top:0.4em;padding:0.5em;'
            f'font:inherit">{escape(self.message)}</textarea>'
        )
        return framed("#0b7285", f"{heading(self.where)}<div>{escape(label)}</div>{field}")


def postcard(run: Epoch, held: Epoch | None = None) -> Postcard:
    """Draw a card of ``run``, as :func:`lab.measure.epoch` measured it: the share of waiting, and what could be gained.

    The gain is that of a second pass, with the same step over batches that are ``held`` in memory; without one, none is promised.

    Its ``save()`` writes it beside the notebook. It carries the seconds of each batch, the first ones apart, and what of the
    machine is in its last line; no names and no paths. Raises :class:`LabError` where there are too few batches for a share.
    """
    for each in filter(None, (run, held)):
        if each.batches <= each.apart:
            raise LabError(
                _(
                    "The loader delivered {batches} batches, and the first {apart} do not count. Expected: more batches. "
                    "Measure a longer epoch."
                ).format(batches=each.batches, apart=each.apart)
            )
    if run.finished and held is None:
        raise LabError(
            _(
                "An epoch with `finish` alone does not say how long its device waits. Expected: a second one, over batches that "
                "are held in memory. Measure it with the same step, and pass both."
            )
        )
    card = _Card(run, held)
    rows = [
        {"batch": at, "wait_ms": round(1000 * wait, 3), "step_ms": round(1000 * step, 3), "samples": samples}
        for at, (wait, step, samples) in enumerate(zip(run.waits, run.steps, run.samples, strict=True))
    ]
    return carrying(
        card.drawing(), card.text, card.message, x="batch", y="wait_ms", apart=run.apart, rows=rows
    )


def sheet(title: str) -> Canvas:
    """Return the sheet of a card: its frame, its title in the largest letters that fit, and the stamp below."""
    canvas = Canvas(WIDTH, HEIGHT)
    size, right = LARGE, WIDTH - MARGIN
    while text_width(title, size, bold=True) > right - MARGIN:
        size -= 1
    canvas.text(MARGIN, 72, title, size, INK, "lm", bold=True)
    canvas.line([(MARGIN, 334), (right, 334)], "#dddddd")
    canvas.text(MARGIN, 360, stamped(), FINE, GREY, "lm")
    canvas.text(right, 360, "Loader Lab", FINE, GREY, "rm")
    canvas.box(0, 0, 8, HEIGHT, RED)
    return canvas


def stamped() -> str:
    """Return what a card says of where and when it was measured: the devices and today's date."""
    return ", ".join([*map(machine.described, _devices()), datetime.date.today().isoformat()])


def carrying(canvas: Canvas, text: str, message: str, **rows: Any) -> Postcard:
    """Return the card that a sheet shows; its PNG carries the ``rows`` that it was computed from, their axes ``x`` and ``y``, and what measured."""
    content = {"schema": png_metadata.SCHEMA, **rows, "devices": _devices()}
    content |= {"drawn": datetime.date.today().isoformat()}
    if os.environ.get(png_metadata.BUILDING):
        content |= {png_metadata.COURSES_OWN: True}
    return Postcard(Bitmap(png_metadata.pack(canvas.png(), content)), text, message)


def _devices() -> list[str]:
    return [machine.device_name("cpu"), *machine.look().gpus]


def _is_card(path: Path) -> bool:
    """Return whether a card lies there: a picture with the waits of a loop in it, or with turns before and after a change."""
    try:
        content = png_metadata.unpack(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("x") in ("batch", "version")


@dataclass(frozen=True)
class _Card:
    run: Epoch
    held: Epoch | None

    @property
    def factor(self) -> float | None:
        """The rate with batches that are held, divided by that of the loop; below 1 by noise only."""
        if self.held is None:
            return None
        return max(1.0, self.held.samples_per_second / self.run.samples_per_second)

    @property
    def share(self) -> float:
        """The share of waiting, 0 to 1. A device that works on while the loop waits has waited for what held batches save."""
        return 1 - 1 / self.factor if self.run.finished and self.factor else self.run.wait_share

    @property
    def title(self) -> str:
        return _("My loop waits {share}% of its time").format(share=number(100 * self.share))

    @property
    def gain(self) -> str:
        if self.factor is None:
            return ""
        if self.factor > 100:
            return _("It hardly computes at all: everything is to be gained.")
        words = _("With batches always ready, it would be about {gain} times as fast.")
        return words.format(gain=number(self.factor, 1))

    @property
    def pace(self) -> str:
        rate = self.run.samples_per_second
        return _("Now: {rate} samples/s. Batches measured: {batches}.").format(
            rate=number(rate, 0 if rate >= 10 else 1), batches=self.run.batches
        )

    @property
    def text(self) -> str:
        return " ".join(filter(None, [f"{self.title}.", self.gain, self.pace, f"({stamped()})"]))

    @property
    def message(self) -> str:
        waits = round(SQUARES * self.share)
        bar = WAITS * waits + COMPUTES * (SQUARES - waits)
        waiting, computing = _("waits for data"), _("computes")
        legend = f"{WAITS} {waiting}  {COMPUTES} {computing}"
        lines = [self.title, f"{bar}   {legend}", self.gain, self.pace, f"{stamped()} · Loader Lab"]
        return "\n".join(filter(None, lines))

    def drawing(self) -> Canvas:
        canvas = sheet(self.title)
        right, top = WIDTH - MARGIN, 124
        middle = MARGIN + self.share * (right - MARGIN)
        canvas.box(middle, top, right, top + BAR, GREEN)
        if self.share:
            canvas.hatch(MARGIN, top, middle, top + BAR, RED, 8)
        waits, computes = _("waits for data"), _("computes")
        canvas.text(MARGIN, top + BAR + 20, waits, MIDDLE, RED, "lm")
        canvas.text(right, top + BAR + 20, computes, MIDDLE, "#00704f", "rm")
        canvas.text(MARGIN, 258, self.gain, MIDDLE, INK, "lm")
        canvas.text(MARGIN, 288, self.pace, MIDDLE, INK, "lm")
        return canvas
