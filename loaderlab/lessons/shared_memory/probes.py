"""The probes of lesson 4: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import ctypes
import errno
import gc
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

from loaderlab.exercises.probing import Unplain, plain, told
from loaderlab.lessons.shared_memory import room
from loaderlab.lessons.shared_memory.room import MIB

# ---------------------------------------------------------------- PackedFields

COLUMNS = 100


def records_to_pack() -> dict[str, list[dict[str, Any]]]:
    """Return lists of samples, each list a batch: the usual ones, what is left for the last one, and those of another loader."""
    import torch

    generator = torch.Generator().manual_seed(4)
    usual: dict[str, tuple[int, ...]] = {f"column_{i}": ((), (3,), (2, 2))[i % 3] for i in range(COLUMNS)}
    other: dict[str, tuple[int, ...]] = {"turned": (2, 3), "z": (), "a": (1,), "m": (5, 1, 2), "b": (4,)}

    def samples(count: int, shapes: dict[str, tuple[int, ...]]) -> list[dict[str, Any]]:
        return [
            {name: torch.randn(shape, generator=generator) for name, shape in shapes.items()}
            for _sample in range(count)
        ]

    of_other = [sample | {"turned": sample["turned"].t()} for sample in samples(6, other)]
    return {"usual": samples(32, usual), "last": samples(1, usual), "other": of_other}


def stacked_records(samples: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the batch that the default collate function makes of them."""
    import torch

    return {name: torch.stack([sample[name] for sample in samples]) for name in samples[0]}


def described(batch: Any) -> Any:
    """Names, types, shapes and the very bytes of a batch, as plain values; the bytes in hexadecimal."""
    import torch

    if not isinstance(batch, dict):
        return type(batch).__name__
    result = []
    for name, value in batch.items():
        if not isinstance(value, torch.Tensor):
            return f"{name}: {type(value).__name__}"
        result.append([str(name), str(value.dtype), list(value.shape), content(value).hex()])
    return result


def content(tensor: Any) -> bytes:
    """Return the bytes of a tensor's values, in their order."""
    import torch

    if not tensor.numel():
        return b""
    tensor = tensor.detach()
    # A new one: a view with a single number counts as contiguous, whatever its strides are, and cannot be seen as bytes.
    return tensor.new_empty(tensor.numel()).copy_(tensor.reshape(-1)).view(torch.uint8).numpy().tobytes()


def probe_pack(answer: type) -> dict[str, Any]:
    """Each batch packed, sent to ourselves as a worker's queue would send it, and unpacked."""
    lacking = room.lacking(files=3 * COLUMNS + 20, shm=2 * MIB)
    if lacking:
        return {"lacking": lacking}
    batches = records_to_pack()
    evidence = {name: attempted(partial(_packed, answer, samples)) for name, samples in batches.items()}
    # All are packed before one is unpacked, in another order: what was packed must say all by itself.
    for name in reversed(batches):
        message = evidence[name].pop("sent", None)
        if message is not None:
            evidence[name] |= attempted(partial(_unpacked, answer, message))
    return evidence


def attempted(function: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the function's notes, or the exception that an answer raised in it."""
    try:
        return function()
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": told(error)}


def _packed(answer: Any, samples: list[dict[str, Any]]) -> dict[str, Any]:
    before = [described(sample) for sample in samples]
    message, counts = _message(answer.pack(samples))
    unharmed = [described(sample) for sample in samples] == before
    return {"sent": message, "message": len(message), "unharmed": unharmed} | counts


def _unpacked(answer: Any, message: Any) -> dict[str, Any]:
    from multiprocessing.reduction import ForkingPickler

    return {"unpacked": described(answer.unpack(ForkingPickler.loads(message)))}


def _message(thing: Any) -> tuple[Any, dict[str, int]]:
    """Return the message that a queue would write into the pipe, how many segments go with it, and how many of these it had to make."""
    from multiprocessing.reduction import ForkingPickler

    from torch.multiprocessing import reductions

    counts = {"segments": 0, "private": 0}
    original = reductions.reduce_storage

    def counted(storage: Any) -> Any:
        if storage.nbytes():
            counts["segments"] += 1
            counts["private"] += not storage.is_shared()
        return original(storage)

    import torch

    ForkingPickler.register(torch.UntypedStorage, counted)
    try:
        return ForkingPickler.dumps(thing), counts
    finally:
        ForkingPickler.register(torch.UntypedStorage, original)


# ---------------------------------------------------------------- collate_in_place

COLLATED = ("worker", "main")  # the seed of the samples is the place in this row


def samples_to_stack(seed: int) -> dict[str, list[Any]]:
    """Return lists of samples, each list a batch; other images for another seed."""
    import torch

    generator = torch.Generator().manual_seed(seed)

    def floats(*shape: int) -> Any:
        return torch.randn(shape, generator=generator)

    return {
        "images": [floats(3, 32, 32) for _i in range(8)],
        "bytes": [torch.arange(100, dtype=torch.uint8) + i for i in range(5)],
        "large": [torch.tensor([2**53 + 1 + i]) for i in range(3)],
        "masks": [torch.tensor([[True, False], [False, i == 0]]) for i in range(2)],
        "one": [floats(4)],
        "turned": [floats(3, 5).t() for _i in range(4)],
        "scalars": [torch.tensor(float(i)) for i in range(6)],
        "doubles": [floats(2).double() for _i in range(3)],
    }


def probe_collate(answer: Callable[..., Any]) -> dict[str, Any]:
    lacking = room.lacking(files=32, shm=MIB)
    if lacking:
        return {"lacking": lacking}
    evidence: dict[str, Any] = {}
    # Other values each time: what `torch.empty` finds in its memory must not look like the batch of the last time.
    for seed, place in enumerate(COLLATED):
        with _played_worker(place == "worker"):
            evidence[place] = {
                name: _collated(answer, samples) for name, samples in samples_to_stack(seed).items()
            }
    return evidence


@contextmanager
def _played_worker(inside: bool) -> Iterator[None]:
    """In the body ``get_worker_info()`` answers as in a worker (or as outside of one)."""
    from torch.utils.data._utils import worker

    info = worker.WorkerInfo(id=0, num_workers=1, seed=0, dataset=None) if inside else None
    with patch.object(worker, "_worker_info", info):
        yield


def _collated(answer: Callable[..., Any], samples: list[Any]) -> dict[str, Any]:
    import torch

    private: list[dict[str, str]] = []
    try:
        with _watching(sum(sample.nbytes for sample in samples), private):
            batch = answer(list(samples))
    except TooSmall:
        return {"raised": None}
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": told(error)}
    if not isinstance(batch, torch.Tensor):
        return {"type": type(batch).__name__}
    shared = {
        "shared": batch.is_shared(),
        "samples_shared": any(sample.is_shared() for sample in samples),
    }
    return described_batch(batch) | shared | {"private": private}


def described_batch(batch: Any) -> dict[str, Any]:
    """Describe a batch, with a digest of its values: all of them would be too much."""
    return {
        "type": "Tensor",
        "dtype": str(batch.dtype),
        "shape": list(batch.shape),
        "digest": hashlib.sha256(content(batch)).hexdigest(),
    }


class TooSmall(RuntimeError):
    """More would be written into shared memory than it holds."""


@contextmanager
def _watching(nbytes: int, private: list[dict[str, str]]) -> Iterator[None]:
    """Note what is written to memory that is not shared, where it is as large as the batch, of ``nbytes`` bytes.

    Where such memory becomes shared, the note has a digest of what is in it.
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    makers = ("empty", "zeros", "ones", "full", "resize", "detach", "view", "as_strided", "set_", "expand")

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if _grows(function, args, kwargs):  # ends the process by a signal, and that would be the kernel
                raise TooSmall
            result = function(*args, **kwargs)
            if "empty" in str(function) and not result.is_shared():
                result.zero_()  # what an earlier check left there may look like this batch
            fills = isinstance(result, torch.Tensor) and not any(m in str(function) for m in makers)
            if fills and result.nbytes >= nbytes and not result.is_shared():
                private.append({"call": str(function)})
            return result

    share = torch.UntypedStorage.share_memory_

    def watched(storage: Any, *args: Any, **kwargs: Any) -> Any:
        if not storage.is_shared() and storage.nbytes() == nbytes:
            held = ctypes.string_at(storage.data_ptr(), nbytes)
            private.append({"call": "share_memory_", "digest": hashlib.sha256(held).hexdigest()})
        return share(storage, *args, **kwargs)

    with patch.object(torch.UntypedStorage, "share_memory_", watched), Watch():
        yield


def _grows(function: Any, args: Any, kwargs: dict[str, Any]) -> bool:
    """Return whether this call would write more into shared memory than it holds."""
    import torch

    resized = "resize_" in str(function)
    target = args[0] if resized else kwargs.get("out")
    if not isinstance(target, torch.Tensor) or not target.is_shared():
        return False
    if resized:
        count = math.prod(args[1])
    else:
        count = sum(part.numel() for part in args[0]) if isinstance(args[0], (list, tuple)) else 0
    return count * target.element_size() > target.untyped_storage().nbytes()


# ---------------------------------------------------------------- keep_results

FEW, RESULTS, ALLOWED = 10, 1000, 64
EACH = 4  # samples in a batch


@dataclass(frozen=True)
class Keeping:
    """One call: so many batches with fields of these dtypes, and how many samples of each are to be kept.

    The last batch has ``last`` samples.
    """

    length: int
    count: int
    dtypes: Mapping[str, str]
    last: int = EACH

    def batch(self, i: int) -> dict[str, list[float]]:
        """Return the values of both fields, which are exact in each of these dtypes."""
        size = self.last if i == self.length - 1 else EACH
        samples = range(EACH * i, EACH * i + size)
        return {"index": [*samples], "score": [sample * 37 % 101 / 4 for sample in samples]}


# NumPy has no bfloat16.
KEEPINGS = {
    "few": Keeping(FEW, 3, {"index": "int32", "score": "float64"}),
    "other": Keeping(FEW, 2, {"index": "int16", "score": "bfloat16"}, last=1),
    "many": Keeping(RESULTS, 3, {"index": "int32", "score": "float64"}),
}


class Results:
    """Stands in for a loader with workers: yields batches in shared memory, a new segment for each tensor.

    Like a process with few open files, it fails as soon as too many segments are in use. The order of the
    fields and the values differ from batch to batch, so that nothing can be made up.
    """

    def __init__(self, keeping: Keeping) -> None:
        self.keeping, self.most = keeping, 0
        self.alive: list[Any] = []

    def __len__(self) -> int:
        return self.keeping.length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index in range(self.keeping.length):
            values = self.keeping.batch(index)
            batch = {name: self._share(values[name], self.keeping.dtypes[name]) for name in values}
            self.most = max(self.most, self.held())
            if self.most > ALLOWED:
                raise OSError(errno.EMFILE, "Too many open files")
            yield batch
            del batch

    def held(self) -> int:
        """How many segments are still in use."""
        if len(self.alive) > ALLOWED:
            gc.collect()
        self.alive = [segment for segment in self.alive if not segment.expired()]
        return len(self.alive)

    def _share(self, values: Sequence[float], dtype: str) -> Any:
        import torch
        from torch.multiprocessing.reductions import StorageWeakRef

        tensor = torch.tensor(values, dtype=getattr(torch, dtype)).share_memory_()
        self.alive.append(StorageWeakRef(tensor.untyped_storage()))
        return tensor


def probe_keep(answer: Callable[..., Any]) -> dict[str, Any]:
    from torch import multiprocessing

    lacking = room.lacking(files=2 * ALLOWED + 20, shm=MIB)
    if lacking:
        return {"lacking": lacking}
    strategy = multiprocessing.get_sharing_strategy()
    evidence: dict[str, Any] = {}
    for name, keeping in KEEPINGS.items():
        loader = Results(keeping)
        try:
            kept = answer(loader, keeping.count)
            gc.collect()
            evidence[name] = {"held": loader.held(), "most": loader.most} | _kept(kept, keeping.length)
        except Exception as error:  # noqa: BLE001 (whatever an answer raises)
            evidence[name] = {"raised": told(error)}
            error.__traceback__ = None
        finally:
            evidence["strategy"] = multiprocessing.get_sharing_strategy()
            multiprocessing.set_sharing_strategy(strategy)
        kept = None
        gc.collect()
    return evidence | {"before": strategy}


def _kept(kept: Any, length: int) -> dict[str, Any]:
    """Return the number of batches kept, and the first ``length`` of them, or the type where it is no list.

    Beside them stand the bytes of memory that its tensors hold, and the bytes that they use.
    """
    import torch

    tensors = [
        value
        for batch in (kept if isinstance(kept, list) else ())
        for value in (batch.values() if isinstance(batch, dict) else ())
        if isinstance(value, torch.Tensor)
    ]
    storages = {tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes() for tensor in tensors}
    sizes = {"memory": sum(storages.values()), "used": sum(tensor.nbytes for tensor in tensors)}
    if not isinstance(kept, list):
        return {"type": type(kept).__name__} | sizes
    batches = [_described(batch) for batch in kept[:length]]
    return {"type": "list", "count": len(kept), "batches": batches} | sizes


def _described(batch: Any) -> Any:
    """Of each field of a dictionary its dtype and its values; of anything else the name of its type."""
    import torch

    if not isinstance(batch, dict):
        return type(batch).__name__
    return {
        str(name): [str(value.dtype), _values(value)]
        if isinstance(value, torch.Tensor)
        else type(value).__name__
        for name, value in batch.items()
    }


def _values(tensor: Any) -> Any:
    try:
        return plain(tensor)
    except Unplain:
        return None
