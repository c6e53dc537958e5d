"""What the columns and the values of this lesson's rows are called in pictures and tables."""

from loaderlab.language import mark

NAMES = {
    "batch_size": mark("Batch size"),
    "elements": mark("Elements"),
    "warps": mark("Warps"),
    "idle": mark("Idle lanes"),
    "idle_share": mark("Idle lanes (%)"),
    "batch_ms": mark("Time per batch (ms)"),
    "kernel_us": mark("Time per kernel (µs)"),
    "product_ms": mark("Time per matrix product (ms)"),
    "in_waves": mark("Time (in waves)"),
    "rows": mark("Rows M"),
    "inner": mark("Inner size K"),
    "tiles": mark("Tiles"),
    "waves": mark("Waves"),
    "until_done_ms": mark("Time until all are done (ms)"),
    "tile_use": mark("Tile area used (%)"),
    "efficiency": mark("Work slots used (%)"),
    "by_tiles": mark("in whole tiles"),
    "library": mark("PyTorch's own product"),
    "whole_wave": mark("a row of tiles is a wave"),
    "quarter_wave": mark("a row of tiles is a quarter of a wave"),
    "saved_mib": mark("Saved for backward (MiB)"),
    "peak_mib": mark("Highest memory use (MiB)"),
}
