"""What lesson 6 says of the figures that its notebooks and its recording have."""

from claimed import Claim, Rows, median


def each_pays(rows: Rows) -> bool:
    """Return whether 4 ms of latency cost a file about as much, and a sample of a shard next to nothing."""

    def dearer(source: str) -> float:
        none, four = (median(rows, "us_per_sample", source=source, latency_ms=ms) for ms in (0.0, 4.0))
        return four - none

    return 3500 < dearer("files") < 6500 and dearer("shards") < 400


def points(rows: Rows) -> list[tuple[str, int, float, float]]:
    """Each source and number of workers, its wait in percent, and its share of the limit, from medians."""
    return [
        (source, n, median(rows, "wait_share", source=source, num_workers=n),
         median(rows, "samples_per_second", source=source, num_workers=n) / median(rows, "limit", source=source))
        for source in ("files", "packed", "shards")
        for n in (0, 2, 4, 8)
    ]  # fmt: skip


def hardly_waits(rows: Rows) -> tuple[float, ...]:
    """The most that a loop waits, in percent, with two workers or more for files and the packed file, and with eight for shards."""
    enough = {"files": 2, "packed": 2, "shards": 8}
    most = max(wait for source, n, wait, _share in points(rows) if n >= enough[source])
    least = min(wait for source, n, wait, _share in points(rows) if n < enough[source])
    return (most if least > most else -1,)


def far_below(rows: Rows) -> bool:
    """Whether none gets beyond two thirds of its limit, since the step takes about one and a half times as long."""
    steps = [(1 - wait / 100) / share for _source, n, wait, share in points(rows) if n == 8]
    return max(share for *_point, share in points(rows)) < 2 / 3 and all(1.4 < step < 1.6 for step in steps)


RECORDED: dict[str, Claim] = {
    "two workers are enough for files and for the packed file, and eight for shards: the loop then waits for {}% of its time or less": (
        "feeding",
        hardly_waits,
    ),
    "Yet on the median none of the three gets beyond two thirds of its limit, since the step itself then takes about one and a half times as long": (
        "feeding",
        far_below,
    ),
}
LIVE: dict[str, Claim] = {
    "Files pay the latency for each sample, shards once for each shard": ("over_http", each_pays),
}
