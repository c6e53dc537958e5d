"""What lesson 2 says of the figures that its recordings have."""

from claimed import Claim, Rows, median


def pageable(rows: Rows) -> tuple[float, ...]:
    large = [row for row in rows if row.get("mib", 0) >= 64]
    return median(large, "gb_per_s", variant="pageable"), median(rows, "host_rate")


RECORDED: dict[str, Claim] = {
    "On the machine with an H200, {} GB/s came through, and a core's copy made {}.": ("transfers", pageable),
}
