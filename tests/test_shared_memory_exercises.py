"""Lesson 4: each wrong answer fails with the finding meant for it, in every language; solutions get full points."""

import copy
import gc

import numpy as np
import pytest
import torch
from answers import check_failing, check_solved, check_untouched
from torch.utils.data import default_collate

from loaderlab import language
from loaderlab.exercise import verdict
from loaderlab.lessons.shared_memory import exercises as lesson
from loaderlab.lessons.shared_memory import probes, room
from loaderlab.probing import collect

LESSON = "shared_memory"


def pages(nbytes):
    return -(-nbytes // 4096) * 4096


def needed(sizes, workers, prefetch=None, held=1):
    """What the notebook's solution does."""
    if workers == 0:
        return 0
    ahead = workers * (2 if prefetch is None else prefetch)
    return (ahead + held) * sum(map(pages, sizes))


def without_workers(sizes, workers, prefetch=None, held=1):
    return (workers * (2 if prefetch is None else prefetch) + held) * sum(map(pages, sizes))


NEEDED = {
    "forgets what is held": (lambda s, w, p=None, held=1: needed(s, w, p, 0), {0, 1, 2, 3}),
    "always one held": (lambda s, w, p=None, held=1: needed(s, w, p, 1), {2}),
    "one at least is held": (lambda s, w, p=None, held=1: needed(s, w, p, max(held, 1)), {2}),
    "None means 1": (lambda s, w, p=None, held=1: needed(s, w, p or 1, held), {1}),
    "prefetch ignored": (lambda s, w, p=None, held=1: needed(s, w, 2, held), {0, 1, 2, 3}),
    "raises on None": (
        lambda s, w, p=None, held=1: (w * p + held) * sum(map(pages, s)) if w else 0 * p,
        {1, 4},
    ),
    "no pages": (
        lambda s, w, p=None, held=1: (w * (2 if p is None else p) + held) * sum(s) if w else 0,
        {3},
    ),
    "pages of the whole batch": (lambda s, w, p=None, held=1: needed([sum(s)], w, p, held), {3}),
    "a page too many": (lambda s, w, p=None, held=1: needed([n + 4096 for n in s], w, p, held), {0, 1, 2, 3}),
    "an empty tensor has a page": (
        lambda s, w, p=None, held=1: needed([max(n, 1) for n in s], w, p, held),
        {3},
    ),
    "one batch without workers": (without_workers, {4}),
    "in MiB": (lambda s, w, p=None, held=1: needed(s, w, p, held) // 2**20, {0, 1, 2, 3}),
    "no return": (lambda s, w, p=None, held=1: None, {0, 1, 2, 3, 4}),
}


class ByDtype:
    """What the notebook's solution does."""

    @staticmethod
    def pack(batch):
        by_dtype = {}
        for field in batch.values():
            by_dtype.setdefault(field.dtype, []).append(field.reshape(-1))
        joined = {dtype: torch.cat(fields) for dtype, fields in by_dtype.items()}
        return joined, [(name, field.dtype, field.shape) for name, field in batch.items()]

    @staticmethod
    def unpack(packed):
        joined, header = packed
        used, batch = dict.fromkeys(joined, 0), {}
        for name, dtype, shape in header:
            start = used[dtype]
            used[dtype] = start + shape.numel()
            batch[name] = joined[dtype][start : used[dtype]].view(shape)
        return batch


def packing(pack=ByDtype.pack, unpack=ByDtype.unpack):
    return type("Answer", (), {"pack": staticmethod(pack), "unpack": staticmethod(unpack)})


def as_bytes(batch):
    flat = [field.contiguous().reshape(-1).view(torch.uint8) for field in batch.values()]
    return torch.cat(flat), [(name, field.dtype, field.shape) for name, field in batch.items()]


def from_bytes(packed):
    joined, header = packed
    batch, start = {}, 0
    for name, dtype, shape in header:
        end = start + shape.numel() * dtype.itemsize
        batch[name] = joined[start:end].clone().view(dtype).view(shape)
        start = end
    return batch


def as_floats(batch):
    joined = torch.cat([field.reshape(-1).float() for field in batch.values()])
    return joined, [(name, field.dtype, field.shape) for name, field in batch.items()]


def from_floats(packed):
    joined, header = packed
    parts = joined.split([shape.numel() for _name, _dtype, shape in header])
    return {name: p.to(dtype).view(shape) for p, (name, dtype, shape) in zip(parts, header, strict=True)}


def with_lists(batch):
    return {name: (field.tolist(), field.dtype, field.shape) for name, field in batch.items()}


def popping(batch):
    packed = ByDtype.pack(batch)
    batch.clear()
    return packed


def flattening_with_view(batch):
    for field in batch.values():
        field.view(-1)
    return ByDtype.pack(batch)


def from_storages(batch):
    """Takes what lies in memory, whatever the strides say."""
    whole = {
        name: torch.tensor([], dtype=field.dtype).set_(field.untyped_storage())[: field.numel()]
        for name, field in batch.items()
    }
    return ByDtype.pack(whole)[0], ByDtype.pack(batch)[1]


def by_groups(packed):
    """The fields come back dtype by dtype."""
    batch = ByDtype.unpack(packed)
    groups = {}
    for name, field in batch.items():
        groups.setdefault(field.dtype, {})[name] = field
    return {name: field for group in groups.values() for name, field in group.items()}


PACKED = {
    "nothing packed": (packing(lambda batch: batch, lambda packed: packed), {0}),
    "a list of tensors": (
        packing(lambda b: (list(b), list(b.values())), lambda p: dict(zip(*p, strict=True))),
        {0},
    ),
    "numbers in lists": (
        packing(
            with_lists,
            lambda packed: {n: torch.tensor(v, dtype=d).reshape(s) for n, (v, d, s) in packed.items()},
        ),
        {1},
    ),
    "NumPy arrays": (
        packing(
            lambda batch: {n: f.contiguous().numpy() for n, f in batch.items()},
            lambda packed: {n: torch.from_numpy(np.array(a)) for n, a in packed.items()},
        ),
        {1},
    ),
    "all as float32": (packing(as_floats, from_floats), {3}),
    "sorted by name": (packing(unpack=lambda p: dict(sorted(ByDtype.unpack(p).items()))), {2}),
    "dtype by dtype": (packing(unpack=by_groups), {2}),
    "batch emptied": (packing(popping), {2}),
    "flat": (packing(unpack=lambda p: {n: f.reshape(-1) for n, f in ByDtype.unpack(p).items()}), {2, 4, 5}),
    "scalars get a dimension": (
        packing(unpack=lambda p: {n: torch.atleast_1d(f) for n, f in ByDtype.unpack(p).items()}),
        {4},
    ),
    "empty fields dropped": (
        packing(pack=lambda b: ByDtype.pack({n: f for n, f in b.items() if f.numel()})),
        {4},
    ),
    "view(-1)": (packing(pack=flattening_with_view), {5}),
    "storages": (packing(pack=from_storages), {5}),
    "a list comes back": (
        packing(unpack=lambda p: list(ByDtype.unpack(p).values())),
        {2, 3, 4, 5},
    ),
    "cannot be pickled": (packing(pack=lambda b: lambda: b), {0, 1, 2, 3, 4, 5}),
}


def in_place(samples):
    batch = torch.empty((len(samples), *samples[0].shape), dtype=samples[0].dtype).share_memory_()
    return torch.stack(samples, out=batch)


def filled_in_a_loop(samples):
    batch = torch.zeros((len(samples), *samples[0].shape), dtype=samples[0].dtype).share_memory_()
    for row, sample in zip(batch, samples, strict=True):
        row.copy_(sample)
    return batch


def like_an_expanded_sample(samples):
    shape = samples[0].expand(len(samples), *samples[0].shape)
    return torch.stack(
        samples, out=torch.empty_like(shape, memory_format=torch.contiguous_format).share_memory_()
    )


def as_torch_does(samples):
    elem = samples[0]
    storage = elem._typed_storage()._new_shared(sum(x.numel() for x in samples), device=elem.device)
    out = elem.new(storage).resize_(len(samples), *elem.shape)
    return torch.stack(samples, 0, out=out)


def copied_over(samples):
    stacked = torch.stack(samples)
    return torch.empty(stacked.shape, dtype=stacked.dtype).share_memory_().copy_(stacked)


def without_the_batch_dimension(samples):
    return torch.stack(samples, out=torch.empty_like(samples[0]).share_memory_())


def grown_by_resizing(samples):
    batch = torch.empty(0, dtype=samples[0].dtype).share_memory_()
    return torch.stack(samples, out=batch.resize_(len(samples), *samples[0].shape))


def always_float(samples):
    batch = torch.empty((len(samples), *samples[0].shape)).share_memory_()
    for i, sample in enumerate(samples):
        batch[i] = sample
    return batch


def through_numpy(samples):
    return torch.from_numpy(np.stack([s.numpy() for s in samples])).share_memory_()


def joined(samples):
    rows = [s.reshape(1, -1) if s.ndim == 0 else s for s in samples]
    batch = torch.empty((sum(len(r) for r in rows), *rows[0].shape[1:]), dtype=rows[0].dtype).share_memory_()
    return torch.cat(rows, out=batch)


COLLATED = {
    "private": (torch.stack, {2, 3}),
    "the default, outside a worker": (default_collate, {2, 3}),
    "shared afterwards": (lambda samples: torch.stack(samples).share_memory_(), {3}),
    "copied over": (copied_over, {3}),
    "through NumPy": (through_numpy, {3}),
    "always float32": (always_float, {1}),
    "empty at first": (
        lambda s: torch.stack(s, out=torch.empty(0, dtype=s[0].dtype).share_memory_()),
        {0, 1, 2, 3},
    ),
    "no batch dimension": (without_the_batch_dimension, {0, 1, 2, 3}),
    "resized": (grown_by_resizing, {0, 1, 2, 3}),
    "joined": (joined, {0, 1}),
    "first sample only": (lambda samples: in_place(samples[:1]), {0, 1}),
    "never filled": (
        lambda s: torch.zeros((len(s), *s[0].shape), dtype=s[0].dtype).share_memory_(),
        {0, 1},
    ),
    "a list": (lambda samples: [s.share_memory_() for s in samples], {0, 1, 2, 3}),
    "no return": (lambda samples: None, {0, 1, 2, 3}),
}


def cloned(loader):
    return [{name: value.clone() for name, value in batch.items()} for batch in loader]


def with_file_system(then):
    def answer(loader):
        torch.multiprocessing.set_sharing_strategy("file_system")
        return then(loader)

    return answer


def each(function):
    return lambda loader: [{n: function(v) for n, v in batch.items()} for batch in loader]


def one_dictionary(loader):
    kept = cloned(loader)
    return {name: torch.cat([batch[name] for batch in kept]) for name in kept[0]}


KEPT = {
    "as they are": (list, {1, 2}),
    "in dictionaries of their own": (lambda loader: [dict(batch) for batch in loader], {1, 2}),
    "detached": (each(lambda v: v.detach()), {1, 2}),
    "contiguous": (each(lambda v: v.contiguous()), {1, 2}),
    "moved to where they are": (each(lambda v: v.to("cpu")), {1, 2}),
    "one field cloned": (
        lambda loader: [b | {"score": b["score"].clone()} for b in loader],
        {1, 2},
    ),
    "NumPy": (each(lambda v: v.numpy()), {0, 1, 2}),
    "NumPy copies": (each(lambda v: v.numpy().copy()), {0, 2}),
    "lists of numbers": (each(lambda v: v.tolist()), {0, 2}),
    "floats": (each(lambda v: v.float()), {0, 1, 2}),
    "copied at the end": (lambda loader: cloned(list(loader)), {2}),
    "file_system": (with_file_system(list), {1, 2}),
    "file_system and cloned": (with_file_system(cloned), {2}),
    "reversed": (lambda loader: cloned(loader)[::-1], {0, 2}),
    "one dictionary": (one_dictionary, {0, 2}),
    "a generator": (lambda loader: ({n: v.clone() for n, v in b.items()} for b in loader), {0, 2}),
    "the last batch in every place": (lambda loader: [cloned(loader)[-1]] * len(loader), {0, 2}),
    "no return": (lambda loader: cloned(loader) and None, {0, 2}),
}

ANSWERS = {
    "shm_needed": NEEDED,
    "PackedFields": PACKED,
    "collate_in_place": COLLATED,
    "keep_results": KEPT,
}
RIGHT = {
    "shm_needed": [needed],
    "PackedFields": [ByDtype, packing(as_bytes, from_bytes)],
    "collate_in_place": [in_place, filled_in_a_loop, as_torch_does, like_an_expanded_sample],
    "keep_results": [
        cloned,
        each(lambda v: v + 0),
        each(copy.deepcopy),
        each(lambda v: torch.tensor(v.tolist())),
    ],
}


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(("name", "case"), [(n, case) for n, cases in ANSWERS.items() for case in cases])
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(name, case, code):
    answer, failing = ANSWERS[name][case]
    check_failing(LESSON, name, answer, failing, code)


@pytest.mark.parametrize(
    ("name", "answer"), [(n, a) for n, answers in RIGHT.items() for a in answers], ids=lambda v: getattr(v, "__name__", v)
)  # fmt: skip
def test_a_right_answer_gets_full_points_however_it_is_written(name, answer):
    check_solved(LESSON, name, answer)


def untouched(*_arguments):
    raise NotImplementedError


@pytest.mark.parametrize("name", ANSWERS)
def test_an_untouched_exercise_is_not_called_wrong(name):
    check_untouched(LESSON, name, packing(untouched, untouched) if name == "PackedFields" else untouched)


@pytest.mark.parametrize("name", ["PackedFields", "collate_in_place", "keep_results"])
def test_a_machine_without_room_is_told_so_and_the_answer_is_not_run(name, monkeypatch):
    monkeypatch.setattr(room, "free_files", lambda: 1)
    exercise = {e.name: e for e in lesson.EXERCISES}[name]
    language.use("en")
    answer = packing(untouched) if name == "PackedFields" else untouched
    found = verdict(exercise, collect(exercise.probe, answer))
    assert found.points == 0 and "1 are left" in found.findings[0].got
    assert sum(f.points for f in found.findings) == exercise.points


def test_the_stand_in_for_a_loader_lets_its_segments_go():
    loader = probes.Results(200)
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
        for answer in RIGHT["collate_in_place"]:
            exercise = {e.name: e for e in lesson.EXERCISES}["collate_in_place"]
            found = verdict(exercise, collect(exercise.probe, answer))
            assert found.points == found.maximum, found
