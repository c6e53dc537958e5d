"""How far `diagnose` is off when it says in which line time is spent: operations that hold and release the interpreter's lock.

    python tools/attribution.py [--seconds 3] [--places worker main iterable pipeline] [NAME ...]

Each operation is a line of a dataset, beside a line of plain Python that takes about as long; both are clocked in the same run,
by `time.perf_counter` around them. Printed is the share of the operation by the clock, as seen, and the difference in points.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import tempfile
import timeit
from pathlib import Path
from typing import Any

import torch

from loaderlab.scripts.diagnosis.activities import seen
from loaderlab.scripts.diagnosis.isolated import isolated

OPERATIONS = {
    "numpy sort": "np.sort(ARRAY)",
    "numpy matmul": "SQUARE @ SQUARE",
    "numpy fancy index": "ARRAY[ORDER]",
    "zlib": "zlib.compress(RAW, 1)",
    "hashlib": "hashlib.sha256(RAW * 4).digest()",
    "picture": 'Image.open(io.BytesIO(JPEG)).convert("RGB")',
    "json": "json.loads(TEXT)",
    "pickle": "pickle.loads(PICKLED)",
    "struct": "list(struct.iter_unpack('<If', RAW[:240_000]))",
    "regex": "re.findall(WORDS, TEXT)",
    "sorted list": "sorted(NUMBERS)",
    "C that holds the lock": "HOLDING.usleep(8_000)",
    "sqlite": "TABLE.execute('SELECT COUNT(*) FROM t WHERE id % 7 = 3').fetchone()",
    "torch sort": "torch.sort(TENSOR)",
    "torch small": "[torch.add(SMALL, 1) for _ in range(3000)]",
    "file": "[open(FILE, 'rb').read() for _ in range(20)]",
    "np.load": "[np.load(FILE) for _ in range(20)]",
    "sleep": "time.sleep(0.008)",
    "lock": "LOCK.acquire(timeout=0.008)",
    "socket": "select.select([SOCKET], [], [], 0.008)",
    "deep copy": "copy.deepcopy(NUMBERS[:8_000])",
}
PLACES = ("worker", "main", "iterable", "pipeline")
PROGRAM = """
import copy, ctypes, hashlib, io, json, pickle, re, select, socket, sqlite3, struct, threading, time, zlib
import numpy as np, torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset

draw = np.random.default_rng(0)
ARRAY, SQUARE, ORDER = draw.random(150_000), draw.random((300, 300)), draw.permutation(150_000)
RAW, NUMBERS = draw.integers(0, 99, 600_000, dtype=np.uint8).tobytes(), draw.integers(0, 9999, 40_000).tolist()
TEXT, PICKLED, WORDS = json.dumps(NUMBERS), pickle.dumps(list(map(str, NUMBERS))), re.compile("[0-9]*7")
TENSOR, SMALL, LOCK, FILE = torch.rand(100_000), torch.rand(4), threading.Lock(), {file!r}
file = io.BytesIO()
Image.fromarray(draw.integers(0, 255, (500, 500, 3), dtype=np.uint8)).save(file, "JPEG")
JPEG, HOLDING = file.getvalue(), ctypes.PyDLL(None)
TABLE = sqlite3.connect(":memory:", check_same_thread=False)
TABLE.execute("CREATE TABLE t (id INTEGER)")
TABLE.executemany("INSERT INTO t VALUES (?)", ((i,) for i in range(200_000)))
LOCK.acquire()
SOCKET, OTHER = socket.socketpair()
CLOCK, ROUNDS = torch.zeros(2, dtype=torch.float64).share_memory_(), 1000

def sample(index):
    a = time.perf_counter()
    {operation}
    b = time.perf_counter()
    for _ in range(ROUNDS): index += _ % 7
    CLOCK.add_(torch.tensor([b - a, time.perf_counter() - b]))
    return index

class Map(Dataset):
    def __len__(self):
        return 100_000
    __getitem__ = lambda self, index: sample(index)

class Stream(IterableDataset):
    def __iter__(self):
        yield from map(sample, range(100_000))

def worker(): return DataLoader(Map(), 4, num_workers=1)
def main(): return DataLoader(Map(), 4)
def iterable(): return DataLoader(Stream(), 4, num_workers=1)
def pipeline():
    import webdataset as wds
    data = wds.DataPipeline(lambda: iter(range(100_000)), wds.map(sample), wds.batched(4, collation_fn=None))
    return DataLoader(data, batch_size=None, num_workers=1)
"""


def compared(program: Any, place: str, seconds: float) -> tuple[float, float]:
    """Return the share of the operation in the time of a sample, by the clock and as it was seen."""
    program.CLOCK.zero_()
    loader = getattr(program, place)()
    outcome = isolated(lambda: seen(loader, None, seconds), 10 * seconds + 20)
    if outcome.how != "done" or not outcome.said:
        raise SystemExit(f"{place}: {outcome.how} {outcome.text} (is py-spy installed, and may it look?)")
    line = program.sample.__code__.co_firstlineno + 2
    seen_share = sum(one.share for one in outcome.said if one.phase == "sample" and one.line == line)
    return float(program.CLOCK[0] / program.CLOCK.sum()), seen_share


def made(name: str, folder: Path) -> Any:
    """Return a module with this operation, and as many rounds of plain Python as take as long."""
    module = f"operation_{name.replace(' ', '_').replace('.', '_')}"
    file = folder / "numbers.npy"
    file.write_bytes(b"")
    (folder / f"{module}.py").write_text(PROGRAM.format(operation=OPERATIONS[name], file=str(file)))
    sys.modules.pop(module, None)  # of another folder
    program: Any = importlib.import_module(module)
    program.np.save(file, program.ARRAY)
    took = min(timeit.repeat(lambda: program.sample(0), number=1, repeat=3))
    program.ROUNDS = 100_000
    program.ROUNDS = int(
        100_000 * took / (min(timeit.repeat(lambda: program.sample(0), number=1, repeat=3)) - took)
    )
    return program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(OPERATIONS))
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--places", nargs="*", default=PLACES, choices=PLACES)
    options = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'operation':24}{'in':12}{'clock':>8}{'seen':>8}{'points':>8}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for name in options.names:
            program = made(name, Path(folder))
            for place in options.places:
                clock, share = compared(program, place, options.seconds)
                worst = max(worst, abs(share - clock))
                print(f"{name:24}{place:12}{clock:8.1%}{share:8.1%}{100 * (share - clock):+8.1f}", flush=True)
    print(f"The largest difference is of {100 * worst:.1f} points.")


if __name__ == "__main__":
    main()
