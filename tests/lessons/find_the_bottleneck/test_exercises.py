"""Lesson 8: no case of its first exercise is ambiguous, and a busy machine costs no points (answers: the bench)."""

from itertools import combinations
from types import SimpleNamespace

import pytest
import torch

from loaderlab.exercises.exercise import verdict
from loaderlab.lessons.find_the_bottleneck import evidence, found, probes
from loaderlab.lessons.find_the_bottleneck import exercises as lesson

REPAIRS = lesson.WHICH_REPAIRS.of_answer("").table


@pytest.mark.parametrize("case", REPAIRS.calls.arguments)
def test_no_other_choice_of_repairs_is_as_short_and_enough(case):
    profile, repairs, target = REPAIRS.calls.arguments[case]
    right = REPAIRS.expected[case]
    choices = combinations(repairs, len(right)) if right is not None else ()
    enough = [list(names) for names in choices if lesson.repaired(profile, repairs, names).rate >= target]
    assert enough == ([right] if right is not None else [])
    changed = [number for change in repairs.values() for number in change]
    assert len(changed) == len(set(changed)), "Two repairs change the same number."


def fast(*epochs, **changes):
    """What is found of a script with these epochs, each a share of the limit and a share of the cores."""
    photos = 96 * 512
    evidence = {"samples": 512, "photos": photos, "ranks": 96, "again": 0, "epochs": epochs} | changes
    exercise = {e.name: e for e in lesson.EXERCISES}["fast"]
    return verdict(exercise, {"status": "probed", "evidence": evidence})


def test_the_best_epoch_counts_however_busy_the_machine_is():
    assert fast((0.2, 0.3), (0.55, 0.4), (0.1, 0.2)).points == 3


def test_what_is_slow_on_a_quiet_machine_is_slow():
    found = fast((0.3, 1.0), (0.4, 0.6))
    assert found.points == 1 and found.findings[1].judged


@pytest.mark.parametrize("epochs", [[(0.33, 0.5)], [(0.13, 0.05)], [(0.28, 0.2), (0.1, 0.3)]])
def test_what_a_busy_machine_slowed_down_is_not_judged_and_the_learner_reads_why(epochs):
    found = fast(*epochs)
    assert found.points == 1 and not found.findings[1].judged
    assert "other programs" in found.findings[1].got and "could not be judged" in found.message


def test_what_is_slow_beside_any_neighbour_is_judged():
    assert fast((0.1, 0.5)).findings[1].judged


def test_whoever_leaves_photos_out_is_not_excused_by_a_busy_machine():
    found = fast((0.0, 0.3), samples=256)
    assert found.points == 0 and all(finding.judged for finding in found.findings)


def test_of_batches_that_come_again_no_rate_is_said_since_none_was_measured():
    found = fast(again=2)
    assert found.points == 0 and all(finding.judged for finding in found.findings)
    assert "%" not in found.findings[1].got and found.findings[1].got


class Module:
    """A script whose epochs run at this ratio of the limit, on a clock of their own; ``made``: of how many ranks."""

    def __init__(self, ratio, new_batches=True):
        self.now, self.made, self.later = 0.0, [], found.STEP_SECONDS * (1 / ratio - 1)
        self.new_batches = new_batches

    def Training(self, folder, rank, ranks):  # noqa: N802 (it stands for the class of a module)
        self.made.append(ranks)
        return Training(self, 49_152 // ranks, rank)

    def sleep(self, seconds):
        self.now += seconds


class Training:
    def __init__(self, module, photos, rank):
        self.module, self.dataset, self.loader = module, range(49_152), Loader(photos, rank)

    def prepare(self, batch):
        return batch

    def epoch(self, epoch):
        for images, labels in self.loader:
            self.module.sleep(self.module.later)
            self.step(images, labels + epoch * self.module.new_batches)


class Loader:
    num_workers = 0

    def __init__(self, photos, rank):
        self.photos, self.begin = photos, 1000 * rank

    def __iter__(self):
        for first in range(0, self.photos, found.BATCH):
            labels = torch.arange(first, min(first + found.BATCH, self.photos))
            yield torch.zeros(1, 3, 64, 64), labels + self.begin


def looked_at(monkeypatch, module, share, patience=0.0):
    clock = SimpleNamespace(sleep=module.sleep, perf_counter=lambda: module.now, monotonic=lambda: module.now)
    monkeypatch.setattr(evidence, "time", clock)
    monkeypatch.setattr(evidence, "Others", lambda: SimpleNamespace(share=lambda: share))
    return evidence.near(module, "", patience)


@pytest.mark.parametrize(
    ("ratio", "share", "rounds", "undecided"),
    [
        pytest.param(0.8, 1.0, 1, False, id="fast"),
        pytest.param(0.6, 0.2, 1, False, id="fast beside others"),
        pytest.param(0.16, 1.0, 1, False, id="slow"),
        pytest.param(0.05, 0.3, 1, False, id="slow beside others"),
        pytest.param(0.45, 1.0, 3, False, id="near the threshold"),
        pytest.param(0.3, 0.5, 3, True, id="perhaps fast on a quiet machine"),
    ],
)
def test_no_more_epochs_are_measured_than_it_takes(monkeypatch, ratio, share, rounds, undecided):
    found = looked_at(monkeypatch, Module(ratio), share)
    assert [epoch[0] for epoch in found["epochs"]] == pytest.approx([ratio] * rounds)
    assert found.get("undecided", False) is undecided and (found["samples"], found["again"]) == (512, 0)


def test_on_a_busy_machine_it_is_tried_until_patience_is_over(monkeypatch):
    found = looked_at(monkeypatch, Module(0.3), share=0.5, patience=60.0)
    assert 40 <= len(found["epochs"]) <= 80 and found["undecided"]


def test_where_batches_come_again_no_epoch_is_measured(monkeypatch):
    module = Module(0.8, new_batches=False)
    found = looked_at(monkeypatch, module, share=1.0)
    assert found["again"] == 2 and found["epochs"] == [] and set(module.made) == {evidence.FEW_RANKS}


@pytest.mark.parametrize(
    ("found", "tells"),
    [
        ({"epochs": [[0.6, 0.2]]}, True),
        ({"epochs": [[0.3, 0.5]] * 3, "undecided": True}, False),
        ({"stopped": "ValueError: no"}, True),
        ({"stopped": None, "share": 0.9}, False),
    ],
)
def test_a_glance_beside_others_tells_nothing_that_only_a_quiet_machine_could(monkeypatch, found, tells):
    monkeypatch.setattr(probes, "nearness", lambda script, timeout, patience: found)
    assert probes.glance("fast.py") == (found if tells else None)


@pytest.mark.parametrize(("share", "judged"), [(0.1, False), (0.9, True)])
@pytest.mark.parametrize("name", ["training", "fast"])
def test_a_script_that_ran_out_of_time_is_judged_only_if_it_had_any(name, share, judged):
    exercise = {e.name: e for e in lesson.EXERCISES}[name]
    found = verdict(exercise, {"status": "probed", "evidence": {"stopped": None, "share": share}})
    assert found.points == 0 and {finding.judged for finding in found.findings} == {judged}
