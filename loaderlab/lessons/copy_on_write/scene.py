"""The scene that the lesson's sliders move: memory of the whole process tree over one epoch."""

from __future__ import annotations

from loaderlab.drawing import BLUE, Line, Picture, chart
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.copy_on_write.model import GIB, Load

STEPS, DRAWN = 100, 50  # points of the epoch at which it is computed, and drawn

PARAMETERS = (
    Parameter("items_millions", mark("Samples (millions)"), 10.0, 0.1, 50.0, 0.1),
    Parameter("item_bytes", mark("Bytes per sample"), 100, choices=(8, 100, 1000, 10_000, 100_000)),
    Parameter(
        "container", mark("Container"), "list", choices=("list", "ndarray", "tensor", "memmap", "lazy memmap")
    ),
    Parameter("num_workers", "num_workers", 8, 0, 32),
    Parameter("ranks", mark("Ranks of the host"), 1, 1, 8),
    Parameter("order", mark("Order"), "shuffled", choices=(mark("shuffled"), mark("in order"))),
    Parameter("start_method", mark("Start method"), "fork", choices=("fork", "spawn")),
    Parameter("done", mark("Share of the epoch done"), 25, 0, 100, unit="%"),
    Parameter("ram_gib", mark("Memory of the machine (GiB)"), 8, choices=(4, 8, 16, 32, 64, 128, 512, 2048)),
)


def draw(
    items_millions: float,
    item_bytes: int,
    container: str,
    num_workers: int,
    ranks: int,
    order: str,
    start_method: str,
    done: int,
    ram_gib: int,
) -> Picture:
    """Draw the memory that the model predicts, against what the machine has."""
    load = Load(
        round(items_millions * 1e6),
        item_bytes,
        container,
        num_workers,
        order=order,
        start_method=start_method,
        ranks=ranks,
    )
    shares = [i / DRAWN for i in range(DRAWN + 1)]
    points = [(100 * share, load.total(share, ram_gib * GIB) / GIB) for share in shares]
    return chart(
        [Line(_("main process and workers"), points, BLUE, area=True)],
        x_label=_("Share of the epoch done (%)"),
        y_label=_("Memory (GiB)"),
        limit=ram_gib,
        limit_label=_("memory of the machine: {gib} GiB").format(gib=number(ram_gib)),
        over_label=_("does not fit"),
        marks={done: _("here: {gib} GiB").format(gib=_gib(load.total(done / 100, ram_gib * GIB)))},
        text=sentence(load, done, ram_gib),
    )


def _gib(nbytes: float) -> str:
    size = nbytes / GIB
    return number(size, 0 if size >= 100 else 1 if size >= 10 else 2)


def sentence(load: Load, done: int, ram_gib: int) -> str:
    """Return a sentence on the memory at this point of the epoch, its sources, and whether the epoch fits."""
    now = _(
        "After {done}% of the epoch: {total} GiB in all. The data has {data} GiB, the workers' copies {copies} GiB."
    )
    words = [
        now.format(
            done=number(done),
            total=_gib(load.total(done / 100, ram_gib * GIB)),
            data=_gib(load.data if load.mapped else load.ranks * load.data),
            copies=_gib(load.copies(done / 100)),
        )
    ]
    full = next((i for i in range(STEPS + 1) if load.total(i / STEPS, ram_gib * GIB) > ram_gib * GIB), None)
    if full is None:
        words.append(_("The whole epoch fits in {ram} GiB.").format(ram=number(ram_gib)))
    elif full:
        words.append(
            _("Memory is full after {share}% of the epoch.").format(share=number(100 * full / STEPS))
        )
    else:
        words.append(_("Memory is too small even at the start."))
    if "memmap" in load.container and load.mapped:
        words.append(
            _("Where memory is short, the system frees pages of the file, so a larger file fits, too.")
        )
    return " ".join(words)


SCENES = (Scene("epoch", PARAMETERS, draw),)
