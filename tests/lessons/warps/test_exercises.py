"""Lesson 3: its curves are what the statement promises (answers: the bench)."""

import statistics

from loaderlab.lessons.warps import exercises as lesson
from loaderlab.lessons.warps import staircases


def test_curves_keep_what_the_statement_promises():
    """The noise, the height of a step, the least number of rows, and how far apart the odd times are."""
    for name, times in staircases.curves().items():
        step = lesson.CURVES[name][1]
        assert len(times) >= 60 and sorted(times) == list(range(1, len(times) + 1)), name
        if step:
            assert step >= 20 and len(times) > 2 * step
            at = [m for m in range(1, len(times)) if m % step == 0]
            assert at[-1] < len(times) - 5
            outer = 1 + staircases.NOISE
            for m in at:
                before = statistics.median(times[k] for k in range(m - 7, m + 1))
                after = statistics.median(times[k] for k in range(m + 1, min(m + 9, len(times) + 1)))
                assert after / before > 1.2 / outer
    assert staircases.curves() == staircases.curves()
