"""Lesson 0: the numbers of its text are those of its recording."""

import json

from loaderlab import course

LESSON = course.lesson("start_here")
TEXT = (LESSON.folder / "lesson.md").read_text("utf-8")


def test_what_is_said_of_the_two_clocks_is_what_was_recorded():
    [path] = (path for path in LESSON.recordings if path.name.startswith("clocks"))
    recording = json.loads(path.read_text("utf-8"))
    launched, finished = recording["rows"]
    waits = [row["wait_share"] for row in (launched, finished)]
    promised = [1 / (1 - wait / 100) for wait in waits]
    each = launched["epoch_ms"] / recording["arguments"]["batches"]
    assert finished["epoch_ms"] > launched["epoch_ms"]  # "in the recording the epoch lasts longer"
    assert (
        f"waits for {waits[0]:.1f}% of its time, which promises {promised[0]:.1f} times, and the finished one for "
        f"{waits[1]:.1f}%, which promises {promised[1]:.1f}. But the GPU needs {finished['step_ms']:.2f} ms for a step, and the "
        f"faster loop takes {each:.2f} ms for each batch: {each / finished['step_ms']:.1f} times at most."
    ) in TEXT
