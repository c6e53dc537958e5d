"""What lesson 5 says of the figures that its recording has."""

from claimed import Claim, Rows, median


def best(rows: Rows) -> tuple[float, ...]:
    """The number of workers with the best rate, and its share of the limit in percent: of the list, and packed."""
    found = []
    for dataset in ("exploding", "packed"):
        swept = [row for row in rows if row["dataset"] == dataset and "num_workers" in row]
        fastest = max(swept, key=lambda row: row["samples_per_second"])
        limit = median(rows, "limit", dataset=dataset)
        found.append((fastest["num_workers"], 100 * fastest["samples_per_second"] / limit))
    (workers, first), (also, second) = found
    return (workers if workers == also else -1), first, second


def copied(rows: Rows) -> tuple[float, ...]:
    """The MiB that the 8 workers have copied of the list, and their number."""
    [row] = [row for row in rows if row["dataset"] == "exploding" and row.get("num_workers") == 8]
    return row["worker_mib"], row["num_workers"]


RECORDED: dict[str, Claim] = {
    "fastest with {} workers, at {}% and {}% of the limit": ("feeding", best),
    "{} MiB with {} workers on the H200": ("feeding", copied),
}
