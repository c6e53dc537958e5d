"""Pictures of samples and ranks: a row for each rank, a cell for each sample that it sees."""

from __future__ import annotations

from collections.abc import Sequence

from loaderlab.drawing import BLUE, GREEN, GREY, INK, ORANGE, RED, SKY, WIDTH, Kind, Picture
from loaderlab.drawing.canvas import Canvas
from loaderlab.drawing.font_metrics import text_width
from loaderlab.drawing.style import EDGE, PLAIN, SMALL, Legend
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.ddp_sampling.names import NAMES
from loaderlab.lessons.ddp_sampling.sampling import Epoch

ROW, LARGEST, PALE_BLUE, PALE_GREEN = 24, 34, "#cfe6f5", "#bfe5d9"


def show(
    orders: Sequence[Sequence[int]],
    length: int,
    batch_size: int = 1,
    loader_drops: bool = False,
    case: str = "",
) -> Picture:
    """Draw the samples of each rank, from left to right; those that come twice, and those that nobody sees, are marked.

    ``case`` says above it what was tried: a key of NAMES, or code.
    """
    epoch = Epoch(orders, length, batch_size, loader_drops)
    return picture(epoch, None, _(NAMES.get(case, case)), summary(epoch))


def coverage(table: Sequence[Sequence[int]], epochs: int, case: str) -> Picture:
    """Draw in how many epochs each rank has seen each sample; ``case`` as in :func:`show`."""
    seen = [sum(count > 0 for count in row) for row in table]
    text = _("Epochs: {epochs}. Samples that each rank has seen, of {length}: {seen}.")
    return picture(
        None,
        (table, epochs),
        _(NAMES.get(case, case)),
        text.format(epochs=epochs, length=len(table[0]), seen=", ".join(map(str, seen))),
    )


def summary(epoch: Epoch) -> str:
    """Duplicates, losses, batches, in one sentence each."""
    words = [
        _("Duplicates: {duplicates}. Seen by nobody: {lost}.").format(
            duplicates=epoch.duplicates, lost=len(epoch.lost)
        )
    ]
    if epoch.batch_size > 1:
        words.append(
            _("Batches of each rank: {steps}, samples in the last one: {last}.").format(
                steps=epoch.steps, last=epoch.last
            )
        )
    return " ".join(words)


def picture(
    epoch: Epoch | None, visits: tuple[Sequence[Sequence[int]], int] | None, title: str, text: str
) -> Picture:
    """Draw the grid of an epoch, the grid of visits, or one above the other."""
    parts: list[_Part] = []
    if epoch is not None:
        parts.append(_Part(title, epoch=epoch))
    if visits is not None:
        table, epochs = visits
        heading = _("How often each rank has seen each sample, after epoch {epoch}").format(epoch=epochs - 1)
        parts.append(_Part(heading if epoch or not title else f"{heading} ({title})", visits=(table, epochs)))
    top = 6.0
    for part in parts:
        part.top = top
        top += part.height + 10
    canvas = Canvas(WIDTH, round(top))
    for part in parts:
        part.draw(canvas)
    return Picture(canvas, text)


class _Part:
    """One grid with its title above and its legend below."""

    def __init__(
        self,
        title: str,
        epoch: Epoch | None = None,
        visits: tuple[Sequence[Sequence[int]], int] | None = None,
    ) -> None:
        self.title, self.top = title, 0.0
        self.rows = self._of_epoch(epoch) if epoch else self._of_visits(*visits) if visits else []
        kinds = self._kinds_of_epoch(epoch) if epoch else self._kinds_of_visits()
        self.legend = Legend(kinds)
        self.head = 22 if title else 0
        self.height = self.head + ROW * len(self.rows) + 8 + self.legend.height

    @staticmethod
    def _of_epoch(epoch: Epoch) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        """Return the label of each row, and the text, the colour and the hatching of each cell."""
        repeated, rows = epoch.repeated, []
        for rank, order in enumerate(epoch.orders):
            kept, cells = len(epoch.kept[rank]), []
            for position, index in enumerate(order):
                even = position // epoch.batch_size % 2 == 0
                plain = SKY if even or epoch.batch_size == 1 else PALE_BLUE
                dropped, again = position >= kept, (rank, position) in repeated
                colour = RED if dropped else ORANGE if again else plain
                cells.append((str(index), colour, dropped))
            rows.append((_("Rank {rank}").format(rank=rank), cells))
        given = {index for order in epoch.orders for index in order}
        out = [index for index in range(epoch.length) if index not in given]
        if out:
            rows.append((_("nobody"), [(str(index), RED, True) for index in out]))
        return rows

    @staticmethod
    def _kinds_of_epoch(epoch: Epoch) -> list[Kind]:
        batches = epoch.batch_size > 1
        kinds = [Kind(SKY, _("a batch") if batches else _("seen"))]
        if batches:
            kinds.append(Kind(PALE_BLUE, _("the next batch")))
        kinds += [Kind(ORANGE, _("seen again")), Kind(RED, _("left out"), hatched=True)]
        return kinds

    @staticmethod
    def _of_visits(
        table: Sequence[Sequence[int]], epochs: int
    ) -> list[tuple[str, list[tuple[str, str, bool]]]]:
        def look(count: int) -> tuple[str, str, bool]:
            return str(count or ""), "white" if not count else GREEN if count >= epochs else PALE_GREEN, False

        return [(_("Rank {rank}").format(rank=rank), list(map(look, row))) for rank, row in enumerate(table)]

    @staticmethod
    def _kinds_of_visits() -> list[Kind]:
        return [Kind(GREEN, _("in every epoch")), Kind(PALE_GREEN, _("in some epochs"))]

    def draw(self, canvas: Canvas) -> None:
        if self.title:
            canvas.text(EDGE, self.top + 9, self.title, PLAIN, INK, "lm", bold=True)
        left = EDGE + max((text_width(label) for label, _cells in self.rows), default=0.0) + 10
        most = max((len(cells) for _label, cells in self.rows), default=1)
        wide = min(LARGEST, int((WIDTH - left - EDGE) / max(1, most)))
        size = SMALL if wide >= 16 else 8
        for y, (label, cells) in enumerate(self.rows):
            upper = self.top + self.head + y * ROW
            canvas.text(left - 8, upper + ROW / 2, label, PLAIN, INK, "rm")
            for x, (text, colour, hatched) in enumerate(cells):
                box = (left + x * wide, upper + 1, left + (x + 1) * wide - 1, upper + ROW - 1)
                if hatched:
                    canvas.hatch(*box, colour)
                    half = text_width(text, size) / 2 + 2
                    middle = (box[0] + box[2]) / 2
                    canvas.box(middle - half, upper + 5, middle + half, upper + ROW - 5, "white")
                else:
                    canvas.box(*box, colour, GREY if colour == "white" else None)
                dark = colour in (BLUE, GREEN) and not hatched
                canvas.text(
                    (box[0] + box[2]) / 2, upper + ROW / 2, text, size, "white" if dark else INK, "mm"
                )
        self.legend.draw(canvas, left, self.top + self.head + ROW * len(self.rows) + 6)
