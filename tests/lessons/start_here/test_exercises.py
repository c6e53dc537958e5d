"""Lesson 0: what its probes play is what a real DataLoader does, and what a learner is told (answers: the bench)."""

import multiprocessing

import pytest
import torch
from torch.utils.data import DataLoader

from answers import Answer, named
from loaderlab import course

LESSON = course.lesson("start_here")


def test_a_wrong_answer_sees_the_call_that_went_wrong():
    found = named("start_here", "number_of_batches", "wrong: rounds down").verdict()
    assert found.findings[0].got == "2 · `number_of_batches(10, 4)`"


def test_where_a_pair_is_asked_for_a_pair_is_expected():
    asked = LESSON.exercises()["wait_and_compute"]
    timing, *_others = asked.judge(asked.probe.run(lambda events: (0, 1)))
    assert timing.expected == "(60, 30)"


@pytest.mark.skipif(
    "fork" not in torch.multiprocessing.get_all_start_methods(), reason="a class of a test needs fork"
)
@pytest.mark.parametrize("name", ["right: chunks rounded up", "wrong: everyone everything"])
def test_played_workers_yield_what_real_ones_do(name):
    answer: Answer = named("start_here", "CountingStream", name)
    played = answer.collected["evidence"]["uneven"][0]["value"]
    loader = DataLoader(answer.made(10), batch_size=None, num_workers=3, multiprocessing_context="fork")
    assert sorted(int(n) for n in loader) == sorted(n for share in played for n in share)


def test_pytorchs_own_loader_does_what_is_asked_of_tiny_loader():
    asked = LESSON.exercises()["tiny_loader"]

    def theirs(dataset, sampler, batch_size, collate_fn):
        return iter(DataLoader(dataset, batch_size, sampler=sampler, collate_fn=collate_fn))

    evidence = asked.probe.run(theirs)
    assert evidence["theirs"] > 1
    found = asked.judge(evidence | {"theirs": 0})
    assert all(finding.passed for finding in found), found


@pytest.mark.parametrize("name", ["right: four workers", "wrong: only workers"])
def test_no_worker_outlives_the_check_of_quick_loader(name):
    before = set(multiprocessing.active_children())
    asked = LESSON.exercises()["quick_loader"]
    evidence = asked.probe.run(named("start_here", "quick_loader", name).made)
    assert evidence["first"] and not evidence["mine"]
    assert set(multiprocessing.active_children()) == before
