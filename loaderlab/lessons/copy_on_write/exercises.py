"""The exercises of lesson 5: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import number
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


def lines(**sizes: int) -> dict[str, int]:
    """Return the lines of a worker's ``smaps_rollup``, in kB: the usual ones, but for these."""
    usual = {"Rss": 120_000, "Pss": 58_000, "Shared_Clean": 12_000, "Shared_Dirty": 80_000}
    return usual | {"Private_Clean": 0, "Private_Dirty": 28_000} | sizes


def readings(least: int, *changes: dict[str, int]) -> tuple[Any, ...]:
    """Return the lines of some workers before and after these changes, by their process, and ``least``."""
    usual = lines()
    changed = [lines(**{name: usual[name] + kb for name, kb in change.items()}) for change in changes]
    return dict.fromkeys(range(4711, 4711 + len(changes)), usual), dict(enumerate(changed, 4711)), least


def copying(kb: int, **more: int) -> dict[str, int]:
    """Return what changes for a worker that copies so much; a PSS of a third counts copied pages in full."""
    change = {"Pss": 2 * kb // 3, "Shared_Dirty": -kb, "Private_Dirty": kb}
    return {name: change.get(name, 0) + more.get(name, 0) for name in {**change, **more}}


def taking(kb: int) -> dict[str, int]:
    """Return what changes for a worker that takes new memory."""
    return {"Rss": kb, "Pss": kb, "Private_Dirty": kb}


def mapping(kb: int, state: str) -> dict[str, int]:
    """Return what changes for a worker that reads so much of a file that it maps, whose pages count as ``state``."""
    return {"Rss": kb, "Pss": kb // (2 if "Shared" in state else 1), state: kb}


STEADY: dict[str, int] = {}
BEFORE, AFTER, _least = readings(1000, copying(9000), copying(40_000), copying(20_000))


def workers(random: Random) -> tuple[Any, ...]:
    """Draw the readings of some workers, no two of which copied as much, some with new memory, or with a file; one may end, or begin."""
    amounts = random.sample(range(0, random.choice((3000, 30_000)), 4), random.randint(0, 8))
    others: list[dict[str, int]] = [
        {},
        taking(7000),
        mapping(9000, "Private_Clean"),
        mapping(9000, "Shared_Clean"),
    ]
    before, after, least = readings(
        random.choice((4, 1000, 20_000)), *(copying(kb, **random.choice(others)) for kb in amounts)
    )
    for reading in (before, after):
        if reading and random.random() < 0.3:
            del reading[random.choice(list(reading))]
    return before, after, least


def changes(before: dict[int, dict[str, int]], after: dict[int, dict[str, int]], least: int) -> str:
    """Say how the lines of each worker change, and ``least``."""
    said = [f"`least={least}`"]
    for pid in sorted({**before, **after}):
        if pid not in before or pid not in after:
            said.append(f"{pid}: " + (_("only after") if pid in after else _("only before")))
            continue
        grown = {name: after[pid][name] - before[pid][name] for name in before[pid]}
        words = ", ".join(f"`{name}` {kb:+}" for name, kb in grown.items() if kb) or _("no change")
        said.append(f"{pid}: {words}")
    return "; ".join(said)


WHO_COPIED = Exercise(
    name="who_copied",
    difficulty=2,
    minutes=8,
    table=Table(
        {
            "all": readings(1000, copying(9000), copying(40_000), copying(20_000)),
            "some": readings(1000, STEADY, copying(50_000), STEADY, copying(60_000)),
            "new": readings(1000, taking(30_000), copying(7000)),
            "both": readings(1000, copying(7000, **taking(30_000)), copying(5000)),
            "given_back": readings(
                1000, STEADY, copying(20_000, Rss=-20_000, Pss=-20_000, Private_Dirty=-20_000)
            ),
            "mapped": readings(1000, mapping(50_000, "Private_Clean"), copying(5000)),
            "just_written": readings(1000, copying(5000), mapping(50_000, "Private_Dirty")),
            "mapped_by_two": readings(
                1000,
                copying(30_000, **mapping(25_000, "Shared_Clean")),
                copying(6000, **mapping(25_000, "Shared_Clean")),
            ),
            "least": readings(2000, copying(1996), copying(2000)),
            "nobody": readings(1000, STEADY, copying(140)),
            "ended": (BEFORE, {4712: AFTER[4712], 4713: AFTER[4713]}, 1000),
            "begun": ({4711: BEFORE[4711]}, AFTER, 1000),
            "none": ({}, {}, 1000),
        },
        right=solution(__file__, "who_copied"),
        call=changes,
    ),
    criteria=(
        Criterion(
            says="Who copied is named, most first",
            cases=("all", "some"),
            drawn=workers,
            hint="A copy takes the place of a shared page: it leaves one line and comes into another, and RSS stays. Sort by how much it is, not by process.",
        ),
        Criterion(
            says="New memory is no copy, and memory given back hides none",
            cases=("new", "both", "given_back"),
            hint="`Private_Dirty` has new memory, too. Look at the line that a copy leaves: new memory was never in it.",
        ),
        Criterion(
            says="Files that are mapped are no copies, and hide none",
            cases=("mapped", "just_written", "mapped_by_two"),
            hint="Pages of a file may come into any line but one. `Shared_Clean` grows by them, so the sum of both shared lines says too little.",
        ),
        Criterion(
            says="Who copied less than `least`, or is in one reading only, is not named",
            cases=("least", "nobody", "ended", "begun", "none"),
            hint="Go through the processes that are in both: `before.keys() & after.keys()`. `least` itself is enough.",
        ),
    ),
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
            says="What has no count is not copied; page 0 is a page like any other",
            cases=("without_counts", "some_without", "page_0"),
            hint="Leave out what `is None`; in Python 0 counts as false, too.",
        ),
        Criterion(
            says="What nobody reads is not copied",
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
        yield Miss(expected, not_measured, hint="This follows from the last finding.")
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


PACKED_STRINGS = Exercise(
    name="PackedStrings",
    difficulty=3,
    minutes=20,
    run=probes.probe_packed,
    kind="class",
    seconds=60,
    parts=("__init__", "__len__", "__getitem__"),
    criteria=(
        Criterion(
            says="Every string comes back as it was, also the empty one and one with zeros",
            look=lambda e: as_they_were(("ascii", "unicode", "only_empty", "empty", "nothing", "control"), e),
            hint="Keep where each string begins, in bytes, not in characters; arrays of a fixed width lose zeros at the end.",
            points=2,
        ),
        Criterion(
            says="Lone surrogates survive",
            look=lambda e: as_they_were(("surrogates",), e),
            hint='Encode and decode with `"utf-8", "surrogatepass"`.',
        ),
        Criterion(
            says="Negative indices, NumPy's integers and `IndexError` as of a list",
            look=indexed,
            hint="For an index below 0 add `len(self)`; raise `IndexError` for what is still outside, else loops over it never end.",
        ),
        Criterion(
            says="A slice gives a list of strings",
            look=sliced,
            hint="`range(*index.indices(len(self)))` gives the indices of a slice, whatever its step.",
        ),
        Criterion(
            says="Pickled, it is about as large as the text",
            look=as_large_as_the_text,
            hint="All bytes in one object, and one number of at most 8 bytes for each string in an array.",
        ),
        Criterion(
            says="A shuffled reader copies next to nothing",
            look=next_to_no_copies,
            hint="Offsets in a Python list have counts as well: keep them in an array. And keep nothing of what was read.",
            points=2,
        ),
        Criterion(
            says="Reading one string takes no longer if there are more of them",
            look=no_slower,
            hint="Add up the lengths once, in `__init__`; in `__getitem__` slice before you convert or decode.",
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
            says="Pickled, it is light, before and after an item has been read",
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
            says="A worker maps the file once and keeps it; nobody reads it whole",
            look=mapped_once,
            hint='Keep what `np.load(path, mmap_mode="r")` returns, and open only if there is nothing yet. Without `mmap_mode` the file is read whole.',
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
    WHO_COPIED,
    COPIED_PAGES,
    PACKED_STRINGS,
    LAZY_MEMMAP,
)
