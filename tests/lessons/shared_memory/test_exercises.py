"""Lesson 4: what its probes see, and a machine without room (answers: the bench)."""

import gc

import pytest
import torch
from torch.utils.data import default_collate

from answers import answers, solution
from loaderlab.lessons.shared_memory import probes, room

LESSON = "shared_memory"


@pytest.mark.parametrize("name", ["PackedFields", "collate_in_place", "keep_results"])
def test_a_machine_without_room_is_told_so_and_the_answer_is_not_run(name, monkeypatch):
    monkeypatch.setattr(room, "free_files", lambda: 1)
    found = solution(LESSON, name).verdict()
    assert found.points == 0 and "1 are left" in found.findings[0].got
    assert sum(f.points for f in found.findings) == found.maximum


def test_the_stand_in_for_a_loader_lets_its_segments_go():
    loader = probes.Results(probes.Keeping(200, 3, {"index": "int32", "score": "float64"}))
    for batch in loader:
        assert all(value.is_shared() for value in batch.values())
    del batch
    gc.collect()
    assert loader.held() == 0 and loader.most <= 6


def test_a_private_batch_is_found_out_in_a_worker_and_outside():
    evidence = probes.probe_collate(torch.stack)
    for place in ("worker", "main"):
        assert evidence[place]["images"]["private"] == [{"call": "aten.stack.default"}]
    evidence = probes.probe_collate(default_collate)
    assert evidence["worker"]["images"]["shared"] and not evidence["worker"]["images"]["private"]


def test_what_an_earlier_check_left_in_memory_is_not_taken_for_a_private_batch():
    for _check in range(5):
        for answer in answers(LESSON, "collate_in_place"):
            if answer.right:
                found = answer.verdict()
                assert found.points == found.maximum, found
