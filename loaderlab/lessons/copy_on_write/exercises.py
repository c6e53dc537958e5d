"""The exercises of lesson 5: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
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

# ---------------------------------------------------------------- tree_memory

FIELDS = {"rss": ("Rss",), "pss": ("Pss",), "uss": ("Private_Clean", "Private_Dirty", "Private_Hugetlb")}


def tree_memory(rollups: list[str]) -> dict[str, int]:
    sums = dict.fromkeys(FIELDS, 0)
    for text in rollups:
        lines = [line.split() for line in text.splitlines()]
        sizes = {words[0].rstrip(":"): int(words[1]) for words in lines if words and words[-1] == "kB"}
        for name, fields in FIELDS.items():
            sums[name] += 1024 * sum(sizes.get(field, 0) for field in fields)
    return sums


ROLLUPS = Cases(probes.ROLLUPS, right=tree_memory)

TREE_MEMORY = (
    ROLLUPS.criterion(
        mark("The sums over all processes, in bytes"),
        ("one", "three"),
        mark("A kB of these files has 1024 bytes. USS is `Private_Clean` plus `Private_Dirty`."),
    ),
    ROLLUPS.criterion(
        mark("`Pss` itself, in any order of the lines"),
        ("parts_first", "parts_last"),
        mark(
            "Compare the whole name before the colon: `Pss_Anon` begins with `Pss`, and `SwapPss` ends with it."
        ),
    ),
    ROLLUPS.criterion(
        mark("Private huge pages belong to USS"),
        ("huge",),
        mark(
            "Add `Private_Hugetlb`, which not every text has: `sizes.get(field, 0)`. `Shared_Hugetlb` is shared."
        ),
    ),
    ROLLUPS.criterion(
        mark("Processes that have ended count nothing"),
        ("ended", "all_ended", "none"),
        mark("An empty text has no lines. Begin with sums of 0, and add what there is."),
    ),
)

# ---------------------------------------------------------------- predict_memory

PAGE = 4096


def predicted(
    items: int,
    item_bytes: int,
    container: str,
    workers: int,
    start_method: str = "fork",
    shuffled: bool = True,
    own: int = 0,
) -> float:
    data = items * item_bytes
    copies: float = 0
    if start_method == "spawn":
        copies = workers * data if container in ("list", "array", "memmap") else 0
    elif container == "list" and workers > 0:
        if item_bytes >= PAGE:
            copies = PAGE * items
        else:
            copies = workers * data * (1 - (1 - 1 / workers) ** (PAGE / item_bytes)) if shuffled else data
    return float(data + copies + workers * own)


PREDICTED = Cases(probes.PREDICTED, right=predicted, rel=1e-6)

predicting = partial(PREDICTED.criterion, show="{:.0f}".format)

PREDICT_MEMORY = (
    predicting(
        mark("A list of small samples under `fork`: once, and the workers' copies"),
        ("below_a_page", "shuffled", "many", "kilobytes", "in_order", "one_in_order"),
        mark(
            "The data is there once anyhow. Shuffled, add for each worker the share that it copies; in order, the data once."
        ),
    ),
    predicting(
        mark("Of large samples one page each is copied"),
        ("large", "large_in_order", "page"),
        mark("From 4096 bytes on: 4096 × `items`, neither times the workers nor times the size of a sample."),
    ),
    predicting(
        mark("Under `fork`, containers without Python objects stay shared"),
        ("array", "tensor", "memmap", "lazy"),
        mark("Reading an array writes nothing, so there are no copies."),
    ),
    predicting(
        mark("Under `spawn`, each worker has what was in the pickle"),
        (
            "spawn_list",
            "spawn_list_in_order",
            "spawn_large",
            "spawn_array",
            "spawn_memmap",
            "spawn_tensor",
            "spawn_lazy",
        ),
        mark(
            "List, array and open memmap are pickled whole, whatever the order and the size of a sample; tensor and path are not."
        ),
    ),
    predicting(
        mark("Without workers there are no copies"),
        ("none", "none_in_order", "none_large", "none_spawn"),
        mark("With `workers=0` there is the data, and nothing else."),
    ),
    predicting(
        mark("Each worker needs memory of its own besides"),
        ("own", "own_spawn"),
        mark("Add `workers` × `own`."),
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
        PROBES["tree_memory"],
        TREE_MEMORY,
        difficulty=1,
        minutes=8,
        hints=(
            mark(
                "Split each line into words: name with a colon, number, `kB`. The first line is no such line."
            ),
            mark(
                "Make a dictionary of names and numbers for each text, then add up what USS consists of with `sizes.get(name, 0)`."
            ),
        ),
    ),
    Exercise(
        PROBES["predict_memory"],
        PREDICT_MEMORY,
        difficulty=1,
        minutes=8,
        hints=(
            mark(
                "Write down the copies first: 0 unless one of the rules says otherwise. The data and `own` come on top in every case."
            ),
            mark(
                "Look at the start method first, and only under `fork` at the order and at the size of a sample."
            ),
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
