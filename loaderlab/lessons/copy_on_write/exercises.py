"""The exercises of lesson 5: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.copy_on_write import probes
from loaderlab.lessons.copy_on_write.probes import (
    NUMBERED,
    OUTSIDE,
    PLACES,
    ROWS,
    SLICES,
    SLOWER,
    TEXTS,
    array,
    codes,
    digest,
    sized,
    utf8,
)

# ---------------------------------------------------------------- who_copied

Readings = dict[int, dict[str, int]]


def copied(before: Readings, after: Readings) -> dict[int, int]:
    """Return the kB that each worker copied: they were shared, and are so no longer."""
    both = before.keys() & after.keys()
    return {pid: before[pid]["Shared_Dirty"] - after[pid]["Shared_Dirty"] for pid in both}


def who_copied(before: Readings, after: Readings, least: int) -> list[int]:
    amounts = copied(before, after)
    return sorted((pid for pid in amounts if amounts[pid] >= least), key=lambda pid: -amounts[pid])


def changes(case: str) -> str:
    """Say how the lines of each worker change in a case, and ``least``."""
    before, after, least = probes.READINGS.arguments[case]
    said = [f"`least={least}`"]
    for pid in sorted({**before, **after}):
        if pid not in before or pid not in after:
            said.append(f"{pid}: " + (_("only after") if pid in after else _("only before")))
            continue
        grown = {name: after[pid][name] - before[pid][name] for name in before[pid]}
        words = ", ".join(f"`{name}` {kb:+}" for name, kb in grown.items() if kb) or _("no change")
        said.append(f"{pid}: {words}")
    return "; ".join(said)


READINGS = Cases(probes.READINGS, right=who_copied, call=changes)

WHO_COPIED = (
    READINGS.criterion(
        mark("Who copied is named, most first"),
        ("all", "some"),
        mark(
            "A copy takes the place of a shared page: it leaves one line and comes into another, and RSS stays. Sort by how much it is, not by process."
        ),
    ),
    READINGS.criterion(
        mark("New memory is no copy, and memory given back hides none"),
        ("new", "both", "given_back"),
        mark(
            "`Private_Dirty` has new memory, too. Look at the line that a copy leaves: new memory was never in it."
        ),
    ),
    READINGS.criterion(
        mark("Files that are mapped are no copies, and hide none"),
        ("mapped", "just_written", "mapped_by_two"),
        mark(
            "Pages of a file may come into any line but one. `Shared_Clean` grows by them, so the sum of both shared lines says too little."
        ),
    ),
    READINGS.criterion(
        mark("Who copied less than `least`, or is in one reading only, is not named"),
        ("least", "nobody", "ended", "begun", "none"),
        mark(
            "Go through the processes that are in both: `before.keys() & after.keys()`. `least` itself is enough."
        ),
    ),
)

# ---------------------------------------------------------------- copied_pages


def copied_pages(page_of: list[int | None], reads: list[list[int]]) -> int:
    return sum(len({page_of[index] for index in indices} - {None}) for indices in reads)


COPIES = Cases(probes.COPIES, right=copied_pages)

COPIED_PAGES = (
    COPIES.criterion(
        mark("A worker copies a page once, however often it reads there"),
        ("neighbours", "returning", "again"),
        mark(
            "What is copied is a page, not a sample: the next sample on it, or the same one again, copies nothing more."
        ),
        points=2,
    ),
    COPIES.criterion(
        mark("Each worker makes copies of its own"),
        ("on_the_same_page", "the_same_sample", "a_page_each", "border"),
        mark("A worker does not see what another has copied: count for each worker by itself, then add up."),
        points=2,
    ),
    COPIES.criterion(
        mark("What has no count is not copied; page 0 is a page like any other"),
        ("without_counts", "some_without", "page_0"),
        mark("Leave out what `is None`; in Python 0 counts as false, too."),
    ),
    COPIES.criterion(
        mark("What nobody reads is not copied"),
        ("idle", "unread", "no_workers"),
        mark("Go through the indices in `reads`, not through all pages. Without workers the sum is 0."),
    ),
)

# ---------------------------------------------------------------- PackedStrings

OVERHEAD = 4096  # bytes


def allowed() -> int:
    """Return the bytes of the text, and two numbers of 8 bytes for each string."""
    return utf8(sized()) + 16 * len(sized()) + OVERHEAD


def outcome(evidence: dict[str, Any], *path: str) -> dict[str, Any]:
    """Return this part of the evidence; where nothing could be packed, every part has that in its place."""
    if "failed" in evidence:
        return {"raised": evidence["failed"]}
    for name in path:
        evidence = evidence[name]
    return evidence


def came(attempt: dict[str, Any]) -> str:
    return expect.raised(attempt) or said(attempt["value"])


def said(value: Any) -> str:
    """Code points as strings again, for the learner."""
    if isinstance(value, list):
        if value and all(isinstance(code, int) for code in value):
            return ascii("".join(map(chr, value)))
        if value and isinstance(value[0], int):
            return f"len {value[0]}: [{', '.join(map(said, value[1:]))}]"
        return f"[{', '.join(map(said, value))}]" if value else "''"
    return str(value)


def as_they_were(names: Sequence[str], evidence: dict[str, Any]) -> Iterator[Miss]:
    for name in names:
        expected, got = [len(TEXTS[name]), *map(codes, TEXTS[name])], evidence["texts"][name]
        if got.get("value") != expected:
            yield Miss(said(expected), came(got))


def subscript(index: str, expected: Any, got: dict[str, Any]) -> Iterator[Miss]:
    if got.get("value") != expected:
        yield Miss(f"`packed[{index}]`: {said(expected)}", came(got))


def indexed(evidence: dict[str, Any]) -> Iterator[Miss]:
    for i in PLACES:
        yield from subscript(str(i), codes(NUMBERED[i]), outcome(evidence, "places", str(i)))
    both = [codes(NUMBERED[3]), codes(NUMBERED[-2])]
    yield from subscript("np.int64(3)", both, outcome(evidence, "numpy"))
    for i in OUTSIDE:
        yield from subscript(str(i), "IndexError", outcome(evidence, "outside", str(i)))


def sliced(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, part in SLICES.items():
        expected = [codes(string) for string in NUMBERED[part]]
        yield from subscript(name, expected, outcome(evidence, "slices", name))


def as_large_as_the_text(evidence: dict[str, Any]) -> Iterator[Miss]:
    pickled, limit = outcome(evidence, "pickled"), allowed()
    if "value" not in pickled or pickled["value"] > limit:
        yield Miss(
            _("at most {limit} bytes").format(limit=number(limit)),
            expect.raised(pickled) or _("{size} bytes").format(size=number(pickled["value"])),
        )


def next_to_no_copies(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("USS grows by less than 10% of the data")
    if "failed" not in evidence and "growth" not in evidence:
        not_measured = _("not measured: reading all of them would take too long")
        yield Miss(expected, not_measured, mark("This follows from the last finding."))
        return
    growth = outcome(evidence, "growth")
    if "value" in growth:
        little, words = grown(**growth["value"])
        yield from expect.true(little, expected, words)
    else:
        yield Miss(expected, expect.raised(growth))


def grown(share: float | None, objects: float | None = None) -> tuple[bool, str]:
    """Return whether memory grew by little only, or would: a Python object for each string is as bad."""
    if share is not None:
        return share < 0.1, _("it grew by {percent}%").format(percent=number(100 * share))
    objects = objects or 0.0
    return objects < 0.5, _("Python objects for each string: {n}").format(n=number(objects, 1))


def no_slower(evidence: dict[str, Any]) -> Iterator[Miss]:
    slower = outcome(evidence, "slower")
    if "value" not in slower or slower["value"] >= SLOWER:
        words = _("less than {times} times as long with 3000 times as many strings")
        yield Miss(
            words.format(times=SLOWER),
            expect.raised(slower) or _("{times} times as long").format(times=number(slower["value"])),
        )


PACKED_STRINGS = (
    Criterion(
        mark("Every string comes back as it was, also the empty one and one with zeros"),
        lambda e: as_they_were(("ascii", "unicode", "only_empty", "empty", "nothing", "control"), e),
        mark(
            "Keep where each string begins, in bytes, not in characters; arrays of a fixed width lose zeros at the end."
        ),
        points=2,
    ),
    Criterion(
        mark("Lone surrogates survive"),
        lambda e: as_they_were(("surrogates",), e),
        mark('Encode and decode with `"utf-8", "surrogatepass"`.'),
    ),
    Criterion(
        mark("Negative indices, NumPy's integers and `IndexError` as of a list"),
        indexed,
        mark(
            "For an index below 0 add `len(self)`; raise `IndexError` for what is still outside, else loops over it never end."
        ),
    ),
    Criterion(
        mark("A slice gives a list of strings"),
        sliced,
        mark("`range(*index.indices(len(self)))` gives the indices of a slice, whatever its step."),
    ),
    Criterion(
        mark("Pickled, it is about as large as the text"),
        as_large_as_the_text,
        mark("All bytes in one object, and one number of at most 8 bytes for each string in an array."),
    ),
    Criterion(
        mark("A shuffled reader copies next to nothing"),
        next_to_no_copies,
        mark(
            "Offsets in a Python list have counts as well: keep them in an array. And keep nothing of what was read."
        ),
        points=2,
    ),
    Criterion(
        mark("Reading one string takes no longer if there are more of them"),
        no_slower,
        mark("Add up the lengths once, in `__init__`; in `__getitem__` slice before you convert or decode."),
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


LAZY_MEMMAP = (
    Criterion(
        mark("Items are rows as tensors, and `len` is the number of rows"),
        rows_as_tensors,
        mark("`torch.tensor(self.rows[index])` makes a tensor with the dtype of the row."),
    ),
    Criterion(
        mark("Pickled, it is light, before and after an item has been read"),
        light,
        mark("Leave the memmap out in `__getstate__`; a memmap is pickled with all its data."),
        points=2,
    ),
    Criterion(
        mark("A worker started by `spawn` delivers every row, in two epochs"),
        every_row_twice,
        mark(
            "A spawned worker gets what `__getstate__` returns: the path must be in it, and `__getitem__` opens the file."
        ),
    ),
    Criterion(
        mark("A worker maps the file once and keeps it; nobody reads it whole"),
        mapped_once,
        mark(
            'Keep what `np.load(path, mmap_mode="r")` returns, and open only if there is nothing yet. Without `mmap_mode` the file is read whole.'
        ),
        points=2,
    ),
    Criterion(
        mark("Changing an item changes neither the file nor the next reading"),
        unchanged,
        mark("`torch.from_numpy` shares memory with the row; `torch.tensor` copies it."),
    ),
)

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["who_copied"],
        WHO_COPIED,
        difficulty=2,
        minutes=8,
        hints=(
            mark(
                "Write down what happens to each line when a worker copies one page of 4 kB, and when it takes 4 kB of new memory."
            ),
            mark("`sorted(pids, key=lambda pid: -amounts[pid])` puts the largest amount first."),
        ),
    ),
    Exercise(
        PROBES["copied_pages"],
        COPIED_PAGES,
        difficulty=1,
        minutes=8,
        hints=(
            mark(
                "Draw it as in section 2: a row of pages for each worker. Which cells are filled at the end?"
            ),
            mark("The pages that one worker has copied are a set: `{page_of[index] for index in indices}`."),
        ),
    ),
    Exercise(
        PROBES["PackedStrings"],
        PACKED_STRINGS,
        difficulty=3,
        minutes=20,
        hints=(
            mark(
                "Encode each string, join the bytes, and keep the running sum of the lengths: string i lies between two neighbours of that sum."
            ),
            mark("`np.cumsum([0, *lengths], dtype=np.int64)` gives one number more than there are strings."),
            mark(
                "In `__getitem__` deal with a slice first, then with the range, then with negative indices."
            ),
        ),
    ),
    Exercise(
        PROBES["LazyMemmap"],
        LAZY_MEMMAP,
        difficulty=2,
        minutes=12,
        hints=(
            mark(
                "Keep two things besides the path: the length, and the memmap, which is `None` until the first item."
            ),
            mark("`__getstate__` returns a copy of `self.__dict__` in which the memmap is `None` again."),
        ),
        prevented=expect.starved,
    ),
)
