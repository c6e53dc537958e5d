"""Runs in a child process: a training script at work, and what can be counted of it. Writes JSON.

Usage: evidence.py counted|near MODULE.py FOLDER RESULT.json [PATIENCE]
"""

from __future__ import annotations

import datetime
import gc
import hashlib
import importlib
import itertools
import json
import os
import sys
import time
import timeit
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

from loaderlab.exercises.probing import told
from loaderlab.lessons.find_the_bottleneck import found
from loaderlab.lessons.find_the_bottleneck.found import STEP_SECONDS
from loaderlab.lessons.find_the_bottleneck.probes import NEAR
from loaderlab.measuring import machine
from loaderlab.measuring.others import Others

RANKS = 2
FEW_RANKS = (
    1024  # of so many is the rank of which two short epochs are looked at: 48 photos, a batch and a half
)
NEAR_RANKS = 96  # of so many is the rank whose rate is measured: 512 photos
EPOCHS = 2
ROUNDS = 3  # quiet ones, where none of them is clear
SLOW = 0.25  # of the limit for each core's share: so far below that no other epoch comes near it
# Longer than whoever started this waits, who can tell a busy machine from a worker that hangs.
TIMEOUT = 300.0
CENTRE = 32  # a pixel in the middle of a photo
SHORT = 20  # photos in a last batch
QUIET = 0.9  # of the cores; a rate that was measured with less says little
MOST_OBJECTS = 100_000


class Clock:
    """The clocks of the time module; while it is played, they show what we say."""

    # The clock of the processor stands still while the loop waits.
    PACES = (("perf_counter", 1.0), ("monotonic", 1.0), ("time", 1.0), ("process_time", 0.25))

    def __init__(self) -> None:
        self.now = 1000.0
        self.played = False

    def install(self) -> None:
        for name, pace in self.PACES:
            setattr(time, name, self._clock(getattr(time, name), pace))
            setattr(time, f"{name}_ns", self._clock(getattr(time, f"{name}_ns"), pace * 10**9))
        timeit.default_timer = time.perf_counter  # it was bound before
        datetime.datetime = self._calendar()  # type: ignore[misc, assignment]

    def _clock(self, real: Callable[[], Any], factor: float) -> Callable[[], Any]:
        def read() -> Any:
            return type(real())(factor * self.now) if self.played else real()

        return read

    def _calendar(self) -> type:
        """Return the class ``datetime``, whose now is ours while the clock is played."""
        clock = self

        class Played(datetime.datetime):
            @classmethod
            def now(cls, tz: Any = None) -> Any:
                return cls.fromtimestamp(clock.now, tz) if clock.played else super().now(tz)

        return Played


class Spy:
    """The worker_init_fn of the script, and after it a note of what this worker is and what it opens."""

    def __init__(self, original: Any, folder: str) -> None:
        self.original, self.folder = original, folder

    def __call__(self, number: int) -> None:
        if self.original is not None:
            self.original(number)
        note(self.folder, "workers", f"{os.getpid()} {torch.get_num_threads()}\n")
        watch_opens(self.folder)


def note(folder: str, name: str, text: str) -> None:
    with open(f"{folder}.{name}", "a") as file:
        file.write(text)


def watch_opens(folder: str) -> None:
    """Write a byte into a file of notes, from now on, for each open of a file in ``folder`` by this process."""
    notes = os.open(f"{folder}.opens", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    place = os.path.abspath(folder) + os.sep

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        path = arguments[0] if event == "open" else None
        if isinstance(path, str | bytes | os.PathLike) and os.path.abspath(os.fsdecode(path)).startswith(
            place
        ):
            os.write(notes, b"o")

    sys.addaudithook(hook)


class Watched:
    """The loader, with a copy of what it yields."""

    def __init__(self, loader: Any, seen: list[Any]) -> None:
        self.loader, self.seen = loader, seen

    def __iter__(self) -> Iterator[Any]:
        for batch in self.loader:
            self.seen.append(batch)
            yield batch

    def __len__(self) -> int:
        return len(self.loader)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loader, name)


def tensors(thing: Any) -> list[torch.Tensor]:
    """Return every tensor in a batch."""
    if isinstance(thing, torch.Tensor):
        return [thing]
    inside = thing.values() if isinstance(thing, dict) else thing if isinstance(thing, list | tuple) else ()
    return [tensor for part in inside for tensor in tensors(part)]


def pictures(batch: Any) -> torch.Tensor:
    """Return the images of a batch as it crosses the pipe, [B, 3, S, S]."""
    images = batch[0]
    return images if isinstance(images, torch.Tensor) else torch.stack(list(images))


def digests(images: torch.Tensor) -> list[str]:
    """Return one word for each image, the same for bytes and for the floats made of them."""
    values = images if images.dtype == torch.uint8 else (images * 255).round().to(torch.uint8)
    return [hashlib.md5(image.numpy().tobytes()).hexdigest()[:8] for image in values.contiguous()]


def objects(roots: list[Any]) -> int:
    """Return how many Python objects hang on these, the code apart; the elements of an array of objects count."""
    import numpy as np

    code = (
        type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.CodeType,
    )  # fmt: skip
    seen: set[int] = set()
    count, waiting = 0, list(roots)
    while waiting and count < MOST_OBJECTS:
        thing = waiting.pop()
        if id(thing) in seen or isinstance(thing, code):
            continue
        seen.add(id(thing))
        count += 1
        if isinstance(thing, np.ndarray) and thing.dtype.hasobject:
            waiting.extend(thing.ravel().tolist())
        waiting.extend(gc.get_referents(thing))
    return count


def possible(folder: str) -> dict[str, list[int]]:
    """Return offsets and mirroring of each draw, by the word of the photo that it makes: all photos are alike."""
    photo: Any = found.Photos(folder)
    words = {}
    for draw in itertools.product(range(9), range(9), range(2)):
        photo.draw = lambda draw=draw: draw
        words[digests(photo[0][0][None])[0]] = list(draw)
    return words


def counted(module: Any, folder: str, clock: Clock) -> dict[str, Any]:
    """Return the evidence of two epochs of rank 0, then of one with a played clock."""
    known = possible(folder)
    training = module.Training(folder, 0, RANKS)
    loader = training.loader
    loader.worker_init_fn = Spy(loader.worker_init_fn, folder)
    if loader.num_workers:
        loader.timeout = TIMEOUT
    else:
        watch_opens(folder)
    epochs, kept = [], []
    for epoch in range(EPOCHS):
        seen: list[Any] = []
        steps: list[dict[str, Any]] = []
        training.loader = Watched(loader, seen)
        training.step = lambda images, labels, steps=steps: steps.append(described(images, labels))
        training.epoch(epoch)
        epochs.append(
            {
                "labels": [int(label) for batch in seen for label in batch[1]],
                "draws": [digests(pictures(batch)) for batch in seen],
                "tensors": max(len(tensors(batch)) for batch in seen),
                "dtypes": sorted({str(pictures(batch).dtype) for batch in seen}),
                "bytes": max(sum(t.nbytes for t in tensors(batch)) for batch in seen),
                "steps": steps,
            }
        )
        kept = seen[:3]
    dataset = training.dataset
    dataset[0]  # whatever is made at the first access is there now
    own = [kind for kind in vars(module).values() if getattr(kind, "__module__", "") == module.__name__]
    own = [kind for kind in own if isinstance(kind, type)]
    held = [value for name, value in vars(module).items() if not name.startswith("__")]
    held += [value for kind in own for value in vars(kind).values()]
    workers = [line.split() for line in lines(folder, "workers")]
    opens = Path(f"{folder}.opens")
    drew = {word for epoch in epochs for batch in epoch["draws"] for word in batch}
    return {
        "epochs": epochs,
        # None where photos are made in another way, so that nobody knows what was drawn.
        "drew": sorted(known[word] for word in drew) if drew <= known.keys() else None,
        "photos": len(dataset),
        "cores": machine.usable_cores(),
        "objects": objects([vars(dataset), *held]),
        "num_workers": loader.num_workers,
        "persistent": loader.persistent_workers,
        "workers": [[int(pid), int(threads)] for pid, threads in workers],
        "opens": opens.stat().st_size if opens.is_file() else 0,
        "other_rank": drawn(module.Training(folder, 1, RANKS)),
        "claims": [attempted(training, kept, ends_early, clock) for ends_early in (False, True)],
    }


def described(images: torch.Tensor, labels: torch.Tensor) -> dict[str, Any]:
    """Return a description of the arguments of a step."""
    return {
        "dtype": str(images.dtype),
        "highest": float(images.max()),
        "draws": digests(images.detach().cpu())[:2],
        "labels": [int(label) for label in labels],
    }


def lines(folder: str, name: str) -> list[str]:
    path = Path(f"{folder}.{name}")
    return path.read_text().splitlines() if path.is_file() else []


def drawn(training: Any) -> list[int]:
    """Return the photos that a rank gets in its first epoch."""
    training.begin(0)
    batches = training.loader.batch_sampler
    return (
        [int(i) for i in training.loader.sampler] if batches is None else [int(i) for b in batches for i in b]
    )


def attempted(training: Any, batches: list[Any], ends_early: bool, clock: Clock) -> list[Any]:
    try:
        return claimed(training, batches, ends_early, clock)
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return [{"raised": told(error)}, 0, 0.0]


def claimed(training: Any, batches: list[Any], ends_early: bool, clock: Clock) -> list[Any]:
    """Return the rate that the script states when a clock is played, the samples that arrived, and seconds on that clock."""

    loader = training.loader
    delivered = [*batches[:-1], (batches[-1][0][:SHORT], batches[-1][1][:SHORT])]
    if ends_early:
        delivered = delivered[1:]

    class Played:
        """The loader, with these batches and on our clock; the last one is a shorter one."""

        def __getattr__(self, name: str) -> Any:
            return getattr(loader, name)

        def __len__(self) -> int:
            return len(batches)

        def __iter__(self) -> Iterator[Any]:
            for batch in delivered:
                clock.now += 1.0
                yield batch

    def step(images: torch.Tensor, labels: torch.Tensor) -> None:
        clock.now += 0.25

    training.loader, training.step = Played(), step
    samples = sum(len(batch[1]) for batch in delivered)
    clock.played = True
    try:
        said = training.epoch(7)
    finally:
        clock.played = False
        training.loader = loader
    number = isinstance(said, int | float) and not isinstance(said, bool)
    return [float(said) if number else {"type": type(said).__name__}, samples, 1.25 * len(delivered)]


class Script:
    """The script of a rank of so many, with a step that counts what arrives, and takes as long as that of a device."""

    def __init__(self, module: Any, folder: str, ranks: int, rank: int = 0) -> None:
        self.training, self.ranks = module.Training(folder, rank, ranks), ranks
        self.training.step = self.step
        if self.training.loader.num_workers:
            self.training.loader.timeout = TIMEOUT
        self.samples = 0
        self.batches: list[str] = []  # of the last epoch, in a word each

    def step(self, images: torch.Tensor, labels: torch.Tensor) -> None:
        self.samples += len(labels)
        self.batches.append(f"{labels.tolist()} {float(images[:, :, CENTRE, CENTRE].sum()):.3f}")
        time.sleep(STEP_SECONDS)

    def epoch(self, number: int) -> float:
        """Run an epoch, and return its seconds."""
        self.samples = 0
        self.batches.clear()
        started = time.perf_counter()
        self.training.epoch(number)
        return time.perf_counter() - started

    def first(self) -> tuple[set[str], dict[str, Any]]:
        """Run the first epoch, and return its batches and the evidence from it."""
        self.epoch(0)
        evident = {"samples": self.samples, "photos": len(self.training.dataset), "ranks": self.ranks}
        return set(self.batches), evident | {"again": 0, "epochs": []}


def labels(batches: set[str]) -> set[str]:
    """Return the labels of batches: two ranks do not draw the same from one photo."""
    return {batch.partition("]")[0] for batch in batches}


def near(module: Any, folder: str, patience: float) -> dict[str, Any]:
    """Return how near the script comes to the same steps with batches that are there already, epoch by epoch.

    Beside each epoch stands what share of the cores was to be had. No more of them than it takes: one where that tells,
    some quiet ones where it does not; and none where two short epochs bring the same batches, which no rate makes good.
    On a busy machine it goes on for ``patience`` seconds, and then says that it is ``undecided``.
    """
    few = Script(module, folder, FEW_RANKS)
    first, evidence = few.first()
    if few.samples != evidence["photos"] // FEW_RANKS:
        return evidence
    few.epoch(1)
    evidence["again"] = len(first & set(few.batches))
    other, _evidence = Script(module, folder, FEW_RANKS, rank=1).first()
    evidence["shared"] = len(labels(first) & labels(other))
    if evidence["again"] or evidence["shared"]:
        return evidence
    script = Script(module, folder, NEAR_RANKS)
    loader, kept = script.training.loader, list[Any]()
    script.training.loader = Watched(loader, kept)
    first, evidence = script.first()
    script.training.loader = loader
    if not kept:
        return evidence
    expected, ready = script.samples, script.training.prepare(kept[0])
    clear, quiet, deadline = False, 0, time.monotonic() + patience
    while not clear and quiet < ROUNDS:
        if len(evidence["epochs"]) >= ROUNDS and time.monotonic() > deadline:
            return evidence | {"undecided": True}
        started = time.perf_counter()
        for _step in range(len(kept)):
            script.step(*ready)
        limit = time.perf_counter() - started
        others = Others()
        ratio = limit / script.epoch(len(evidence["epochs"]) + 1)
        share = others.share()
        quiet += share >= QUIET
        ratio = ratio if script.samples == expected else 0.0
        evidence["epochs"].append([ratio, share])
        evidence["again"] = max(evidence["again"], len(first & set(script.batches)))
        clear = ratio >= NEAR or ratio < SLOW * share
    return evidence


def main(what: str, path: str, folder: str, result: str, patience: str = "0") -> None:
    clock = Clock()
    clock.install()
    torch.set_num_threads(1)  # a process that has used OpenMP must not fork workers that use it
    try:
        module = importlib.import_module(Path(path).stem)
        evidence = (
            counted(module, folder, clock) if what == "counted" else near(module, folder, float(patience))
        )
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        evidence = {"stopped": told(error)}
    Path(result).write_text(json.dumps(evidence))


if __name__ == "__main__":
    main(*sys.argv[1:])
