"""Lesson 1: how many workers its long cells start, and with how many threads the step beside them computes."""

from __future__ import annotations

import ast
import multiprocessing
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from typing import Any

import pytest
import torch
from torch.utils.data import DataLoader

import loaderlab as lab
from loaderlab import course
from loaderlab.lessons.workers.training import training_step
from loaderlab.publish.source import read


@pytest.fixture
def cells() -> dict[str, Any]:
    """The functions of the notebook, and what they use."""
    cells = [cell.source for cell in read(course.lesson("workers")).cells if cell.is_code]
    defined = "\n\n".join(
        ast.unparse(node)
        for cell in cells
        if not cell.startswith("%")
        for node in ast.parse(cell).body
        if isinstance(node, ast.FunctionDef)
    )
    names = {"lab": lab, "torch": torch, "time": time, "DataLoader": DataLoader, "BATCH": 8}
    namespace: dict[str, Any] = {**names, "training_step": training_step}
    exec(defined, namespace)
    return namespace


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[BaseProcess]:
    """The processes that are started from here on."""
    processes: list[BaseProcess] = []

    def noted(process: BaseProcess, start: Any = BaseProcess.start) -> None:
        processes.append(process)
        start(process)

    monkeypatch.setattr(BaseProcess, "start", noted)
    return processes


@pytest.fixture
def four_threads() -> Iterator[None]:
    """As on a machine with four cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.mark.long
def test_the_sweep_starts_few_workers(cells: dict[str, Any], started: list[BaseProcess]) -> None:
    """1 + 2 + 4 workers for each kind, and 4 for the limit where it is a loop."""
    tensor = torch.zeros(128, 4)
    cells |= {"kinds": {"wait": lab.data.SleepDataset(128, 0), "memory": tensor}, "tensor": tensor}
    rows = list(cells["sweep"]())
    assert len(started) == 2 * 7 + 4 and not set(started) & set(multiprocessing.active_children())
    assert {(row["kind"], row.get("num_workers")) for row in rows} == {
        (kind, n) for kind in ("wait", "memory") for n in (0, 1, 2, 4, None)
    }
    assert len(rows) == 2 * 5 * 3 and all(row.get("limit", row.get("samples_per_second")) > 0 for row in rows)


def test_the_training_starts_each_loader_once_and_computes_with_one_thread(
    cells: dict[str, Any],
    started: list[BaseProcess],
    four_threads: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With more, they wait for each other: beside 8 busy processes a step of 10 ms took 432, with one thread 97."""
    threads = set()

    def loss(*arguments: Any, of: Any = torch.nn.functional.cross_entropy) -> Any:
        threads.add(torch.get_num_threads())
        return of(*arguments)

    monkeypatch.setattr(torch.nn.functional, "cross_entropy", loss)
    rows = list(cells["training_sweep"]("cpu", batches=4, workers=[0, 1, 2]))
    assert threads == {1} and len(started) == 1 + 2
    assert [row.get("num_workers") for row in rows] == [0, 0, 1, 1, 2, 2, None, None]
    assert not set(started) & set(multiprocessing.active_children())
