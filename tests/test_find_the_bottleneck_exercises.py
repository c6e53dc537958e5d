"""Lesson 8: each fault that is put back fails with the finding meant for it, and no other; solutions get full points."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from answers import check_failing, check_solved, check_untouched

from loaderlab.lessons.find_the_bottleneck import exercises as lesson
from loaderlab.lessons.find_the_bottleneck import probes, repaired

CODES = ("en", "fr", "pl")
FAULTS = list(repaired.REPAIRS)  # in the order of the findings
HEAD = """
import time
import numpy as np
import torch
from loaderlab.lessons.find_the_bottleneck import found, repaired
GoodPhotos, GoodTraining = repaired.after(9)
"""


def training(photos="pass", training="pass", head=""):
    """A file with the nine repairs, and these bodies on top of them."""

    def body(text):
        return "".join(f"    {line}\n" for line in text.strip("\n").split("\n"))

    return (
        f"{HEAD}{head}\nclass Photos(GoodPhotos):\n{body(photos)}\n"
        f"class Training(GoodTraining):\n    dataset_class = Photos\n{body(training)}"
    )


def back(name):
    return f"from loaderlab.lessons.find_the_bottleneck import repaired\nPhotos, Training = repaired.without({name!r})\n"


EPOCH = """
def epoch(self, epoch):
    self.begin(epoch)
    samples, {before}
    for batch in self.loader:
        {inside}
        images, labels = self.prepare(batch)
        self.step(images, labels)
        samples += {count}
    return samples / ({seconds})
"""
START = "started = 0, time.perf_counter()"
STOP = "time.perf_counter() - started"


def epoch(before=START, inside="pass", count="len(labels)", seconds=STOP):
    return EPOCH.format(before=before, inside=inside, count=count, seconds=seconds)


TRAININGS = {
    **{f"{name} put back": (back(name), {place}) for place, name in enumerate(FAULTS)},
    "right": (training(), set()),
    # the clock
    "length of the loader": (
        training(training=epoch(count="0", seconds=f"1) * ({STOP}").replace("samples /", "len(self.loader) * 32 /")),
        {0},
    ),
    "starts with the second batch": (
        training(
            training=epoch(
                "started = 0, None", "started = time.perf_counter() if started is None else started"
            )
        ),
        {0},
    ),
    "returns nothing": (training(training=epoch().replace("return", "said =")), {0}),
    # workers
    "no workers": (
        training(training="def workers(self):\n    return {}\ndef lifetime(self):\n    return {}"),
        {1, 3},
    ),
    "too many workers": (training(training='def workers(self):\n    return {"num_workers": 12 * len(__import__("os").sched_getaffinity(0))}'), {1}),
    # tensors
    "a dictionary of many": (
        training(
            training="""
@staticmethod
def collate(samples):
    images, labels = zip(*samples)
    return torch.stack(images), list(labels)
def prepare(self, batch):
    return batch[0].float() / 255, torch.stack(batch[1])
"""
        ),
        {2},
    ),
    # opens
    "opens again for each photo": (
        training(
            "def read(self, i):\n    self.offsets = None\n    return super().read(i)",
        ),
        {4},
    ),
    "one file for each photo": (
        training(
            """
def read(self, i):
    name = f"{i % self.files:04d}"
    if not hasattr(self, "labels"):
        self.labels = np.load(self.folder / "labels.npy")
    return (self.folder / (name + ".jpg")).read_bytes(), int(self.labels[i % self.files])
"""
        ),
        {4},
    ),
    # floats
    "the step gets bytes": (
        training(training="def prepare(self, batch):\n    return batch"),
        {5},
    ),
    "floats up to 255": (
        training(training="def prepare(self, batch):\n    return batch[0].float(), batch[1]"),
        {5},
    ),
    # index
    "an array of objects": (
        training("def make_index(self):\n    self.index = np.array([f'{i:06d}' for i in range(self.photos)], dtype=object)"),
        {6},
    ),
    "a list made in the worker": (
        training("names = None\ndef read(self, i):\n    if self.names is None:\n        self.names = [str(k) for k in range(self.photos)]\n    return super().read(i)"),
        {6},
    ),
    "a list in the module": (training(head="NAMES = [f'{i:04d}' for i in range(600)]"), {6}),
    "a list on the class": (training("names = [f'{i:04d}' for i in range(600)]"), {6}),
    # draws
    "always the same": (training("def draw(self):\n    return 3, 4, 1"), {7}),
    "mirrored only": (training("def draw(self):\n    return 4, 4, int(torch.randint(2, ()))"), {7}),
    "from the number of the photo": (
        training(
            """
def __getitem__(self, i):
    self.asked = i
    return super().__getitem__(i)
def draw(self):
    return np.random.default_rng([0, self.asked]).integers([9, 9, 2])
"""
        ),
        {7},
    ),
    "an epoch that the workers do not see": (
        training(
            """
epoch = 0
def __getitem__(self, i):
    self.asked = i
    return super().__getitem__(i)
def draw(self):
    return np.random.default_rng([0, self.epoch, self.asked]).integers([9, 9, 2])
""",
            "def begin(self, epoch):\n    self.sampler.set_epoch(epoch)\n    self.dataset.epoch = epoch",
        ),
        {7},
    ),
    "one seed in each worker": (
        training(
            training="@staticmethod\ndef start_worker(number):\n    torch.manual_seed(42)\ndef workers(self):\n    return super().workers() | {'worker_init_fn': self.start_worker}"
        ),
        {7},
    ),
    # order
    "shuffle instead of the sampler": (
        training(
            training="def __init__(self, *arguments, **named):\n    super().__init__(*arguments, **named)\n    self.loader = torch.utils.data.DataLoader(self.dataset, 32, shuffle=True, collate_fn=self.collate, **self.options())\ndef begin(self, epoch):\n    pass"
        ),
        {8},
    ),
    "set_epoch within epoch": (
        training(
            training="def begin(self, epoch):\n    pass\ndef epoch(self, epoch):\n    self.sampler.set_epoch(epoch)\n    return super().epoch(epoch)"
        ),
        set(),
    ),
    # all
    "does not run": ("raise ValueError('no')", set(range(9))),
    "as it was found": (
        """
from loaderlab.lessons.find_the_bottleneck import found
class Photos(found.Photos):
    pass
class Training(found.Training):
    dataset_class = Photos
""",
        set(range(9)),
    ),
}  # fmt: skip


@pytest.fixture(scope="session")
def file(tmp_path_factory):
    """The path of a file with this content: the same path for the same case."""

    def written(case, text, name="training"):
        path = tmp_path_factory.getbasetemp() / re.sub(r"\W+", "_", case) / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        return path

    return written


@pytest.fixture(scope="session")
def looked(file):
    """The evidence of all of them, two at a time: it only counts, so that they may run side by side."""
    paths = [file(case, text) for case, (text, _failing) in TRAININGS.items()]
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(map(str, paths), pool.map(probes.counts, paths), strict=True))


@pytest.mark.parametrize("case", TRAININGS)
@pytest.mark.parametrize("code", CODES)
def test_a_fault_fails_with_the_finding_meant_for_it(case, code, file, looked, monkeypatch):
    text, failing = TRAININGS[case]
    monkeypatch.setattr(probes, "_look", lambda what, script, *_a, **_k: looked[str(script)])
    check_failing("find_the_bottleneck", "training", file(case, text), failing, code)


def solution(exercise):
    """The solution of the lesson, as the notebook writes it."""
    text = Path(lesson.__file__).with_name("lesson.md").read_text()
    cell = text.split(f":exercise: {exercise}\n")[1].split("```")[0]
    return cell.split(".py\n", 1)[1]


def stub(exercise):
    return re.sub(
        r"( *)### BEGIN SOLUTION.*?### END SOLUTION",
        r"\1raise NotImplementedError",
        solution(exercise),
        flags=re.DOTALL,
    )


def test_the_solutions_are_solutions(file):
    path = file("solution", solution("training"))
    check_solved("find_the_bottleneck", "training", path)
    path.with_name("fast.py").write_text(solution("fast"))
    check_solved("find_the_bottleneck", "fast", path.with_name("fast.py"))


def test_the_untouched_files_are_not_attempted(file):
    path = file("untouched", stub("training"))
    check_untouched("find_the_bottleneck", "training", path)
    path.with_name("fast.py").write_text(stub("fast"))
    check_untouched("find_the_bottleneck", "fast", path.with_name("fast.py"))


FAST = {
    "as it was found": (TRAININGS["as it was found"][0], {1}),
    "drops half of the batches": (
        training(training="def epoch(self, epoch):\n    if epoch:\n        self.loader = __import__('itertools').islice(self.loader, 3)\n    return super().epoch(epoch)"),
        {1},
    ),
    "fewer photos from the start": (
        training(training="def __init__(self, folder, rank=0, ranks=64):\n    super().__init__(folder, rank, 2 * ranks)"),
        {0, 1},
    ),
    "does not run": (TRAININGS["does not run"][0], {0, 1}),
}  # fmt: skip


@pytest.mark.parametrize("case", FAST)
@pytest.mark.parametrize("code", CODES)
def test_a_slow_or_a_cheating_file_is_found(case, code, file):
    text, failing = FAST[case]
    check_failing("find_the_bottleneck", "fast", file(f"fast {case}", text), failing, code)


def needs(p):
    load, half = p["batch"] * (p["read_ms"] + p["decode_ms"]), p["transport_ms"] / 2
    if not p["workers"]:
        return {"loop": load + p["step_ms"]}
    return {
        "workers": (load + half) / p["workers"],
        "cores": (p["batch"] * p["decode_ms"] + 2 * half) / p["cores"],
        "loop": half + p["step_ms"],
    }


def where(change):
    """A wrong answer: what is needed, changed in one place."""

    def answer(p):
        found = needs(p)
        change(p, found)
        name = max(found, key=found.get)
        return name, found[name]

    return answer


def change(name, value, only=lambda p: p["workers"]):
    def do(p, found):
        if only(p):
            found[name] = value(p)

    return do


WHERE = {
    "right": (where(lambda p, found: None), set()),
    "transport not halved for the worker": (
        where(change("workers", lambda p: needs(p)["workers"] + p["transport_ms"] / 2 / p["workers"])),
        {0},
    ),
    "workers side by side without end": (
        where(change("workers", lambda p: p["batch"] * (p["read_ms"] + p["decode_ms"]))),
        {0, 1},
    ),
    "reading needs a core": (
        where(change("cores", lambda p: (p["batch"] * (p["read_ms"] + p["decode_ms"]) + p["transport_ms"]) / p["cores"])),
        {1},
    ),
    "cores do not transport": (where(change("cores", lambda p: p["batch"] * p["decode_ms"] / p["cores"])), {1}),
    "one half of the transport": (
        where(change("cores", lambda p: needs(p)["cores"] - p["transport_ms"] / 2 / p["cores"])), {1},
    ),
    "no cores at all": (where(change("cores", lambda p: 0)), {1}),
    "the loop does not receive": (where(change("loop", lambda p: p["step_ms"])), {2}),
    "the loop receives all": (where(change("loop", lambda p: p["step_ms"] + p["transport_ms"])), {2}),
    "transport also without workers": (
        where(change("loop", lambda p: needs(p)["loop"] + p["transport_ms"], lambda p: not p["workers"])), {3},
    ),
    "overlap without workers": (
        where(change("loop", lambda p: max(needs(p)["loop"] - p["step_ms"], p["step_ms"]), lambda p: not p["workers"])),
        {3},
    ),
    "the name only": (lambda p: max(needs(p), key=needs(p).get), {0, 1, 2, 3}),
    "no return": (lambda p: None, {0, 1, 2, 3}),
}  # fmt: skip


@pytest.mark.parametrize("case", WHERE)
@pytest.mark.parametrize("code", CODES)
def test_a_wrong_profile_fails_with_the_finding_meant_for_it(case, code):
    answer, failing = WHERE[case]
    check_failing("find_the_bottleneck", "where_is_time", answer, failing, code)


def test_what_bounds_stands_alone():
    """No case has two resources that need the same time: a learner may take either."""
    for (profile,) in probes.WHERE.arguments.values():
        found = sorted(needs(profile).values(), reverse=True)
        assert len(found) == 1 or found[0] > found[1]
        assert math.isclose(found[0], lesson.where(profile)[1])


def union(kernels, start, end):
    return lesson.busy(kernels, start, end)


def merged(kernels, start, end):
    """Forgets that a kernel may end inside the one before."""
    total, reached = 0, start
    for begin, stop in sorted(kernels):
        begin, stop = max(begin, start), min(stop, end)
        if stop > start and begin < end:
            total += stop - max(begin, reached)
            reached = stop
    return total / (end - start)


BUSY = {
    "right": (union, set()),
    "right, another way": (
        lambda k, s, e: sum(any(b <= t / 4 < f for b, f in k) for t in range(4 * s, 4 * e)) / (4 * (e - s)),
        set(),
    ),
    "adds all": (
        lambda k, s, e: sum(max(0, min(f, e) - max(b, s)) for b, f in k) / (e - s), {1, 2},
    ),
    "at most one": (
        lambda k, s, e: min(1, sum(max(0, min(f, e) - max(b, s)) for b, f in k) / (e - s)), {1, 2},
    ),
    "inside ends it": (merged, {1}),
    "not sorted": (
        lambda k, s, e: _unsorted(k, s, e), {2, 3},
    ),
    "not cut": (lambda k, s, e: union(k, min([s, *(b for b, f in k)]), max([e, *(f for b, f in k)])), {3}),
    "from zero": (lambda k, s, e: union(k, 0, e), {3}),
    "divides by the end": (lambda k, s, e: union(k, s, e) * (e - s) / e, {3}),
    "divides by the kernels": (
        lambda k, s, e: union(k, s, e) * (e - s) / (max(f for b, f in k) - min(b for b, f in k)) if k else 0.0,
        {0, 1, 2, 3},
    ),
    "percent": (lambda k, s, e: 100 * union(k, s, e), {0, 1, 2, 3}),
}  # fmt: skip


def _unsorted(kernels, start, end):
    covered, reached = 0, start
    for begin, stop in kernels:
        begin, stop = max(begin, reached), min(stop, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered / (end - start)


@pytest.mark.parametrize("case", BUSY)
@pytest.mark.parametrize("code", CODES)
def test_a_wrong_share_fails_with_the_finding_meant_for_it(case, code):
    answer, failing = BUSY[case]
    check_failing("find_the_bottleneck", "busy_share", answer, failing, code)
