"""The exercises of lesson 4: what is expected of the evidence that the probes return."""

from __future__ import annotations

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
    FIELDS,
    KEEPINGS,
    Keeping,
    batches_to_pack,
    described,
    described_batch,
    samples_to_stack,
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
    """Return a loader that runs without pinning, and has one tensor in a batch, unless ``others`` say so."""
    usual = {"pin_memory": False, "persistent_workers": False, "state": "running"}
    return {"tensor_bytes": [int(mib * MIB)], "num_workers": num_workers, "held": held} | usual | others


def container(random: Random) -> tuple[list[dict[str, Any]], int]:
    """Draw loaders, of which the first runs with workers, and what /dev/shm has."""
    loaders = []
    for place in range(random.randint(1, 4)):
        workers, largest = random.randint(0 if place else 1, 4), random.choice((9000, 300_000))
        others = {
            "tensor_bytes": [1, *(random.randint(0, largest) for _tensor in range(random.randint(0, 5)))],
            "pin_memory": random.random() < 0.4,
            "persistent_workers": workers > 0 and random.random() < 0.5,
            "state": random.choice(("running", "break", "used up")) if place else "running",
        }
        loaders.append(loader(0, workers, random.choice((0, 0, 1, 3, 7)), **others))
    return loaders, random.choice((random.randint(1, 10**6), random.randint(10**6, 2**24)))


FITS = Exercise(
    name="fits",
    difficulty=2,
    minutes=8,
    table=Table(
        {
            "typical": ([loader(1, 2)], 9 * MIB),
            "exactly": ([loader(3, 4)], 60 * MIB),
            "a_byte_less": ([loader(3, 4)], 60 * MIB - 1),
            "two_run": ([loader(2, 3), loader(1, 4)], 64 * MIB),
            "pages": ([loader(0, 2, tensor_bytes=[40] * 6)], 262_144),
            "sizes": ([loader(0, 1, tensor_bytes=[4096, 4097, 0, 8192])], 94_208),
            "holds": ([loader(1, 2, 5)], 12 * MIB),
            "holds_most": ([loader(2, 2, 30)], 64 * MIB),
            "two_hold": ([loader(1, 2, 3), loader(4, 1, 2)], 32 * MIB),
            "pinned": ([loader(1, 2, 5, pin_memory=True)], 12 * MIB),
            "pinned_and_not": ([loader(1, 2, 9, pin_memory=True), loader(1, 2, 4)], 16 * MIB),
            "persistent": (
                [loader(2, 2, persistent_workers=True), loader(1, 3, persistent_workers=True, state="break")],
                28 * MIB,
            ),
            "broken_off": ([loader(2, 2), loader(1, 3, state="break")], 28 * MIB),
            "used_up": ([loader(2, 2), loader(1, 3, persistent_workers=True, state="used up")], 28 * MIB),
            "used_up_holds": ([loader(1, 2), loader(1, 4, 8, state="used up")], 16 * MIB),
            "no_workers": ([loader(1, 2), loader(3, 0, 4)], 9 * MIB),
            "too_small": ([loader(4, 4)], 16 * MIB - 1),
            "all_held": ([loader(1, 1, 64)], 64 * MIB),
            "held_too_much": ([loader(1, 4, 100)], 64 * MIB),
        },
        right=solution(__file__, "fits"),
    ),
    criteria=(
        Criterion(
            says="All loaders together, and exactly full still fits",
            cases=("typical", "exactly", "a_byte_less", "two_run"),
            hint="Every loader has `num_workers` × `prefetch_factor` batches on order. Add up what one batch ahead costs them all, and divide, rounded down.",
        ),
        Criterion(
            says="Each tensor takes whole pages of its own",
            cases=("pages", "sizes"),
            hint="Round every tensor up to a multiple of 4096, and only then add them up: `-(-n // 4096) * 4096`.",
        ),
        Criterion(
            says="What the program holds takes room, unless it was pinned",
            cases=("holds", "holds_most", "two_hold", "pinned", "pinned_and_not"),
            hint="Held batches do not grow with `prefetch_factor`: take them off first. The pin thread copies a batch out of `/dev/shm` before the loop gets it, but may fall behind with all that is on order.",
        ),
        Criterion(
            says="On order is what a running loader has, or a persistent one after a `break`",
            cases=("persistent", "broken_off", "used_up", "used_up_holds", "no_workers"),
            drawn=container,
            hint="A loader that is used up, or whose workers ended with a `break`, has nothing on order; the batches that the program holds stay. Without workers nothing is in `/dev/shm`.",
        ),
        Criterion(
            says="`None` where not even 1 fits",
            cases=("too_small", "all_held", "held_too_much"),
            hint="0 is no `prefetch_factor`, and less than nothing may be free already.",
        ),
    ),
)

# ---------------------------------------------------------------- PackedFields

MESSAGE = 16_000  # bytes: room for names and shapes, and far less than the data


@cache
def packed_fields() -> dict[str, list[list[Any]]]:
    """Return the fields of each batch, as they must come back."""
    return {name: described(batch) for name, batch in batches_to_pack().items()}


def few_segments(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name in ("many", "dtypes"):
        dtypes = {dtype for _name, dtype, _shape, _bytes in packed_fields()[name]}
        segments = evidence[name].get("segments", FIELDS)
        if segments > len(dtypes):
            yield Miss(
                _("segments: at most {count}").format(count=len(dtypes)),
                expect.raised(evidence[name]) or _("segments: {count}").format(count=segments),
            )


def of_packed(look: Look) -> Look:
    """Ask only where something was packed: what is sent as it is comes back as it was."""

    def asked(evidence: dict[str, Any]) -> Iterator[Miss]:
        if evidence["many"].get("segments") == FIELDS:
            yield Miss(_("several fields in one segment"), _("a segment for each field"), hint=expect.FOLLOWS)
        else:
            yield from look(evidence)

    return asked


def small_message(evidence: dict[str, Any]) -> Iterator[Miss]:
    many = evidence["many"]
    if "message" not in many or many["message"] > MESSAGE:
        yield Miss(
            _("at most {limit} bytes through the pipe").format(limit=number(MESSAGE)),
            expect.raised(many) or _("{size} bytes").format(size=number(many["message"])),
        )


def shared_at_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    private = max(got.get("private", 0) for got in evidence.values())
    if private or not evidence["many"].get("segments"):
        yield Miss(
            _("every tensor in shared memory when `pack` returns"),
            _("tensors in private memory: {count}").format(count=private)
            if private
            else expect.raised(evidence["many"]) or _("segments: {count}").format(count=0),
        )


def unharmed_and_in_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name in ("many", "shapes", "dtypes", "views"):
        expected, got = packed_fields()[name], evidence[name].get("unpacked")
        if evidence[name].get("unharmed") is False:
            yield Miss(_("the batch as it was"), _("packing changed the batch"))
        if isinstance(got, list) and names(got) != names(expected):
            yield Miss(*difference(expected, got))
    yield from come_back(("many", "shapes"), evidence, in_order=True)


def come_back(batches: Sequence[str], evidence: dict[str, Any], in_order: bool = False) -> Iterator[Miss]:
    """Return the batches of which not every field comes back as it was."""
    for name in batches:
        expected, got = packed_fields()[name], evidence[name].get("unpacked")
        if not in_order and isinstance(got, list):
            expected, got = sorted(expected), sorted(got)
        if got != expected:
            wanted, found = difference(expected, got)
            yield Miss(wanted, expect.raised(evidence[name]) or found)


def difference(expected: list[list[Any]], got: Any) -> tuple[str, str]:
    """Return the first field that differs, as it should be and as it came."""
    if not isinstance(got, list):
        return _("a dictionary of tensors"), str(got)
    if names(expected) != names(got):
        return ", ".join(names(expected)[:8]), ", ".join(names(got)[:8]) or _("no field at all")
    return next((in_words(a), in_words(b)) for a, b in zip(expected, got, strict=True) if a != b)


def names(fields: list[list[Any]]) -> list[str]:
    return [field[0] for field in fields]


def in_words(field: list[Any]) -> str:
    name, dtype, shape, content = field
    return f"{name}: {dtype}, {tuple(shape)}, {list(bytes.fromhex(content[:16]))}"


PACKED_FIELDS = Exercise(
    name="PackedFields",
    difficulty=3,
    minutes=12,
    run=probes.probe_pack,
    kind="class",
    seconds=20.0,
    parts=("pack", "unpack"),
    criteria=(
        Criterion(
            says="At most one segment for each dtype",
            look=few_segments,
            hint="Flatten the fields with `reshape(-1)` and join those of the same dtype with `torch.cat`.",
        ),
        Criterion(
            says="The numbers travel in shared memory, not in the message",
            look=of_packed(small_message),
            hint="Lists, bytes and NumPy arrays are pickled whole. Only names, shapes and dtypes belong beside the tensors.",
        ),
        Criterion(
            says="The numbers are in shared memory when `pack` returns",
            look=of_packed(shared_at_once),
            hint="`torch.cat` alone makes private memory, which another thread copies later: a full `/dev/shm` would lose the batch in silence. Give it `out=torch.empty(count, dtype=…).share_memory_()`.",
        ),
        Criterion(
            says="Every field comes back, in its order and shape, and the batch stays as it was",
            look=of_packed(unharmed_and_in_order),
            hint="Keep a list of (name, shape) in the order of the batch, `split` what was joined, and `view` each part.",
        ),
        Criterion(
            says="Every dtype and every bit survives",
            look=of_packed(lambda e: come_back(("dtypes",), e)),
            hint="Do not convert to a common dtype: float32 has no room for large integers. Make one group for each dtype.",
        ),
        Criterion(
            says="Zero-dimensional and empty fields survive",
            look=of_packed(lambda e: come_back(("scalars", "empty", "only_empty"), e)),
            hint="A scalar has shape `()` and one element; an empty field has none, and still a dtype and a shape.",
        ),
        Criterion(
            says="Fields that are views survive",
            look=of_packed(lambda e: come_back(("views",), e)),
            hint="`view(-1)` fails on a transposed tensor, and `untyped_storage()` does not follow its strides; `reshape(-1)` does.",
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
                hint="`share_memory_()` moves the tensor itself, and each sample takes a segment and an open file more. Call it on the batch only.",
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
            says="The samples are stacked, also scalars, views and a single one",
            look=lambda e: as_stacked(
                ("images", "one", "turned", "scalars"), mark("what `torch.stack(samples)` gives"), e
            ),
            hint="The shape of the batch is `(len(samples), *samples[0].shape)`.",
        ),
        Criterion(
            says="Any dtype, with every value exact",
            look=lambda e: as_stacked(
                ("bytes", "large", "masks", "doubles"), mark("the dtype and the values of the samples"), e
            ),
            hint="`torch.empty` makes float32 where it is not told otherwise: pass `dtype=samples[0].dtype`.",
        ),
        Criterion(
            says="The batch is in shared memory, in a worker and outside",
            look=in_shared_memory,
            hint="Allocate the batch first, call `share_memory_()` on it, and then fill it.",
            points=2,
        ),
        Criterion(
            says="The samples go straight there, without a private copy of the batch",
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
            hint="A slice of a copy keeps the whole copy, and `copy.deepcopy` of a slice copies all that the slice is a view of. Cut first, then `clone()`.",
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
            says="The first samples of all batches, in order: dictionaries of tensors with the right values",
            look=right_results,
            hint="Build a list with one dictionary for each batch, with the same two names and tensors of the same dtypes.",
            points=2,
        ),
        Criterion(
            says="The result holds neither shared memory, nor the samples that were not to be kept",
            look=nothing_held,
            hint="`detach()`, `numpy()`, `contiguous()` and a slice still look at the same segment. `clone()` copies it, and so each field of the batch must be copied.",
            points=2,
        ),
        Criterion(
            says="A thousand batches with few open files",
            look=few_open_files,
            hint="Copy each batch as it comes. After `list(loader)` it is too late: all segments are in use at once.",
            points=2,
        ),
    ),
    prevented=no_room,
)

EXERCISES = (
    FITS,
    PACKED_FIELDS,
    COLLATE_IN_PLACE,
    KEEP_RESULTS,
)
