"""The exercises of lesson 5: what is expected of the evidence that the probes return."""

from __future__ import annotations

from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
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


def judge_tree(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str) -> Finding:
        return ROLLUPS.finding(evidence, names, criterion, hint)

    return [
        finding(
            ("one", "three"),
            _("The sums over all processes, in bytes"),
            _("A kB of these files has 1024 bytes. USS is `Private_Clean` plus `Private_Dirty`."),
        ),
        finding(
            ("parts_first", "parts_last"),
            _("`Pss` itself, in any order of the lines"),
            _("Compare the whole name before the colon: `Pss_Anon` begins with `Pss`, and `SwapPss` ends with it."),
        ),
        finding(
            ("huge",),
            _("Private huge pages belong to USS"),
            _("Add `Private_Hugetlb`, which not every text has: `sizes.get(field, 0)`. `Shared_Hugetlb` is shared."),
        ),
        finding(
            ("ended", "all_ended", "none"),
            _("Processes that have ended count nothing"),
            _("An empty text has no lines. Begin with sums of 0, and add what there is."),
        ),
    ]  # fmt: skip


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
) -> int:
    data = items * item_bytes
    copies = 0
    if start_method == "spawn":
        copies = workers * data if container in ("list", "array", "memmap") else 0
    elif container == "list" and workers > 0:
        copies = PAGE * items if item_bytes >= PAGE else data * (workers if shuffled else 1)
    return data + copies + workers * own


PREDICTED = Cases(probes.PREDICTED, right=predicted)


def judge_predict(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str) -> Finding:
        return PREDICTED.finding(evidence, names, criterion, hint)

    return [
        finding(
            ("shuffled", "many", "in_order", "one_in_order"),
            _("A list of small samples under `fork`: once, and the workers' copies"),
            _("The data is there once anyhow. Shuffled, add it once for each worker; in order, once for all of them."),
        ),
        finding(
            ("large", "large_in_order", "page"),
            _("Of large samples one page each is copied"),
            _("From 4096 bytes on: 4096 × `items`, neither times the workers nor times the size of a sample."),
        ),
        finding(
            ("array", "tensor", "memmap", "lazy"),
            _("Under `fork`, containers without Python objects stay shared"),
            _("Reading an array writes nothing, so there are no copies."),
        ),
        finding(
            (
                "spawn_list",
                "spawn_list_in_order",
                "spawn_large",
                "spawn_array",
                "spawn_memmap",
                "spawn_tensor",
                "spawn_lazy",
            ),
            _("Under `spawn`, each worker has what was in the pickle"),
            _("List, array and open memmap are pickled whole, whatever the order and the size of a sample; tensor and path are not."),
        ),
        finding(
            ("none", "none_in_order", "none_large", "none_spawn"),
            _("Without workers there are no copies"),
            _("With `workers=0` there is the data, and nothing else."),
        ),
        finding(
            ("own", "own_spawn"),
            _("Each worker needs memory of its own besides"),
            _("Add `workers` × `own`."),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- PackedStrings

OVERHEAD = 4096


def judge_packed(evidence: dict[str, Any]) -> list[Finding]:
    failed = evidence.get("failed", "")

    def words(got: dict[str, Any] | None) -> str:
        if got is None or "raised" in got:
            return _("an exception: {error}").format(error=got["raised"] if got else failed)
        return _said(got["value"])

    def texts(names: tuple[str, ...], criterion: str, hint: str, points: int) -> Finding:
        for name in names:
            expected = [len(TEXTS[name]), *map(codes, TEXTS[name])]
            got = evidence["texts"][name]
            if got.get("value") != expected:
                return Finding(False, points, criterion, _said(expected), words(got), hint)
        return Finding(True, points, criterion)

    def compared(parts: dict[str, tuple[Any, Any]], criterion: str, hint: str) -> Finding:
        for name, (expected, got) in parts.items():
            if got is None or got.get("value") != expected:
                wanted = f"`packed[{name}]`: {_said(expected)}"
                return Finding(False, 1, criterion, wanted, words(got), hint)
        return Finding(True, 1, criterion)

    places = evidence.get("places", {})
    singles = {str(i): (codes(NUMBERED[i]), places.get(str(i))) for i in PLACES}
    singles["np.int64(3)"] = ([codes(NUMBERED[3]), codes(NUMBERED[-2])], evidence.get("numpy"))
    singles |= {str(i): ("IndexError", evidence.get("outside", {}).get(str(i))) for i in OUTSIDE}
    slices = {
        n: ([codes(s) for s in NUMBERED[p]], evidence.get("slices", {}).get(n)) for n, p in SLICES.items()
    }
    allowed = utf8(sized()) + 16 * len(sized()) + OVERHEAD
    pickled, growth, slower = (evidence.get(name) for name in ("pickled", "growth", "slower"))
    size = (pickled or {}).get("value")
    share, got_growth = _grown((growth or {}).get("value"))
    factor = (slower or {}).get("value")
    return [
        texts(
            ("ascii", "unicode", "only_empty", "empty", "nothing", "control"),
            _("Every string comes back as it was, also the empty one and one with zeros"),
            _("Keep where each string begins, in bytes, not in characters; arrays of a fixed width lose zeros at the end."),
            2,
        ),
        texts(
            ("surrogates",),
            _("Lone surrogates survive"),
            _("Encode and decode with `\"utf-8\", \"surrogatepass\"`."),
            1,
        ),
        compared(
            singles,
            _("Negative indices, NumPy's integers and `IndexError` as of a list"),
            _("For an index below 0 add `len(self)`; raise `IndexError` for what is still outside, else loops over it never end."),
        ),
        compared(
            slices,
            _("A slice gives a list of strings"),
            _("`range(*index.indices(len(self)))` gives the indices of a slice, whatever its step."),
        ),
        Finding(
            size is not None and size <= allowed,
            1,
            _("Pickled, it is about as large as the text"),
            _("at most {limit} bytes").format(limit=number(allowed)),
            words(pickled) if size is None else _("{size} bytes").format(size=number(size)),
            _("All bytes in one object, and one number of at most 8 bytes for each string in an array."),
        ),
        Finding(
            share is not None and share < 0.1,
            2,
            _("A shuffled reader copies next to nothing"),
            _("USS grows by less than 10% of the data"),
            got_growth or (words(growth) if growth or failed else _("not measured: reading all of them would take too long")),
            _("Offsets in a Python list have counts as well: keep them in an array. And keep nothing of what was read.")
            if growth or failed
            else _("This follows from the last finding."),
        ),
        Finding(
            factor is not None and factor < SLOWER,
            1,
            _("Reading one string takes no longer if there are more of them"),
            _("less than {times} times as long with 3000 times as many strings").format(times=SLOWER),
            words(slower) if factor is None else _("{times} times as long").format(times=number(factor)),
            _("Add up the lengths once, in `__init__`; in `__getitem__` slice before you convert or decode."),
        ),
    ]  # fmt: skip


def _said(value: Any) -> str:
    """Code points as strings again, for the learner."""
    if isinstance(value, list):
        if value and all(isinstance(code, int) for code in value):
            return ascii("".join(map(chr, value)))
        if value and isinstance(value[0], int):
            return f"len {value[0]}: [{', '.join(map(_said, value[1:]))}]"
        return f"[{', '.join(map(_said, value))}]" if value else "''"
    return str(value)


def _grown(value: dict[str, float | None] | None) -> tuple[float | None, str]:
    """The share by which memory grew, or would: a Python object for each string is as bad."""
    if value is None:
        return None, ""
    if value["share"] is not None:
        return value["share"], _("it grew by {percent}%").format(percent=number(100 * value["share"]))
    objects = value["objects"] or 0.0
    return (0.0 if objects < 0.5 else 1.0), _("Python objects for each string: {n}").format(
        n=number(objects, 1)
    )


# ---------------------------------------------------------------- LazyMemmap

LIGHT = 1000  # bytes


def judge_lazy(evidence: dict[str, Any]) -> list[Finding]:
    stopped = evidence.get("stopped", "")
    if stopped is None:
        stopped = _("the time limit was reached")
    rows = array().tolist()

    def problem(part: dict[str, Any]) -> str:
        if part.get("error") == "crash":
            return _("the process was ended while it wrote")
        return part.get("error") or stopped or _("nothing came")

    def item(part: dict[str, Any], row: list[float]) -> str:
        value = part.get("value")
        if isinstance(value, list):
            return f"{value[0]}, " + (_("the right values") if value[1] == row else _("other values"))
        return str(value) if "value" in part else problem(part)

    length, first, fresh, used, spawn, changed = (
        evidence.get(name, {}) for name in ("length", "first", "fresh", "used", "spawn", "changed")
    )
    right = first.get("value") == ["torch.float32", rows[0]]
    again = changed.get("value") == ["torch.float32", rows[3]]
    count = length.get("value")
    sizes = {"fresh": fresh.get("value"), "used": used.get("value")}
    heavy = next((name for name, size in sizes.items() if size is None or size >= LIGHT), "")
    heavy_size = sizes.get(heavy)
    whole = evidence.get("peak", 0) >= array().nbytes // 2
    spawned = spawn.get("value", {})
    epochs, maps = sum(epoch == digest(rows) for epoch in spawned.get("epochs", ())), spawned.get("maps")
    return [
        Finding(
            right and count == ROWS,
            1,
            _("Items are rows as tensors, and `len` is the number of rows"),
            _("a tensor of the array's dtype, length {rows}").format(rows=ROWS),
            _("{item}; length {length}").format(item=item(first, rows[0]), length=count if count is not None else problem(length)),
            _("`torch.tensor(self.rows[index])` makes a tensor with the dtype of the row."),
        ),
        Finding(
            not heavy,
            2,
            _("Pickled, it is light, before and after an item has been read"),
            _("less than {limit} bytes").format(limit=number(LIGHT)),
            _("{size} bytes").format(size=number(heavy_size)) + (" · " + _("after reading an item") if heavy == "used" else "")
            if heavy_size is not None
            else problem(fresh if heavy == "fresh" else used),
            _("Leave the memmap out in `__getstate__`; a memmap is pickled with all its data."),
        ),
        Finding(
            epochs == 2,
            1,
            _("A worker started by `spawn` delivers every row, in two epochs"),
            _("right epochs: {n} of {total}").format(n=2, total=2),
            _("right epochs: {n} of {total}").format(n=epochs, total=2) if spawned else problem(spawn),
            _("A spawned worker gets what `__getstate__` returns: the path must be in it, and `__getitem__` opens the file."),
        ),
        Finding(
            maps == [1] and not whole,
            2,
            _("A worker maps the file once and keeps it; nobody reads it whole"),
            _("mappings of the worker: {n}").format(n=1),
            (_("`__init__` reads the whole file") if whole else _("mappings of the worker: {n}").format(n=maps[0]))
            if maps
            else problem(spawn),
            _("Keep what `np.load(path, mmap_mode=\"r\")` returns, and open only if there is nothing yet. Without `mmap_mode` the file is read whole."),
        ),
        Finding(
            again and evidence.get("file_unchanged", False),
            1,
            _("Changing an item changes neither the file nor the next reading"),
            _("the same row again"),
            _("the file has changed") if again else item(changed, rows[3]),
            _("`torch.from_numpy` shares memory with the row; `torch.tensor` copies it."),
        ),
    ]  # fmt: skip


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["tree_memory"],
        points=4,
        difficulty=1,
        minutes=8,
        hints=(
            mark("Split each line into words: name with a colon, number, `kB`. The first line is no such line."),
            mark("Make a dictionary of names and numbers for each text, then add up what USS consists of with `sizes.get(name, 0)`."),
        ),
        judge=judge_tree,
    ),
    Exercise(
        PROBES["predict_memory"],
        points=6,
        difficulty=1,
        minutes=8,
        hints=(
            mark("Write down the copies first: 0 unless one of the rules says otherwise. The data and `own` come on top in every case."),
            mark("Look at the start method first, and only under `fork` at the order and at the size of a sample."),
        ),
        judge=judge_predict,
    ),
    Exercise(
        PROBES["PackedStrings"],
        points=9,
        difficulty=3,
        minutes=20,
        hints=(
            mark("Encode each string, join the bytes, and keep the running sum of the lengths: string i lies between two neighbours of that sum."),
            mark("`np.cumsum([0, *lengths], dtype=np.int64)` gives one number more than there are strings."),
            mark("In `__getitem__` deal with a slice first, then with the range, then with negative indices."),
        ),
        judge=judge_packed,
    ),
    Exercise(
        PROBES["LazyMemmap"],
        points=7,
        difficulty=2,
        minutes=12,
        hints=(
            mark("Keep two things besides the path: the length, and the memmap, which is `None` until the first item."),
            mark("`__getstate__` returns a copy of `self.__dict__` in which the memmap is `None` again."),
        ),
        judge=judge_lazy,
    ),
)  # fmt: skip
