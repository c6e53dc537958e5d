"""What lesson 6 says of the figures that its notebooks have measured."""

from claimed import Claim, Rows, median


def each_pays(rows: Rows) -> bool:
    """Return whether 4 ms of latency cost a file about as much, and a sample of a shard next to nothing."""

    def dearer(source: str) -> float:
        none, four = (median(rows, "us_per_sample", source=source, latency_ms=ms) for ms in (0.0, 4.0))
        return four - none

    return 3500 < dearer("files") < 6500 and dearer("shards") < 400


LIVE: dict[str, Claim] = {
    "Files pay the latency for each sample, shards once for each shard.": ("over_http", each_pays),
}
