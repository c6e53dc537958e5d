"""Lesson 5: how growth is told where nothing forks (answers: the bench)."""

import torch  # noqa: F401 - before the test says that this is Windows, where its import differs

from answers import answers
from loaderlab.lessons.copy_on_write import probes

OBJECTS = ("wrong: a list", "wrong: an array of objects", "wrong: offsets in a list")


def test_without_fork_objects_are_counted_instead(monkeypatch):
    monkeypatch.setattr(probes.sys, "platform", "win32")
    for answer in answers("copy_on_write", "PackedStrings"):
        if answer.name in ("right: in parts", "right: with tensors", *OBJECTS):
            growth = probes._growth(answer.made)
            assert growth["share"] is None
            assert (growth["objects"] >= 0.5) == (answer.name in OBJECTS), answer.name
