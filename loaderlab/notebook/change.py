"""A card that shows what one change of a loop is worth: both ways measured in turns, with their ranges, for a colleague."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from loaderlab.drawing import BLUE, GREY, INK, ORANGE, WIDTH
from loaderlab.drawing.canvas import Canvas
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import mark, number, with_colon
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import measure
from loaderlab.measuring.measure import Spread
from loaderlab.notebook import session
from loaderlab.notebook.card import Note
from loaderlab.notebook.figures import named
from loaderlab.notebook.postcard import FINE, MARGIN, MIDDLE, SQUARES, Postcard, carrying, sheet, stamped

LABEL, VALUE = 110, 90  # pixels beside the bars
THICK, TOP, APART = 38, 146, 62
SQUARE = "■"
_UNSOLVED = mark("To see this card, get all points in the check of `{name}`, then run this cell again.")


def change(
    before: Callable[[], float],
    after: Callable[[], float],
    y: str = "samples_per_second",
    what: str = "",
    repeats: int = 5,
) -> Postcard | Note:
    """Call ``before`` and ``after`` in turns, and draw a card of what they returned: medians, ranges, and how far they are apart.

    ``y`` names what they return, as a column of a table: a rate, MiB, a count. ``what`` is the change in a few words, the card's
    title; the name of an exercise of the lesson stands for its answer, and before that has all points a note says so: a wrong
    answer may be fast. Each is called once before, and ``repeats`` times for the card. Ranges that touch are no change that
    shows. Its ``save()`` writes it beside the notebook, and it carries all values. Raises :class:`LabError` where one of them
    returned no number.
    """
    now = session.current()
    exercise = now.lesson.exercises().get(what)
    if exercise and now.points.get(what, 0) < exercise.points:
        return Note(_(_UNSOLVED).format(name=what))
    try:
        values = measure.compare({"before": before, "after": after}, repeats, warmup=1)
    except NotImplementedError:
        if exercise is None:
            raise
        # Its points are from a session before this one.
        return Note(_(_UNSOLVED).format(name=what))
    for way, each in values.items():
        if odd := [value for value in each if not isinstance(value, int | float)]:
            raise LabError(
                _(
                    "`{way}` returned {value!r}. Expected: a number, such as "
                    "`lab.measure.epoch(loader, step).samples_per_second`. Does it have its `return`?"
                ).format(way=way, value=odd[0])
            )
    card = _Card({way: Spread.of(each) for way, each in values.items()}, y, what or _("My change"))
    rows = [
        {"version": way, "turn": turn, y: value}
        for way, each in values.items()
        for turn, value in enumerate(each)
    ]
    return carrying(card.drawing(), card.text, card.message, x="version", y=y, rows=rows)


class _Card:
    def __init__(self, spreads: Mapping[str, Spread], y: str, what: str) -> None:
        self.before, self.after = spreads["before"], spreads["after"]
        self.measured = named(y)
        self.shows = self.before.high < self.after.low or self.after.high < self.before.low
        self.title = _("{what}: {value}").format(what=what, value=self._factor())

    def _factor(self) -> str:
        if not self.shows:
            return _("no visible difference")
        before, after = self.before.median, self.after.median
        if min(before, after) <= 0:
            return f"{named(before)} → {named(after)}"
        times = max(before, after) / min(before, after)
        return f"{'×' if after > before else '÷'} {number(times, 1 if times >= 1.2 else 2)}"

    @property
    def verdict(self) -> list[str]:
        if all(spread.low == spread.high for spread in (self.before, self.after)):  # a count
            words = _("{before} before and {after} after, all {n} times.")
            before, after = named(self.before.median), named(self.after.median)
            return [words.format(before=before, after=after, n=self.before.n)]
        ranges = _("In turns, {n} times each: {before} before, {after} after.").format(
            n=self.before.n, before=_range(self.before), after=_range(self.after)
        )
        return [
            ranges,
            _("The ranges do not touch.")
            if self.shows
            else _("The ranges touch: the difference may be noise."),
        ]

    @property
    def text(self) -> str:
        return " ".join([f"{self.title}.", with_colon(self.measured), *self.verdict, f"({stamped()})"])

    @property
    def message(self) -> str:
        most = max(self.before.median, self.after.median) or 1
        bars = [
            f"{SQUARE * max(1, round(SQUARES * spread.median / most))} {named(spread.median)} ({word})"
            for word, spread in ((_("before"), self.before), (_("after"), self.after))
        ]
        return "\n".join([self.title, self.measured, *bars, *self.verdict, f"{stamped()} · Loader Lab"])

    def drawing(self) -> Canvas:
        canvas = sheet(self.title)
        canvas.text(MARGIN, 118, self.measured, MIDDLE, INK, "lm")
        left, right = MARGIN + LABEL, WIDTH - MARGIN - VALUE
        each = (right - left) / (max(self.before.high, self.after.high) or 1)
        for at, (word, spread, colour) in enumerate(
            ((_("before"), self.before, ORANGE), (_("after"), self.after, BLUE))
        ):
            top = TOP + at * APART
            middle, ends = top + THICK / 2, [left + each * value for value in (spread.low, spread.high)]
            canvas.text(MARGIN, middle, word, MIDDLE, INK, "lm")
            canvas.box(left, top, left + each * spread.median, top + THICK, colour)
            canvas.line([(ends[0], middle), (ends[1], middle)], INK, 2)
            for end in ends:
                canvas.line([(end, middle - 7), (end, middle + 7)], INK, 2)
            canvas.text(max(ends[1], left) + 12, middle, named(spread.median), MIDDLE, INK, "lm", bold=True)
        for line, words in enumerate(self.verdict):
            canvas.text(MARGIN, 284 + 24 * line, words, FINE, GREY, "lm")
        return canvas


def _range(spread: Spread) -> str:
    return _("{low} to {high}").format(low=named(spread.low), high=named(spread.high))
