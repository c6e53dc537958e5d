"""The scene that the lesson's sliders move: host, link and device while batches are sent and computed on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loaderlab.drawing import BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, Bar, Kind, Picture, tracks
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.drawing.style import steady
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.pin_memory.model import LINKS, LONG, Run, Setting, missing, simulate

CUSTOM = mark("GB/s")

PARAMETERS = (
    Parameter("batch_mib", mark("Batch"), 12, 1, 512, unit=mark("MiB")),
    Parameter("link", mark("Link"), CUSTOM, choices=(*LINKS, CUSTOM)),
    Parameter("link_gb", mark("Link, if GB/s is chosen"), 25, 1, 64),
    Parameter("staging_gb", mark("Staging by the driver"), 10, 1, 30, unit=mark("GB/s")),
    Parameter("pin_gb", mark("Pin thread"), 3, 0.5, 12, 0.1, unit=mark("GB/s")),
    # As the model of lesson 1 has it.
    Parameter("receive_ms_per_mib", mark("Receiving in the loop"), 0.3, 0, 1, 0.1, unit=mark("ms/MiB")),
    Parameter("step_ms", mark("Step time"), 5, 1, 100, unit="ms"),
    Parameter("pinned", mark("pinned by the loader"), True),
    Parameter("non_blocking", "non_blocking", True),
    Parameter("second_stream", mark("second stream"), True),
    Parameter("read_loss", mark("loss.item() in every step"), True),
)
ROWS = {
    "host": mark("host"),
    "pin_thread": mark("pin thread"),
    "link": mark("link"),
    "device": mark("device"),
}
INGREDIENTS = {
    "pinned": mark("pinned memory"),
    "non_blocking": mark("`non_blocking=True`"),
    "second_stream": mark("a second stream"),
}


def kinds() -> dict[str, Kind]:
    """Return the looks and the names of the bars."""
    return {
        "receiving": Kind(PINK, _("receives the batch")),
        "staging": Kind(ORANGE, _("copies into the driver's buffer")),
        "pinning": Kind(BLUE, _("copies into pinned memory")),
        "transfer": Kind(SKY, _("transfer")),
        "step": Kind(GREEN, _("training step")),
        "blocked": Kind(RED, _("blocked"), hatched=True),
        "loss": Kind(GREY, _("waits for the loss"), hatched=True),
        "wait": Kind(RED, _("device waits"), hatched=True),
    }


def setting_of(link: str = CUSTOM, link_gb: float = 25, **values: Any) -> Setting:
    """Return the setting that the controls describe."""
    return Setting(link_gb=LINKS.get(link, link_gb), **values)


def draw(**values: Any) -> Picture:
    """Draw the timeline that the model predicts, and what follows from it."""
    setting = setting_of(**values)
    run = simulate(setting)
    return tracks(
        {"": bars(run, with_pin_thread=setting.pinned)},
        kinds(),
        text=sentence(setting),
        until=steady(max(span.end for span in run.spans)),
    )


def bars(run: Run, with_pin_thread: bool) -> dict[str, list[Bar]]:
    """Return the rows of one panel, top down the way that a batch takes."""
    names = [row for row in ROWS if row != "pin_thread" or with_pin_thread]
    panel = {
        row: [Bar(s.start, s.end, s.kind, str(s.batch)) for s in run.spans if s.row == row] for row in names
    }
    panel["device"] += [Bar(start, end, "wait") for start, end in run.waits()]
    return {_(ROWS[row]): row_bars for row, row_bars in panel.items()}


def sentence(setting: Setting) -> str:
    """Time per step, how long the device waits, and what is missing."""
    per_step = simulate(setting, LONG).ms_per_step
    if setting.pinned:
        first = _("Per batch: pin thread {copy} ms, link {link} ms, step {step} ms.")
    elif setting.receive_ms:
        first = _("Per batch: receiving {receiving} ms, staging {copy} ms, link {link} ms, step {step} ms.")
    else:
        first = _("Per batch: staging {copy} ms, link {link} ms, step {step} ms.")
    times = first.format(
        copy=number(setting.pin_ms if setting.pinned else setting.staging_ms, 1),
        receiving=number(setting.receive_ms, 1),
        link=number(setting.link_ms, 1),
        step=number(setting.step_ms, 1),
    )
    host = (
        _("The host waits for the loss in every step.")
        if setting.read_loss
        else _("The host never waits for a step.")
    )
    result = _("One turn of the loop takes {ms} ms; the device waits {share}% of the time.").format(
        ms=number(per_step, 1), share=number(round(100 * (1 - setting.step_ms / per_step)) + 0.0)
    )
    return " ".join([times, host, result, _advice(setting, per_step)])


def _advice(setting: Setting, per_step: float) -> str:
    lacking = missing(setting)
    if lacking:
        return _("Missing: {ingredients}.").format(
            ingredients=", ".join(_(INGREDIENTS[name]) for name in lacking)
        )
    if per_step <= 1.01 * setting.step_ms:
        return _("Nothing is missing: the step sets the pace.")
    if per_step <= 1.01 * setting.link_ms:
        return _("No ingredient is missing: the link sets the pace.")
    if not setting.pinned:
        return _("No ingredient helps: with the pin thread the loop would be no faster.")
    return _("No ingredient is missing: the pin thread sets the pace.")


def measure(**values: Any) -> Picture:
    """Return the same loop run for real on this machine's GPU, under what the model predicts for this machine."""
    import torch

    asked = setting_of(**values)
    if not torch.cuda.is_available():
        drawn = draw(**values)
        why = _("Nothing was measured: this machine has no CUDA GPU. The picture is the model's.")
        return replace(drawn, text=f"{why} {drawn.text}")
    from loaderlab.lessons.pin_memory.running import run_for_real

    setting, real = run_for_real(asked)
    # The measured loop sends batches that lie in this process already: the prediction has no pin thread and receives nothing either.
    model = simulate(replace(setting, pin_gb=1e18, receive_ms_per_mib=0), len(real.ends))
    words = [
        _("This machine: link {link} GB/s, staging {staging} GB/s; the sliders' rates are not used.").format(
            link=number(setting.link_gb, 1), staging=number(setting.staging_gb, 1)
        ),
        _("Time per step: predicted {predicted} ms, measured {measured} ms.").format(
            predicted=number(model.ms_per_step, 1), measured=number(real.ms_per_step, 1)
        ),
        _("The batches lay in this process beforehand: neither timeline shows pin thread or receiving."),
    ]
    panels = {
        _("Predicted"): bars(model, with_pin_thread=False),
        _("Measured"): bars(real, with_pin_thread=False),
    }
    stamp = _("measured here: {device}").format(device=torch.cuda.get_device_name())
    return tracks(panels, kinds(), text=" ".join(words), stamp=stamp)


# Everything that the legend can name at once.
TALLEST = {"batch_mib": 512, "pin_gb": 1, "step_ms": 1, "non_blocking": False}
SCENES = (Scene("overlap", PARAMETERS, draw, measure, tallest=TALLEST, opens=("pinned", "second_stream")),)
