"""The exercises of lesson 4: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.shared_memory import probes, room
from loaderlab.lessons.shared_memory.probes import (
    ALLOWED,
    COLLATED,
    FEW,
    FIELDS,
    RESULTS,
    batches_to_pack,
    described,
    described_batch,
    result_index,
    result_score,
    samples_to_stack,
)


def no_room(evidence: dict[str, Any], points: int) -> list[Finding]:
    """What is said where the machine has no room for the check itself."""
    return [
        Finding(
            False,
            points,
            _("This machine has room for the check"),
            _("enough open files and room in /dev/shm"),
            room.said(evidence["lacking"]),
            _("Your answer was not run. Make room, restart the kernel, and check again."),
        )
    ]


# ---------------------------------------------------------------- shm_needed

PAGE = 4096


def needed(
    tensor_bytes: list[int], num_workers: int, prefetch_factor: int | None = None, held: int = 1
) -> int:
    if not num_workers:
        return 0
    batch = sum(-(-nbytes // PAGE) * PAGE for nbytes in tensor_bytes)
    return (num_workers * (2 if prefetch_factor is None else prefetch_factor) + held) * batch


NEEDED = Cases(probes.NEEDED, right=needed)


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


# ---------------------------------------------------------------- PackedFields

MESSAGE = 16_000  # bytes: room for names and shapes, and far less than the data


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
        return f"{field[0]}: {field[1]}, {tuple(field[2])}, {list(bytes.fromhex(field[3][:16]))}"

    if not isinstance(got, list):
        return _("a dictionary of tensors"), str(got)
    names, found = [f[0] for f in right], [f[0] for f in got]
    if names != found:
        return ", ".join(names[:8]), ", ".join(found[:8]) or _("no field at all")
    return next((words(a), words(b)) for a, b in zip(right, got, strict=True) if a != b)


# ---------------------------------------------------------------- collate_in_place


def judge_collate(evidence: dict[str, Any]) -> list[Finding]:
    if "lacking" in evidence:
        return no_room(evidence, 6)

    stacked = {place: _stacked(seed) for seed, place in enumerate(COLLATED)}

    def finding(
        names: tuple[str, ...],
        holds: Callable[[dict[str, Any], dict[str, Any]], Any],
        criterion: str,
        expected: str,
        hint: str,
        points: int,
    ) -> Finding:
        for place in COLLATED:
            for name in names:
                got, right = evidence[place][name], stacked[place][name]
                if not holds(got, right):
                    return Finding(False, points, criterion, expected, _collated_words(got, right), hint)
        return Finding(True, points, criterion)

    every = tuple(samples_to_stack(0))
    return [
        finding(
            ("images", "one", "turned", "scalars"),
            _same,
            _("The samples are stacked, also scalars, views and a single one"),
            _("what `torch.stack(samples)` gives"),
            _("The shape of the batch is `(len(samples), *samples[0].shape)`."),
            1,
        ),
        finding(
            ("bytes", "large", "masks", "doubles"),
            _same,
            _("Any dtype, with every value exact"),
            _("the dtype and the values of the samples"),
            _("`torch.empty` makes float32 where it is not told otherwise: pass `dtype=samples[0].dtype`."),
            1,
        ),
        finding(
            every,
            lambda got, _right: got.get("shared"),
            _("The batch is in shared memory, in a worker and outside"),
            _("`batch.is_shared()` is `True`"),
            _("Allocate the batch first, call `share_memory_()` on it, and then fill it."),
            2,
        ),
        finding(
            ("images",),
            lambda got, right: got.get("shared") and not _detour(got, right),
            _("The samples go straight there, without a private copy of the batch"),
            _("no second tensor of the size of the batch"),
            _("`torch.stack(samples, out=batch)` writes into memory that exists already."),
            2,
        ),
    ]  # fmt: skip


def _stacked(seed: int) -> dict[str, dict[str, Any]]:
    """The batches as they should be."""
    import torch

    return {name: described_batch(torch.stack(samples)) for name, samples in samples_to_stack(seed).items()}


def _same(got: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(got.get(part) == value for part, value in right.items())


def _detour(got: dict[str, Any], right: dict[str, Any]) -> str:
    """The call by which the whole batch came into private memory; "" where there was none."""
    calls = (
        note["call"] for note in got["private"] if note.get("digest", right["digest"]) == right["digest"]
    )
    return next(calls, "")


def _collated_words(got: dict[str, Any], right: dict[str, Any]) -> str:
    if "raised" in got:
        too_small = _("the shared tensor is too small for the batch, and it cannot grow")
        return _("an exception: {error}").format(error=got["raised"] or f"RuntimeError: {too_small}")
    if got["type"] != "Tensor":
        return _("an object of type {kind}").format(kind=got["type"])
    words = f"{got['dtype']}, {tuple(got['shape'])}, is_shared() = {got['shared']}"
    if not _same(got, right):
        return words + " · " + _("other values, dtype or shape")
    detour = _detour(got, right)
    if detour:
        return words + " · " + _("the whole batch was first in private memory (`{call}`)").format(call=detour)
    return words


# ---------------------------------------------------------------- keep_results


def _wrong(part: dict[str, Any], length: int) -> str:
    """What is wrong with the first of the results that is not right; "" where all are."""
    if part["type"] != "list":
        return part["type"]
    if part["count"] != length:
        return f"list, {part['count']}"
    for i, batch in enumerate(part["batches"]):
        if not isinstance(batch, dict):
            return f"[{i}]: {batch}"
        if sorted(batch) != ["index", "score"]:
            return f"[{i}]: dict"
        right = {"index": ["torch.int64", result_index(i)], "score": ["torch.float32", result_score(i)]}
        for name, expected in right.items():
            got = batch[name]
            if got != expected:
                came = got if isinstance(got, str) else f"{got[0]}, {'?' if got[1] is None else got[1]}"
                return f"[{i}][{name!r}]: {came}"
    return ""


def judge_keep(evidence: dict[str, Any]) -> list[Finding]:
    if "lacking" in evidence:
        return no_room(evidence, 6)
    few, many = evidence["few"], evidence["many"]

    wrong = [
        None if "raised" in part else _wrong(part, length) for part, length in ((few, FEW), (many, RESULTS))
    ]

    def came(part: dict[str, Any]) -> str:
        return _("an exception: {error}").format(error=part["raised"]) if "raised" in part else ""

    return [
        Finding(
            wrong[0] == "",
            2,
            _("All batches, in order: dictionaries of tensors with the right values"),
            _("a list of {count} dictionaries with the tensors `index` and `score`").format(count=FEW),
            came(few) or wrong[0] or "",
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
            wrong[1] == "" and evidence["strategy"] == evidence["before"],
            2,
            _("A thousand batches with few open files"),
            _("{count} batches with never more than {limit} segments in use, and the sharing strategy as it was").format(
                count=number(RESULTS), limit=ALLOWED
            ),
            came(many)
            or wrong[1]
            or _("the sharing strategy is `{strategy}` afterwards").format(strategy=evidence["strategy"]),
            _("Copy each batch as it comes. After `list(loader)` it is too late: all segments are in use at once."),
        ),
    ]  # fmt: skip


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["shm_needed"],
        points=5,
        difficulty=1,
        minutes=6,
        hints=(
            mark("First the bytes of one batch, each tensor rounded up to whole pages; then the number of batches."),
            mark(
                "Without workers the result is 0. Else it is `(num_workers * prefetch_factor + held) * batch`, where `None` stands for 2."
            ),
        ),
        judge=judge_needed,
    ),
    Exercise(
        PROBES["PackedFields"],
        points=6,
        difficulty=3,
        minutes=12,
        hints=(
            mark("Fields of one dtype can be joined: `torch.cat([field.reshape(-1) for field in fields])`."),
            mark(
                "Return the joined tensors and a list of (name, dtype, shape), in the order of the batch; that list is all that has to be pickled."
            ),
            mark(
                "To unpack, keep one position for each dtype: take the next `shape.numel()` numbers, and `view` them in that shape."
            ),
        ),
        judge=judge_pack,
    ),
    Exercise(
        PROBES["collate_in_place"],
        points=6,
        difficulty=2,
        minutes=6,
        hints=(
            mark("Three steps: make an empty tensor of the right shape and dtype, share it, fill it."),
            mark("`torch.empty(shape, dtype=…).share_memory_()`, and then `torch.stack(samples, out=…)`."),
        ),
        judge=judge_collate,
    ),
    Exercise(
        PROBES["keep_results"],
        points=6,
        difficulty=1,
        minutes=5,
        hints=(
            mark("A tensor that came from a worker keeps its segment and its open file as long as anything looks at it."),
            mark("Build a new dictionary for each batch, with `value.clone()` for every value."),
        ),
        judge=judge_keep,
    ),
)  # fmt: skip
