"""The samples of a dataset that is read by index: what it gives for one, twice, beside others, and after an exception."""

from __future__ import annotations

import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from types import FrameType
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Subset

from .clone import kept, told
from .finding import Finding
from .isolated import forks
from .kinds import fault
from .lines import call_of, files_of, is_own, line_of, place_of
from .orders import EpochIndices
from .randomness import OF_THE_PROCESS, apart, held, within
from .samples import digest, few_classes, label, on_its_side

BATCHES, EACH = 100, 20  # that are read, and samples of each of them
TWICE = 12  # of these, read once more
CHANGED = 2  # samples that are others when they are read once more: one may be chance
COMPARED = 20_000  # rows of workers, at most, until one is wrong
SMALL = 2**20  # bytes of an array that is looked at as a whole

Index = Any
Line = tuple[str, int]


@dataclass
class Read:
    """A sample that was read. Where the user's code caught an exception meanwhile: what it was, in which line something was
    returned in place of the sample, and whether that was a sample of another index, or None."""

    batch: int
    digest: bytes = b""
    label: int | None = None
    lists: tuple[str, int] | None = None
    error: str = ""
    place: Line | None = None
    another: bool = False


def of_rows(loader: DataLoader, epoch: EpochIndices, end: float, trains: bool | None) -> list[Finding]:
    """Return findings about the samples of a dataset, those of an epoch of these indices; ``trains``: None where that is not known."""
    if not forks():
        return []  # to read may change what the dataset keeps
    said = apart(lambda: _look(loader, epoch, 0.8 * (end - time.monotonic())), end)
    kind, found = type(loader.dataset), []
    rows = [each for each in said if isinstance(each, Read)]
    others = [each for each in said if isinstance(each, tuple)]
    changed, moved = ([each[1] for each in others if each[0] == name] for name in ("changed", "moved"))
    if len(changed) >= CHANGED and (written := next(filter(None, changed), None)):
        twice = min(TWICE, len(rows))
        found.append(fault.kept_data_change(place=place_of(*written), changed=len(changed), read=twice))
    for values in moved[-1:]:
        at = line_of(kind, rf"self\.{values['path'].rpartition('.')[2]}\b.*=")
        values |= {"workers": loader.num_workers, "certain": bool(values["wrong"])}
        found.append(fault.shared_position(place=at, other=not values["wrong"], **values))
    if instead := _stand_ins(rows):
        at = place_of(*instead[0].place) if instead[0].place else None
        values = {"instead": len(instead), "read": len(rows), "error": instead[0].error}
        found.append(fault.stand_ins(place=at, **values))
    if lists := next((each.lists for each in rows if each.lists), None):
        at = line_of(kind, r"\.tolist\(|list\(")
        found.append(fault.batch_on_its_side(place=at, field=lists[0], length=lists[1]))
    batches = [[each.label for each in batch] for _batch, batch in groupby(rows, lambda each: each.batch)]
    if not epoch.shuffled and trains is not None and (few := few_classes(batches)):
        at = call_of("DataLoader", files_of(loader.dataset), "shuffle")
        found.append(fault.sorted_by_class(place=at, certain=trains, other=not trains, **few))
    return found


def _stand_ins(rows: list[Read]) -> list[Read]:
    """Return what came in place of samples that could not be read: another sample, none, or one and the same for several.

    An exception that leads to the sample itself, as where a cache does not have it yet, is none.
    """
    caught = [each for each in rows if each.error]
    often = Counter(each.digest for each in caught)
    others = [each for each in caught if each.another or often[each.digest] > 1]
    distinct = len({each.digest for each in rows if not each.error})
    whole = distinct > 1 and 2 * len(caught) < len(rows)
    return others if whole or any(each.another for each in others) else []


def _look(loader: DataLoader, epoch: EpochIndices, seconds: float) -> Iterator[Read | tuple[str, Any]]:
    """Yield what came; then ("changed", the line that did it) for what came otherwise the second time, and ("moved", …) for an open
    file of which this moved the position that all processes share, with rows of workers compared with those read alone."""
    end, dataset = time.monotonic() + seconds, loader.dataset
    start_method = (loader.multiprocessing_context or torch.multiprocessing).get_start_method()
    open_before = _positions(dataset) if loader.num_workers > 1 and start_method == "fork" else {}
    chosen = _chosen(epoch)
    dataset[chosen[0][1]]  # what is opened and made when it is first asked
    back = [kept(each) for each in (*OF_THE_PROCESS.values(), *held(dataset, "").values())]

    def read(index: Index, others: bool = False) -> Any:
        """Read a sample with the same random numbers each time, or with ``others``."""
        for each in back:
            each()
        if others:
            random.random(), np.random.random(), torch.rand(())
        return dataset[index]

    known: dict[Index, bytes] = {}
    for batch, index in chosen:
        came = Read(batch)
        with _traced(_Caught(dataset, came).called):
            sample = read(index)
        if not known and loader.batch_size:
            came.lists = on_its_side(sample, loader.collate_fn)
        known[index] = came.digest = digest(sample)
        came.label = label(sample)
        yield came
        if time.monotonic() > end - 0.5 * seconds:
            break
    some = list(known)[:TWICE]
    for index in some:
        if digest(read(index)) != known[index]:
            yield "changed", _writer(dataset, index, read)
    after = _positions(dataset)
    if moved := [path for path, place in open_before.items() if after.get(path, place) != place]:
        yield "moved", {"path": moved[0], "compared": 0, "wrong": 0}
        # Samples that do not depend on random numbers can be compared with those of workers.
        if all(digest(read(index, others=True)) == known[index] for index in some):
            for compared, wrong in _from_workers(loader, known, end):
                yield "moved", {"path": moved[0], "compared": compared, "wrong": wrong}


def _chosen(epoch: EpochIndices) -> list[tuple[int, Index]]:
    """Return batches of the epoch, from its beginning to its end, as their number and each of their indices."""
    starts = np.cumsum([0, *epoch.sizes[:-1]])
    return [
        (number, epoch.indices[i])
        for number in range(0, len(starts), -(-len(starts) // BATCHES))
        for i in range(starts[number], starts[number] + min(EACH, epoch.sizes[number]))
    ]


def _from_workers(loader: DataLoader, known: dict[Index, bytes], end: float) -> Iterator[tuple[int, int]]:
    """Yield how many rows of workers were compared with those that are known, and how many were others."""
    indices = list(known)
    asked = [indices[i : i + 4] for i in range(0, len(indices), 4)]
    made = told(
        loader, lambda samples: list(map(digest, samples)), batch_sampler=asked, persistent_workers=False
    )
    compared = wrong = 0
    while time.monotonic() < end and not wrong and compared < COMPARED:
        try:
            for batch, (_worker, digests) in zip(asked, DataLoader.__iter__(made), strict=True):
                compared += len(batch)
                wrong += sum(known[index] != came for index, came in zip(batch, digests, strict=True))
        except Exception:  # noqa: BLE001 (whatever is said of a row that begins in the middle of another: alone, it can be read)
            compared, wrong = compared + 1, wrong + 1
        yield compared, wrong


def _positions(dataset: Any) -> dict[str, int]:
    """Return the positions of the open files that a dataset holds, by the path to them: a position that a fork shares."""
    found = {}
    for path, value in within(dataset, "dataset"):
        with suppress(Exception):  # no open file, or none that has a position
            found[path] = os.lseek(value.fileno(), 0, os.SEEK_CUR)
    return found


@contextmanager
def _traced(function: Callable[[FrameType, str, Any], Any]) -> Iterator[None]:
    sys.settrace(function)
    try:
        yield
    finally:
        sys.settrace(None)


class _Caught:
    """Notices, while it traces, that the user's code catches an exception while a sample is read."""

    def __init__(self, dataset: Any, read: Read) -> None:
        readers = (getattr(type(each), "__getitem__", None) for _path, each in within(dataset, ""))
        self._readers = {code for each in readers if (code := getattr(each, "__code__", None))}
        self._read = read
        self._by: Any = None  # the code that saw the exception last
        self._index: Any = None

    def called(self, frame: FrameType, _event: str, _value: Any) -> Any:
        if not is_own(frame.f_code.co_filename):
            return None
        # By a call of itself.
        self._read.another |= frame.f_code is self._by and frame.f_code in self._readers
        frame.f_trace_lines = False
        return self._inside

    def _inside(self, frame: FrameType, event: str, value: Any) -> Any:
        reads = frame.f_code in self._readers and frame.f_code.co_argcount > 1
        index = frame.f_locals.get(frame.f_code.co_varnames[1]) if reads else None
        if event == "exception" and not issubclass(value[0], (StopIteration, GeneratorExit)):
            self._read.error = self._read.error or f"{value[0].__name__}: {value[1]}"
            self._by, self._index = frame.f_code, index
        elif event == "return" and frame.f_code is self._by:
            self._read.another |= reads and (value is None or index is not self._index)
            self._read.place = frame.f_code.co_filename, frame.f_lineno
        return self._inside


def _writer(dataset: Any, index: Index, read: Callable[[Index], Any]) -> Line | None:
    """Return the line that changes what the dataset keeps when this sample is read; None where none does."""
    first, line = list(_records(dataset, index)), None
    found: list[Line] = []

    def each_line(frame: FrameType, event: str, _value: Any) -> Any:
        nonlocal line
        if not is_own(frame.f_code.co_filename):
            return None
        if line and not found and list(_records(dataset, index)) != first:
            found.append(line)
        line = (frame.f_code.co_filename, frame.f_lineno) if event != "return" else None
        return each_line

    with _traced(each_line):
        read(index)
    return found[0] if found else None


def _records(dataset: Any, index: Index) -> Iterator[bytes]:
    """Yield digests of what the dataset keeps for this index, where it has as much of something as samples, and of its small arrays."""
    while isinstance(dataset, Subset):
        dataset, index = dataset.dataset, dataset.indices[index]
    for value in getattr(dataset, "__dict__", {}).values():
        with suppress(Exception):  # whatever has a length, and no such index
            if len(value) == len(dataset):
                yield digest(value[index])
            elif value.nbytes <= SMALL:
                yield digest(value)
