"""Lesson 1: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import random
import statistics

import numpy as np
import pytest
import torch
from answers import check_failing
from torch.utils.data import DataLoader, get_worker_info

from loaderlab.lessons.workers import exercises as lesson
from loaderlab.lessons.workers import probes


def medians(table):
    return {workers: statistics.median(values) for workers, values in table.items()}


CHOICES = {
    "strictly better": (
        lambda t, tol: min(
            (w for w, m in medians(t).items() if m > (1 - tol) * max(medians(t).values())), default=None
        ),
        {0, 3},
    ),
    "fastest": (lambda t, tol: max(t, key=medians(t).get), {0, 2}),
    "by mean": (lambda t, tol: lesson.enough({w: [statistics.mean(v)] for w, v in t.items()}, tol), {1}),
    "by maximum": (lambda t, tol: lesson.enough({w: [max(v)] for w, v in t.items()}, tol), {1}),
    "never zero": (lambda t, tol: lesson.enough({w: v for w, v in t.items() if w}, tol), {2}),
    "first in the table": (
        lambda t, tol: next(w for w, m in medians(t).items() if m >= (1 - tol) * max(medians(t).values())),
        {2},
    ),
    "own tolerance": (lambda t, tol: lesson.enough(t, 0.05), {3}),
    "no return": (lambda t, tol: None, {0, 1, 2, 3}),
}

FLIGHTS = {
    "forgets the one held": (lambda b, w, p: w * (2 if p is None else p) * b, {0, 1, 2}),
    "counts batches, not bytes": (lambda b, w, p: w * (2 if p is None else p) + 1, {0, 1, 2}),
    "at least one worker": (lambda b, w, p: (max(w, 1) * (p or 2) + 1) * b, {1}),
    "None means 1": (lambda b, w, p: (w * (p or 1) + 1) * b, {2}),
    "raises on None": (lambda b, w, p: (w * p + 1) * b, {1, 2}),
}


class Augment:
    """What the exercise gives; the wrong answers differ in how they draw the gain."""

    def __init__(self, images, seed):
        self.images, self.seed, self.epoch = images, seed, 0
        self.rng = np.random.default_rng(seed)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index] * self.gain(index)

    def gain(self, index):
        return np.random.default_rng([self.seed, self.epoch, index]).uniform(0.8, 1.2)


def augment(gain):
    return type("Wrong", (Augment,), {"gain": gain})


AUGMENTS = {
    "stored generator": (augment(lambda self, i: self.rng.uniform(0.8, 1.2)), {1}),
    "global torch": (augment(lambda self, i: 0.8 + 0.4 * float(torch.rand(()))), {1}),
    "global numpy": (augment(lambda self, i: np.random.uniform(0.8, 1.2)), {1}),
    "global random": (augment(lambda self, i: random.uniform(0.8, 1.2)), {1}),
    "seeded by worker": (
        augment(
            lambda self, i: np.random.default_rng(
                [self.seed, self.epoch, i, getattr(get_worker_info(), "id", 9)]
            ).uniform(0.8, 1.2)
        ),
        {1},
    ),
    "no epoch": (augment(lambda self, i: np.random.default_rng([self.seed, i]).uniform(0.8, 1.2)), {3, 5}),
    "no index": (
        augment(lambda self, i: np.random.default_rng([self.seed, self.epoch]).uniform(0.8, 1.2)),
        {2, 5},
    ),
    "sum": (
        augment(lambda self, i: np.random.default_rng(self.seed + self.epoch + i).uniform(0.8, 1.2)),
        {5},
    ),
    "seed + epoch": (
        augment(lambda self, i: np.random.default_rng([self.seed + self.epoch, i]).uniform(0.8, 1.2)),
        {5},
    ),
    "ignores the image": (
        type("Wrong", (Augment,), {"__getitem__": lambda self, i: torch.full((2, 3), self.gain(i))}),
        {0},
    ),
    "adds instead": (
        type("Wrong", (Augment,), {"__getitem__": lambda self, i: self.images[i] + self.gain(i) - 1}),
        {0},
    ),
    "another image": (
        type("Wrong", (Augment,), {"__getitem__": lambda self, i: self.images[0] * self.gain(i)}),
        {0},
    ),
    "no seed": (augment(lambda self, i: np.random.default_rng([self.epoch, i]).uniform(0.8, 1.2)), {4}),
    "other range": (
        augment(lambda self, i: np.random.default_rng([self.seed, self.epoch, i]).uniform(0.5, 1.5)),
        {0},
    ),
    "no chance at all": (augment(lambda self, i: 1.0), {0, 1, 2, 3, 4, 5}),
}

HEAD = """import functools
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import Dataset
def pad(rows, padding): return pad_sequence(rows, batch_first=True, padding_value=padding)
def make_collate(padding): return functools.partial(pad, padding=padding)
def starts_of(path):
    starts = [0]
    with open(path, "rb") as file:
        for line in file: starts.append(starts[-1] + len(line))
    return starts
class WordLengths(Dataset):
    def __init__(self, path):
        self.path, self.file, self.starts = path, None, starts_of(path)
    def __len__(self): return len(self.starts) - 1
    def __getitem__(self, index):
        if self.file is None: self.file = open(self.path, "rb")
        self.file.seek(self.starts[index])
        return torch.tensor([len(word) for word in self.file.readline().split()])
    def __getstate__(self): return self.__dict__ | {"file": None}
"""
STATE = '    def __getstate__(self): return self.__dict__ | {"file": None}\n'
OPEN = "self.path, self.file, self.starts = path, None, starts_of(path)"
COLLATE = "def make_collate(padding): return functools.partial(pad, padding=padding)"
READ = "        return torch.tensor([len(word) for word in self.file.readline().split()])"

PORTABLES = {
    "right": (HEAD, set()),
    "open file": (
        HEAD.replace(OPEN, OPEN.replace("None", 'open(path, "rb")')).replace(STATE, ""),
        {0, 2, 3, 4},
    ),
    "open at first, left out of the pickle": (
        HEAD.replace(OPEN, OPEN.replace("None", 'open(path, "rb")')),
        {2},
    ),
    "cannot be pickled once read": (HEAD.replace(STATE, ""), {0, 3, 4}),
    "text instead of bytes": (
        HEAD.replace(
            'if self.file is None: self.file = open(self.path, "rb")',
            'if self.file is None: self.file = open(self.path, encoding="utf-8")',
        ),
        {4},
    ),
    "lambda": (HEAD.replace(OPEN, OPEN + "\n        self.count = lambda word: len(word)"), {0, 3, 4}),
    "collate inside": (
        HEAD.replace(COLLATE, "def make_collate(padding): return lambda rows: pad(rows, padding)"),
        {1, 4},
    ),
    "carries the text": (
        HEAD.replace(OPEN, OPEN + '\n        self.lines = open(path, "rb").read()'),
        {3},
    ),
    "global of the main process": (
        HEAD.replace(OPEN, OPEN + "\n        global STARTS; STARTS = self.starts").replace(
            "self.file.seek(self.starts[", "self.file.seek(STARTS["
        ),
        {4},
    ),
    "wrong lengths": (HEAD.replace(READ, READ.replace("len(word)", "1 + len(word)")), {4}),
    "does not import": ("import nothing_of_that_name\n", {0, 1, 2, 3, 4}),
}


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(
    ("name", "answer", "failing"),
    [
        (e, *case)
        for e, cases in (
            ("choose_num_workers", CHOICES),
            ("bytes_in_flight", FLIGHTS),
            ("StatelessAugment", AUGMENTS),
        )
        for case in cases.values()
    ],
    ids=[
        f"{e}-{case}"
        for e, cases in (("choose", CHOICES), ("flight", FLIGHTS), ("augment", AUGMENTS))
        for case in cases
    ],
)
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(name, answer, failing, code):
    check_failing("workers", name, answer, failing, code)


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize("case", PORTABLES)
def test_a_module_fails_with_the_finding_meant_for_it(case, code, tmp_path_factory):
    module, failing = PORTABLES[case]
    path = tmp_path_factory.getbasetemp() / case.replace(" ", "_") / "portable.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(module)
    check_failing("workers", "portable", path, failing, code)


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

    stored = AUGMENTS["stored generator"][0]
    played = probes.probe_augment(stored)["gains"]
    for workers in (0, 1, 2, 4):
        assert real(Augment, workers) == pytest.approx(
            probes.probe_augment(Augment)["gains"][str(workers)][0]
        )
        assert real(stored, workers) == pytest.approx(played[str(workers)][0])
    seen = probes.probe_augment(AUGMENTS["seeded by worker"][0])["gains"]
    assert real(AUGMENTS["seeded by worker"][0], 4) == pytest.approx(seen["4"][0])


def test_probing_leaves_the_notebooks_random_state_alone():
    torch.manual_seed(3), random.seed(3), np.random.seed(3)
    expected = float(torch.rand(())), random.random(), np.random.rand()
    torch.manual_seed(3), random.seed(3), np.random.seed(3)
    probes.probe_augment(AUGMENTS["global torch"][0])
    assert (float(torch.rand(())), random.random(), np.random.rand()) == expected


@pytest.mark.parametrize("name", ["global torch", "global random", "global numpy"])
def test_played_workers_are_seeded_like_real_ones(name):
    """The same base seed gives the same draws again: without seeds the generators would just go on."""
    dataset = AUGMENTS[name][0](torch.ones(probes.ITEMS), 7)
    with probes._own_random_state():
        first, again, other = (list(map(float, probes._one_epoch(dataset, 2, seed))) for seed in (5, 5, 50))
    assert first == again != other
