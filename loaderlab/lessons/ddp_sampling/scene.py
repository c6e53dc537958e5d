"""The scene that the lesson's sliders move: which rank sees which sample, in this epoch and in all so far."""

from __future__ import annotations

from loaderlab.drawing import Picture
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.ddp_sampling import grids
from loaderlab.lessons.ddp_sampling.sampling import Epoch, orders, visits

PARAMETERS = (
    Parameter("samples", mark("Samples"), 26, 3, 40),
    Parameter("ranks", mark("Ranks"), 4, 1, 8),
    Parameter("batch_size", mark("Batch size per rank"), 3, 1, 8),
    Parameter("epoch", mark("Epoch"), 3, 0, 19),
    Parameter("shuffle", "shuffle", True),
    Parameter("set_epoch", "set_epoch", True),
    Parameter("sampler_drop_last", mark("drop_last of the sampler"), False),
    Parameter("loader_drop_last", mark("drop_last of the loader"), False),
)


def draw(
    samples: int,
    ranks: int,
    batch_size: int,
    epoch: int,
    shuffle: bool,
    set_epoch: bool,
    sampler_drop_last: bool,
    loader_drop_last: bool,
) -> Picture:
    """Draw the grid of this epoch, and how often each rank has seen each sample."""

    def at(moment: int) -> Epoch:
        told = moment if set_epoch else 0
        order = orders(samples, ranks, shuffle=shuffle, drop_last=sampler_drop_last, epoch=told)
        return Epoch(order, samples, batch_size, loader_drop_last)

    alike = not (shuffle and set_epoch)
    epochs = [at(0)] * (epoch + 1) if alike else [at(moment) for moment in range(epoch + 1)]
    table = visits([one.kept for one in epochs], samples)
    title = _("Epoch {epoch}").format(epoch=epoch)
    return grids.picture(epochs[-1], (table, epoch + 1), title, sentence(epochs[-1], table, epoch))


def sentence(last: Epoch, table: list[list[int]], epoch: int) -> str:
    """Return a sentence on the costs of this epoch, and on what rank 0 has seen by now."""
    words = [grids.summary(last)]
    if not last.steps:
        words = [_("No rank gets a single batch. Seen by nobody: {lost}.").format(lost=len(last.lost))]
    seen = sum(count > 0 for count in table[0])
    words.append(
        _("After epoch {epoch}, rank 0 has seen {seen} of {length} samples ({share}%).").format(
            epoch=epoch, seen=seen, length=last.length, share=number(100 * seen / last.length)
        )
    )
    together = sum(any(row[index] for row in table) for index in range(last.length))
    words.append(_("All ranks together: {together}.").format(together=together))
    return " ".join(words)


TALLEST = {"ranks": 8, "sampler_drop_last": True, "samples": 39}  # with a row for what nobody sees
SCENES = (Scene("ranks", PARAMETERS, draw, tallest=TALLEST),)
