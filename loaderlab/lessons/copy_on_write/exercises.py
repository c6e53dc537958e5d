"""The exercises of lesson 5: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Look, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.copy_on_write import probes
from loaderlab.lessons.copy_on_write.probes import (
    ROWS,
    TEXTS,
    array,
    digest,
    sized,
    utf8,
)

# ---------------------------------------------------------------- copied_pages


# Numbers of pages as an address has them, 0 among them: a list with a place for each would be too long.
A, B, C, D = 3_422_552, 3_422_553, 3_422_640, 3_423_111


def read(random: Random) -> tuple[list[int | None], list[list[int]]]:
    """Draw the pages of some samples, neighbours often on one, and what each worker reads."""
    page_of = [random.choice((None, 0, A, A, B, C, D)) for _sample in range(random.randint(1, 12))]
    reads = [
        [random.randrange(len(page_of)) for _read in range(random.randint(0, 9))]
        for _worker in range(random.randint(0, 4))
    ]
    return page_of, reads


COPIED_PAGES = Exercise(
    name="copied_pages",
    difficulty=1,
    minutes=8,
    table=Table(
        {
            "neighbours": ([A, A, A, B], [[0, 1, 2, 3]]),
            "returning": ([A, B, A, B, C], [[0, 1, 4, 2, 3]]),
            "again": ([A, B], [[1, 1, 0, 1]]),
            "a_page_each": ([A, B, C, D], [[3, 0], [2, 1]]),
            "border": ([A, B, C], [[0, 1], [2]]),
            "on_the_same_page": ([A, A, B, B], [[0, 2], [1, 3]]),
            "the_same_sample": ([A, B, C], [[0, 1], [0, 2], [0]]),
            "without_counts": ([None, None, None, None], [[0, 1], [3, 2]]),
            "some_without": ([None, A, None, B], [[0, 1, 2, 3]]),
            "page_0": ([0, 1, None], [[0, 1, 2]]),
            "idle": ([A, B, C], [[2, 0], []]),
            "unread": ([A, B, C, D], [[0], [3]]),
            "no_workers": ([A, B], []),
        },
        right=solution(__file__, "copied_pages"),
    ),
    criteria=(
        Criterion(
            says="A worker copies a page once, however often it reads there",
            cases=("neighbours", "returning", "again"),
            hint="What is copied is a page, not a sample: the next sample on it, or the same one again, copies nothing more.",
            points=2,
        ),
        Criterion(
            says="Each worker makes copies of its own",
            cases=("on_the_same_page", "the_same_sample", "a_page_each", "border"),
            drawn=read,
            hint="A worker does not see what another has copied: count for each worker by itself, then add up.",
            points=2,
        ),
        Criterion(
            says="A sample without a count is not copied; page 0 is a page like any other",
            cases=("without_counts", "some_without", "page_0"),
            hint="Leave out a page only if it `is None`; in Python 0 counts as false, too.",
        ),
        Criterion(
            says="A page that no worker reads is not copied",
            cases=("idle", "unread", "no_workers"),
            hint="Go through the indices in `reads`, not through all pages. Without workers the sum is 0.",
        ),
    ),
)

# ---------------------------------------------------------------- PackedStrings

OVERHEAD = 4096  # bytes


def allowed() -> int:
    """Return the bytes of the text, and two numbers of 8 bytes for each string."""
    return utf8(sized()) + 16 * len(sized()) + OVERHEAD


def next_to_no_copies(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("USS grows by less than 10% of the data")
    if "growth" not in evidence:
        not_measured = _("not measured: reading all strings would take too long")
        yield Miss(
            expected,
            expect.raised(evidence["slower"]) or not_measured,
            hint="Add up the lengths once, in `__init__`; in `__getitem__` slice before you decode.",
        )
    elif "value" in evidence["growth"]:
        yield from expect.true(little(evidence), expected, grown(**evidence["growth"]["value"]))
    else:
        yield Miss(expected, expect.raised(evidence["growth"]))


def little(evidence: dict[str, Any], times: int = 1) -> bool:
    """Return whether memory grew by little only, or would: a Python object for each string is as bad. ``times``: that little."""
    growth = evidence["growth"]["value"]
    if growth["share"] is not None:
        return bool(growth["share"] < 0.1 * times)
    return bool(growth["objects"] < 0.5 * times)


def grown(share: float | None, objects: float = 0.0) -> str:
    if share is not None:
        return _("it grew by {percent}%").format(percent=number(100 * share))
    return _("Python objects for each string: {n}").format(n=number(objects, 1))


def of_lean(look: Look) -> Look:
    """Ask only where something is gained: a list delivers what a list delivers."""

    def asked(evidence: dict[str, Any]) -> Iterator[Miss]:
        if "value" in evidence.get("growth", {}) and not little(evidence, times=4):
            growth = evidence["growth"]["value"]
            yield Miss(_("USS grows by less than 10% of the data"), grown(**growth), hint=expect.FOLLOWS)
        else:
            yield from look(evidence)

    return asked


def as_they_were(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, texts in TEXTS.items():
        expected, got = [len(texts), *texts], evidence["texts"][name]
        if got.get("value") != expected:
            yield Miss(listed(expected), expect.raised(got) or listed(got["value"]))


def listed(value: list[Any]) -> str:
    """Return the length that came, and the strings."""
    return f"len {value[0]}: {value[1:]!a}"


def as_large_as_the_text(evidence: dict[str, Any]) -> Iterator[Miss]:
    pickled, limit = evidence["pickled"], allowed()
    if "value" not in pickled or pickled["value"] > limit:
        yield Miss(
            _("at most {limit} bytes").format(limit=number(limit)),
            expect.raised(pickled) or _("{size} bytes").format(size=number(pickled["value"])),
        )


PACKED_STRINGS = Exercise(
    name="PackedStrings",
    difficulty=2,
    minutes=12,
    run=probes.probe_packed,
    kind="class",
    seconds=30,
    parts=("__init__", "__len__", "__getitem__"),
    criteria=(
        Criterion(
            says="A worker that reads in shuffled order copies next to nothing",
            look=next_to_no_copies,
            hint="Offsets in a Python list have counts as well: keep them in an array. And do not keep the strings that were read.",
            points=3,
        ),
        Criterion(
            says="Every string comes back as it was, also an empty string and one with null characters",
            look=of_lean(as_they_were),
            hint="Keep where each string begins, in bytes, not in characters; arrays of fixed-width strings lose null characters at the end.",
            points=3,
        ),
        Criterion(
            says="The pickle is about as large as the text",
            look=of_lean(as_large_as_the_text),
            hint="Keep all bytes in one object, and for each string one number of at most 8 bytes in an array.",
            points=2,
        ),
    ),
)

# ---------------------------------------------------------------- LazyMemmap

LIGHT = 1000  # bytes


@cache
def rows() -> list[list[int]]:
    """Say the file's contents."""
    return array().tolist()


def row(i: int) -> list[Any]:
    """Return an item as it must come: its dtype and its values."""
    return ["torch.int32", rows()[i]]


def problem(evidence: dict[str, Any], part: dict[str, Any]) -> str:
    """Why this part of the evidence is not there."""
    if part.get("raised") == "crash":
        return _("the process was ended while it wrote")
    return expect.raised(part) or expect.stopped(evidence) or _("nothing came")


def item(evidence: dict[str, Any], name: str, i: int) -> str:
    """Return the item that came, which should be row ``i``, in words."""
    part = evidence.get(name, {})
    if "value" not in part:
        return problem(evidence, part)
    if not isinstance(part["value"], list):
        return str(part["value"])
    dtype, values = part["value"]
    return f"{dtype}, " + (_("the right values") if values == rows()[i] else _("other values"))


def rows_as_tensors(evidence: dict[str, Any]) -> Iterator[Miss]:
    length, first = evidence.get("length", {}), evidence.get("first", {})
    if length.get("value") != ROWS or first.get("value") != row(0):
        yield Miss(
            _("a tensor of the array's dtype, length {rows}").format(rows=ROWS),
            _("{item}; length {length}").format(
                item=item(evidence, "first", 0), length=length.get("value", problem(evidence, length))
            ),
        )


def light(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("less than {limit} bytes").format(limit=number(LIGHT))
    for name, when in (("fresh", ""), ("used", " · " + _("after reading an item"))):
        part = evidence.get(name, {})
        if "value" not in part:
            yield Miss(expected, problem(evidence, part))
        elif part["value"] >= LIGHT:
            yield Miss(expected, _("{size} bytes").format(size=number(part["value"])) + when)


def every_row_twice(evidence: dict[str, Any]) -> Iterator[Miss]:
    part, words = evidence.get("spawn", {}), _("right epochs: {n} of {total}")
    if "value" not in part:
        yield Miss(words.format(n=2, total=2), problem(evidence, part))
        return
    right = part["value"]["epochs"].count(digest([list(map(float, each)) for each in rows()]))
    yield from expect.true(right == 2, words.format(n=2, total=2), words.format(n=right, total=2))


def mapped_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    part, words = evidence.get("spawn", {}), _("mappings of the worker: {n}")
    maps = part.get("value", {}).get("maps")
    if not maps:
        yield Miss(words.format(n=1), problem(evidence, part))
    elif evidence.get("peak", 0) >= array().nbytes // 2:
        yield Miss(words.format(n=1), _("the main process reads the whole file"))
    elif maps != [1]:
        yield Miss(words.format(n=1), words.format(n=maps[0]))


def unchanged(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("the same row again")
    came = evidence.get("changed", {}).get("value")
    if not isinstance(came, list) or came[1] != rows()[3]:
        yield Miss(expected, item(evidence, "changed", 3))
    elif not evidence.get("file_unchanged", False):
        yield Miss(expected, _("the file has changed"))


LAZY_MEMMAP = Exercise(
    name="LazyMemmap",
    difficulty=2,
    minutes=12,
    run=probes.probe_lazy,
    kind="file",
    seconds=90,
    parts=tuple(f"LazyMemmap.{name}" for name in ("__init__", "__len__", "__getitem__", "__getstate__")),
    criteria=(
        Criterion(
            says="Items are rows as tensors, and `len` is the number of rows",
            look=rows_as_tensors,
            hint="`torch.tensor(self.rows[index])` makes a tensor with the dtype of the row.",
        ),
        Criterion(
            says="The pickle is small, before and after an item has been read",
            look=light,
            hint="Leave the memmap out in `__getstate__`; a memmap is pickled with all its data.",
            points=2,
        ),
        Criterion(
            says="A worker started by `spawn` delivers every row, in two epochs",
            look=every_row_twice,
            hint="A spawned worker gets what `__getstate__` returns: the path must be in it, and `__getitem__` opens the file.",
        ),
        Criterion(
            says="A worker maps the file once and keeps the mapping; no process reads the whole file",
            look=mapped_once,
            hint='Keep what `np.load(path, mmap_mode="r")` returns, and open the file only if there is no mapping yet. Without `mmap_mode` the whole file is read.',
            points=2,
        ),
        Criterion(
            says="Changing an item changes neither the file nor the next reading",
            look=unchanged,
            hint="`torch.from_numpy` shares memory with the row; `torch.tensor` copies it.",
        ),
    ),
    prevented=expect.starved,
)

EXERCISES = (
    COPIED_PAGES,
    PACKED_STRINGS,
    LAZY_MEMMAP,
)
