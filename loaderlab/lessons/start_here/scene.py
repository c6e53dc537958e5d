"""The scene that the lesson's sliders move: load time and step time, one after the other or at the same time."""

from __future__ import annotations

import math

from loaderlab.drawing import GREEN, ORANGE, RED, Bar, Kind, Picture, tracks
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _

WINDOW = 400  # ms that the picture shows, whatever the sliders say: a slower loader looks slower
AHEAD = 2  # batches that a loader with overlap has ready at most

PARAMETERS = (
    Parameter("load_ms", mark("Load time per batch"), 20, 1, 100, unit="ms"),
    Parameter("step_ms", mark("Step time"), 10, 1, 100, unit="ms"),
    Parameter("overlap", mark("load while the step runs"), False),
)


def kinds() -> dict[str, Kind]:
    """Return the looks and the names of the bars."""
    return {
        "load": Kind(ORANGE, _("loads a batch")),
        "step": Kind(GREEN, _("step")),
        "wait": Kind(RED, _("waits for a batch"), hatched=True),
    }


def simulate(load_ms: float, step_ms: float, overlap: bool) -> tuple[list[Bar], list[Bar]]:
    """Return the bars of the loader and of the loop within the window."""
    loads: list[Bar] = []
    loop: list[Bar] = []
    taken: list[float] = []
    now = 0.0
    while now < WINDOW + AHEAD * step_ms:  # what is loaded ahead begins within the window
        batch, begin = len(loads), now
        if overlap:  # as soon as the loader is free and has room for one more
            room = taken[batch - AHEAD] if batch >= AHEAD else 0.0
            begin = max(loads[-1].end if loads else 0.0, room)
        loads.append(Bar(begin, begin + load_ms, "load", str(batch)))
        arrived = max(now, loads[-1].end)
        taken.append(arrived)
        if arrived > now:
            loop.append(Bar(now, arrived, "wait"))
        loop.append(Bar(arrived, arrived + step_ms, "step", str(batch)))
        now = arrived + step_ms
    return loads, loop


def period(load_ms: float, step_ms: float, overlap: bool) -> float:
    """Return the milliseconds for each batch of a long epoch."""
    return max(load_ms, step_ms) if overlap else load_ms + step_ms


def panels(load_ms: float, step_ms: float, overlap: bool) -> dict[str, dict[str, list[Bar]]]:
    """Return the bars of this loader, and of the limit: a loader whose batches are there at once."""
    loads, loop = simulate(load_ms, step_ms, overlap)
    steps = [Bar(k * step_ms, (k + 1) * step_ms, "step", str(k)) for k in range(math.ceil(WINDOW / step_ms))]
    return {_("Predicted"): {_("loader"): loads, _("loop"): loop}, _("Limit"): {_("loop"): steps}}


def sentence(load_ms: float, step_ms: float, overlap: bool) -> str:
    """Time per batch, the share of waiting, and what a perfect loader would gain."""
    each = period(load_ms, step_ms, overlap)
    wait = each - step_ms
    how = _("Loading and step run at the same time.") if overlap else _("Loading and step take turns.")
    pace = _("A batch takes {ms} ms; the loop waits {wait} ms of it, {share}%.").format(
        ms=number(each), wait=number(wait), share=number(100 * wait / each)
    )
    gain = _("A perfect loader would be {gain} times as fast.").format(gain=number(each / step_ms, 2))
    return f"{how} {pace} {gain}"


def draw(load_ms: float, step_ms: float, overlap: bool) -> Picture:
    """Draw the timeline of the window, and the limit below it."""
    shown = panels(load_ms, step_ms, overlap)
    return tracks(shown, kinds(), text=sentence(load_ms, step_ms, overlap), until=WINDOW)


def batches_of(load_ms: float, step_ms: float, overlap: bool) -> int:
    """Return how many batches a measurement runs: those of the window, and enough for an average."""
    return max(4, math.ceil(WINDOW / period(load_ms, step_ms, overlap)))


def seconds(load_ms: float, step_ms: float, overlap: bool) -> float:
    """Return the seconds that a measurement takes."""
    setting = (load_ms, step_ms, overlap)
    return batches_of(*setting) * period(*setting) / 1000


def measure(load_ms: float, step_ms: float, overlap: bool) -> Picture:
    """Return the same setting run for real, drawn under the prediction."""
    import time

    from torch.utils.data import DataLoader

    from loaderlab.data import SleepDataset
    from loaderlab.measuring.measure import epoch

    dataset = SleepDataset(batches_of(load_ms, step_ms, overlap), load_ms / 1000)
    loader = DataLoader(dataset, batch_size=1, num_workers=int(overlap))
    run = epoch(loader, lambda _batch: time.sleep(step_ms / 1000))
    # Where a worker loads, the row begins when it has started, and has sent the first batch: by `spawn` that takes seconds.
    now, loop = -1000 * run.first if overlap else 0.0, []
    for batch, (waited, stepped) in enumerate(zip(run.waits, run.steps, strict=True)):
        arrived = now + 1000 * waited
        loop += [Bar(now, arrived, "wait"), Bar(arrived, arrived + 1000 * stepped, "step", str(batch))]
        now = arrived + 1000 * stepped
    each = 1000 * sum(run.waits[1:] + run.steps[:-1]) / (run.batches - 1)
    words = _(
        "Time per batch: predicted {predicted} ms, measured {measured} ms, without the first batch."
    ).format(predicted=number(period(load_ms, step_ms, overlap), 1), measured=number(each, 1))
    if overlap:
        words += " " + _(
            "The start of the worker and the first batch took {ms} ms; the measured row begins after them."
        ).format(ms=number(1000 * run.first))
    shown = panels(load_ms, step_ms, overlap) | {_("Measured"): {_("loop"): loop[overlap:]}}
    return tracks(shown, kinds(), text=words, stamp=_("measured here"), until=WINDOW)


SCENES = (Scene("waiting", PARAMETERS, draw, measure, seconds, tallest={"overlap": True}),)
