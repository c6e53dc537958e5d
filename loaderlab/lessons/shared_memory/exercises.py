"""The exercises of lesson 4: how each answer is probed, and what is expected of the evidence."""

from __future__ import annotations

import ctypes
import errno
import gc
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding, Unplain, plain
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.shared_memory import room


def no_room(evidence: dict[str, Any], points: int) -> list[Finding]:
    """What is said where the machine has no room for the check itself."""
    return [
        Finding(
            False,
            points,
            _("This machine has room for the check"),
            _("enough open files and room in /dev/shm"),
            evidence["lacking"],
            _("Your answer was not run. Make room, restart the kernel, and check again."),
        )
    ]


# ---------------------------------------------------------------- shm_needed

PAGE = 4096
MIB = 2**20


def needed(
    tensor_bytes: list[int], num_workers: int, prefetch_factor: int | None = None, held: int = 1
) -> int:
    if not num_workers:
        return 0
    batch = sum(-(-nbytes // PAGE) * PAGE for nbytes in tensor_bytes)
    return (num_workers * (2 if prefetch_factor is None else prefetch_factor) + held) * batch


NEEDED = Cases(
    "shm_needed",
    right=needed,
    cases={
        "typical": ([8 * MIB], 2, 2),
        "many": ([3 * MIB], 8, 4, 1),
        "default": ([4 * MIB], 3, None),
        "one_ahead": ([4 * MIB], 3, 1),
        "held": ([2 * MIB], 2, 2, 6),
        "held_none": ([2 * MIB], 2, 3, 0),
        "pages": ([40] * 6, 2, 2),
        "exact_page": ([4096, 4097, 8192], 1, 1),
        "empty_field": ([MIB, 0], 1, 2),
        "no_workers": ([8 * MIB], 0, None),
        "no_workers_held": ([8 * MIB], 0, None, 5),
    },
)


def judge_needed(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str) -> Finding:
        return NEEDED.finding(evidence, names, criterion, hint)

    return [
        finding(
            ("typical", "many"),
            _("What is on order, and the batch that the loop holds"),
            _("`num_workers` × `prefetch_factor` batches are on order, and `held` more are with the loop."),
        ),
        finding(
            ("default", "one_ahead"),
            _("`prefetch_factor=None` means 2, and any other value means itself"),
            _("With workers the default of `prefetch_factor` is 2. Test for it with `is None`."),
        ),
        finding(
            ("held", "held_none"),
            _("Each batch that the loop keeps stays in shared memory"),
            _("Add `held`, and not 1; before the first batch nothing is held at all."),
        ),
        finding(
            ("pages", "exact_page", "empty_field"),
            _("Each tensor takes whole pages of its own"),
            _(
                "Round every tensor up to a multiple of 4096, and only then add them up: `-(-n // 4096) * 4096`."
            ),
        ),
        finding(
            ("no_workers", "no_workers_held"),
            _("Without workers nothing goes through shared memory"),
            _(
                "With `num_workers=0` the main process makes the batches in memory of its own, also those it keeps."
            ),
        ),
    ]


# ---------------------------------------------------------------- pack_fields

FIELDS = 40
FIELD_BYTES = 4096
MESSAGE = 16_000  # bytes: room for names and shapes, and far less than the data


def batches_to_pack() -> dict[str, dict[str, Any]]:
    """The batches that are packed, sent and unpacked."""
    import torch

    generator = torch.Generator().manual_seed(4)

    def floats(*shape: int) -> Any:
        return torch.randn(shape, generator=generator)

    strange = torch.tensor([float("nan"), float("inf"), -0.0, 1e-30])
    return {
        "many": {f"field_{i}": floats(FIELD_BYTES // 4) for i in range(FIELDS)},
        "dtypes": {
            "mask": torch.tensor([True, False, True]),
            "image": torch.arange(7, dtype=torch.uint8),
            "index": torch.tensor([2**53 + 1, -(2**62)]),
            "half": floats(5).half(),
            "score": strange,
            "double": floats(3).double(),
            "later_mask": torch.tensor([False]),
        },
        "shapes": {"z": floats(2, 3, 4), "a": floats(4, 3), "m": floats(1, 1), "b": floats(6)},
        "scalars": {"loss": torch.tensor(0.5), "label": torch.tensor(3), "score": floats(2)},
        "empty": {"boxes": torch.zeros(0, 4), "labels": torch.zeros(0, dtype=torch.int64), "x": floats(3)},
        "only_empty": {"boxes": torch.zeros(3, 0, 2)},
        "views": {"turned": floats(3, 5).t(), "every_second": floats(10)[::2], "grown": floats(1).expand(4)},
    }


def described(batch: Any) -> Any:
    """Names, types, shapes and the very bytes of a batch, as plain values."""
    import torch

    if not isinstance(batch, dict):
        return type(batch).__name__
    result = []
    for name, value in batch.items():
        if not isinstance(value, torch.Tensor):
            return f"{name}: {type(value).__name__}"
        values = value.detach().contiguous().reshape(-1).view(torch.uint8).tolist() if value.numel() else []
        result.append([str(name), str(value.dtype), list(value.shape), values])
    return result


def probe_pack(answer: type) -> dict[str, Any]:
    """Each batch packed, sent to ourselves as a worker's queue would send it, and unpacked."""
    lacking = room.lacking(files=3 * FIELDS + 20, shm=2 * MIB)
    if lacking:
        return {"lacking": lacking}
    evidence: dict[str, Any] = {}
    for name, batch in batches_to_pack().items():
        try:
            evidence[name] = _sent(answer, batch)
        except NotImplementedError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever an answer raises)
            evidence[name] = {"raised": f"{type(error).__name__}: {error}".splitlines()[0]}
    return evidence


def _sent(answer: type, batch: dict[str, Any]) -> dict[str, Any]:
    from multiprocessing.reduction import ForkingPickler

    given = dict(batch)
    message, segments = _message(answer.pack(given))
    unpacked = described(answer.unpack(ForkingPickler.loads(message)))
    unharmed = described(given) == described(batch)
    return {"message": len(message), "segments": segments, "unpacked": unpacked, "unharmed": unharmed}


def _message(thing: Any) -> tuple[Any, int]:
    """What a queue would write into the pipe, and how many segments go with it."""
    from multiprocessing.reduction import ForkingPickler

    from torch.multiprocessing import reductions

    count = 0
    original = reductions.reduce_storage

    def counted(storage: Any) -> Any:
        nonlocal count
        count += storage.nbytes() > 0
        return original(storage)

    import torch

    ForkingPickler.register(torch.UntypedStorage, counted)
    try:
        return ForkingPickler.dumps(thing), count
    finally:
        ForkingPickler.register(torch.UntypedStorage, original)


def judge_pack(evidence: dict[str, Any]) -> list[Finding]:
    if "lacking" in evidence:
        return no_room(evidence, 6)
    batches = batches_to_pack()
    right = {name: described(batch) for name, batch in batches.items()}

    def came(name: str) -> str:
        part = evidence[name]
        return _("an exception: {error}").format(error=part["raised"]) if "raised" in part else ""

    def back(names: tuple[str, ...], criterion: str, hint: str, order: bool = False) -> Finding:
        for name in names:
            got, expected = evidence[name].get("unpacked"), right[name]
            if not order and isinstance(got, list):
                got, expected = sorted(got), sorted(expected)
            if got != expected:
                wanted, found = _difference(expected, got)
                return Finding(False, 1, criterion, wanted, came(name) or found, hint)
        return Finding(True, 1, criterion)

    def in_order() -> Finding:
        names, hint = (
            _("Every field comes back, in its order and shape, and the batch stays as it was"),
            _(
                "Keep a list of (name, shape) in the order of the batch, `split` what was joined, and `view` each part."
            ),
        )
        for name in ("many", "shapes", "dtypes", "views"):
            if evidence[name].get("unharmed") is False:
                return Finding(
                    False, 1, names, _("the batch as it was"), _("packing changed the batch"), hint
                )
            got, wanted = evidence[name].get("unpacked"), [field[0] for field in right[name]]
            if isinstance(got, list) and [field[0] for field in got] != wanted:
                return Finding(False, 1, names, *_difference(right[name], got), hint)
        return back(("many", "shapes"), names, hint, order=True)

    many, dtypes = evidence["many"], evidence["dtypes"]
    types = len({kind for _name, kind, _shape, _values in right["dtypes"]})
    few = many.get("segments", FIELDS) <= 1 and dtypes.get("segments", FIELDS) <= types
    crowded = "many" if many.get("segments", FIELDS) > 1 else "dtypes"
    small = "message" in many and many["message"] <= MESSAGE
    return [
        Finding(
            few,
            1,
            _("At most one segment for each dtype"),
            _("segments: at most {count}").format(count=1 if crowded == "many" else types),
            came(crowded) or _("segments: {count}").format(count=evidence[crowded].get("segments")),
            _("Flatten the fields with `reshape(-1)` and join those of the same dtype with `torch.cat`."),
        ),
        Finding(
            small,
            1,
            _("The numbers travel in shared memory, not in the message"),
            _("at most {limit} bytes through the pipe").format(limit=number(MESSAGE)),
            came("many") or _("{size} bytes").format(size=number(many.get("message", 0))),
            _("Lists, bytes and NumPy arrays are pickled whole. Only names, shapes and dtypes belong beside the tensors."),
        ),
        in_order(),
        back(
            ("dtypes",),
            _("Every dtype and every bit survives"),
            _("Do not convert to a common dtype: float32 has no room for large integers. Make one group for each dtype."),
        ),
        back(
            ("scalars", "empty", "only_empty"),
            _("Zero-dimensional and empty fields survive"),
            _("A scalar has shape `()` and one element; an empty field has none, and still a dtype and a shape."),
        ),
        back(
            ("views",),
            _("Fields that are views survive"),
            _(
                "`view(-1)` fails on a transposed tensor, and `untyped_storage()` does not follow its strides; `reshape(-1)` does."
            ),
        ),
    ]  # fmt: skip


def _difference(right: list[Any], got: Any) -> tuple[str, str]:
    """The first field that differs, as it should be and as it came."""

    def words(field: list[Any]) -> str:
        return f"{field[0]}: {field[1]}, {tuple(field[2])}, {field[3][:8]}"

    if not isinstance(got, list):
        return _("a dictionary of tensors"), str(got)
    names, found = [f[0] for f in right], [f[0] for f in got]
    if names != found:
        return ", ".join(names[:8]), ", ".join(found[:8]) or _("no field at all")
    return next((words(a), words(b)) for a, b in zip(right, got, strict=True) if a != b)


# ---------------------------------------------------------------- collate_in_place


def samples_to_stack(seed: int) -> dict[str, list[Any]]:
    """Lists of samples, each list a batch; other images for another seed."""
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
    for seed, place in enumerate(("worker", "main")):
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

    expected = torch.stack(samples)
    detours: list[str] = []
    try:
        with _watching(expected, detours):
            batch = answer(list(samples))
    except NotImplementedError:
        raise
    except Exception as error:  # noqa: BLE001 (whatever an answer raises)
        return {"raised": f"{type(error).__name__}: {error}".splitlines()[0]}
    if not isinstance(batch, torch.Tensor):
        return {"type": type(batch).__name__}
    same = (
        batch.dtype == expected.dtype and batch.shape == expected.shape and bool(torch.equal(batch, expected))
    )
    return {
        "type": "Tensor",
        "dtype": str(batch.dtype),
        "shape": list(batch.shape),
        "same": same,
        "shared": batch.is_shared(),
        "detour": detours[0] if detours else "",
    }


@contextmanager
def _watching(expected: Any, detours: list[str]) -> Iterator[None]:
    """Note each time that the whole batch is written to memory that is not shared."""
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode

    wanted = _bytes(expected)
    makers = ("empty", "zeros", "ones", "full", "resize", "detach", "view", "as_strided", "set_", "expand")

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            kwargs = kwargs or {}
            if _grows(function, args, kwargs):  # ends the process by a signal, and that would be the kernel
                raise RuntimeError(_("the shared tensor is too small for the batch, and it cannot grow"))
            result = function(*args, **kwargs)
            fills = isinstance(result, torch.Tensor) and not any(m in str(function) for m in makers)
            if fills and result.nbytes >= expected.nbytes and not result.is_shared():
                detours.append(str(function))
            return result

    share = torch.UntypedStorage.share_memory_

    def watched(storage: Any, *args: Any, **kwargs: Any) -> Any:
        private = not storage.is_shared() and storage.nbytes() == len(wanted)
        if private and ctypes.string_at(storage.data_ptr(), storage.nbytes()) == wanted:
            detours.append("share_memory_")
        return share(storage, *args, **kwargs)

    with patch.object(torch.UntypedStorage, "share_memory_", watched), Watch():
        yield


def _grows(function: Any, args: Any, kwargs: dict[str, Any]) -> bool:
    """Whether this call would write more into shared memory than it holds."""
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


def _bytes(tensor: Any) -> bytes:
    tensor = tensor.contiguous()
    return ctypes.string_at(tensor.data_ptr(), tensor.nbytes)


def judge_collate(evidence: dict[str, Any]) -> list[Finding]:
    if "lacking" in evidence:
        return no_room(evidence, 6)

    def finding(
        names: tuple[str, ...],
        holds: Callable[[dict[str, Any]], Any],
        criterion: str,
        expected: str,
        hint: str,
        points: int,
        places: tuple[str, ...] = ("worker", "main"),
    ) -> Finding:
        for place in places:
            for name in names:
                got = evidence[place][name]
                if not holds(got):
                    return Finding(False, points, criterion, expected, _collated_words(got), hint)
        return Finding(True, points, criterion)

    every = tuple(samples_to_stack(0))
    return [
        finding(
            ("images", "one", "turned", "scalars"),
            lambda got: got.get("same"),
            _("The samples are stacked, also scalars, views and a single one"),
            _("what `torch.stack(samples)` gives"),
            _("The shape of the batch is `(len(samples), *samples[0].shape)`."),
            1,
        ),
        finding(
            ("bytes", "large", "masks", "doubles"),
            lambda got: got.get("same"),
            _("Any dtype, with every value exact"),
            _("the dtype and the values of the samples"),
            _("`torch.empty` makes float32 where it is not told otherwise: pass `dtype=samples[0].dtype`."),
            1,
        ),
        finding(
            every,
            lambda got: got.get("shared"),
            _("The batch is in shared memory, in a worker and outside"),
            _("`batch.is_shared()` is `True`"),
            _("Allocate the batch first, call `share_memory_()` on it, and then fill it."),
            2,
        ),
        finding(
            ("images",),
            lambda got: got.get("shared") and not got.get("detour"),
            _("The samples go straight there, without a private copy of the batch"),
            _("no second tensor of the size of the batch"),
            _("`torch.stack(samples, out=batch)` writes into memory that exists already."),
            2,
        ),
    ]  # fmt: skip


def _collated_words(got: dict[str, Any]) -> str:
    if "raised" in got:
        return _("an exception: {error}").format(error=got["raised"])
    if got["type"] != "Tensor":
        return _("an object of type {kind}").format(kind=got["type"])
    words = f"{got['dtype']}, {tuple(got['shape'])}, is_shared() = {got['shared']}"
    if not got["same"]:
        return words + " · " + _("other values, dtype or shape")
    if got["detour"]:
        return (
            words
            + " · "
            + _("the whole batch was first in private memory (`{call}`)").format(call=got["detour"])
        )
    return words


# ---------------------------------------------------------------- keep_results

RESULTS, ALLOWED = 1000, 64


class Results:
    """Stands in for a loader with workers: yields batches in shared memory, a new segment for each tensor.

    Like a process with few open files, it fails as soon as too many segments are in use. The order of the
    fields and the values differ from batch to batch, so that nothing can be made up.
    """

    def __init__(self, length: int) -> None:
        self.length, self.alive, self.most = length, [], 0

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index in range(self.length):
            batch = {"index": self._share(result_index(index)), "score": self._share(result_score(index))}
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

    def _share(self, values: list[float]) -> Any:
        import torch
        from torch.multiprocessing.reductions import StorageWeakRef

        tensor = torch.tensor(values).share_memory_()
        self.alive.append(StorageWeakRef(tensor.untyped_storage()))
        return tensor


def result_index(i: int) -> list[int]:
    return [4 * i + k for k in range(4)]


def result_score(i: int) -> list[float]:
    return [((4 * i + k) * 37 % 101) / 4 for k in range(4)]


def probe_keep(answer: Callable[..., Any]) -> dict[str, Any]:
    import torch
    from torch import multiprocessing

    lacking = room.lacking(files=2 * ALLOWED + 20, shm=MIB)
    if lacking:
        return {"lacking": lacking}
    strategy = multiprocessing.get_sharing_strategy()
    evidence: dict[str, Any] = {}
    for name, length in (("few", 10), ("many", RESULTS)):
        loader = Results(length)
        try:
            kept = answer(loader)
            gc.collect()
            evidence[name] = {"held": loader.held(), "most": loader.most} | _results(torch, kept, length)
        except NotImplementedError:
            raise
        except Exception as error:  # noqa: BLE001 (whatever an answer raises)
            evidence[name] = {"raised": f"{type(error).__name__}: {error}".splitlines()[0]}
            error.__traceback__ = None
        finally:
            evidence["strategy"] = multiprocessing.get_sharing_strategy()
            multiprocessing.set_sharing_strategy(strategy)
        kept = None
        gc.collect()
    return evidence | {"before": strategy}


def _results(torch: Any, kept: Any, length: int) -> dict[str, Any]:
    """Whether these are the results, and what is wrong with the first that is not."""
    if not isinstance(kept, list):
        return {"wrong": type(kept).__name__}
    if len(kept) != length:
        return {"wrong": f"list, {len(kept)}"}
    for i, batch in enumerate(kept):
        if not isinstance(batch, dict) or sorted(map(str, batch)) != ["index", "score"]:
            return {"wrong": f"[{i}]: {type(batch).__name__}"}
        for name, right in (
            ("index", torch.tensor(result_index(i))),
            ("score", torch.tensor(result_score(i))),
        ):
            value = batch[name]
            if not isinstance(value, torch.Tensor):
                return {"wrong": f"[{i}][{name!r}]: {type(value).__name__}"}
            if value.dtype != right.dtype or not torch.equal(value, right):
                try:
                    came = plain(value)
                except Unplain:
                    came = "?"
                return {"wrong": f"[{i}][{name!r}]: {value.dtype}, {came}"}
    return {"wrong": ""}


def judge_keep(evidence: dict[str, Any]) -> list[Finding]:
    if "lacking" in evidence:
        return no_room(evidence, 6)
    few, many = evidence["few"], evidence["many"]

    def came(part: dict[str, Any]) -> str:
        return _("an exception: {error}").format(error=part["raised"]) if "raised" in part else ""

    return [
        Finding(
            few.get("wrong") == "",
            2,
            _("All batches, in order: dictionaries of tensors with the right values"),
            _("a list of {count} dictionaries with the tensors `index` and `score`").format(count=10),
            came(few) or few.get("wrong", ""),
            _("Build a list with one dictionary for each batch, with the same two names and tensors of the same dtypes."),
        ),
        Finding(
            few.get("held") == 0,
            2,
            _("What was kept is no longer in shared memory"),
            _("segments in use afterwards: 0"),
            came(few) or _("segments in use afterwards: {count}").format(count=few.get("held")),
            _("`detach()`, `numpy()`, `contiguous()` and a slice still look at the same segment. `clone()` copies it, and so each field of the batch must be copied."),
        ),
        Finding(
            many.get("wrong") == "" and evidence["strategy"] == evidence["before"],
            2,
            _("A thousand batches with few open files"),
            _("{count} batches with never more than {limit} segments in use, and the sharing strategy as it was").format(
                count=number(RESULTS), limit=ALLOWED
            ),
            came(many)
            or many.get("wrong")
            or _("the sharing strategy is `{strategy}` afterwards").format(strategy=evidence["strategy"]),
            _("Copy each batch as it comes. After `list(loader)` it is too late: all segments are in use at once."),
        ),
    ]  # fmt: skip


EXERCISES = (
    Exercise(
        name="shm_needed",
        points=5,
        difficulty=1,
        minutes=6,
        kind="function",
        hints=(
            mark("First the bytes of one batch, each tensor rounded up to whole pages; then the number of batches."),
            mark(
                "Without workers the result is 0. Else it is `(num_workers * prefetch_factor + held) * batch`, where `None` stands for 2."
            ),
        ),
        probe=NEEDED.probe,
        judge=judge_needed,
    ),
    Exercise(
        name="PackedFields",
        points=6,
        difficulty=3,
        minutes=12,
        kind="class",
        hints=(
            mark("Fields of one dtype can be joined: `torch.cat([field.reshape(-1) for field in fields])`."),
            mark(
                "Return the joined tensors and a list of (name, dtype, shape), in the order of the batch; that list is all that has to be pickled."
            ),
            mark(
                "To unpack, keep one position for each dtype: take the next `shape.numel()` numbers, and `view` them in that shape."
            ),
        ),
        probe=probe_pack,
        judge=judge_pack,
        seconds=20.0,
    ),
    Exercise(
        name="collate_in_place",
        points=6,
        difficulty=2,
        minutes=6,
        kind="function",
        hints=(
            mark("Three steps: make an empty tensor of the right shape and dtype, share it, fill it."),
            mark("`torch.empty(shape, dtype=…).share_memory_()`, and then `torch.stack(samples, out=…)`."),
        ),
        probe=probe_collate,
        judge=judge_collate,
    ),
    Exercise(
        name="keep_results",
        points=6,
        difficulty=1,
        minutes=5,
        kind="function",
        hints=(
            mark("A tensor that came from a worker keeps its segment and its open file as long as anything looks at it."),
            mark("Build a new dictionary for each batch, with `value.clone()` for every value."),
        ),
        probe=probe_keep,
        judge=judge_keep,
        seconds=20.0,
    ),
)  # fmt: skip
