"""The exercises of lesson 5: how each answer is probed, and what is expected of the evidence."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import pickletools
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

from loaderlab import child, memory
from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.copy_on_write import watch

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


def rollup(**fields: int) -> str:
    """A text as of ``smaps_rollup``, with these lines in this order."""
    head = "5581f0a00000-7ffc2b1fe000 ---p 00000000 00:00 0    [rollup]\n"
    return head + "".join(f"{name}: {size:>14} kB\n" for name, size in fields.items())


ONE = rollup(Rss=900, Pss=500, Pss_Dirty=300, Shared_Clean=400, Private_Clean=20, Private_Dirty=280)
ROLLUPS = Cases(
    "tree_memory",
    right=tree_memory,
    cases={
        "one": ([ONE],),
        "three": ([ONE, rollup(Rss=90, Pss=50, Private_Clean=0, Private_Dirty=7), ONE],),
        "parts_first": ([rollup(SwapPss=6, Pss_Anon=3, Pss_File=2, Private_Dirty=4, Private_Clean=1, Pss=5, Rss=9)],),
        "parts_last": ([rollup(Rss=9, Pss=5, Pss_Anon=3, Pss_Shmem=0, Private_Clean=1, Private_Dirty=4, SwapPss=6)],),
        "huge": ([rollup(Rss=9, Pss=5, Private_Clean=1, Private_Dirty=2, Shared_Hugetlb=8, Private_Hugetlb=2048)],),
        "ended": ([ONE, ""],),
        "all_ended": (["", ""],),
        "none": ([],),
    },
)  # fmt: skip


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
MIB = 2**20


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


PREDICTED = Cases(
    "predict_memory",
    right=predicted,
    cases={
        "shuffled": (1_000_000, 100, "list", 4),
        "many": (3_000_000, 64, "list", 16, "fork", True),
        "in_order": (1_000_000, 100, "list", 4, "fork", False),
        "one_in_order": (1_000_000, 100, "list", 1, "fork", False),
        "array": (1_000_000, 100, "array", 8),
        "tensor": (1_000_000, 100, "tensor", 8, "fork", True),
        "memmap": (1_000_000, 100, "memmap", 8, "fork", False),
        "lazy": (1_000_000, 100, "lazy", 8),
        "large": (10_000, 100_000, "list", 4),
        "large_in_order": (10_000, 50_000, "list", 8, "fork", False),
        "page": (10_000, 4096, "list", 4),
        "spawn_list": (1_000_000, 100, "list", 4, "spawn"),
        "spawn_list_in_order": (1_000_000, 100, "list", 4, "spawn", False),
        "spawn_large": (10_000, 100_000, "list", 3, "spawn"),
        "spawn_array": (1_000_000, 100, "array", 4, "spawn"),
        "spawn_memmap": (1_000_000, 100, "memmap", 4, "spawn"),
        "spawn_tensor": (1_000_000, 100, "tensor", 4, "spawn"),
        "spawn_lazy": (1_000_000, 100, "lazy", 4, "spawn"),
        "none": (1_000_000, 100, "list", 0),
        "none_in_order": (1_000_000, 100, "list", 0, "fork", False),
        "none_large": (10_000, 100_000, "list", 0),
        "none_spawn": (1_000_000, 100, "array", 0, "spawn", True, 150 * MIB),
        "own": (1_000_000, 100, "array", 4, "fork", True, 10 * MIB),
        "own_spawn": (1_000_000, 100, "lazy", 4, "spawn", True, 150 * MIB),
    },
)


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

TEXTS: dict[str, list[str]] = {
    "ascii": ["one", "two", "three", "a longer one with spaces ", " "],
    "unicode": ["Łódź", "日本語", "🙂é", "e\u0301", "\u00df\u1e9e", "\U0010ffff"],
    "empty": ["", "x", "", "", "y", ""],
    "only_empty": [""],
    "nothing": [],
    "control": ["a\0", "\0", "\0\0b\0", "a\nb\r\n", "\t", "tail\n", "\x1f\x1e\u2028", "\ufeffx"],
    "surrogates": ["\udcff.jpg", "a\ud800", "\udfff\udc80", "ok"],
}
NUMBERED = [f"{i}é" * (i % 4) for i in range(12)]
PLACES = (0, 5, 11, -1, -12, -5)
OUTSIDE = (12, -13, 1000, -1000)
SLICES = {
    "2:5": slice(2, 5),
    ":": slice(None),
    "::-1": slice(None, None, -1),
    "-3:": slice(-3, None),
    "::5": slice(None, None, 5),
    "5:2": slice(5, 2),
    "8:100": slice(8, 100),
    "10:1:-4": slice(10, 1, -4),
}
MANY, FEW, LARGE = 100_000, 100, 300_000
OVERHEAD = 4096
SLOWER = 8  # how much longer an access may take with 3000 times as many strings; memory that is far away costs, too


def codes(thing: Any) -> Any:
    """A string as its code points, which JSON keeps apart even where they are surrogates; else the type."""
    return [ord(c) for c in thing] if type(thing) is str else type(thing).__name__


def attempted(function: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": function()}
    except NotImplementedError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": f"{type(error).__name__}: {error}".splitlines()[0]}


def sized() -> list[str]:
    """Short strings, and one that is long: of a fixed width they would be large."""
    return [f"sample {i} ż" for i in range(2000)] + ["long " * 1000]


def many() -> list[str]:
    return [f"sample {i:08d} é {'x' * (30 + i % 90)}" for i in range(MANY)]


def utf8(strings: Sequence[str]) -> int:
    return sum(len(s.encode("utf-8", "surrogatepass")) for s in strings)


def probe_packed(answer: type) -> dict[str, Any]:
    import numpy as np

    def whole(strings: list[str]) -> list[Any]:
        packed = answer(list(strings))
        return [len(packed), *(codes(packed[i]) for i in range(len(strings)))]

    def outside(index: int) -> str:
        try:
            packed[index]
        except IndexError:
            return "IndexError"
        return "a value"

    evidence: dict[str, Any] = {"texts": {name: attempted(lambda t=t: whole(t)) for name, t in TEXTS.items()}}
    made = attempted(lambda: answer(list(NUMBERED)))
    if "raised" in made:
        return evidence | {"failed": made["raised"]}
    packed = made["value"]
    evidence["places"] = {str(i): attempted(lambda i=i: codes(packed[i])) for i in PLACES}
    evidence["numpy"] = attempted(lambda: [codes(packed[np.int64(3)]), codes(packed[np.int64(-2)])])
    evidence["outside"] = {str(i): attempted(lambda i=i: outside(i)) for i in OUTSIDE}
    evidence["slices"] = {
        name: attempted(lambda part=part: _listed(packed[part])) for name, part in SLICES.items()
    }
    evidence["pickled"] = attempted(lambda: len(_state(answer(sized()))))
    evidence["slower"] = attempted(lambda: _slower(answer))
    if evidence["slower"].get("value", SLOWER) < SLOWER:  # else reading them all would take minutes
        evidence["growth"] = attempted(lambda: _growth(answer))
    return evidence


def _listed(part: Any) -> Any:
    return [codes(string) for string in part] if isinstance(part, list) else type(part).__name__


def _state(packed: Any) -> bytes:
    """What is pickled of an object, without the name of its class: that one exists in the notebook only."""
    reduced = packed.__reduce_ex__(4)
    return pickle.dumps([part for part in (*reduced[1][1:], *reduced[2:]) if part is not None])


def _growth(answer: type) -> dict[str, float | None]:
    """By how much the USS of a forked reader grows in a shuffled epoch, as a share of the data, seen from outside.

    Where that cannot be measured: Python objects for each string, as the pickle has them.
    """
    strings = many()
    size = utf8(strings)
    packed = answer(strings)
    del strings
    if "fork" in multiprocessing.get_all_start_methods() and sys.platform == "linux":
        shares = []
        for _turn in range(2):
            seen = [memory.of(pid).uss for [pid] in watch.pauses(_read_all, packed)]
            if None in seen:
                break
            shares.append((seen[-1] - seen[0]) / size)
            if shares[-1] < 0.1:
                break
        if shares:
            return {"share": min(shares)}
    operations = [sum(1 for _op in pickletools.genops(_state(answer(sized()[:n])))) for n in (500, 1500)]
    return {"share": None, "objects": (operations[1] - operations[0]) / 1000}


def _read_all(packed: Any) -> Generator[None, None, None]:
    for i in range(100):  # what Python needs anyhow
        packed[i]
    yield
    for i in range(MANY):
        packed[i * 61_543 % MANY]  # a prime, so each index comes once
    yield


def _slower(answer: type) -> float:
    """How many times longer the last string takes with many strings than with few: the better of several turns."""
    clock = time.perf_counter
    best = {}
    for size in (FEW, LARGE):
        best[size] = answer([f"s{i % 997}" for i in range(size)]), float("inf")
    for _turn in range(7):
        for size, (packed, least) in best.items():
            began = clock()
            for i in range(10):
                packed[size - 1 - i]
            best[size] = packed, min(least, clock() - began)
    return best[LARGE][1] / best[FEW][1]


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

ROWS, COLUMNS, LIGHT = 96, 512, 1000
DRIVER = Path(__file__).with_name("memmap_driver.py")


def array() -> Any:
    """The array in the file: all values different, and float32 so that a change of dtype is seen."""
    import numpy as np

    return (np.arange(ROWS * COLUMNS, dtype=np.float32) / 4).reshape(ROWS, COLUMNS)


def probe_lazy(answer: str | Path) -> dict[str, Any]:
    """Run the learner's module in a child process that starts its workers by spawn."""
    import numpy as np

    with tempfile.TemporaryDirectory(prefix="loaderlab-", ignore_cleanup_errors=True) as folder:
        path, result = Path(folder, "rows.npy"), Path(folder, "evidence.json")
        np.save(path, array())
        outcome = child.run(
            DRIVER, str(answer), str(path), str(result), timeout=80, path=[Path(answer).parent]
        )
        evidence = json.loads(result.read_text()) if result.is_file() else {}
    if evidence.get("untouched"):
        raise NotImplementedError
    tail = outcome.errors.strip().splitlines()[-1:] or [""]
    if outcome.status:
        evidence["stopped"] = tail[0]
    elif outcome.timed_out:
        evidence["stopped"] = _("the time limit was reached")
    return _digest(evidence)


def _digest(evidence: dict[str, Any]) -> dict[str, Any]:
    """Rows compared here, so that the evidence stays small."""
    right = array().tolist()
    spawn = evidence.get("spawn", {})
    if "value" in spawn:
        epochs = spawn["value"]["epochs"]
        spawn = {"right": sum(rows == right for rows in epochs), "maps": spawn["value"]["maps"]}
    first, changed = evidence.get("first", {}), evidence.get("changed", {})
    return {
        "stopped": evidence.get("stopped", ""),
        "length": evidence.get("length", {}),
        "whole": evidence.get("peak", 0) >= array().nbytes // 2,
        "first": _item(first, right[0]),
        "fresh": evidence.get("fresh", {}),
        "used": evidence.get("used", {}),
        "spawn": spawn,
        "changed": _item(changed, right[3]),
        "file_unchanged": evidence.get("file_unchanged", False),
    }


def _item(got: dict[str, Any], row: list[float]) -> dict[str, Any]:
    value = got.get("value")
    if isinstance(value, list):
        return {"dtype": value[0], "same": value[1] == row}
    return got


def judge_lazy(evidence: dict[str, Any]) -> list[Finding]:
    stopped = evidence["stopped"]

    def problem(part: dict[str, Any]) -> str:
        if part.get("error") == "crash":
            return _("the process was ended while it wrote")
        return part.get("error") or stopped or _("nothing came")

    def item(part: dict[str, Any]) -> str:
        if "dtype" in part:
            return f"{part['dtype']}, " + (_("the right values") if part["same"] else _("other values"))
        return str(part["value"]) if "value" in part else problem(part)

    first, changed, spawn = evidence["first"], evidence["changed"], evidence["spawn"]
    right = {"dtype": "torch.float32", "same": True}
    length = evidence["length"].get("value")
    sizes = [evidence[name].get("value") for name in ("fresh", "used")]
    heavy = next(
        (name for name, size in zip(("fresh", "used"), sizes, strict=True) if size is None or size >= LIGHT),
        "",
    )
    heavy_size = evidence[heavy].get("value") if heavy else None
    kept = changed == right and evidence["file_unchanged"]
    maps = spawn.get("maps")
    return [
        Finding(
            first == right and length == ROWS,
            1,
            _("Items are rows as tensors, and `len` is the number of rows"),
            _("a tensor of the array's dtype, length {rows}").format(rows=ROWS),
            _("{item}; length {length}").format(item=item(first), length=length if length is not None else problem(evidence["length"])),
            _("`torch.tensor(self.rows[index])` makes a tensor with the dtype of the row."),
        ),
        Finding(
            not heavy,
            2,
            _("Pickled, it is light, before and after an item has been read"),
            _("less than {limit} bytes").format(limit=number(LIGHT)),
            _("{size} bytes").format(size=number(heavy_size)) + (" · " + _("after reading an item") if heavy == "used" else "")
            if heavy_size is not None
            else problem(evidence[heavy or "used"]),
            _("Leave the memmap out in `__getstate__`; a memmap is pickled with all its data."),
        ),
        Finding(
            spawn.get("right") == 2,
            1,
            _("A worker started by `spawn` delivers every row, in two epochs"),
            _("right epochs: {n} of {total}").format(n=2, total=2),
            _("right epochs: {n} of {total}").format(n=spawn["right"], total=2) if "right" in spawn else problem(spawn),
            _("A spawned worker gets what `__getstate__` returns: the path must be in it, and `__getitem__` opens the file."),
        ),
        Finding(
            maps == [1] and not evidence["whole"],
            2,
            _("A worker maps the file once and keeps it; nobody reads it whole"),
            _("mappings of the worker: {n}").format(n=1),
            (_("`__init__` reads the whole file") if evidence["whole"] else _("mappings of the worker: {n}").format(n=maps[0]))
            if maps
            else problem(spawn),
            _("Keep what `np.load(path, mmap_mode=\"r\")` returns, and open only if there is nothing yet. Without `mmap_mode` the file is read whole."),
        ),
        Finding(
            kept,
            1,
            _("Changing an item changes neither the file nor the next reading"),
            _("the same row again"),
            item(changed) if changed != right else _("the file has changed"),
            _("`torch.from_numpy` shares memory with the row; `torch.tensor` copies it."),
        ),
    ]  # fmt: skip


EXERCISES = (
    Exercise(
        name="tree_memory",
        points=4,
        difficulty=1,
        minutes=8,
        kind="function",
        hints=(
            mark("Split each line into words: name with a colon, number, `kB`. The first line is no such line."),
            mark("Make a dictionary of names and numbers for each text, then add up what USS consists of with `sizes.get(name, 0)`."),
        ),
        probe=ROLLUPS.probe,
        judge=judge_tree,
    ),
    Exercise(
        name="predict_memory",
        points=6,
        difficulty=1,
        minutes=8,
        kind="function",
        hints=(
            mark("Write down the copies first: 0 unless one of the rules says otherwise. The data and `own` come on top in every case."),
            mark("Look at the start method first, and only under `fork` at the order and at the size of a sample."),
        ),
        probe=PREDICTED.probe,
        judge=judge_predict,
    ),
    Exercise(
        name="PackedStrings",
        points=9,
        difficulty=3,
        minutes=20,
        kind="class",
        hints=(
            mark("Encode each string, join the bytes, and keep the running sum of the lengths: string i lies between two neighbours of that sum."),
            mark("`np.cumsum([0, *lengths], dtype=np.int64)` gives one number more than there are strings."),
            mark("In `__getitem__` deal with a slice first, then with the range, then with negative indices."),
        ),
        probe=probe_packed,
        judge=judge_packed,
        seconds=60,
    ),
    Exercise(
        name="LazyMemmap",
        points=7,
        difficulty=2,
        minutes=12,
        kind="file",
        hints=(
            mark("Keep two things besides the path: the length, and the memmap, which is `None` until the first item."),
            mark("`__getstate__` returns a copy of `self.__dict__` in which the memmap is `None` again."),
        ),
        probe=probe_lazy,
        judge=judge_lazy,
        seconds=90,
    ),
)  # fmt: skip
