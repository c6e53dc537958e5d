"""What lesson 3 says of the figures that its recordings have."""

import statistics

from claimed import Claim, Rows, median
from loaderlab.lessons.warps import curve
from loaderlab.notebook.recordings import Result

BLOCKS, LATENCY, LAUNCHES, MEMORY = "block_sweep", "latency_sweep", "launch_sweep", "memory_sweep"
PRODUCTS, WIDTHS = "gemm_sweep", "inner_sweep"


def arithmetic(rows: Rows) -> bool:
    """Whether the time of the arithmetic follows the warps."""
    to_128 = curve.relative(Result("blocks", [*rows]), "block", "kernel_us", by="bound_by", at=128)
    model = {
        row["block"]: row["relative"]
        for row in curve.by_block(2**22, 128, 256)
        if row["bound_by"] == "arithmetic"
    }
    return all(
        0.97 < row["relative"] / model[row["block"]] < 1.03
        for row in to_128.where(bound_by="arithmetic").rows
    )


def ragged(rows: Rows) -> bool:
    """Whether the blocks that are named took as much longer than those of 128, and the others no longer."""
    times = {
        block: median(rows, "kernel_us", bound_by="memory", block=block)
        for block in (65, 80, 97, 100, 112, 128, 129, 161)
    }
    slower = {block: time / times[128] for block, time in times.items()}
    return all(slower[b] <= 1 if b in (80, 112, 128) else 1.15 < slower[b] < 1.35 for b in slower)


def below(rows: Rows) -> tuple[float, ...]:
    """By how many per cent less, at least and at most, the blocks that are named took than those of 128."""
    times = {
        block: median(rows, "kernel_us", bound_by="memory", block=block)
        for block in (64, 80, 96, 112, 128, 160, 192, 224)
    }
    less = sorted(100 * (1 - time / times[128]) for block, time in times.items() if block != 128)
    return less[0], less[-1]


def begun(rows: Rows) -> tuple[float, ...]:
    """The last block whose time is still that of so many blocks, and how many of these begin in a ns."""
    sizes = sorted({row["block"] for row in rows if row["bound_by"] == "one_load"})
    numbers = 512 * 2**20 // 4
    rates = {b: numbers / b / 1000 / median(rows, "kernel_us", bound_by="one_load", block=b) for b in sizes}
    level = [block for block in sizes if rates[block] > 0.95 * rates[sizes[0]]]
    return max(level), statistics.median(rates[block] for block in level)


def graph(rows: Rows) -> bool:
    one, last = (
        median(rows, "batch_ms", way="one_by_one", batch_size=size)
        / median(rows, "batch_ms", way="graph", batch_size=size)
        for size in (1, 2**19)
    )
    return 5.5 < one < 6.5 and 1 < last < 1.05


def compiled(rows: Rows) -> tuple[float, ...]:
    """The least and the largest factor to the graph, without the size at which it is faster."""
    sizes = sorted({row["batch_size"] for row in rows})
    ms = {
        way: [median(rows, "batch_ms", way=way, batch_size=size) for size in sizes]
        for way in ("graph", "compiled")
    }
    ratios = [each / other for each, other in zip(ms["compiled"], ms["graph"], strict=True)]
    slower = [ratio for ratio in ratios if ratio > 1]
    return (min(slower), max(slower)) if len(slower) == len(ratios) - 1 == 6 else (0, 0)


def one_sample(rows: Rows) -> tuple[float, ...]:
    """Milliseconds of the compiled network at one sample, less those of the graph."""
    slow, fast = (median(rows, "batch_ms", way=way, batch_size=1) for way in ("compiled", "graph"))
    return (slow - fast,)


def large(rows: Rows) -> tuple[float, ...]:
    ratios = [
        median(rows, "batch_ms", way="compiled", batch_size=size)
        / median(rows, "batch_ms", way="one_by_one", batch_size=size)
        for size in (2**15, 2**19)
    ]
    return (2**15, 2**19, ratios[1]) if 0.95 < ratios[0] < 1.05 else (0, 0, 0)


def bump(rows: Rows) -> bool:
    return all(
        median(rows, "batch_ms", way=way, batch_size=64)
        > 1.1 * max(median(rows, "batch_ms", way=way, batch_size=size) for size in (8, 512))
        for way in ("one_by_one", "graph", "compiled")
    )


def times(rows: Rows, kind: str) -> dict[int, float]:
    """The median time of each number of rows, in µs."""
    found: dict[int, list[float]] = {}
    for row in rows:
        if row["columns"] == kind:
            found.setdefault(row["rows"], []).append(1000 * row["product_ms"])
    return {m: statistics.median(us) for m, us in found.items()}


def wide(rows: Rows) -> tuple[float, ...]:
    of = times(rows, "whole_wave")
    flat = of[65] < 1.05 * of[64]
    return (1, 65, statistics.median(of[m] for m in range(1, 66))) if flat else (0, 0, 0)


def wide_step(rows: Rows) -> tuple[float, ...]:
    of = times(rows, "whole_wave")
    first = next(m for m in range(65, 513) if of[m + 1] > curve.STEP * of[m])
    return (first, of[first], first + 1, of[first + 1]) if (first + 1) % 32 == 0 else (0, 0, 0, 0)


def narrow(rows: Rows) -> bool:
    of = times(rows, "quarter_wave")
    slow = [of[m] for m in range(65, 73)]
    return min(slow) / of[64] > 1.8 and max(slow) / of[64] < 2.2 and 0.5 < of[73] / max(slow) < 0.6


def falls(rows: Rows) -> tuple[float, ...]:
    of = times(rows, "quarter_wave")
    return 255, of[255], 256, of[256]


def not_by_tiles(rows: Rows) -> tuple[float, ...]:
    """The rows after which one wave of tiles of 128 × 128 is full, where neither curve has its first step there."""
    [sms] = {row["sms"] for row in rows}
    ends = {kind: 128 * (sms // (curve.columns(kind, sms) // 128)) for kind in curve.WIDTHS}
    first = {
        kind: next(m for m in range(8, 1024) if of[m + 1] > curve.STEP * of[m])
        for kind in curve.WIDTHS
        if (of := times(rows, kind))
    }
    return tuple(ends.values()) if all(first[kind] != end for kind, end in ends.items()) else (0, 0)


def steps(rows: Rows) -> bool:
    """Whether the narrow product steps after each multiple of 32 up to 384 but 128, and the wide one after none."""
    gemm = Result("gemm", [*rows])
    of = times(rows, "quarter_wave")
    found = [m for m in range(32, 513, 32) if of[m + 1] > curve.STEP * of[m]]
    wide = curve.steps(gemm, multiples=(16, 32, 64, 128), most=512)
    return found == [m for m in range(32, 385, 32) if m != 128] and not any(row["whole_wave"] for row in wide)


def earlier(rows: Rows) -> tuple[float, ...]:
    of = times(rows, "quarter_wave")
    return 127, of[127], 128, of[128]


def widths(rows: Rows) -> tuple[float, ...]:
    def of(*kind: int) -> float:
        return median([row for row in rows if row["inner"] % 8 in kind], "product_ms")

    return 8, of(0), of(2, 4, 6), of(1, 3, 5, 7)


def one_input(rows: Rows) -> bool:
    ratios = curve.longer([Result("widths", [*rows])], "inner", at=[1001, 1008], than=1000)
    return ratios is not None and 4.5 < ratios[0] < 5.5 and 0.95 < ratios[1] < 1.02


def memory(rows: Rows) -> tuple[float, ...]:
    peak = {size: median(rows, "peak_mib", counter="allocated", batch_size=size) for size in (128, 256, 1024)}
    return peak[128], peak[256], 128, 256, peak[1024]


def kept(rows: Rows) -> tuple[float, ...]:
    first, second = (median(rows, "peak_mib", counter="kept", batch_size=size) for size in (128, 256))
    return first, second


def latency(rows: Rows) -> tuple[float, ...]:
    rate, most = (median(rows, "loads_per_us", warps=warps) for warps in (1, 32))
    return rate, 1000 / rate, 32, most / rate


def sectors(rows: Rows) -> bool:
    one, sixteen, last = (median(rows, "element_ns", stride=stride) for stride in (1, 16, 32))
    return one < sixteen <= last and (sixteen - one) / (last - one) > 0.8


RECORDED: dict[str, Claim] = {
    "on an H200 all points lie on their line": (BLOCKS, arithmetic),
    "blocks of 65, 97, 100, 129 or 161 threads took 1.2 to 1.3 times as long for the same bytes, and those of 80 or 112": (BLOCKS, ragged),
    "224 threads took {} to {}% less than 128": (BLOCKS, below),
    "Up to {} threads a block, the H200 began {} blocks in each ns": (BLOCKS, begun),
    "The graph took a sixth of the time of single launches at 1 sample, and nearly as long": (LAUNCHES, graph),
    "took {} to {} times as long as the graph at six of seven sizes": (LAUNCHES, compiled),
    "At 1 sample the difference is {} ms": (LAUNCHES, one_sample),
    "From {} samples on it gained nothing on single launches, and at {} it took {} times as long": (LAUNCHES, large),
    "All three have a bump at 64 samples": (LAUNCHES, bump),
    "and not after it: {} rows took {} µs, {} took {}": (PRODUCTS, wide_step),
    "the wide product takes no longer: from {} row to {} its {} µs": (PRODUCTS, wide),
    "the wide product would have its first step after {} rows, the narrow one after {}. Neither is so": (PRODUCTS, not_by_tiles),
    "The narrow one takes twice as long. For 65 to 72 rows the library has chosen badly: 73 rows take little more than half": (PRODUCTS, narrow),
    "after every multiple of 32 up to 384 but 128, where the step comes one row earlier": (PRODUCTS, steps),
    "one row earlier: {} rows took {} µs, {} took {}": (PRODUCTS, earlier),
    "and a narrow one has a step there and after ten of the next eleven multiples, but not after 128": (PRODUCTS, steps),
    "at some places: {} rows took {} µs, {} took {}": (PRODUCTS, falls),
    "one input more takes five times as long, and eight more cost nothing": (WIDTHS, one_input),
    "Multiples of {}, on the thin lines, took {} ms, other even numbers {}, odd ones {}": (WIDTHS, widths),
    "jumps from {} to {} MiB as the batch grows from {} to {}, and ends at {}": (MEMORY, memory),
    "Saved tensors double there, from {} to {} MiB": (MEMORY, kept),
    "one warp made {} loads/µs, which is {} ns for each, and {} warps made {} times as many": (LATENCY, latency),
    "On an H200 most of it ends at 16": ("stride_sweep", sectors),
}  # fmt: skip

ELSEWHERE = {
    "product has N = 16,896 columns": "128 for each of its 132 SMs, or for a quarter of these: `curve.columns`",
    "With one tile on each of its 132 multiprocessors, an H200": "its SMs, the column `sms` of the recording",
}
