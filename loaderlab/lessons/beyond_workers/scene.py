"""The scene that the lesson's sliders move: cores, who carries, link and device, and which of them waits."""

from __future__ import annotations

from typing import Any

from loaderlab.drawing import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, YELLOW, Bar, Kind, Picture, tracks
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.drawing.style import steady
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.beyond_workers.model import (
    CARRIERS,
    LITTLE,
    Run,
    Setting,
    idle_shares,
    pace,
    rate,
    simulate,
    slowest,
)

CARRIED = dict(
    zip((mark("the loop"), mark("the pin thread"), mark("registered slots")), CARRIERS, strict=True)
)

# What the pictures of section 1 take on one core, and the machine of the model's readings.
PARAMETERS = (
    Parameter("cores", mark("Cores that load"), 16, 1, 64),
    Parameter("threads", mark("threads load"), False),
    Parameter("decode_on_device", mark("the device decodes"), False),
    Parameter("augment_on_device", mark("the device augments"), False),
    Parameter("carrier", mark("Carried by"), "registered slots", choices=tuple(CARRIED)),
    Parameter("step_ms", mark("Step time"), 3, 0, 1000, unit="ms"),
    Parameter("batch", mark("Batch size"), 64, 1, 512),
    Parameter("decode_ms", mark("Decoding, one core"), 1.3, 0, 40, 0.1, unit=mark("ms/sample")),
    Parameter("augment_ms", mark("Augmenting, one core"), 6.8, 0, 40, 0.1, unit=mark("ms/sample")),
    Parameter("locked_ms", mark("Time with the lock"), 0.6, 0, 10, 0.01, unit=mark("ms/sample")),
    Parameter("device_decode_ms", mark("Decoding, device"), 2.8, 0, 100, 0.1, unit=mark("ms/batch")),
    Parameter("device_augment_ms", mark("Augmenting, device"), 1.9, 0, 100, 0.1, unit=mark("ms/batch")),
    Parameter("jpeg_kb", "JPEG", 25, 0, 500, unit=mark("kB/sample")),
    Parameter("pixels_kb", mark("Decoded"), 150, 0, 2000, unit=mark("kB/sample")),
    Parameter("link_gb", mark("Link"), 25, 1, 64, unit=mark("GB/s")),
)
ROWS = {
    "cores": mark("cores"),
    "pin_thread": mark("pin thread"),
    "loop": mark("main process"),
    "link": mark("link"),
    "device": mark("device"),
}


def kinds() -> dict[str, Kind]:
    """Return the looks and the names of the bars."""
    return {
        "making": Kind(BLUE, _("make a batch")),
        "pinning": Kind(ORANGE, _("copies into pinned memory")),
        "receiving": Kind(PINK, _("receives the batch")),
        "sending": Kind(SKY, _("transfer")),
        "decoding": Kind(YELLOW, _("decodes")),
        "augmenting": Kind(GREY, _("augments")),
        "step": Kind(GREEN, _("training step")),
        "wait": Kind(RED, _("waits"), hatched=True),
    }


def setting_of(carrier: str = "registered slots", **values: Any) -> Setting:
    """Return the setting that the controls describe."""
    return Setting(carrier=CARRIED[carrier], **values)


def draw(**values: Any) -> Picture:
    """Draw the batches on their way, and who waits."""
    setting = setting_of(**values)
    run = simulate(setting, 8)
    until = steady(max((span.end for span in run.spans), default=1.0))
    return tracks({"": bars(run)}, kinds(), text=sentence(setting), until=until)


def bars(run: Run) -> dict[str, list[Bar]]:
    """Return the rows, top down the way that a batch takes; cores and device show when they wait."""
    panel = {
        row: [Bar(span.start, span.end, span.kind, str(span.batch)) for span in run.of(row)]
        for row in ROWS
        if run.of(row) or row in ("cores", "device")
    }
    for row in ("cores", "device"):
        panel[row] += [Bar(start, end, "wait") for start, end in run.gaps(row)]
    return {_(ROWS[row]): row_bars for row, row_bars in panel.items()}


def percent(share: float) -> str:
    return number(round(100 * share) + 0.0)  # + 0.0: no "-0"


def ms(value: float) -> str:
    """Return milliseconds as they are said: with a decimal where there are few."""
    return number(value, 1 if value < 100 else 0)


def sentence(setting: Setting) -> str:
    """Samples/s, which share of the time cores and device wait, and who sets the pace."""
    if not pace(setting):
        return _("There is nothing to do.")
    idle = idle_shares(setting)
    words = [
        _("The rate is {rate} samples/s; a batch takes {ms} ms.").format(
            rate=number(rate(setting)), ms=ms(pace(setting))
        ),
        _("The device waits {device}% of the time, the cores {cores}%.").format(
            device=percent(idle["device"]), cores=percent(idle["cores"])
        ),
    ]
    return " ".join([*words, _pace(setting)])


def _pace(setting: Setting) -> str:
    who = slowest(setting)
    if who == "cores":
        shared = setting.batch * setting.core_ms / setting.cores
        if setting.cores_ms > (1 + LITTLE) * shared:
            return _(
                "The interpreter's lock sets the pace: {ms} ms for a batch, one thread after the other."
            ).format(ms=ms(setting.cores_ms))
        return _("The cores set the pace: {ms} ms for a batch.").format(ms=ms(setting.cores_ms))
    if who == "pin_thread":
        return _("The pin thread sets the pace: {ms} ms for a batch.").format(ms=ms(setting.pinning_ms))
    if idle_shares(setting)["device"] > LITTLE:
        return _(
            "The loop sets the pace: receiving {receiving} ms, link {link} ms, device {device} ms, one after the other."
        ).format(
            receiving=ms(setting.receiving_ms),
            link=ms(setting.link_ms),
            device=ms(setting.work_ms + setting.step_ms),
        )
    if setting.work_ms:
        return _("The device sets the pace: {step} ms for a step, {work} ms for other work.").format(
            step=number(setting.step_ms), work=ms(setting.work_ms)
        )
    return _("The device sets the pace: {step} ms for a step.").format(step=number(setting.step_ms))


SCENES = (Scene("idle", PARAMETERS, draw, opens=("cores", "augment_on_device", "decode_on_device")),)
