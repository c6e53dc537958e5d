"""What lesson 8 says of the figures that an H200 has recorded."""

from claimed import Claim, Rows


def of_the_limit(rows: Rows) -> tuple[float, ...]:
    """Return the share of the limit of the script as found and repaired, and that of the time in which its kernels then run, in percent."""
    found, repaired = rows
    shares = [100 * row["samples_per_second"] / row["limit"] for row in (found, repaired)]
    return (*shares, repaired["busy_percent"])


def at_the_limit(rows: Rows) -> bool:
    """Return whether at the limit the kernels of the repaired script would run for about a quarter of the time."""
    repaired = rows[1]
    return 20 < repaired["busy_percent"] * repaired["limit"] / repaired["samples_per_second"] < 30


RECORDED: dict[str, Claim] = {
    "from {}% to {}% of the limit, and its kernels to {}% of the time": ("on_gpu", of_the_limit),
    "even at the limit they would run for about a quarter of it": ("on_gpu", at_the_limit),
}
