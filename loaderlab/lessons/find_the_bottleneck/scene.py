"""The scene that the lesson's sliders move: how much each resource could deliver, and which of them bounds the rest."""

from __future__ import annotations

from typing import Any

from loaderlab.drawing import BLUE, GREY, INK, PALE, RED, WIDTH, Picture, ticks
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.drawing.style import SMALL, steady
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.find_the_bottleneck.model import Profile

PARAMETERS = (
    Parameter("read_ms", mark("Read a sample"), 0.8, 0.0, 10.0, 0.1, unit="ms"),
    Parameter("decode_ms", mark("Decode a sample"), 0.5, 0.0, 10.0, 0.1, unit="ms"),
    Parameter("transport_ms", mark("Transport of a batch"), 4.0, 0.0, 60.0, 0.5, unit="ms"),
    Parameter("step_ms", mark("Step"), 14.0, 1.0, 200.0, 1.0, unit="ms"),
    Parameter("batch", mark("Batch size"), 32, 1, 256),
    Parameter("workers", mark("Number of workers"), 2, 0, 16),
    Parameter("cores", mark("Cores"), 2, 1, 16),
    Parameter("persistent", mark("persistent_workers"), True),
)
ROW, TOP = 34, 44
LABELS = {
    "loop": mark("loop: step, its part of the transport"),
    "cores": mark("cores: decoding, transport"),
    "workers": mark("workers: reading, decoding, sending"),
}
WORDS = {"loop": mark("the loop"), "cores": mark("the cores"), "workers": mark("the workers")}
ALONE = mark("loop: reading, decoding and the step")


def draw(**values: Any) -> Picture:
    """Draw one bar for each resource: the samples per second that it could do if all others cost nothing."""
    profile = Profile(**values)
    needs = profile.needs()
    bound = profile.bound[0]
    rates = {name: 1000 * profile.batch / max(need, 1e-6) for name, need in needs.items()}
    names = {name: _(LABELS[name]) if profile.workers else _(ALONE) for name in rates}
    whole = _("with workers that start anew") if profile.start_ms else _("all together")
    # A resource that hardly matters may be beyond the edge: what is worth seeing is around the limit.
    highest = steady(min(max([*rates.values(), profile.limit]), 3 * profile.limit))
    left = max(text_width(words, bold=True) for words in [*names.values(), whole]) + 26
    right = WIDTH - 110.0
    canvas = Canvas(WIDTH, TOP + ROW * 4 + 54)

    def across(rate: float) -> float:
        return left + min(1.0, rate / highest) * (right - left)

    canvas.text(14, 14, _("Throughput (samples/s)"), bold=True)
    for value in ticks(highest, 7):
        canvas.line([(across(value), TOP - 8), (across(value), TOP + 4 * ROW)], PALE)
        canvas.text(across(value), TOP + 4 * ROW + 12, number(value), SMALL, GREY, "mm")
    bars = [
        (names[name], rate, RED if name == bound else BLUE, name == bound) for name, rate in rates.items()
    ]
    bars.append((whole, profile.rate, INK, False))
    for row, (words, rate, colour, hatched) in enumerate(bars):
        top = TOP + row * ROW
        canvas.text(left - 8, top + ROW / 2, words, anchor="rm", bold=hatched)
        end = across(rate)
        (canvas.hatch if hatched and end - left > 2 else canvas.box)(
            left, top + 5, max(end, left + 2), top + ROW - 5, colour
        )
    line = across(profile.limit)
    for dash in range(TOP - 8, TOP + 4 * ROW, 10):
        canvas.line([(line, dash), (line, min(dash + 6, TOP + 4 * ROW))], INK, 1.5)
    for row, (_words, rate, _colour, _hatched) in enumerate(bars):  # readable on the line, too
        said = number(rate) + (" →" if rate > highest * 1.001 else "")
        start, middle = max(across(rate), left + 2) + 6, TOP + row * ROW + ROW / 2
        canvas.box(start - 2, middle - 8, start + text_width(said, SMALL) + 2, middle + 8, "white")
        canvas.text(start, middle, said, SMALL)
    words = _("limit: the step alone")
    canvas.text(min(line, WIDTH - 14 - text_width(words, SMALL) / 2), TOP - 16, words, SMALL, INK, "mm")
    canvas.text(14, canvas.height - 14, _("hatched: the bottleneck"), SMALL, RED, "lm")
    return Picture(canvas, sentence(profile, bound))


def sentence(profile: Profile, bound: str) -> str:
    """Return a sentence on the bound, the rate that is reached, and its share of the limit."""
    said = [
        _("The bottleneck is {resource}: {ms} ms for a batch.").format(
            resource=_(WORDS[bound]), ms=number(profile.bound[1], 1)
        )
    ]
    for name, need in sorted(profile.needs().items(), key=lambda item: -item[1])[1:2]:
        said.append(
            _("The next slowest is {resource}: {ms} ms.").format(resource=_(WORDS[name]), ms=number(need, 1))
        )
    if profile.start_ms:
        said.append(
            _("Starting the workers adds {ms} ms to each batch of an epoch.").format(
                ms=number(profile.start_ms, 1)
            )
        )
    said.append(
        _("The rate is {rate} samples/s, {percent}% of the limit of {limit}.").format(
            rate=number(profile.rate),
            percent=number(100 * profile.rate / profile.limit),
            limit=number(profile.limit),
        )
    )
    return " ".join(said)


SCENES = (Scene("stages", PARAMETERS, draw),)
