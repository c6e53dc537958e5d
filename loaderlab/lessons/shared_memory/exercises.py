"""The exercises of lesson 4: what is expected of the evidence that the probes return."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from random import Random
from typing import Any

with suppress(ModuleNotFoundError):  # in a browser, which judges the exercises that need none
    import torch  # here: a judge is timed, and should not have to import it then

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Finding, Look, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.shared_memory import probes, room
from loaderlab.lessons.shared_memory.probes import (
    ALLOWED,
    COLLATED,
    COLUMNS,
    KEEPINGS,
    Keeping,
    described,
    described_batch,
    records_to_pack,
    samples_to_stack,
    stacked_records,
)
from loaderlab.lessons.shared_memory.room import MIB


def no_room(evidence: dict[str, Any]) -> Finding | None:
    """Say that the machine has no room for the check itself."""
    if "lacking" not in evidence:
        return None
    return Finding(
        False,
        0,
        _("This machine has room for the check"),
        _("enough open files and room in /dev/shm"),
        room.said(evidence["lacking"]),
        _("Your answer was not run. Make room, restart the kernel, and check again."),
    )


# ---------------------------------------------------------------- fits


def loader(mib: float, num_workers: int, held: int = 0, **others: Any) -> dict[str, Any]:
    """Return a loader without pinning, and with one tensor in a batch, unless ``others`` say so."""
    usual = {"tensor_bytes": [int(mib * MIB)], "pin_memory": False}
    return {"num_workers": num_workers, "held": held} | usual | others


def container(random: Random) -> tuple[list[dict[str, Any]], int]:
    """Draw loaders, and what /dev/shm has."""
    loaders = []
    for _loader in range(random.randint(1, 4)):
        largest = random.choice((9000, 300_000))
        others = {
            "tensor_bytes": [random.randint(1, largest) for _tensor in range(random.randint(1, 6))],
            "pin_memory": random.random() < 0.4,
        }
        loaders.append(loader(0, random.randint(1, 4), random.choice((0, 0, 1, 3, 7)), **others))
    return loaders, random.choice((random.randint(1, 10**6), random.randint(10**6, 2**24)))


FITS = Exercise(
    name="fits",
    difficulty=1,
    minutes=6,
    table=Table(
        {
            "typical": ([loader(1, 2)], 9 * MIB),
            "exactly": ([loader(3, 4)], 60 * MIB),
            "a_byte_less": ([loader(3, 4)], 60 * MIB - 1),
            "two": ([loader(2, 3), loader(1, 4)], 64 * MIB),
            "pages": ([loader(0, 2, tensor_bytes=[40] * 6)], 262_144),
            "sizes": ([loader(0, 1, tensor_bytes=[4096, 4097, 8192])], 94_208),
            "holds": ([loader(1, 2, 5)], 12 * MIB),
            "holds_most": ([loader(2, 2, 30)], 64 * MIB),
            "two_hold": ([loader(1, 2, 3), loader(4, 1, 2)], 32 * MIB),
            "pinned": ([loader(1, 2, 5, pin_memory=True)], 12 * MIB),
            "pinned_and_not": ([loader(1, 2, 9, pin_memory=True), loader(1, 2, 4)], 16 * MIB),
            "too_small": ([loader(4, 4)], 16 * MIB - 1),
            "all_held": ([loader(1, 1, 64)], 64 * MIB),
            "held_too_much": ([loader(1, 4, 100)], 64 * MIB),
        },
        right=solution(__file__, "fits"),
    ),
    criteria=(
        Criterion(
            says="All loaders count together, and exactly enough room is enough",
            cases=("typical", "exactly", "a_byte_less", "two"),
            hint="Every loader has `num_workers` × `prefetch_factor` batches on order. Add up, over all loaders, the room for one batch per worker. Divide the free room by this sum, and round down.",
        ),
        Criterion(
            says="Each tensor takes whole pages of its own",
            cases=("pages", "sizes"),
            hint="Round every tensor up to a multiple of 4096, and only then add them up: `-(-n // 4096) * 4096`.",
        ),
        Criterion(
            says="Batches that the program holds take room, unless they are pinned",
            cases=("holds", "holds_most", "two_hold", "pinned", "pinned_and_not"),
            drawn=container,
            hint="The number of batches held does not depend on `prefetch_factor`: subtract their room first. The pin thread copies a batch out of `/dev/shm` before the loop gets it, but it may fall behind, and then all batches on order take room.",
            points=2,
        ),
        Criterion(
            says="The result is `None` where even 1 is too large",
            cases=("too_small", "all_held", "held_too_much"),
            hint="0 is not a possible `prefetch_factor`, and the free room may even be negative.",
        ),
    ),
)

# ---------------------------------------------------------------- PackedFields

MESSAGE = 5_000  # bytes: room for names and shapes, and less than a third of the values
SEGMENTS = 4  # in a batch: one for each shape will do


def least_sent(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Ask for few segments, with the values in them."""
    usual = evidence["usual"]
    if "message" not in usual or not 0 < usual["segments"] <= SEGMENTS:
        segments = _("segments: {count}")
        yield Miss(
            _("segments: 1 to {count}").format(count=SEGMENTS),
            expect.raised(usual) or segments.format(count=usual["segments"]),
        )
    elif usual["message"] > MESSAGE:
        yield Miss(
            _("at most {limit} bytes through the pipe").format(limit=number(MESSAGE)),
            _("{size} bytes").format(size=number(usual["message"])),
        )


def of_packed(look: Look) -> Look:
    """Ask only where something was packed: what is sent as it was comes back as it was."""

    def asked(evidence: dict[str, Any]) -> Iterator[Miss]:
        segments = evidence["usual"].get("segments", 0)
        if segments >= COLUMNS:
            yield Miss(
                _("several columns in one segment"),
                _("segments: {count}").format(count=segments),
                hint=expect.FOLLOWS,
            )
        else:
            yield from look(evidence)

    return asked


def shared_at_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    private = max(got.get("private", 0) for got in evidence.values())
    if private or not evidence["usual"].get("segments"):
        yield Miss(
            _("every tensor in shared memory when `pack` returns"),
            _("tensors in private memory: {count}").format(count=private)
            if private
            else expect.raised(evidence["usual"]) or _("segments: {count}").format(count=0),
        )


def same_batches(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, samples in records_to_pack().items():
        if evidence[name].get("unharmed") is False:
            yield Miss(_("the samples as they were"), _("packing changed the samples"))
        expected, got = described(stacked_records(samples)), evidence[name].get("unpacked")
        if got != expected:
            wanted, found = difference(expected, got)
            yield Miss(wanted, expect.raised(evidence[name]) or found)


def difference(expected: list[list[Any]], got: Any) -> tuple[str, str]:
    """Return the first column that differs, as it should be and as it came."""
    if not isinstance(got, list):
        return _("a dictionary of tensors"), str(got)
    if names(expected) != names(got):
        return ", ".join(names(expected)[:8]), ", ".join(names(got)[:8]) or _("no field at all")
    return next((in_words(a), in_words(b)) for a, b in zip(expected, got, strict=True) if a != b)


def names(fields: list[list[Any]]) -> list[str]:
    return [field[0] for field in fields]


def in_words(field: list[Any]) -> str:
    name, dtype, shape, content = field
    first = struct.unpack(f"<{len(content[:32]) // 8}f", bytes.fromhex(content[:32]))
    values = f", {list(first)}" if dtype == "torch.float32" else ""
    return f"{name}: {dtype}, {tuple(shape)}{values}"


PACKED_FIELDS = Exercise(
    name="PackedFields",
    difficulty=2,
    minutes=12,
    run=probes.probe_pack,
    kind="class",
    seconds=20.0,
    parts=("pack", "unpack"),
    criteria=(
        Criterion(
            says="A batch goes to the loop in few segments, and all its values are in these segments",
            look=least_sent,
            hint="Flatten the fields of a sample with `reshape(-1)`, join them with `torch.cat`, and stack the samples. NumPy arrays, lists and bytes are pickled whole: only names and shapes belong beside the tensors.",
            points=3,
        ),
        Criterion(
            says="The loop gets the same batches, also a batch of another loader and a batch of a single sample",
            look=of_packed(same_batches),
            hint="The shape of a column is `(len(samples), *shape)`. What `pack` returns must contain all that `unpack` needs, with the fields in the order of the sample.",
            points=2,
        ),
        Criterion(
            says="The numbers are in shared memory when `pack` returns",
            look=of_packed(shared_at_once),
            hint="`torch.stack` alone makes a tensor in private memory, which another thread copies later: if `/dev/shm` is full then, the batch is lost in silence. Pass `out=torch.empty(shape).share_memory_()`.",
        ),
    ),
    prevented=no_room,
)

# ---------------------------------------------------------------- collate_in_place


@cache
def stacked() -> dict[str, dict[str, dict[str, Any]]]:
    """Return the batches as they should be, by the place and by the name of the samples."""
    return {
        place: {
            name: described_batch(torch.stack(samples)) for name, samples in samples_to_stack(seed).items()
        }
        for seed, place in enumerate(COLLATED)
    }


def collated(
    evidence: dict[str, Any], samples: Sequence[str] = ()
) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the batches made of these samples (of all where none are named) in each place, beside those that should have come."""
    for place, batches in stacked().items():
        for name in samples or batches:
            yield evidence[place][name], batches[name]


def as_stacked(samples: Sequence[str], words: str, evidence: dict[str, Any]) -> Iterator[Miss]:
    for got, right in collated(evidence, samples):
        if not same(got, right):
            yield Miss(_(words), batch_in_words(got, right))


def in_shared_memory(evidence: dict[str, Any]) -> Iterator[Miss]:
    for got, right in collated(evidence):
        if not got.get("shared"):
            yield Miss(_("`batch.is_shared()` is `True`"), batch_in_words(got, right))


def straight_there(evidence: dict[str, Any]) -> Iterator[Miss]:
    for got, right in collated(evidence, ("images",)):
        if not got.get("shared") or detour(got, right):
            yield Miss(_("no second tensor of the size of the batch"), batch_in_words(got, right))
        if got.get("samples_shared"):
            yield Miss(
                _("the samples where they were"),
                _("each sample in shared memory"),
                hint="`share_memory_()` moves the tensor itself, so each sample takes one more segment and one more open file. Call it on the batch only.",
            )


def same(got: dict[str, Any], right: dict[str, Any]) -> bool:
    return all(got.get(part) == value for part, value in right.items())


def detour(got: dict[str, Any], right: dict[str, Any]) -> str:
    """Return the call by which the whole batch came into private memory; "" where there was none."""
    calls = (
        note["call"] for note in got["private"] if note.get("digest", right["digest"]) == right["digest"]
    )
    return next(calls, "")


def batch_in_words(got: dict[str, Any], right: dict[str, Any]) -> str:
    if "raised" in got:
        too_small = _("the shared tensor is too small for the batch, and it cannot grow")
        return _("an exception: {error}").format(error=got["raised"] or f"RuntimeError: {too_small}")
    if got["type"] != "Tensor":
        return _("an object of type {kind}").format(kind=got["type"])
    words = f"{got['dtype']}, {tuple(got['shape'])}, is_shared() = {got['shared']}"
    if not same(got, right):
        return words + " · " + _("other values, dtype or shape")
    call = detour(got, right)
    if call:
        return words + " · " + _("the whole batch was first in private memory (`{call}`)").format(call=call)
    return words


COLLATE_IN_PLACE = Exercise(
    name="collate_in_place",
    difficulty=2,
    minutes=6,
    run=probes.probe_collate,
    imports=("torch._dynamo",),
    criteria=(
        Criterion(
            says="The samples are stacked, also scalars, views and a single sample",
            look=lambda e: as_stacked(
                ("images", "one", "turned", "scalars"), mark("what `torch.stack(samples)` gives"), e
            ),
            hint="The shape of the batch is `(len(samples), *samples[0].shape)`.",
        ),
        Criterion(
            says="The batch keeps any dtype, and every value is exact",
            look=lambda e: as_stacked(
                ("bytes", "large", "masks", "doubles"), mark("the dtype and the values of the samples"), e
            ),
            hint="`torch.empty` makes a float32 tensor by default: pass `dtype=samples[0].dtype`.",
        ),
        Criterion(
            says="The batch is in shared memory, in a worker and outside",
            look=in_shared_memory,
            hint="Allocate the batch first, call `share_memory_()` on it, and then fill it.",
            points=2,
        ),
        Criterion(
            says="The samples go straight into shared memory, without a private copy of the batch",
            look=straight_there,
            hint="`torch.stack(samples, out=batch)` writes into memory that exists already.",
            points=2,
        ),
    ),
    prevented=no_room,
)

# ---------------------------------------------------------------- keep_results


def result(i: int, keeping: Keeping) -> dict[str, list[Any]]:
    """Return the dtype and the kept values of both tensors of a batch."""
    batch = keeping.batch(i)
    return {name: [f"torch.{keeping.dtypes[name]}", batch[name][: keeping.count]] for name in batch}


def right_results(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name in ("few", "other"):
        wrong, keeping = wrong_result(evidence[name], KEEPINGS[name]), KEEPINGS[name]
        if wrong:
            words = _(
                "a list of {count} dictionaries with the tensors `index` and `score`, {kept} samples in each"
            )
            numpy = "BFloat16" in expect.raised(evidence[name])
            yield Miss(
                words.format(count=keeping.length, kept=keeping.count),
                wrong,
                hint=mark("NumPy has no `bfloat16`, which torch has. `clone()` copies a tensor of any dtype.")
                if numpy
                else "",
            )


def nothing_held(evidence: dict[str, Any]) -> Iterator[Miss]:
    few = evidence["few"]
    if few.get("held") != 0:
        yield Miss(
            _("segments in use afterwards: 0"),
            expect.raised(few) or _("segments in use afterwards: {count}").format(count=few["held"]),
        )
    elif few["memory"] > few["used"]:
        words = _("{size} bytes of memory for the result")
        yield Miss(
            words.format(size=number(few["used"])),
            words.format(size=number(few["memory"])),
            hint="A slice of a copy keeps the whole copy in memory, and `copy.deepcopy` of a slice copies the rest of the tensor, too. Take the slice first, then call `clone()`.",
        )


def few_open_files(evidence: dict[str, Any]) -> Iterator[Miss]:
    strategy, many = evidence["strategy"], KEEPINGS["many"]
    wrong = wrong_result(evidence["many"], many)
    if wrong and wrong_result(evidence["few"], KEEPINGS["few"]) and other_values(evidence["many"], many):
        wrong = ""  # said above, and they were copied in time
    if wrong or strategy != evidence["before"]:
        words = _(
            "{count} batches with never more than {limit} segments in use, and the sharing strategy as it was"
        )
        yield Miss(
            words.format(count=number(many.length), limit=ALLOWED),
            wrong or _("the sharing strategy is `{strategy}` afterwards").format(strategy=strategy),
        )


def other_values(kept: dict[str, Any], keeping: Keeping) -> bool:
    """Return whether as many samples were kept of each batch, of the right dtypes, whichever they are."""

    def like(batch: Any, right: dict[str, list[Any]]) -> bool:
        if not isinstance(batch, dict) or batch.keys() != right.keys():
            return False
        pairs = [(batch[name], right[name]) for name in right]
        return all(
            isinstance(got, list)
            and got[0] == dtype
            and isinstance(got[1], list)
            and len(got[1]) == len(values)
            for got, (dtype, values) in pairs
        )

    batches = kept.get("batches", [])
    return len(batches) == keeping.length and all(
        like(batch, result(i, keeping)) for i, batch in enumerate(batches)
    )


def wrong_result(kept: dict[str, Any], keeping: Keeping) -> str:
    """Say the fault of the kept list, or of its first batch that is not right; "" where all are."""
    if "raised" in kept:
        return expect.raised(kept)
    if kept["type"] != "list":
        return _("an object of type {kind}").format(kind=kept["type"])
    if kept["count"] != keeping.length:
        return _("batches in the list: {count}").format(count=kept["count"])
    for i, batch in enumerate(kept["batches"]):
        if not isinstance(batch, dict):
            return f"[{i}]: " + _("an object of type {kind}").format(kind=batch)
        if sorted(batch) != ["index", "score"]:
            return f"[{i}]: " + _("the names {names}").format(names=", ".join(sorted(batch)) or "–")
        for name, expected in result(i, keeping).items():
            got = batch[name]
            if got != expected:
                came = got if isinstance(got, str) else f"{got[0]}, {'?' if got[1] is None else got[1]}"
                return f"[{i}][{name!r}]: {came}"
    return ""


KEEP_RESULTS = Exercise(
    name="keep_results",
    difficulty=1,
    minutes=5,
    run=probes.probe_keep,
    seconds=20.0,
    criteria=(
        Criterion(
            says="The result has the first samples of all batches, in order: dictionaries of tensors with the right values",
            look=right_results,
            hint="Build a list with one dictionary for each batch, with the same two names and tensors of the same dtypes.",
            points=2,
        ),
        Criterion(
            says="The result holds neither shared memory nor the other samples",
            look=nothing_held,
            hint="`detach()`, `numpy()`, `contiguous()` and a slice still use the same segment. `clone()` copies the data: call it for each field of the batch.",
            points=2,
        ),
        Criterion(
            says="Few open files are enough for a thousand batches",
            look=few_open_files,
            hint="Copy each batch as it comes. After `list(loader)` it is too late: all segments are in use at once.",
            points=2,
        ),
    ),
    prevented=no_room,
)

EXERCISES = (
    FITS,
    KEEP_RESULTS,
    COLLATE_IN_PLACE,
    PACKED_FIELDS,
)
