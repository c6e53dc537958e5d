"""Lesson 8: no case of its first exercise is ambiguous, and a busy machine costs no points (answers: the bench)."""

import pytest

from loaderlab.exercises.exercise import verdict
from loaderlab.lessons.find_the_bottleneck import exercises as lesson
from loaderlab.lessons.find_the_bottleneck import probes
from loaderlab.lessons.find_the_bottleneck.model import Profile


@pytest.mark.parametrize("case", probes.WHERE.arguments)
def test_what_bounds_stands_alone(case):
    """No case has two resources that need the same time: a learner may take either."""
    found = sorted(Profile(**probes.WHERE.arguments[case][0]).needs().values(), reverse=True)
    assert len(found) == 1 or found[0] > found[1]


def fast(*epochs, **changes):
    """What is found of a script with these epochs, each a share of the limit and a share of the cores."""
    photos = 96 * 512
    evidence = {"samples": 512, "photos": photos, "again": 0, "epochs": epochs} | changes
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


@pytest.mark.parametrize(("share", "judged"), [(0.1, False), (0.9, True)])
@pytest.mark.parametrize("name", ["training", "fast"])
def test_a_script_that_ran_out_of_time_is_judged_only_if_it_had_any(name, share, judged):
    exercise = {e.name: e for e in lesson.EXERCISES}[name]
    found = verdict(exercise, {"status": "probed", "evidence": {"stopped": None, "share": share}})
    assert found.points == 0 and {finding.judged for finding in found.findings} == {judged}
