"""Lesson 6: our rules are the library's, and the solution of `once_each` covers random settings (answers: the bench)."""

import random

import pytest
import webdataset as wds

from answers import solution
from loaderlab.lessons.webdataset import data, probes


def test_our_rule_of_grouping_is_the_librarys(tmp_path):
    names = ["cat.1", "cat.2", "a.b/c.d", "a.b/e", "x", "X", "x"]
    with wds.TarWriter(str(tmp_path / "a.tar"), mtime=0) as writer:
        for i, key in enumerate(names):
            writer.write({"__key__": key, "bin": b"%d" % i, "TXT": "t"})
    theirs = [
        (s["__key__"], {field for field in s if field[0] != "_"})
        for s in wds.WebDataset(str(tmp_path / "a.tar"), shardshuffle=False)
    ]
    assert [(s["key"], set(s["fields"])) for s in probes.grouped(tmp_path / "a.tar")] == theirs


@pytest.mark.parametrize(
    ("size", "initial"), [(1, None), (7, 3), (100, 100), (1000, 100), (1000, 1000), (5000, None)]
)
def test_our_shuffle_is_the_librarys_draw_for_draw(size, initial):
    stream = list(range(1500))
    theirs = list(wds.shuffle(size, initial=size if initial is None else initial, seed=3)(iter(stream)))
    assert list(data.shuffled(stream, size, initial, seed=3)) == theirs
    assert sorted(theirs) == stream


@pytest.mark.parametrize("counts", [[5, 5], [1], [13, 2, 9]])
def test_dealing_covers_random_settings(counts):
    rng, once_each = random.Random(sum(counts)), solution("webdataset", "once_each").made
    for _ in range(20):
        batch, world, workers = rng.randint(1, 6), rng.randint(1, 3), rng.randint(1, 3)
        if sum(counts) < world * -(-sum(counts) // (world * batch)):
            continue
        dealt = [once_each(counts, batch, r, world, w, workers) for r in range(world) for w in range(workers)]
        assert sorted(p for worker in dealt for b in worker for p in b) == [
            (s, i) for s, n in enumerate(counts) for i in range(n)
        ]
