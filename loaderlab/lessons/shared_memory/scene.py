"""The scene that the lesson's sliders move: how full /dev/shm is, and whether it is large enough."""

from __future__ import annotations

from loaderlab.drawing import BLUE, ORANGE, Line, Picture, chart
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.drawing.style import steady
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.shared_memory.filling import MIB, Filling

PARAMETERS = (
    Parameter("batch_mib", mark("Size of a batch"), 8, 1, 128, unit=mark("MiB")),
    Parameter("num_workers", "num_workers", 2, 0, 16),
    Parameter("prefetch_factor", "prefetch_factor", 2, 1, 8),
    Parameter("held", mark("Batches held by the loop"), 1, 1, 32),
    Parameter("pin_memory", "pin_memory", False),
    Parameter("shm_mib", mark("Size of /dev/shm (MiB)"), 64, choices=(16, 64, 256, 1024, 4096, 16384)),
)


def draw(
    batch_mib: int, num_workers: int, prefetch_factor: int, held: int, pin_memory: bool, shm_mib: int
) -> Picture:
    """Draw the fill level that the model predicts, against the size of /dev/shm."""
    filling = Filling(batch_mib * MIB, num_workers, prefetch_factor, held, pin_memory)
    levels, paused = filling.levels()
    points = [(ms, batches * batch_mib) for ms, batches in levels]
    lines = [Line(_("in use"), points, BLUE, area=True, steps=True)]
    if pin_memory and num_workers:
        most = filling.batches * batch_mib
        lines.append(Line(_("if the pin thread falls behind"), [(0.0, most), (levels[-1][0], most)], ORANGE))
    return chart(
        lines,
        x_label=_("Time (ms)"),
        y_label=_("/dev/shm (MiB)"),
        across=steady(levels[-1][0]),
        limit=shm_mib,
        over_label=_("does not fit"),
        limit_label=_("size of /dev/shm: {mib} MiB").format(mib=number(shm_mib)),
        marks={paused: _("the loop pauses")} if num_workers else {},
        text=sentence(filling, shm_mib),
    )


def sentence(filling: Filling, shm_mib: int) -> str:
    """Return a sentence on how much is needed, whether it fits, and the size to ask for."""
    if not filling.num_workers:
        return _("Without workers nothing goes through /dev/shm: 0 MiB.")
    needed = (
        _(
            "If the pin thread falls behind, batches in /dev/shm: {batches}, of {mib} MiB each, so {needed} MiB."
        )
        if filling.pin_memory
        else _("Batches that can exist at once: {batches}, of {mib} MiB each, so {needed} MiB.")
    ).format(
        batches=filling.batches,
        mib=number(filling.batch_bytes / MIB),
        needed=number(filling.needed / MIB),
    )
    if filling.needed <= shm_mib * MIB:
        verdict = _("They fit: at most {share}% of /dev/shm is in use. `--shm-size={size}m` would be enough.")
        return (
            needed
            + " "
            + verdict.format(share=number(100 * filling.needed / (shm_mib * MIB)), size=filling.shm_size)
        )
    full = filling.full_at(shm_mib * MIB)
    if full is None:
        verdict = _("They do not fit, and a pause does not show this. You need `--shm-size={size}m`.")
        return needed + " " + verdict.format(size=filling.shm_size)
    verdict = _("They do not fit: after {ms} ms a batch finds no room. You need `--shm-size={size}m`.")
    return needed + " " + verdict.format(ms=number(full), size=filling.shm_size)


SCENES = (Scene("filling", PARAMETERS, draw),)
