"""What lesson 9 says of the figures that its notebooks have measured."""

from claimed import Claim, Rows, median


def of_two(rows: Rows) -> bool:
    """Return whether two threads decode at least 1.3 times as fast as one, and Python code gains next to nothing."""

    def gain(way: str) -> float:
        return median(rows, "items_per_s", way=way, count=2) / median(rows, "items_per_s", way=way, count=1)

    return gain("decode_threads") >= 1.3 and gain("python_threads") < 1.2


LIVE: dict[str, Claim] = {
    "A second thread makes decoding at least 1.3 times as fast. Python code gains nothing from it.": (
        "both_kinds",
        of_two,
    ),
}
