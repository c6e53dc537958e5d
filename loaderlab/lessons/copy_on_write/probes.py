"""The probes of lesson 5: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import pickle
import pickletools
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from loaderlab.exercises.probing import told
from loaderlab.lessons.copy_on_write import watch

# ---------------------------------------------------------------- PackedStrings

TEXTS: dict[str, list[str]] = {
    "ascii": ["one", "two", "three", "a longer one with spaces ", " "],
    "unicode": ["Łódź", "日本語", "🙂é", "e\u0301", "\u00df\u1e9e", "\U0010ffff"],
    "empty": ["", "x", "", "", "y", ""],
    "control": ["a\0", "\0", "\0\0b\0", "a\nb\r\n", "\t", "tail\n", "\x1f\x1e\u2028", "\ufeffx"],
}
MANY, FEW, LARGE = 100_000, 100, 300_000
SLOWER = 8  # how much longer an access may take with 3000 times as many strings; memory that is far away costs, too


def text(thing: Any) -> str:
    """Return a string as it is, and of anything else the type."""
    return thing if type(thing) is str else f"<{type(thing).__name__}>"


def attempted(function: Callable[[], Any]) -> dict[str, Any]:
    try:
        return {"value": function()}
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": told(error)}


def sized() -> list[str]:
    """Short strings, and one that is long: of a fixed width they would be large."""
    return [f"sample {i} ż" for i in range(2000)] + ["long " * 1000]


def many() -> list[str]:
    return [f"sample {i:08d} é {'x' * (30 + i % 90)}" for i in range(MANY)]


def utf8(strings: Sequence[str]) -> int:
    return sum(len(s.encode("utf-8", "surrogatepass")) for s in strings)


def probe_packed(answer: type) -> dict[str, Any]:
    def whole(strings: list[str]) -> list[Any]:
        packed = answer(list(strings))
        return [len(packed), *(text(packed[i]) for i in range(len(strings)))]

    evidence: dict[str, Any] = {
        "texts": {name: attempted(partial(whole, texts)) for name, texts in TEXTS.items()},
        "pickled": attempted(lambda: len(_state(answer(sized())))),
        "slower": attempted(lambda: _slower(answer)),
    }
    if evidence["slower"].get("value", SLOWER) < SLOWER:  # else reading them all would take minutes
        evidence["growth"] = attempted(lambda: _growth(answer))
    return evidence


def _state(packed: Any) -> bytes:
    """Return the pickled state of an object, without the name of its class, which exists in the notebook only."""
    reduced = packed.__reduce_ex__(4)
    return pickle.dumps([part for part in (*reduced[1][1:], *reduced[2:]) if part is not None])


def _growth(answer: type) -> dict[str, float | None]:
    """By how much the USS of a forked reader grows in a shuffled epoch, as a share of the data, seen from outside.

    Where that cannot be measured: Python objects for each string, as the pickle has them.
    """
    from loaderlab.measuring import memory  # and with it psutil

    strings = many()
    size = utf8(strings)
    few, packed = answer(strings[:10]), answer(strings)
    del strings
    if "fork" in multiprocessing.get_all_start_methods() and sys.platform == "linux":
        shares = []
        for _turn in range(2):
            noted = [memory.of(pid).uss for [pid] in watch.pauses(watch.epoch, few, packed, MANY)]
            seen = [uss for uss in noted if uss is not None]
            if len(seen) < len(noted):
                break
            shares.append((seen[-1] - seen[0]) / size)
            if shares[-1] < 0.1:
                break
        if shares:
            return {"share": min(shares)}
    operations = [sum(1 for _op in pickletools.genops(_state(answer(sized()[:n])))) for n in (500, 1500)]
    return {"share": None, "objects": (operations[1] - operations[0]) / 1000}


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


# ---------------------------------------------------------------- LazyMemmap

ROWS, COLUMNS = 96, 512
DRIVER = Path(__file__).with_name("memmap_driver.py")


def array() -> Any:
    """Return the array in the file: all values different, and of a dtype that torch would not choose by itself."""
    import numpy as np

    return np.arange(ROWS * COLUMNS, dtype=np.int32).reshape(ROWS, COLUMNS)


def digest(rows: list[Any]) -> str:
    """Of the numbers in these rows, so that the evidence stays small."""
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()


def probe_lazy(answer: str | Path) -> dict[str, Any]:
    """Run the learner's module in a child process that starts its workers by spawn."""
    import numpy as np

    from loaderlab.measuring import child

    with tempfile.TemporaryDirectory(prefix="loaderlab-", ignore_cleanup_errors=True) as folder:
        path, result = Path(folder, "rows.npy"), Path(folder, "evidence.json")
        np.save(path, array())
        outcome = child.run(
            DRIVER, str(answer), str(path), str(result), timeout=80, path=[Path(answer).parent]
        )
        evidence = json.loads(result.read_text()) if result.is_file() else {}
    spawned = evidence.get("spawn", {}).get("value")
    if spawned is not None:
        spawned["epochs"] = [digest(rows) for rows in spawned["epochs"]]
    if outcome.timed_out:
        evidence |= {"stopped": None, "share": outcome.share}
    elif outcome.status:
        evidence["stopped"] = (outcome.errors.strip().splitlines() or [""])[-1]
    return evidence
