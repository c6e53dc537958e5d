"""The probes of lesson 9: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import islice
from operator import index
from random import Random
from typing import Any
from unittest.mock import patch

from loaderlab.exercises.probing import attempt

# ---------------------------------------------------------------- flip_each

IMAGES, FEW, SEEDS = 64, 8, 20
SHAPE = (3, 4, 6)


def probe_flips(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return for each seed which images came back mirrored (1), as they were (0) or otherwise (-1); and PyTorch's operations."""
    import torch
    from torch.overrides import TorchFunctionMode

    class Counting(TorchFunctionMode):
        operations = 0

        def __torch_function__(self, function: Any, _types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.operations += 1
            return function(*args, **(kwargs or {}))

    def images(count: int, dtype: torch.dtype) -> torch.Tensor:
        values = torch.arange(count * 72) % 251  # none is its own mirror image
        return values.reshape(count, *SHAPE).to(dtype)

    def flips(seed: int, count: int = IMAGES, dtype: torch.dtype = torch.uint8) -> dict[str, Any]:
        given = images(count, dtype)
        found = answer(given.clone(), torch.Generator().manual_seed(seed))
        if not isinstance(found, torch.Tensor):
            return {"kind": type(found).__name__}
        form = {"dtype": str(found.dtype), "shape": [*found.shape], "asked": str(dtype)}
        if found.shape != given.shape:
            return form | {"flips": []}
        same, mirrored = ((found == other).flatten(1).all(1).tolist() for other in (given, given.flip(-1)))
        return form | {"flips": [0 if s else 1 if m else -1 for s, m in zip(same, mirrored, strict=True)]}

    def operations(count: int) -> int:
        given, generator = images(count, torch.uint8), torch.Generator().manual_seed(3)
        with Counting() as counted:
            answer(given, generator)
        return counted.operations

    before = torch.get_rng_state()
    evidence = {
        "seeds": [attempt(flips, seed) for seed in range(SEEDS)],
        "again": attempt(flips, 0),
        "floats": attempt(flips, 1, FEW, torch.float32),
        "operations": {str(count): attempt(operations, count) for count in (FEW, IMAGES)},
    }
    moved = not torch.equal(before, torch.get_rng_state())
    torch.set_rng_state(before)
    return evidence | {"moved": moved}


# ---------------------------------------------------------------- SlotPool

SLOTS, TURNS = 4, 24


def probe_pool(answer: type) -> dict[str, Any]:
    """Return what devices that read late have read from the slots, which slots were handed out, and which events were waited for."""
    import torch

    from loaderlab.measuring import racing

    waited: list[int] = []  # the slots whose events the host has waited for; -1: for all of a device
    devices: list[racing.Device] = []

    class Event(racing.Event):
        """An event behind all that a device was asked for, which tells whose slot's it was."""

        def __init__(self, device: racing.Device, slot: int) -> None:
            super().__init__(device)
            self.slot = slot
            self.record()

        def synchronize(self) -> None:
            if self._device.made < self._after:
                waited.append(self.slot)
            super().synchronize()

    def all_of_it(*_device: Any) -> None:
        waited.append(-1)
        for device in devices:
            device.synchronize()

    def machines(*luck: Random | None) -> list[racing.Device]:
        devices[:] = [racing.Device(each) for each in luck]
        waited.clear()
        return devices

    def written(seed: int, slots: int) -> int:
        """Return how many batches arrived with other values, on two devices that read from the same slots."""
        random = Random(seed)
        both = machines(*(random.choice((None, Random(random.random()))) for _device in range(2)))
        memory = torch.zeros(slots, 8)
        pool, came = answer(slots), []
        for turn in range(TURNS):
            slot = index(pool.take())
            memory[slot].fill_(turn)
            targets = [torch.zeros(8) for _device in both]
            for device, target in zip(both, targets, strict=True):
                device.copy_(target, memory[slot])
            came.append(targets)
            pool.give_back(slot, [Event(device, slot) for device in both])
        all_of_it()
        return sum(
            any(bool((target != turn).any()) for target in targets) for turn, targets in enumerate(came)
        )

    def reading(device: racing.Device, slot: int) -> Event:
        device.copy_(torch.zeros(8), torch.zeros(8))
        return Event(device, slot)

    def full() -> dict[str, Any]:
        """Take one slot more than there are, each given back at once, from a device that does nothing by itself."""
        (device,) = machines(None)
        pool, taken, waits = answer(SLOTS), [], []
        for _turn in range(SLOTS + 1):
            slot = index(pool.take())
            taken.append(slot)
            waits.append(sorted(set(waited)))
            pool.give_back(slot, [reading(device, slot)])
        return {"taken": taken, "waited": waits}

    def later(pending: list[tuple[int, ...]]) -> dict[str, Any]:
        """Take a slot after all were given back, with events of which those of the devices ``pending`` have not passed."""
        both = machines(None, None)
        pool = answer(len(pending))
        taken = [index(pool.take()) for _slot in pending]
        done = racing.Device()
        for slot, those in zip(taken, pending, strict=True):
            events = [reading(each if k in those else done, slot) for k, each in enumerate(both)]
            done.synchronize()
            pool.give_back(slot, events)
        return {"given": taken, "taken": index(pool.take()), "waited": sorted(set(waited))}

    def too_many() -> list[Any]:
        machines(None)
        pool = answer(2)
        taken: list[Any] = [index(pool.take()) for _slot in range(2)]
        for back in (False, True):
            if back:
                pool.give_back(taken[1], [])
            try:
                taken.append(index(pool.take()))
            except RuntimeError as error:
                if type(error) is not RuntimeError:  # NotImplementedError is one, too
                    raise
                taken.append("RuntimeError")
        return taken

    with patch.object(torch.cuda, "synchronize", all_of_it):
        return {
            "written": [attempt(written, seed, 1 + seed % SLOTS) for seed in range(3 * SLOTS)],
            "full": attempt(full),
            "later": attempt(later, [(0, 1), (), (0, 1)]),
            "half": attempt(later, [(1,), (0,), ()]),
            "too_many": attempt(too_many),
        }


# ---------------------------------------------------------------- ThreadLoader

LENGTH, BATCH, AHEAD, THREADS = 22, 4, 2, 3
MEETINGS = ((3, 4, 2), (4, 8, 1))  # threads, samples of a batch, batches ahead
BROKEN = 9  # the sample that cannot be loaded
PATIENCE = 2.0  # seconds in which threads meet, or end
QUIET = 0.2  # seconds without a new sample, after which a loader is ahead as far as it goes


class Broken(Exception):
    """The error of a sample that cannot be loaded."""


class Samples:
    """Map-style: item ``i`` is ``i``; notes which samples are being loaded, and how many at once."""

    def __init__(self, length: int, meet: int = 0, broken: int | None = None) -> None:
        self.length, self.broken, self.meet = length, broken, meet
        self.changed = threading.Condition()
        self.begun: list[int] = []
        self.running = self.most = 0

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self.length:
            raise IndexError(index)
        with self.changed:
            self.begun.append(index)
            self.running += 1
            self.most = max(self.most, self.running)
            self.changed.notify_all()
            if self.meet:
                self.changed.wait_for(lambda: self.most >= self.meet, PATIENCE)
                self.changed.wait_for(
                    lambda: self.most > self.meet, QUIET
                )  # for one more, who should not come
                self.meet = 0  # nobody waits again
        if index % BATCH == 0:
            time.sleep(0.005)  # the first sample of a batch is ready last
        with self.changed:
            self.running -= 1
        if index == self.broken:
            raise Broken
        return index

    def settled(self, expected: int) -> int:
        """Return the last sample that was begun, when the ``expected`` one was, or did not come, and no other comes for a while."""
        with self.changed:
            self.changed.wait_for(lambda: max(self.begun, default=-1) >= expected, PATIENCE)
            while self.changed.wait(QUIET):
                pass
            return max(self.begun, default=-1)


def probe_threads(answer: type) -> dict[str, Any]:
    """Return the batches of each pass, the samples at once, how far the loader was ahead, and the threads that were left."""

    def batches(length: int) -> list[Any]:
        loader = answer(Samples(length), BATCH, THREADS, AHEAD)
        return [[_listed(batch) for batch in islice(loader, length + 2)] for _pass in range(2)]

    def at_once(threads: int, size: int, ahead: int) -> int:
        samples = Samples(3 * size, meet=threads)
        for _batch in answer(samples, size, threads, ahead):
            pass
        return samples.most

    def ahead() -> list[int]:
        """Return, for each batch that the loop has, how many batches behind it have been begun."""
        samples, found = Samples(40), []
        for number, _batch in enumerate(islice(answer(samples, BATCH, THREADS, AHEAD), 4)):
            found.append(samples.settled((number + 1) * BATCH) // BATCH - number)
            if not found[-1]:
                break
        return found

    def error() -> dict[str, Any]:
        came, said = [], []
        try:
            for batch in answer(Samples(LENGTH, broken=BROKEN), BATCH, THREADS, AHEAD):
                came.append(_listed(batch))
        except Exception as raised:  # noqa: BLE001 (whatever an answer raises)
            step: BaseException | None = raised
            while step is not None:
                said.append(
                    {"kind": type(step).__name__, "text": [str(step), *getattr(step, "__notes__", ())]}
                )
                step = step.__cause__ or step.__context__
        return {"batches": came, "said": said}

    def left(stop_after: int | None, broken: int | None = None) -> int:
        """Return the threads that are left after a pass to its end, to a break or to an error."""
        before = set(threading.enumerate())
        loader = answer(Samples(LENGTH, broken=broken), BATCH, THREADS, AHEAD)
        with suppress(Exception):  # what it raises is asked elsewhere
            for _batch in islice(loader, stop_after):
                pass
        over = time.monotonic() + PATIENCE
        while (those := set(threading.enumerate()) - before) and time.monotonic() < over:
            time.sleep(0.01)
        return len(those)

    return {
        "batches": {str(length): attempt(batches, length) for length in (LENGTH, 8, 0)},
        "at_once": {
            f"{threads} {size} {ahead}": attempt(at_once, threads, size, ahead)
            for threads, size, ahead in MEETINGS
        },
        "ahead": attempt(ahead),
        "error": attempt(error),
        "left": {
            "end": attempt(left, None),
            "break": attempt(left, 1),
            "error": attempt(left, None, BROKEN),
        },
    }


def _listed(batch: Any) -> Any:
    return batch.tolist() if hasattr(batch, "tolist") else list(batch)
