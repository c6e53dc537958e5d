"""What lesson 2 says of the figures that its recordings have."""

from claimed import Claim, Rows, median
from loaderlab.lessons.pin_memory.model import milliseconds


def crossed(rows: Rows) -> tuple[float, ...]:
    """GB/s from pinned memory, the least and the most of large batches, and from pageable memory."""
    large = {row["mib"] for row in rows if row.get("mib", 0) >= 32}
    pinned = [median(rows, "gb_per_s", variant="pinned", mib=mib) for mib in large]
    slowest = min(median(rows, "gb_per_s", variant="pageable", mib=mib) for mib in large)
    return min(pinned), max(pinned), slowest


def on_the_fly(rows: Rows) -> tuple[float, ...]:
    """How many times as fast, or as slow, pinning on the fly is as a pageable source: with 64 and with 2 MiB."""
    fast, slow = (
        [median(rows, "host_ms", variant=way, mib=mib) for way in ("pageable", "on_the_fly")]
        for mib in (64, 2)
    )
    return fast[0] / fast[1], slow[1] / slow[0]


def pinning(rows: Rows) -> tuple[float, ...]:
    """Milliseconds of pinning on the fly that no event sees, from 2 to 8 MiB: the median of the three."""
    found = [
        median(rows, "host_ms", variant="on_the_fly", mib=mib)
        - median(rows, "events_ms", variant="on_the_fly", mib=mib)
        for mib in (2, 4, 8)
    ]
    return (sorted(found)[1],)


def seen_by_events(rows: Rows) -> bool:
    """Whether by events pinning on the fly is near to memory pinned before with 64 MiB, and far from it with 8."""

    def ratio(mib: int) -> float:
        fly, before = (median(rows, "events_ms", variant=way, mib=mib) for way in ("on_the_fly", "pinned"))
        return fly / before

    return ratio(64) < 1.15 and ratio(8) > 1.5


def small(rows: Rows) -> bool:
    """Whether a transfer of next to nothing costs the host 20 to 30 microseconds."""
    return all(
        0.02 < median(rows, "host_ms", variant="pinned", mib=2.0**power) < 0.03 for power in range(-8, -1)
    )


def six_batches(rows: Rows) -> tuple[float, ...]:
    """Milliseconds for six batches: with all ingredients, without a stream or `non_blocking`, from pageable memory."""
    ends = {
        way: max(row["end_ms"] for row in rows if row["variant"] == way)
        for way in {row["variant"] for row in rows}
    }
    return ends["complete"], (ends["default_stream"] + ends["blocking"]) / 2, ends["pageable_source"]


def received_and_sent(rows: Rows) -> tuple[float, ...]:
    """GB/s of a loop that receives batches of 64 images from two workers and sends them, without a pin thread."""
    return (64 * 3 * 224 * 224 / paid(rows)[0] / 1e6,)


def paid(rows: Rows) -> tuple[float, ...]:
    """Milliseconds that the loop pays for a batch of two workers, without and with pinning."""
    found = [
        row for pin in (False, True) for row in rows if (row["num_workers"], row["pin_memory"]) == (2, pin)
    ]
    return tuple(row["next_ms"] + row["to_ms"] for row in found)


RECORDED: dict[str, Claim] = {
    "32 MiB and more crossed at {} to {} GB/s from memory pinned beforehand, and at about {} from": (
        "transfers",
        crossed,
    ),
    "cannot copy more than {} there": ("transfers", lambda rows: (rows[-1]["worker_rate"],)),
    "a loop that received and sent them itself made {} (section 4)": ("loader_costs", received_and_sent),
    "which was {} GB/s there": ("transfers", lambda rows: (rows[-1]["host_rate"],)),
    "a pin thread takes at least {} ms there": (
        "transfers",
        lambda rows: (milliseconds(64, rows[-1]["worker_rate"]),),
    ),
    "{} times as fast for 64 MiB, and {} times as slow for 2 MiB": ("transfers", on_the_fly),
    "From 2 to 8 MiB its pinning takes about {} ms": ("transfers", pinning),
    "from 64 MiB on, the events see a transfer nearly as fast as from pinned memory": (
        "transfers",
        seen_by_events,
    ),
    "on the H200's machine some 25 microseconds": ("transfers", small),
    "{} ms with nothing missing, about {} without the second stream or `non_blocking`, and {} from": (
        "overlaps",
        six_batches,
    ),
    "{} ms in all become {}": ("loader_costs", paid),
}
