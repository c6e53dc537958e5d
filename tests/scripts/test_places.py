"""Where a loader fails: the user's line, of what hangs, crashes or cannot send; and what is no fault of the user's."""

from __future__ import annotations

import copy
import ctypes
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from torch.utils.data import DataLoader, Dataset

from loaderlab.scripts.diagnosis import spy
from loaderlab.scripts.diagnosis.contents import Contents
from loaderlab.scripts.diagnosis.evidence import Evidence, Trouble, _slow_steps
from loaderlab.scripts.diagnosis.isolated import Outcome, forks, isolated
from loaderlab.scripts.diagnosis.kinds import failure
from loaderlab.scripts.diagnosis.lines import OURS
from loaderlab.scripts.diagnosis.loop import loop
from loaderlab.scripts.diagnosis.parts import parts

E = Evidence(workers=2, contents=Contents(tensors=401))


@pytest.mark.skipif(not forks(), reason="a copy of the process is what says it")
def test_what_hangs_or_crashes_says_where_it_was() -> None:
    def hangs() -> Iterator[Any]:
        time.sleep(100)  # here
        yield 1

    def crashes() -> Iterator[Any]:
        ctypes.string_at(0)  # there
        yield 1

    late, died = isolated(hangs, 1.0), isolated(crashes, 20)
    found = failure.said(Trouble("parts", 0, late, 1.0), replace(E, workers=0))
    assert (
        found.kind is failure.hangs
        and "time.sleep(100)" in found.sentence
        and "seconds" not in found.sentence
    )
    found = failure.said(Trouble("parts", 0, died), E)
    assert found.kind is failure.crashes and "ctypes.string_at(0)" in str(found.evidence[0].value)
    killed = failure.said(Trouble("parts", 0, Outcome(how="died", code=-9)), E)
    assert "compiled" not in killed.sentence and "SIGKILL" in killed.sentence


class Broken(Dataset):
    """Its tenth sample cannot be read, or never ends; what collates none of them."""

    def __init__(self, hangs: bool) -> None:
        self.hangs = hangs

    def __len__(self) -> int:
        return 20

    def __getitem__(self, index: int) -> int:
        if index == 9:
            time.sleep(100 * self.hangs)
            raise ValueError("damaged")
        return index


@pytest.mark.skipif(
    not forks() or not spy._program(), reason="it is seen in a copy of the process, by py-spy"
)
@pytest.mark.parametrize("hangs", [False, True])
@pytest.mark.parametrize("workers", [None, 0, 2])
def test_the_sample_that_could_not_be_read_is_named(workers: int | None, hangs: bool) -> None:
    """In the parts alone, and in a loop without and with workers."""
    loader = DataLoader(Broken(hangs), 4, num_workers=workers or 0)
    way = partial(parts, loader, None, 1.0, 1) if workers is None else partial(loop, loader, None, 1.0)
    trouble = Trouble("parts" if workers is None else "loop", 0, isolated(way, 4.0 if hangs else 20.0))
    found = failure.said(trouble, replace(E, workers=workers or 0, contents=Contents()))
    assert "9" in [row.value for row in found.evidence]
    assert found.name in ("hangs", "workers_hang") if hangs else "damaged" in found.sentence


def test_where_no_sample_was_asked_for_none_is_named() -> None:
    def collate(samples: list[int]) -> int:
        raise ValueError("no batch")

    outcome = isolated(partial(loop, DataLoader(Broken(False), 4, collate_fn=collate), None, 1.0), 20)
    found = failure.said(Trouble("loop", 0, outcome), E)
    assert [row.label for row in found.evidence] == ["where", "batches until then", "workers"]


def test_what_the_worker_said_is_heard() -> None:
    silent = Outcome(how="raised", error="EOFError", heard="OSError: [Errno 24] Too many open files")
    found = failure.said(Trouble("loop", 0, silent), E)
    assert found.kind is failure.too_many_files and "401" in found.sentence
    assert failure.said(Trouble("loop", 0, replace(silent, heard="")), E).kind is failure.raises


def test_only_what_is_spawned_is_pickled_and_what_fails_here_is_ours() -> None:
    trace = f'  File "{OURS}/clone.py", line 181, in _copied\n  File "{copy.__file__}", line 9, in copy\n'
    pickles = Outcome(how="raised", error="TypeError", text="cannot pickle 'generator' object")
    loop = Trouble("loop", 0, pickles)
    assert failure.said(loop, replace(E, method="spawn")).kind is failure.unpicklable
    assert failure.said(loop, replace(E, method="fork")).kind is failure.raises
    own = failure.said(Trouble("parts", 0, replace(pickles, trace=trace)), E)
    assert own.kind is failure.own_failure and "clone.py:181" in own.sentence
    users = replace(pickles, trace=trace + f'  File "{__file__}", line 9, in f\n')
    assert failure.said(Trouble("parts", 0, users), E).kind is failure.raises


def test_the_work_for_many_steps_is_bounded() -> None:
    begin = time.process_time()
    assert _slow_steps([0.001, 0.001, 0.001, 0.1] * 10_000)[0] == 0.25
    assert time.process_time() - begin < 5
