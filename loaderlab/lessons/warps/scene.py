"""The scenes that the lesson's sliders move: the lanes of the last warps, the warps of an SM, the tiles and waves of a product."""

from __future__ import annotations

from collections.abc import Sequence

from loaderlab.drawing import (
    BLUE,
    GREEN,
    GREY,
    PALE,
    PALETTE,
    RED,
    Kind,
    Line,
    Picture,
    chart,
    grid,
)  # fmt: skip
from loaderlab.drawing.scene import Parameter, Scene
from loaderlab.drawing.style import steady
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.warps.occupancy import GPUS, Residency, busy_share, enough, issued
from loaderlab.lessons.warps.tiles import BYTES, WARP, Launch, Product, alignment

# ---------------------------------------------------------------- lanes

LANES = (
    Parameter("batch_size", mark("Batch size B"), 33, 1, 512),
    Parameter("channels", mark("Channels C"), 3, 1, 64),
    Parameter("height", mark("Height H"), 224, 1, 256),
    Parameter("width", mark("Width W"), 224, 1, 256),
    Parameter("block", mark("Threads per block"), 256, 1, 1024),
)
SHOWN = 8  # warps, or as many as one block has


def percent(share: float, digits: int = 0) -> str:
    """Return a share as a percentage that says 0 or 100 only where it is exactly that."""
    value = 100 * share
    while digits < 8 and ((round(value, digits) == 0 < value) or (round(value, digits) == 100 > value)):
        digits += 1
    return number(round(value, digits) + 0.0, digits)


def draw_lanes(batch_size: int, channels: int, height: int, width: int, block: int) -> Picture:
    """Draw the last warps of an elementwise kernel on a tensor B × C × H × W, lane by lane."""
    launch = Launch(batch_size * channels * height * width, block)
    first = max(0, launch.warps - max(SHOWN, launch.warps_per_block))
    shown = range(first, launch.warps)
    cells = [[lane < launch.used(warp) for lane in range(WARP)] for warp in shown]
    kinds = {
        True: Kind(BLUE, _("has an element")),
        False: Kind(RED, _("idle"), hatched=True),
    }
    lines = [
        _("Elements: {elements} · blocks: {blocks} · warps: {warps} · lanes: {lanes}").format(
            elements=number(launch.elements),
            blocks=number(launch.blocks),
            warps=number(launch.warps),
            lanes=number(launch.lanes),
        ),
        _("The last warps, 32 lanes each:"),
    ]
    labels = [_("warp {n}").format(n=number(warp)) for warp in shown]
    return grid(cells, kinds, text=_lanes_sentence(launch, batch_size), lines=lines, row_labels=labels)


def _lanes_sentence(launch: Launch, batch_size: int) -> str:
    words = [
        _("Elements: {elements}, warps: {warps}. Idle lanes: {idle} of {lanes}, that is {share}%.").format(
            elements=number(launch.elements),
            warps=number(launch.warps),
            idle=number(launch.idle),
            lanes=number(launch.lanes),
            share=percent(launch.idle_share, 1),
        )
    ]
    gap = launch.warps_per_block * WARP - launch.block
    sample = launch.elements // batch_size
    if gap:
        words.append(
            _("The block size is not a multiple of 32. Idle lanes in each block: {n}.").format(n=gap)
        )
    elif sample % launch.block == 0:
        words.append(_("One sample fills whole blocks: no batch size leaves a lane idle."))
    else:
        words.append(_("Only the last block can have idle lanes, fewer than {n}.").format(n=launch.block))
    return " ".join(words)


# ---------------------------------------------------------------- warps

RESIDENT = (
    Parameter("gpu", mark("GPU"), "A100", choices=tuple(GPUS)),
    Parameter("block", mark("Threads per block"), 128, 32, 1024, 32),
    Parameter("registers", mark("Registers per thread"), 64, 16, 255),
    Parameter("shared_kib", mark("Shared memory per block"), 0, 0, 227, unit=mark("KiB")),
    Parameter("instructions", mark("Instructions before each load"), 20, 1, 200),
    Parameter("latency", mark("Latency of a load"), 400, 50, 1000, 10, unit=mark("cycles")),
)
LIMITS = {
    "warps": mark("warps"),
    "blocks": mark("blocks"),
    "registers": mark("registers"),
    "shared": mark("shared memory"),
}
COLUMNS = 110  # of the timeline
PERIODS = 2  # how often, at least, a warp that never has to queue comes to its next load within the timeline


def draw_warps(
    gpu: str, block: int, registers: int, shared_kib: int, instructions: int, latency: int
) -> Picture:
    """Draw the work of the warps of one scheduler, cycle by cycle, and the cycles in which it has nothing to issue."""
    held = Residency(gpu, block, registers, shared_kib)
    warps = held.per_scheduler
    cycles = round(steady(PERIODS * max(instructions + latency, warps * instructions)))
    turns = issued(warps, instructions, latency, cycles)
    wide = cycles / COLUMNS
    edges = [(column * wide, (column + 1) * wide) for column in range(COLUMNS)]
    rows: list[list[str]] = []
    share = [0.0] * COLUMNS  # of each column's cycles, those in which something is issued
    for spans in turns:
        at = [
            sum(max(0.0, min(end, span.stop) - max(start, span.start)) for span in spans)
            for start, end in edges
        ]
        rows.append(["issues" if used > 0 else "waits" for used in at])
        share = [before + used / wide for before, used in zip(share, at, strict=True)]
    labels = [_("warp {n}").format(n=number(warp)) for warp in range(warps)]
    rows.append(["busy" if used > 0.5 else "idle" for used in share])
    labels.append(_("scheduler"))
    kinds = {
        "issues": Kind(BLUE, _("issues instructions")),
        "waits": Kind(PALE, _("waits for its load, or for its turn")),
        "busy": Kind(GREEN, _("something to issue")),
        "idle": Kind(RED, _("nothing to issue"), hatched=True),
    }
    lines = [
        _(
            "{gpu} · SM: 4 schedulers, warps: {most} at most · warps that fit: {warps} · shown: one scheduler"
        ).format(gpu=gpu, most=GPUS[gpu].warps, warps=held.warps),
        _("Time from left to right, cycles: {cycles}").format(cycles=number(cycles)),
    ]
    return grid(
        rows, kinds, text=_warps_sentence(held, instructions, latency), lines=lines, row_labels=labels
    )


def _listed(limits: Sequence[str]) -> str:
    *others, last = (_(LIMITS[name]) for name in limits)
    return _(" and ").join(filter(None, [", ".join(others), last]))


def _warps_sentence(held: Residency, instructions: int, latency: int) -> str:
    if not held.blocks:
        return _("No block fits: it wants more {what} than the SM has.").format(what=_listed(held.strictest))
    busy = busy_share(held.per_scheduler, instructions, latency)
    return _(
        "Blocks on the SM: {blocks}, warps: {warps} of {most}, so the occupancy is {occupancy}%. What runs out first: {what}. "
        "Warps of this scheduler: {mine}; it issues in {busy}% of the cycles. Warps enough for all cycles: {enough}."
    ).format(
        blocks=held.blocks,
        warps=held.warps,
        most=GPUS[held.gpu].warps,
        occupancy=percent(held.occupancy),
        what=_listed(held.strictest),
        mine=held.per_scheduler,
        busy=percent(busy),
        enough=enough(instructions, latency),
    )


# ---------------------------------------------------------------- waves

TILES = ("128x128", "256x128", "128x256", "128x64", "64x64")
WAVES = (
    Parameter("m", mark("Rows M"), 129, 1, 8192),
    Parameter("n", mark("Columns N"), 4096, 1, 8192),
    Parameter("k", mark("Inner size K"), 4096, 1, 8192),
    Parameter("tile", mark("Tile"), "128x128", choices=TILES),
    Parameter("sms", mark("Multiprocessors (SMs)"), 108, 1, 200),
    Parameter("dtype", mark("Type"), "fp16", choices=tuple(BYTES)),
)
COLOURS = PALETTE[:6]  # of the waves, in turns


def draw_waves(m: int, n: int, k: int, tile: str, sms: int, dtype: str) -> Picture:
    """Draw the tiles of a matrix product, coloured by wave, and the share of work slots used against M."""
    tile_m, tile_n = map(int, tile.split("x"))
    product = Product(m, n, tile_m, tile_n, sms)
    cut_row = product.tile_rows - 1 if m % tile_m else -1
    cut_column = product.tile_columns - 1 if n % tile_n else -1
    columns = product.tile_columns
    cells = [
        [((y * columns + x) // sms % len(COLOURS), y == cut_row or x == cut_column) for x in range(columns)]
        for y in range(product.tile_rows)
    ]
    kinds = {
        (i, cut): Kind(colour, "", hatched=cut) for i, colour in enumerate(COLOURS) for cut in (False, True)
    }
    legend = [
        Kind(colour, _("wave {n}").format(n=i + 1)) for i, colour in enumerate(COLOURS[: product.waves])
    ]
    if product.waves > len(COLOURS):
        legend[-1] = Kind(COLOURS[-1], _("wave {n}, then the colours repeat").format(n=len(COLOURS)))
    if cut_row >= 0 or cut_column >= 0:
        legend.append(Kind(GREY, _("tile that is partly empty"), hatched=True))
    sentence = " ".join([_waves_sentence(product), _aligned(n, k, dtype)])
    lines = [
        _("M × N × K = {m} × {n} × {k}, {dtype} · tiles: {tiles} · SMs: {sms}").format(
            m=number(m), n=number(n), k=number(k), dtype=dtype, tiles=number(product.tiles), sms=sms
        ),
        _aligned(n, k, dtype),
    ]
    above = grid(cells, kinds, text=sentence, lines=lines, legend=legend, height=190)
    return Picture(above.canvas.with_below(_against_rows(product).canvas), sentence)


def _waves_sentence(product: Product) -> str:
    return _(
        "Tiles: {tiles}, waves: {waves}, SMs busy in the last wave: {busy} of {sms}. "
        "Work slots used: {share}% (within the tiles {tile}%, within the waves {wave}%)."
    ).format(
        tiles=number(product.tiles),
        waves=number(product.waves),
        busy=product.last_wave,
        sms=product.sms,
        share=percent(product.efficiency),
        tile=percent(product.tile_use),
        wave=percent(product.wave_use),
    )


def _aligned(n: int, k: int, dtype: str) -> str:
    """Say whether N and K are multiples of what NVIDIA's guide asks for."""
    step = alignment(dtype)
    off = [f"{name} = {number(value)}" for name, value in (("N", n), ("K", k)) if value % step]
    if off:
        return _("⚠ For {dtype}, these should be multiples of {step}: {which}.").format(
            step=step, dtype=dtype, which=", ".join(off)
        )
    return _("N and K are multiples of {step}, as they should be for {dtype}.").format(step=step, dtype=dtype)


def _against_rows(product: Product) -> Picture:
    """Share of work slots used for each number of rows, with the current one marked."""
    most = next(rows for rows in (512, 1024, 2048, 4096, 8192) if product.m <= rows)
    edges = {m + after for m in range(product.tile_m, most, product.tile_m) for after in (0, 1)}
    rows = sorted({1, *edges, most})  # in between it is a straight line
    points = [
        (float(m), 100 * Product(m, product.n, product.tile_m, product.tile_n, product.sms).efficiency)
        for m in rows
    ]
    return chart(
        [Line("", points, BLUE)],
        x_label=_("Rows M"),
        y_label=_("Work slots used (%)"),
        text="",
        marks={float(product.m): f"M = {product.m}"},
        height=210,
    )


SCENES = (
    Scene("lanes", LANES, draw_lanes, tallest={"block": 960}),
    Scene("warps", RESIDENT, draw_warps, tallest={"gpu": "L4", "registers": 16, "block": 384}),
    Scene("waves", WAVES, draw_waves, tallest={"m": 8191, "n": 8191, "tile": "64x64", "sms": 1}),
)
