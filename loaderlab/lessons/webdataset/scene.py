"""The scene that the lesson's sliders move: one epoch from shards, and its time beside that of files."""

from __future__ import annotations

from typing import Any

from loaderlab.drawing import Picture
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.webdataset import pictures
from loaderlab.lessons.webdataset.model import BATCH, CLASSES, Epoch

PARAMETERS = (
    Parameter("shards", mark("Shards"), 10, 1, 64),
    Parameter("samples", mark("Samples"), 2000, 400, 8000, 200),
    Parameter("ranks", mark("Ranks"), 4, 1, 8),
    Parameter("workers", mark("Workers of each rank"), 2, 1, 8),
    Parameter("buffer", mark("Shuffle buffer"), 100, 1, 2000),
    # Object storage takes up to 200 ms.
    Parameter("latency_ms", mark("Latency of a request"), 1.0, 0.0, 200.0, 0.05, unit="ms"),
    Parameter("kilobytes", mark("Size of a sample"), 8, 1, 500, unit="kB"),
    Parameter("mb_per_s", mark("Bandwidth of a connection"), 1000, 10, 1000, 10, unit="MB/s"),
)


def draw(**values: Any) -> Picture:
    """Draw one epoch as the model predicts it."""
    run = Epoch(**values)
    return pictures.epoch(run, sentence(run))


def sentence(run: Epoch) -> str:
    """Say whether the ranks end in step, how a batch is mixed, and which is faster: shards or files."""
    return " ".join([_steps(run), _mix(run), _time(run)])


def _steps(run: Epoch) -> str:
    if run.idle:
        words = _("Workers without a shard: {idle}; webdataset would stop with a ValueError.")
        return words.format(idle=run.idle)
    low, high = min(run.steps), max(run.steps)
    if low == high:
        return _("Every rank makes {steps} steps.").format(steps=high)
    return _("The ranks make between {low} and {high} steps: they do not end in step.").format(
        low=low, high=high
    )


def _mix(run: Epoch) -> str:
    return _("A batch of {batch} has {mean} of the {classes} classes on average.").format(
        batch=min(BATCH, len(run.batches[0])), mean=number(run.classes, 1), classes=CLASSES
    )


def _time(run: Epoch) -> str:
    files, shards = run.files_ms, run.shards_ms
    words = _("An epoch takes {files} ms from files and {shards} ms from shards")
    said = words.format(files=number(files), shards=number(shards))
    if shards < files:
        return _("{said}: shards are {times} times as fast.").format(
            said=said, times=number(files / shards, 1)
        )
    return _("{said}: files are {times} times as fast.").format(said=said, times=number(shards / files, 1))


SCENES = (Scene("epoch", PARAMETERS, draw, tallest={"ranks": 8}),)
