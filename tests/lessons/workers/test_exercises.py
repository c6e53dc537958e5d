"""Lesson 1: played workers draw as real ones do, and probing leaves no trace (answers: the bench)."""

import multiprocessing
import random

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from answers import named, solution
from loaderlab.lessons.workers import probes


def augment(name):
    return named("workers", "StatelessAugment", name).made


@pytest.mark.skipif(
    "fork" not in torch.multiprocessing.get_all_start_methods(), reason="a class of a test needs fork"
)
def test_played_workers_draw_as_real_ones_do():
    """The probe plays the workers in one process; a real DataLoader must give the same verdict on both kinds of answer."""

    def real(answer, num_workers):
        loader = DataLoader(
            answer(torch.ones(probes.ITEMS).double(), 7), batch_size=None, num_workers=num_workers
        )
        return [float(value) for value in loader]

    stateless, stored = solution("workers", "StatelessAugment").made, augment("wrong: stored generator")
    by_worker = augment("wrong: seeded by worker")
    played = probes.probe_augment(stored)["gains"]
    for workers in (0, 1, 2, 4):
        drawn = probes.probe_augment(stateless)["gains"][str(workers)][0]
        assert real(stateless, workers) == pytest.approx(drawn)
        assert real(stored, workers) == pytest.approx(played[str(workers)][0])
    assert real(by_worker, 4) == pytest.approx(probes.probe_augment(by_worker)["gains"]["4"][0])


def test_probing_leaves_the_notebooks_random_state_alone():
    torch.manual_seed(3), random.seed(3), np.random.seed(3)
    expected = float(torch.rand(())), random.random(), np.random.rand()
    torch.manual_seed(3), random.seed(3), np.random.seed(3)
    probes.probe_augment(augment("wrong: global torch"))
    assert (float(torch.rand(())), random.random(), np.random.rand()) == expected


@pytest.mark.parametrize("name", ["wrong: global torch", "wrong: global random", "wrong: global numpy"])
def test_played_workers_are_seeded_like_real_ones(name):
    """The same base seed gives the same draws again: without seeds the generators would just go on."""
    dataset = augment(name)(torch.ones(probes.ITEMS), 7)
    with probes._own_random_state():
        first, again, other = (
            list(map(float, probes._one_epoch([dataset] * 2, probes.ITEMS, seed))) for seed in (5, 5, 50)
        )
    assert first == again != other


def test_the_workers_of_a_loader_of_rows_are_played_and_loaders_start_theirs_again_afterwards():
    before = set(multiprocessing.active_children())
    evidence = probes.probe_tensors(named("workers", "tensor_loader", "wrong: the given one").made)
    assert evidence["workers"] == 2 and evidence["made"] > 2 * probes.PASSES * probes.ROWS
    assert set(multiprocessing.active_children()) == before
    assert DataLoader(range(4), num_workers=2).num_workers == 2
