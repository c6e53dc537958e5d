"""The bet on the first page of the website: the loop with one worker beside the loop with two, and a GPU that waits.

It is simple enough for a telephone and for five seconds: six batches, and neither starts nor spread. All of its numbers come from
the model; `docs/site/static/bet.js` only shows what stands on the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import NamedTuple

from loaderlab.course.markup import html
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.model.pipeline import Costs, Setting, long_run, simulate

# Workers: those that are seen first, those of the bet, and those after which nothing changes.
FEWEST, ASKED, MOST = 1, 2, 4
_NOTHING = Costs(launch_ms=0, stop_ms=0, send_ms=0, receive_ms=0)
LOOP = Setting(load_ms=40, step_ms=10, cores=MOST, start_ms=0, batches=6, epochs=1, costs=_NOTHING)


class Bar(NamedTuple):
    """Something that happens in a row, from ``start`` to ``end`` in ms: a batch, or a wait for one (None)."""

    start: float
    end: float
    batch: int | None


def rows(workers: int) -> list[list[Bar]]:
    """Return the rows of the workers, and below them that of the GPU."""
    run = simulate(replace(LOOP, num_workers=workers))
    found = []
    for worker in range(workers):
        loads = (span for span in run.spans if (span.row, span.kind) == (worker, "load"))
        found.append([Bar(span.start, span.end, span.batch) for span in loads])
    gpu = []
    for delivery in run.deliveries:
        begun = delivery.done - LOOP.step_ms
        if begun > delivery.asked:
            gpu.append(Bar(delivery.asked, begun, None))
        gpu.append(Bar(begun, delivery.done, delivery.batch))
    return [*found, gpu]


def length() -> float:
    """Return the ms that the slowest of the loops takes: the width of all of them."""
    return max(bar.end for row in rows(FEWEST) for bar in row)


def waits(workers: int) -> float:
    """Return how much of its time the GPU waits in a long epoch, in percent."""
    return 100 * long_run(replace(LOOP, num_workers=workers)).wait_share


def bet() -> str:
    """Return the HTML of the bet: the two loops, the question, and an answer for each guess."""
    question = _(
        "One worker loads a batch in {load} ms. The GPU computes on it for {step} ms and waits for the next one: {share}% of the "
        "time. **With two workers, how much of the time does the GPU wait?**"
    ).format(load=number(LOOP.load_ms), step=number(LOOP.step_ms), share=number(waits(FEWEST)))
    share = _("{value}%")
    said, bold = question.split("**")[:2]
    guesses = "".join(
        f'<button type="button" data-says="{escape(_answer(guess))}">{escape(share.format(value=guess))}</button>'
        for guess in _guesses()
    )
    first, *others = (_loop(workers) for workers in range(FEWEST, MOST + 1))
    return (
        f'<div class="bet" id="bet">{first}<div aria-live="polite">{"".join(others)}</div>'
        f"<p>{html(said.strip())} <b>{html(bold)}</b></p>"
        f'<div class="guesses">{guesses}</div><p class="verdict" role="status"></p>'
        f'<label class="knob" hidden><code>num_workers</code> '
        f'<input type="range" autocomplete="off" min="{ASKED}" max="{MOST}" value="{ASKED}"> <output>{ASKED}</output></label></div>'
        '<script defer src="_static/bet.js"></script>'
    )


def _guesses() -> list[int]:
    """Return what one can bet on: what is right, nothing, half of what one worker leaves, and what one worker more than asked leaves."""
    return sorted({0, round(waits(FEWEST) / 2), round(waits(ASKED + 1)), round(waits(ASKED))})


def _answer(guess: int) -> str:
    right = round(waits(ASKED))
    why = _(
        "Two workers bring a batch every {pace} ms, and the GPU computes for {step} ms of that time."
    ).format(pace=number(LOOP.load_ms / ASKED), step=number(LOOP.step_ms))
    if guess == right:
        return _("Yes, {share}%. {why}").format(share=right, why=why)
    if guess == round(waits(FEWEST) / 2):
        what = _("No, {share}%. What is halved is the time between two batches, not the wait. {why}")
    else:
        what = _("No, {share}%. {why}")
    return what.format(share=right, why=why)


def _loop(workers: int) -> str:
    """Return a loop as HTML: bars in percent of the width, so that it is the same picture on every screen, in letters as large."""
    loads = [_("Worker {n}").format(n=n + 1) for n in range(workers)]
    drawn = "".join(
        f"<div><b>{escape(name)}</b><span>{''.join(_bars(row))}</span></div>"
        for name, row in zip([*loads, "GPU"], rows(workers), strict=True)
    )
    says = _("The GPU waits {share}% of the time.").format(share=number(waits(workers)))
    seen = {FEWEST: "", ASKED: " open"}
    return (
        f'<figure class="loop{seen.get(workers, "")}" data-workers="{workers}"{"" if workers in seen else " hidden"}>'
        f'<div aria-hidden="true">{drawn}</div>'
        f"<figcaption><code>num_workers={workers}</code> <span>{escape(says)}</span></figcaption></figure>"
    )


def _bars(row: list[Bar]) -> Iterator[str]:
    word = escape(_("waits"))
    for bar in row:
        at, wide = (100 * ms / length() for ms in (bar.start, bar.end - bar.start))
        place = f'style="--at:{at:.4g};--for:{wide:.4g}"'
        if bar.batch is None:
            yield f"<u {place}>{word if wide > 11 else ''}</u>"
        else:
            yield f"<i {place}>{bar.batch + 1}</i>"
