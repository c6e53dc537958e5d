"""What lesson 1 says of the figures that its notebooks have measured."""

from claimed import Claim, Rows, median


def slower(rows: Rows) -> bool:
    """Return whether data in memory come more slowly with any number of workers."""
    memory = [row for row in rows if row["kind"] == "memory" and "num_workers" in row]
    rates = {
        n: median(memory, "samples_per_second", num_workers=n) for n in {row["num_workers"] for row in memory}
    }
    return all(rate < rates[0] for n, rate in rates.items() if n)


def beyond(rows: Rows) -> bool:
    """Return whether on two cores the third and the fourth worker that wait bring as much as the first two, and those that decode do not."""

    def gain(kind: str) -> float:
        two, four = (median(rows, "samples_per_second", kind=kind, num_workers=n) for n in (2, 4))
        return four / two

    return gain("wait") > 1.9 and gain("decode") < 1.5


LIVE: dict[str, Claim] = {
    "**In memory**, workers make it slower.": ("sweep", slower),
    "**Waiting** scales with the workers, far beyond the number of cores": ("sweep", beyond),
}
