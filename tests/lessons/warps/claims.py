"""What lesson 3 says of the figures that its recordings have."""

from claimed import Claim, Rows, median

LATENCY, BLOCKS = "latency_sweep", "block_sweep"


def latency(rows: Rows) -> tuple[float, ...]:
    rate, most = (median(rows, "loads_per_us", warps=warps) for warps in (1, 32))
    return rate, 1000 / rate, 32, most / rate


def ragged(rows: Rows) -> bool:
    """Whether the blocks that are named took as much longer than their neighbour, and the others as long."""
    times = {
        block: median(rows, "kernel_us", bound_by="memory", block=block)
        for block in (64, 65, 80, 97, 100, 112, 129, 161)
    }
    slower = {block: time / times[64] for block, time in times.items()}
    return 1.25 < max(slower.values()) < 1.35 and all(
        (slower[b] > 1.2) == (b not in (64, 80, 112)) for b in times
    )


def sectors(rows: Rows) -> bool:
    one, sixteen, last = (median(rows, "element_ns", stride=stride) for stride in (1, 16, 32))
    return one < sixteen <= last and (sixteen - one) / (last - one) > 0.8


def widths(rows: Rows) -> tuple[float, ...]:
    def of(*kind: int) -> float:
        return median([row for row in rows if row["inner"] % 8 in kind], "product_ms")

    return 8, of(0), of(2, 4, 6), of(1, 3, 5, 7)


def memory(rows: Rows) -> tuple[float, ...]:
    peak = {size: median(rows, "peak_mib", counter="allocated", batch_size=size) for size in (128, 256, 1024)}
    return peak[128], peak[256], 128, 256, peak[1024]


RECORDED: dict[str, Claim] = {
    "one warp made {} loads/µs, which is {} ns for each, and {} warps made {} times as many": (LATENCY, latency),
    "blocks of 65, 97, 100, 129 or 161 threads took up to 1.3 times as long for the same bytes, and those of 80 or 112": (BLOCKS, ragged),
    "On an H200 nearly all of it ends at 16": ("stride_sweep", sectors),
    "a width that is a multiple of {} took {} ms, other even ones {} and odd ones {}": ("inner_sweep", widths),
    "jumps from {} to {} MiB as the batch grows from {} to {}, and ends at {}": ("memory_sweep", memory),
}  # fmt: skip

ELSEWHERE = {
    "The bump of an H200 at 64 samples": "seen in the profiler, and not kept",
    "tiles of 128 × 64": "names of kernels in the profiler, not kept",
}
