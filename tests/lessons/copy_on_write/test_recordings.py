"""Lesson 5: what its text says of the recorded training is what the recording has."""

import json
from statistics import median

from loaderlab import course

LESSON = course.lesson("copy_on_write")


def test_the_best_rates_and_their_workers_are_those_of_the_recording() -> None:
    text = (LESSON.folder / "lesson.md").read_text(encoding="utf-8")
    [file] = (LESSON.folder / "recordings").glob("feeding-*.json")
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    shares = []
    for dataset in ("exploding", "packed"):
        limit = median(row["limit"] for row in rows if row["dataset"] == dataset and "limit" in row)
        swept = [row for row in rows if row["dataset"] == dataset and "num_workers" in row]
        best = max(swept, key=lambda row: row["samples_per_second"])
        shares.append(round(100 * best["samples_per_second"] / limit))
        assert best["num_workers"] == 4
        assert not any("wait_share" in row for row in swept)
    assert f"fastest with 4 workers, at {shares[0]}% and {shares[1]}% of the limit" in text
