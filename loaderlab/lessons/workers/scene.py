"""The scene that the lesson's sliders move: the timeline of a DataLoader, and how long the device waits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from loaderlab.drawing import Picture
from loaderlab.drawing import timeline as draw_timeline
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.model.pipeline import Setting, enough_workers, long_run, rounds, simulate

LEAST = 12  # batches in an epoch, so that one worker's bars are wide enough to be seen
LITTLE = 0.05  # of the time: no wait worth a word
START_MS = 100  # about what one worker takes to start; importing PyTorch, once, takes the second below

# The same defaults on every machine, so that what the notebook shows is the same everywhere.
PARAMETERS = (
    Parameter("num_workers", "num_workers", 1, 0, 16),
    Parameter("prefetch_factor", "prefetch_factor", 2, 1, 8),
    Parameter("load_ms", mark("Load time per batch"), 20, 1, 100, unit="ms"),
    Parameter("spread", mark("Spread of the load time"), 0.3, 0.0, 1.0, 0.05),
    Parameter("step_ms", mark("Step time"), 12, 0, 100, unit="ms"),
    Parameter("cores", mark("Cores"), 2, 1, 16),
    Parameter("batch_mib", mark("Size of a batch"), 1, 0, 32, unit=mark("MiB")),
    Parameter("start_ms", mark("Start of one worker"), 25, 0, 3000, 25, unit="ms"),
    Parameter("in_order", "in_order", True),
    Parameter("persistent_workers", "persistent_workers", False),
)


def percent(share: float) -> str:
    return number(round(100 * share) + 0.0)  # + 0.0: no "-0"


def draw(**values: Any) -> Picture:
    """Draw the timeline that the model predicts, and what follows from it."""
    setting = rounds(Setting(**values), LEAST)
    return draw_timeline({"": simulate(setting)}, text=sentence(setting))


def sentence(setting: Setting) -> str:
    """Wait share, enough workers, and the time until the first batch."""
    return " ".join(filter(None, [_pace(setting), _drawn(setting), _enough(setting), _first(setting)]))


def _pace(setting: Setting) -> str:
    run = long_run(setting)
    if not setting.step_ms:
        return _("Without a step, loading alone sets the pace: {rate} batches/s in a long epoch.").format(
            rate=number(run.batches_per_second)
        )
    return _("The device waits {share}% of the time in a long epoch; a batch takes {ms} ms.").format(
        share=percent(run.wait_share), ms=number(run.ms_per_batch, 1)
    )


def _drawn(setting: Setting) -> str:
    """Return how much of the picture is waiting, where that is far more than in a long epoch; else ""."""
    run = simulate(setting)
    share = 1 - sum(d.done - d.ready for d in run.deliveries) / run.total_ms
    if not setting.step_ms or share < long_run(setting).wait_share + 0.2:
        return ""
    return _(
        "In the short epochs of the picture the device waits {share}%, because the workers have to start."
    ).format(share=percent(share))


def _enough(setting: Setting) -> str:
    n, best = enough_workers(setting)
    if not setting.step_ms:
        return _("Enough workers: {n}, for {rate} batches/s.").format(
            n=n, rate=number(best.batches_per_second)
        )
    receiving = setting.receive_ms / (setting.receive_ms + setting.step_ms) if n else 0.0
    if best.wait_share < receiving + LITTLE:
        words = _("Enough workers: {n}.")
        if receiving >= LITTLE:
            words += " " + _(
                "The device still waits {share}%: the main process takes {ms} ms to receive a batch, from any number of workers."
            )
        return words.format(n=n, share=percent(best.wait_share), ms=number(setting.receive_ms, 1))
    if setting.load_ms / setting.cores > setting.step_ms:
        words = _(
            "The cores are the limit, whatever the number of workers: at best the device waits {share}%, with num_workers = {n}."
        )
    else:
        words = _("No number of workers removes the wait: at best it is {share}%, with num_workers = {n}.")
    return words.format(share=percent(best.wait_share), n=n)


def _first(setting: Setting) -> str:
    first, later = simulate(replace(setting, epochs=2)).first_ms
    if number(first) == number(later):
        return _("Until the first batch of each epoch: {first} ms.").format(first=number(first))
    return _("Until the first batch: {first} ms, in later epochs {later} ms.").format(
        first=number(first), later=number(later)
    )


def seconds(**values: Any) -> float:
    """Return the seconds that the measurement takes here, where the slider of a worker's start does not count."""
    return simulate(replace(rounds(Setting(**values), LEAST), start_ms=START_MS)).total_ms / 1000 + 1


def measure(**values: Any) -> Picture:
    """Return the same setting run for real, drawn under the prediction."""
    from loaderlab.measuring.others import Others
    from loaderlab.model.rehearsal import rehearse

    asked = rounds(Setting(**values), LEAST)
    others = Others()
    real = rehearse(asked)
    disturbance = others.cores()
    model = simulate(real.setting)  # with as many cores as there are
    longer = real.ms_per_batch / model.ms_per_batch - 1
    pace = (
        _("Time per batch: predicted {predicted} ms, measured {measured} ms, {difference}% longer.")
        if longer >= 0
        else _("Time per batch: predicted {predicted} ms, measured {measured} ms, {difference}% shorter.")
    )
    words = [
        pace.format(
            predicted=number(model.ms_per_batch, 1),
            measured=number(real.ms_per_batch, 1),
            difference=percent(abs(longer)),
        ),
        _("Device waiting: predicted {predicted}%, measured {measured}%.").format(
            predicted=percent(model.wait_share), measured=percent(real.wait_share)
        ),
    ]
    if real.setting.cores < asked.cores:
        words.append(
            _(
                "The slider asks for more cores than this machine has. Prediction and measurement both use the cores that it has: {n}."
            ).format(n=real.setting.cores)
        )
    if disturbance > 0.2:
        words.append(
            _(
                "Other programs kept {cores} cores busy meanwhile, and the model does not know of them."
            ).format(cores=number(disturbance, 1))
        )
    if asked.num_workers:
        words.append(
            _(
                "This machine decides how long the start of a worker takes; the slider changes only the prediction."
            )
        )
    panels = {_("Predicted"): model, _("Measured"): real}
    return draw_timeline(panels, text=" ".join(words), stamp=_("measured here"))


SCENES = (Scene("timeline", PARAMETERS, draw, measure, seconds, tallest={"num_workers": 16}),)
