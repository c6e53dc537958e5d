"""What lesson 0 says of the figures that its recording has."""

from claimed import Claim, Rows


def promised(rows: Rows) -> tuple[float, ...]:
    """The wait of the launched loop and of the finished one, in percent, each with the gain that it promises."""
    waits = [row["wait_share"] for row in rows]
    return waits[0], 1 / (1 - waits[0] / 100), waits[1], 1 / (1 - waits[1] / 100)


def true(rows: Rows) -> tuple[float, ...]:
    """Milliseconds of a step on the GPU and of a batch of the faster loop (12 of them), and how many times as fast it could be."""
    step, each = rows[1]["step_ms"], rows[0]["epoch_ms"] / 12
    return step, each, each / step


RECORDED: dict[str, Claim] = {
    "the launched loop waits for {}% of its time, which promises {} times, and the finished one for {}%, which promises {}.": (
        "clocks",
        promised,
    ),
    "But the GPU needs {} ms for a step, and the faster loop takes {} ms for each batch: {} times at most.": (
        "clocks",
        true,
    ),
    "in the recording the epoch lasts longer": (
        "clocks",
        lambda rows: rows[1]["epoch_ms"] > rows[0]["epoch_ms"],
    ),
}
