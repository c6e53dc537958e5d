"""Lesson 5: each wrong answer fails with the finding meant for it, in every language; right ones pass."""

from __future__ import annotations

import array
import re
import sys

import numpy as np
import pytest
import torch
from answers import check_failing, check_solved, check_untouched

from loaderlab import language
from loaderlab.lessons.copy_on_write import probes

LESSON = "copy_on_write"
linux = pytest.mark.skipif(sys.platform != "linux", reason="Forked readers are looked at on Linux.")


# ---- tree_memory


def summing(
    rss=("Rss",),
    pss=("Pss",),
    uss=("Private_Clean", "Private_Dirty", "Private_Hugetlb"),
    kib=1024,
    starts=False,
    last=False,
):
    fields = {"rss": rss, "pss": pss, "uss": uss}

    def answer(rollups):
        sums = dict.fromkeys(fields, 0)
        for text in rollups:
            for line in text.splitlines()[1:]:
                name, size = line.split(":")[0], int(line.split()[1])
                for key, wanted in fields.items():
                    if name in wanted or (starts and any(name.startswith(w) for w in wanted)):
                        sums[key] = kib * size if last else sums[key] + kib * size
        return sums

    return answer


def by_position(rollups):
    rows = [[int(line.split()[1]) for line in text.splitlines()[1:]] for text in rollups]
    return {
        "rss": 1024 * sum(r[0] for r in rows),
        "pss": 1024 * sum(r[1] for r in rows),
        "uss": 1024 * sum(r[-1] + r[-2] for r in rows),
    }


def pattern(rollups):
    def size(name, text):
        return sum(1024 * int(found) for found in re.findall(rf"{name}:\s+(\d+)", text))

    sums = {"rss": "Rss", "pss": "Pss"}
    sums = {key: sum(size(name, text) for text in rollups) for key, name in sums.items()}
    return sums | {"uss": sum(size("Private_(?:Clean|Dirty|Hugetlb)", text) for text in rollups)}


def needs_rss(rollups):
    for text in rollups:
        if "Rss" not in text:
            raise ValueError(text)
    return summing()(rollups)


TREE = {
    "in kB": (summing(kib=1), {0, 1, 2, 3}),
    "kB of 1000 bytes": (summing(kib=1000), {0, 1, 2, 3}),
    "dirty only": (summing(uss=("Private_Dirty",)), {0, 1, 2, 3}),
    "parts of Pss": (summing(starts=True), {0, 1, 3}),
    "without huge pages": (summing(uss=("Private_Clean", "Private_Dirty")), {2}),
    "shared huge pages": (summing(uss=("Private_Clean", "Private_Dirty", "Private_Hugetlb", "Shared_Hugetlb")), {2}),
    "anywhere in the line": (pattern, {1}),
    "by position": (by_position, {1, 2, 3}),
    "the last process": (summing(last=True), {0, 1, 2, 3}),
    "an ended process is an error": (needs_rss, {3}),
    "no return": (lambda rollups: None, {0, 1, 2, 3}),
}  # fmt: skip


# ---- predict_memory


def predicting(copied=("list", "array", "memmap"), fork=None, own=True, data=True, once=True):
    def answer(items, item_bytes, container, workers, start_method="fork", shuffled=True, own_bytes=0):
        whole = items * item_bytes
        if start_method == "spawn":
            copies = workers * whole if container in copied else 0
        else:
            copies = (fork or right_fork)(whole, items, item_bytes, container, workers, shuffled)
        return (whole if data else 0) + copies + (workers * own_bytes if own else 0)

    return answer


def right_fork(whole, items, item_bytes, container, workers, shuffled):
    if container != "list" or not workers:
        return 0
    return 4096 * items if item_bytes >= 4096 else whole * (workers if shuffled else 1)


def forking(**changes):
    """A change of the rules under fork: `large`, `small`, `containers`, `none`."""

    def answer(whole, items, item_bytes, container, workers, shuffled):
        if container not in changes.get("containers", ("list",)):
            return 0
        if not workers and not changes.get("none"):
            return 0
        if item_bytes >= changes.get("limit", 4096) and not changes.get("no_large"):
            return changes.get("large", lambda items, w: 4096 * items)(items, workers)
        return changes.get("small", lambda whole, w, s: whole * (w if s else 1))(whole, workers, shuffled)

    return predicting(fork=answer)


PREDICT = {
    "always W times": (forking(small=lambda d, w, s: d * w), {0}),
    "never copied": (predicting(fork=lambda *a: 0), {0, 1}),
    "in order nothing": (forking(small=lambda d, w, s: d * w * s), {0}),
    "parted among the workers": (forking(small=lambda d, w, s: d), {0}),
    "one worker has the original": (forking(small=lambda d, w, s: d * (w - 1) if s else d), {0}),
    "large ones whole": (forking(no_large=True), {1}),
    "large ones in each worker": (forking(large=lambda items, w: 4096 * items * w), {1}),
    "only above a page": (forking(limit=4097), {1}),
    "arrays copied under fork": (forking(containers=("list", "array")), {2, 5}),
    "memmap shared under spawn": (predicting(copied=("list", "array")), {3}),
    "array shared under spawn": (predicting(copied=("list", "memmap")), {3}),
    "tensor copied under spawn": (predicting(copied=("list", "array", "tensor", "memmap")), {3}),
    "in order without workers": (forking(none=True), {4}),
    "own forgotten": (predicting(own=False), {5}),
    "data forgotten": (predicting(data=False), {0, 1, 2, 3, 4, 5}),
    "no return": (lambda *a, **k: None, {0, 1, 2, 3, 4, 5}),
}


# ---- PackedStrings


class Right:
    def __init__(self, strings):
        encoded = [self.encode(s) for s in strings]
        self.text = b"".join(encoded)
        self.starts = np.cumsum([0, *map(len, encoded)], dtype=np.int64)

    def encode(self, s):
        return s.encode("utf-8", "surrogatepass")

    def decode(self, b):
        return b.decode("utf-8", "surrogatepass")

    def __len__(self):
        return len(self.starts) - 1

    def at(self, i):
        return self.decode(self.text[self.starts[i] : self.starts[i + 1]])

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self.at(i) for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        return self.at(index % len(self))


class WithTensors(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.bytes = torch.frombuffer(bytearray(self.text or b"\0"), dtype=torch.uint8)
        self.text, self.starts = None, torch.from_numpy(self.starts)

    def at(self, i):
        return self.decode(self.bytes[self.starts[i] : self.starts[i + 1]].numpy().tobytes())


class WithArrayModule(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = array.array("q", self.starts.tolist())


class Joined(Right):
    """One string, with positions in characters."""

    def __init__(self, strings):
        self.text = "".join(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b


class AList(Right):
    def __init__(self, strings):
        self.strings = strings

    def __len__(self):
        return len(self.strings)

    def at(self, i):
        return self.strings[i]


class KeepsTheList(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.strings = strings


class ObjectArray(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=object)


class ListOfBytes(AList):
    def __init__(self, strings):
        self.strings = [self.encode(s) for s in strings]

    def at(self, i):
        return self.decode(self.strings[i])


class FixedWidth(AList):
    def __init__(self, strings):
        self.strings = np.array(strings, dtype=str)

    def at(self, i):
        return str(self.strings[i])


class OffsetsInAList(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.starts = self.starts.tolist()


class Cached(Right):
    def __init__(self, strings):
        super().__init__(strings)
        self.seen = {}

    def at(self, i):
        if i not in self.seen:
            self.seen[i] = super().at(i)
        return self.seen[i]


class Strict(Right):
    def encode(self, s):
        return s.encode("utf-8")


class Ignoring(Right):
    def encode(self, s):
        return s.encode("utf-8", "ignore")


class Replacing(Right):
    def encode(self, s):
        return s.encode("utf-8", "replace")


class Escaping(Right):
    """What file names are made with: reads only surrogates of one half."""

    def encode(self, s):
        return s.encode("utf-8", "surrogateescape")

    def decode(self, b):
        return b.decode("utf-8", "surrogateescape")


class Ascii(Right):
    def encode(self, s):
        return s.encode("ascii")


class InCharacters(Right):
    """Bytes, but positions counted in characters."""

    def __init__(self, strings):
        super().__init__(strings)
        self.starts = np.cumsum([0, *map(len, strings)], dtype=np.int64)

    def decode(self, b):
        return b.decode("utf-8", "replace")


class Separated(Right):
    """Split at each access."""

    def __init__(self, strings):
        self.text, self.count = b"\0".join(self.encode(s) for s in strings), len(strings)

    def __len__(self):
        return self.count

    def at(self, i):
        return self.decode(self.text.split(b"\0")[i])


class Lengths(Right):
    """Adds up the lengths at each access."""

    def __init__(self, strings):
        super().__init__(strings)
        self.lengths, self.starts = np.diff(self.starts), None

    def __len__(self):
        return len(self.lengths)

    def at(self, i):
        start = int(self.lengths[:i].sum())
        return self.decode(self.text[start : start + int(self.lengths[i])])


class DecodesAll(Right):
    def at(self, i):
        whole = np.frombuffer(self.text, np.uint8).tobytes()
        return self.decode(bytearray(whole)[self.starts[i] : self.starts[i + 1]])


class NoNegative(Right):
    def __getitem__(self, index):
        if isinstance(index, int | np.integer) and index < 0:
            raise IndexError(index)
        return super().__getitem__(index)


class NoIndexError(Right):
    def __getitem__(self, index):
        return super().__getitem__(index) if isinstance(index, slice) else self.at(index % len(self))


class PythonIntegersOnly(Right):
    def __getitem__(self, index):
        if not isinstance(index, int | slice):
            raise TypeError(index)
        return super().__getitem__(index)


class NoSlices(Right):
    def __getitem__(self, index):
        if isinstance(index, slice):
            raise TypeError(index)
        return super().__getitem__(index)


class NoSteps(Right):
    def __getitem__(self, index):
        if isinstance(index, slice):
            start, stop, _step = index.indices(len(self))
            return [self.at(i) for i in range(start, stop)]
        return super().__getitem__(index)


class SlicesAsPacked(Right):
    def __getitem__(self, index):
        return (
            type(self)(super().__getitem__(index)) if isinstance(index, slice) else super().__getitem__(index)
        )


class Bytes(Right):
    def decode(self, b):
        return bytes(b)


class OneShort(Right):
    def __len__(self):
        return len(self.starts)


class Unfinished:
    def __init__(self, strings):
        raise NotImplementedError


PACKED = {
    "a list": (AList, {5}),
    "keeps the list as well": (KeepsTheList, {4}),
    "an array of objects": (ObjectArray, {5}),
    "a list of bytes": (ListOfBytes, {5}),
    "an array of fixed width": (FixedWidth, {0, 4}),
    "offsets in a list": (OffsetsInAList, {5}),
    "keeps what it has read": (Cached, {5}),
    "no surrogates": (Strict, {1}),
    "surrogates ignored": (Ignoring, {1}),
    "surrogates replaced": (Replacing, {1}),
    "surrogateescape": (Escaping, {1}),
    "ASCII": (Ascii, {0, 1, 2, 3, 4, 5, 6}),
    "counted in characters": (InCharacters, {0, 1, 2, 3}),
    "split at each access": (Separated, {0, 5, 6}),
    "lengths added up": (Lengths, {5, 6}),
    "copies everything at each access": (DecodesAll, {5, 6}),
    "no negative indices": (NoNegative, {2}),
    "no IndexError": (NoIndexError, {2}),
    "Python's integers only": (PythonIntegersOnly, {2}),
    "no slices": (NoSlices, {3}),
    "slices without steps": (NoSteps, {3}),
    "slices are packed": (SlicesAsPacked, {3}),
    "bytes come back": (Bytes, {0, 1, 2, 3}),
    "a length too large": (OneShort, {0, 1, 2, 3}),
}


# ---- LazyMemmap

LAZY = '''
import numpy as np
import torch
from torch.utils.data import Dataset

class LazyMemmap(Dataset):
    def __init__(self, path):
        {init}
    def __len__(self):
        return self.length
    def __getitem__(self, index):
        {before}
        return {item}
    def __getstate__(self):
        return {state}
'''  # fmt: skip
PARTS = {
    "init": "self.path, self.rows, self.length = path, None, len(np.load(path, mmap_mode='r'))",
    "before": "self.rows = np.load(self.path, mmap_mode='r') if self.rows is None else self.rows",
    "item": "torch.tensor(self.rows[index])",
    "state": "self.__dict__ | {'rows': None}",
}
LAZY_ANSWERS = {
    "kept, pickled whole": ({"init": "self.rows = np.load(path, mmap_mode='r'); self.length = len(self.rows)", "before": "pass", "state": "self.__dict__"}, {1, 3}),
    "light until it is read": ({"state": "self.__dict__"}, {1}),
    "opened for each item": ({"before": "rows = np.load(self.path, mmap_mode='r')", "item": "torch.tensor(rows[index])"}, {3}),
    "read whole": ({"before": "self.rows = np.load(self.path) if self.rows is None else self.rows"}, {3}),
    "read whole for its length": ({"init": "self.path, self.rows, self.length = path, None, len(np.load(path))"}, {3}),
    "a view": ({"before": "self.rows = np.load(self.path, mmap_mode='c') if self.rows is None else self.rows", "item": "torch.from_numpy(self.rows[index])"}, {4}),
    "as float64": ({"item": "torch.tensor(self.rows[index].tolist(), dtype=torch.float64)"}, {0, 4}),
    "an array": ({"item": "self.rows[index].copy()"}, {0, 4}),
    "writes to the file": ({"before": "self.rows = np.load(self.path, mmap_mode='r+') if self.rows is None else self.rows", "item": "torch.from_numpy(self.rows[index])"}, {4}),
}  # fmt: skip

ANSWERS = {"tree_memory": TREE, "predict_memory": PREDICT, "PackedStrings": PACKED}


def lazy(folder, **parts):
    path = folder / f"lazy_{abs(hash(tuple(parts.values())))}.py"
    path.write_text(LAZY.format(**PARTS | parts))
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lazy")


@linux
@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize(("name", "case"), [(n, case) for n, cases in ANSWERS.items() for case in cases])
def test_a_wrong_answer_fails_with_the_finding_meant_for_it(name, case, code):
    answer, failing = ANSWERS[name][case]
    check_failing(LESSON, name, answer, failing, code)


@pytest.mark.parametrize("code", ["en", "fr", "pl"])
@pytest.mark.parametrize("case", LAZY_ANSWERS)
def test_a_wrong_memmap_fails_with_the_finding_meant_for_it(case, code, folder):
    parts, failing = LAZY_ANSWERS[case]
    check_failing(LESSON, "LazyMemmap", lazy(folder, **parts), failing, code)


@pytest.mark.parametrize("answer", [Right, WithTensors, WithArrayModule, Joined], ids=lambda a: a.__name__)
def test_strings_may_be_packed_in_several_ways(answer):
    check_solved(LESSON, "PackedStrings", answer)


@pytest.mark.parametrize(
    ("name", "answer"), [("tree_memory", summing()), ("predict_memory", predicting())]
)  # fmt: skip
def test_a_right_function_gets_full_points(name, answer):
    check_solved(LESSON, name, answer)


def test_a_right_memmap_gets_full_points(folder):
    check_solved(LESSON, "LazyMemmap", lazy(folder))


def test_an_untouched_exercise_is_not_called_wrong(folder):
    def untouched(*_arguments):
        raise NotImplementedError

    for name in ("tree_memory", "predict_memory"):
        check_untouched(LESSON, name, untouched)
    check_untouched(LESSON, "PackedStrings", Unfinished)
    check_untouched(LESSON, "LazyMemmap", lazy(folder, init="raise NotImplementedError"))


def test_without_fork_objects_are_counted_instead(monkeypatch):
    monkeypatch.setattr(probes.sys, "platform", "win32")
    for answer, many in (
        (Right, False),
        (WithTensors, False),
        (AList, True),
        (ObjectArray, True),
        (OffsetsInAList, True),
    ):
        growth = probes._growth(answer)
        assert growth["share"] is None and (growth["objects"] >= 0.5) == many, answer


def test_a_memmap_that_crashes_when_written_to_is_said_to(folder):
    """A tensor over a mapping that is read-only: writing to it ends the process."""
    language.use("en")
    check_failing(LESSON, "LazyMemmap", lazy(folder, item="torch.from_numpy(self.rows[index])"), {4}, "en")


def test_surrogates_side_by_side_are_not_taken_for_one_character():
    assert probes.codes("\ud83d\ude00") == [0xD83D, 0xDE00]
