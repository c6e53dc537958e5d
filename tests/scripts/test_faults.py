"""What is wrong with a loader is found where it is, and nowhere else; the loader itself notices nothing."""

from __future__ import annotations

import random
import sys
import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from loaderlab.scripts.diagnose import diagnose
from loaderlab.scripts.diagnosis.evidence import Evidence
from loaderlab.scripts.diagnosis.faults import faults
from loaderlab.scripts.diagnosis.finding import Cost, Finding
from loaderlab.scripts.diagnosis.kinds import slowness
from zoo.wrong import IN_RANK_2, RIGHT, WRONG, Again, Classes, Endless, Epochs, Numbers, Once, of_rank

SECONDS = 60.0  # none takes as long
TRAINING = "for batch in loader: model(batch).backward()"


def names(loader: Any, program: str | None = TRAINING, seconds: float = SECONDS) -> list[str]:
    return [finding.name for finding in faults(loader, seconds, program)]


class Hanging(Dataset):
    def __len__(self) -> int:
        return 10

    def __getitem__(self, index: int) -> int:
        time.sleep(1000)
        return index


@pytest.mark.parametrize("member", WRONG)
def test_a_fault_is_named_and_gone_when_it_is_cured(member: str) -> None:
    wrong, name, right = WRONG[member]
    found = faults(wrong(), SECONDS, TRAINING)
    assert [finding.name for finding in found] == [name]
    assert found[0].evidence and found[0].change and found[0].certain
    assert names(right()) == []


def test_equal_draws_are_shown_with_enough_digits() -> None:
    (found,) = faults(WRONG["a generator copied by fork"][0](), SECONDS)
    assert {row.value for row in found.evidence} == {f"{np.random.default_rng(0).random():.6f}"}
    assert "info.dataset.rng = np.random.default_rng(info.seed)" in str(found.change)


@pytest.mark.parametrize("name", ["start_worker", "seed_worker"])
@pytest.mark.parametrize("member", ["workers seeded alike", "a generator copied by fork"])
def test_a_function_that_is_advised_calls_the_one_that_the_loader_has(member: str, name: str) -> None:
    called: list[int] = []

    def own(worker: int) -> None:
        called.append(worker)
        np.random.seed(42)

    own.__name__ = name
    loader = WRONG[member][0]()
    loader.worker_init_fn = own
    found = next(one for one in faults(loader, SECONDS, TRAINING) if one.name == "repeated_draws")
    advised: list[Any] = []
    there = {
        "torch": SimpleNamespace(
            initial_seed=lambda: 7,
            utils=SimpleNamespace(
                data=SimpleNamespace(get_worker_info=lambda: SimpleNamespace(dataset=loader.dataset, seed=7))
            ),
        ),
        "np": np,
        "random": random,
        "DataLoader": lambda *_all, worker_init_fn: advised.append(worker_init_fn),
        name: own,
    }
    exec(str(found.change), there)
    state = np.random.get_state(), random.getstate()
    advised[0](3)
    np.random.set_state(state[0]), random.setstate(state[1])
    assert called == [3]


@pytest.mark.parametrize("member", RIGHT)
def test_what_is_unusual_and_right_has_no_fault(member: str) -> None:
    assert names(RIGHT[member]()) == []


def test_without_the_program_a_missing_call_is_a_question() -> None:
    wrong, name, _right = WRONG["no set_epoch"]
    for program in (None, "loader = make()"):
        (asked,) = faults(wrong(), SECONDS, program)
        assert asked.name == name and not asked.certain
    assert names(wrong(), TRAINING + "; set_epoch(epoch)") == names(wrong(), "import lightning") == []
    called = wrong()
    called.sampler.set_epoch(3)
    assert names(called, None) == []


def test_ranks_are_held_against_those_that_torchrun_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANK", "2")
    monkeypatch.setenv("WORLD_SIZE", "4")
    for name, wrong in IN_RANK_2.items():
        assert names(wrong()) == [name]
    assert names(IN_RANK_2["ranks_not_split"](), "import accelerate") == []
    assert names(DataLoader(Numbers(), 10)) == []  # an evaluation
    assert names(of_rank(2)) == []


@pytest.mark.parametrize("forks", [True, False])
def test_the_loader_and_the_draws_of_this_process_stay_as_they_are(
    forks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What would come next is what comes next beside one that was not looked at, and no process stays."""
    if not forks:  # as where a GPU is in use
        monkeypatch.setattr("loaderlab.scripts.diagnosis.isolated.forks", lambda: False)

    def loader() -> DataLoader:
        data = Numbers(rng=np.random.default_rng(0))
        generator = torch.Generator().manual_seed(3) if forks else None
        return DataLoader(data, 10, num_workers=2, shuffle=True, generator=generator)

    def drawn() -> tuple[float, ...]:
        return float(torch.rand(())), float(np.random.random()), random.random()

    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    untouched = [batch.tolist() for batch, _noise in loader()]
    expected = drawn()
    torch.manual_seed(0), np.random.seed(0), random.seed(0)
    looked_at = loader()
    before, children = vars(looked_at).copy(), set(psutil.Process().children())
    assert names(looked_at) == ["repeated_draws"]
    assert vars(looked_at) == before and set(psutil.Process().children()) <= children
    assert [batch.tolist() for batch, _noise in looked_at] == untouched and drawn() == expected


def test_workers_that_a_subclass_keeps_are_not_asked_for_anything() -> None:
    kept = Endless(Numbers(), 10, num_workers=1)
    first = next(iter(kept))[0].tolist()
    assert names(kept) == []
    assert [first[0], *(batch[0].item() for batch, _noise in kept)] == [*range(0, 100, 10), 0]


def test_what_is_wrong_is_said_first_and_what_may_be_last(monkeypatch: pytest.MonkeyPatch) -> None:
    script = sys.modules[diagnose.__module__]
    monkeypatch.setattr(script, "examine", lambda *_arguments: Evidence())
    monkeypatch.setattr(script, "decide", lambda _evidence: [Finding("", kind=slowness.step_limit)])
    data = Numbers(rng=np.random.default_rng(0))
    loader = DataLoader(data, 5, num_workers=1, sampler=DistributedSampler(data, 2, 0))
    for program, expected in (
        ("make()", ["repeated_draws", "step_limit", "set_epoch_missing"]),
        (TRAINING, ["set_epoch_missing", "repeated_draws", "step_limit"]),
    ):
        found = diagnose(loader, None, SECONDS, program=program).findings
        assert [finding.name for finding in found] == expected
    # This file is the program where none is given, and it has `set_epoch` in it.
    assert [finding.name for finding in diagnose(loader, None, SECONDS).findings] == expected[1:]


@pytest.mark.parametrize(
    "member", ["a generator copied into workers that stay", "a generator copied by fork"]
)
def test_numbers_that_the_next_epoch_has_no_more_are_said_after_what_costs_time(
    member: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, again = sys.modules[diagnose.__module__], member == "a generator copied by fork"
    monkeypatch.setattr(script, "examine", lambda *_arguments: Evidence())
    for lost, first in ((0.0, "repeated_draws"), (40.0, "repeated_draws" if again else "computing")):
        slow = Finding("", kind=slowness.computing, cost=Cost(lost))
        monkeypatch.setattr(script, "decide", lambda _evidence, slow=slow: [slow])
        assert diagnose(WRONG[member][0](), None, SECONDS, program=TRAINING).name == first


def test_an_epoch_in_shared_memory_reaches_workers_that_stay() -> None:
    def loader(shared: bool) -> DataLoader:
        return DataLoader(Epochs(shared), 5, num_workers=2, persistent_workers=True)

    called = TRAINING + "; set_epoch(epoch)"
    assert names(loader(shared=True), called) == [] and names(loader(shared=True)) == ["set_epoch_missing"]
    assert names(loader(shared=False), called) == ["epoch_unheard"]


@pytest.mark.parametrize(
    ("member", "text"),
    [
        ("kept array that change", "sample *= 2"),
        ("kept tensor that change", "sample *= 2"),
        ("kept records that change", 'sample["box"][0] += 1.0'),
        ("a rest that no worker takes", "mine, workers = (info.id, info.num_workers)"),
        ("made in each worker", "return number, sum(range(30_000))"),
        ("made, and not wanted", "def kept(self, sample: Any) -> bool:"),
        ("a file that workers share", 'self.file = self.path.open("rb") if shared else None'),
        ("samples that cannot be read: other", "return {"),
        ("lists of numbers", 'return {"ids": tokens.tolist()'),
    ],
)
def test_a_fault_names_the_line_of_the_users(member: str, text: str) -> None:
    (found,) = faults(WRONG[member][0](), SECONDS, TRAINING)
    lines = [str(row.value) for row in found.evidence if ", wrong.py:" in str(row.value)]
    assert any(line.startswith(text[:20]) for line in lines), found.evidence


def test_an_order_by_class_is_a_question_where_nothing_trains() -> None:
    sorted_ones = DataLoader(Classes(runs=True), 10)
    assert names(sorted_ones, "evaluate(loader)") == []
    (asked,) = faults(sorted_ones, SECONDS, "train_loader = make()")
    assert asked.name == "sorted_by_class" and not asked.certain


def test_numbers_say_how_many() -> None:
    expected = {
        "a rest that no worker takes": {101, 99},
        "drop_last in each worker": {100, 20},
        "samples that cannot be read: next": {100, 20},
        "lists of numbers": {30},
    }
    for member, numbers in expected.items():
        (found,) = faults(WRONG[member][0](), SECONDS, TRAINING)
        assert numbers <= {row.value for row in found.evidence}, member


class Grouped(Again):
    """As the sampler of the Trainer of Transformers: batches of like lengths, for training and for evaluation."""

    def __init__(self, length: int) -> None:
        super().__init__(length, None)
        self.lengths = [index % 7 for index in range(length)]


def test_a_small_last_batch_is_no_fault_of_an_evaluation() -> None:
    grouped = DataLoader(Numbers(101), 10, sampler=Grouped(101))
    assert names(grouped) == []
    assert [finding.name for finding in faults(grouped, SECONDS, TRAINING, trains=True)] == [
        "small_last_batch"
    ]
    assert names(DataLoader(Numbers(101), 10, sampler=Again(101, None))) == ["small_last_batch"]
    assert names(DataLoader(Numbers(101), 10)) == []


def test_an_iterable_that_would_be_consumed_is_not_touched() -> None:
    once = iter([torch.zeros(4)] * 3)
    assert names(once) == [] and len(list(once)) == 3
    stream = DataLoader(Once(again=False), 4)
    assert names(stream) == ["later_epoch_short"] and len(list(stream)) == 10


def test_a_dataset_that_hangs_is_left_when_the_time_is_over() -> None:
    begin = time.monotonic()
    assert names(DataLoader(Hanging(), 2, num_workers=1), seconds=2) == []
    assert time.monotonic() - begin < 20
