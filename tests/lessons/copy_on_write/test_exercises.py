"""Lesson 5: how growth is told where nothing forks, and what is compared of a string (answers: the bench)."""

import pytest
import torch  # noqa: F401 - before the test says that this is Windows, where its import differs

from answers import answers
from loaderlab.lessons.copy_on_write import exercises, probes

OBJECTS = ("wrong: a list", "wrong: an array of objects", "wrong: offsets in a list")


def test_without_fork_objects_are_counted_instead(monkeypatch):
    monkeypatch.setattr(probes.sys, "platform", "win32")
    for answer in answers("copy_on_write", "PackedStrings"):
        if answer.name in ("right: in parts", "right: withtensors", *OBJECTS):
            growth = probes._growth(answer.made)
            assert growth["share"] is None
            assert (growth["objects"] >= 0.5) == (answer.name in OBJECTS), answer.name


def test_surrogates_side_by_side_are_not_taken_for_one_character():
    assert probes.codes("\ud83d\ude00") == [0xD83D, 0xDE00]


CALLS = exercises.WHO_COPIED.of_answer("").table.calls.arguments


@pytest.mark.parametrize("case", CALLS)
def test_no_two_workers_copy_equally_much_and_the_lines_add_up(case):
    before, after, _least = CALLS[case]
    both = before.keys() & after.keys()
    amounts = [before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] for pid in both]
    assert len(set(filter(None, amounts))) == len(list(filter(None, amounts)))
    for lines in (*before.values(), *after.values()):
        parts = ("Shared_Clean", "Shared_Dirty", "Private_Clean", "Private_Dirty")
        assert min(lines.values()) >= 0 and lines["Rss"] == sum(lines[part] for part in parts)
        assert lines["Private_Clean"] + lines["Private_Dirty"] <= lines["Pss"] <= lines["Rss"]
