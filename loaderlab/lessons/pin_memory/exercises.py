"""The exercises of lesson 2: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.pin_memory import probes
from loaderlab.lessons.pin_memory.probes import BATCHES, SAMPLES, SHAPE

# ---------------------------------------------------------------- step_time


def turn(random: Random) -> tuple[int, float, float, float, bool, bool]:
    """Draw a batch and its step, two rates, and how the loop sends."""
    nbytes = random.choice((random.randint(1, 4096), random.randint(10**6, 10**9)))
    step_ms, host, link = (round(random.uniform(0.5, top), 2) for top in (60, 40, 60))
    return nbytes, step_ms, host, link, random.random() < 0.7, random.random() < 0.5


def in_ms(value: float) -> str:
    return _("{ms} ms").format(ms=number(value, 4))


STEP_TIME = Exercise(
    name="step_time",
    difficulty=1,
    minutes=6,
    table=Table(
        {
            "pageable": (50_000_000, 4.0, 10.0, 25.0, False, False),
            "pageable_slow": (256_000_000, 12.0, 8.0, 12.5, False, False),
            "pinned": (50_000_000, 8.0, 10.0, 25.0, True, False),
            "pinned_other": (100_000_000, 30.0, 20.0, 12.5, True, False),
            "step_bound": (50_000_000, 9.0, 10.0, 25.0, True, True),
            "link_bound": (250_000_000, 9.0, 40.0, 12.5, True, True),
            "thread_bound": (250_000_000, 9.0, 5.0, 25.0, True, True),
            "thread_bound_serial": (250_000_000, 9.0, 5.0, 25.0, True, False),
            "pageable_overlap": (50_000_000, 9.0, 10.0, 25.0, False, True),
        },
        right=solution(__file__, "step_time"),
        rel=1e-6,
    ),
    criteria=(
        Criterion(
            says="CPU copy, transfer and step come one after the other with pageable memory",
            cases=("pageable", "pageable_slow"),
            hint="All three times add up. A rate of 1 GB/s is 10⁹ bytes per second, so `nbytes / rate / 1e6` is in ms.",
            show=in_ms,
        ),
        Criterion(
            says="With pinned memory but no overlap, only transfer and step add up",
            cases=("pinned", "pinned_other"),
            hint="The copy by the CPU happens in the pin thread, beside the loop, and is not added.",
            show=in_ms,
        ),
        Criterion(
            says="With pinned memory and overlap, the longer of transfer and step counts",
            cases=("step_bound", "link_bound"),
            hint="What runs at the same time does not add up: take the maximum.",
            show=in_ms,
        ),
        Criterion(
            says="The pin thread can be the slowest",
            cases=("thread_bound", "thread_bound_serial"),
            drawn=turn,
            hint="The pin thread copies one batch while the loop works on another: a turn of the loop cannot take less time than this copy.",
            show=in_ms,
        ),
        Criterion(
            says="Without pinned memory, `overlap` changes nothing",
            cases=("pageable_overlap",),
            hint="In this loop the host is blocked while it copies, so that it cannot launch the step.",
            show=in_ms,
        ),
    ),
)

# ---------------------------------------------------------------- deliver

LESS = 30  # per cent of the bytes that floats take, at most
COPIES = 2  # of a batch, at most


def wanted_bytes(case: str) -> int:
    """Return the bytes that cross where images are sent as floats."""
    pixels, boxes = SAMPLES[case]
    return 4 * sum(len(each) for each in pixels) + 16 * sum(len(each) for each in boxes)


def lacking(case: str, outcome: Mapping[str, Any]) -> str:
    """Return what of the samples of a case did not arrive; "" where all did."""
    value, (pixels, boxes) = outcome.get("value"), SAMPLES[case]
    if value is None:
        return expect.raised(outcome)
    if not value["form"]:
        return _("not a tensor of images and a list or tuple of tensors of boxes")
    if not value["there"]:
        return _("tensors that are not on the device")
    if value["dtypes"] != ["torch.float32"]:
        return _("types: {names}").format(names=", ".join(value["dtypes"]))
    shape = [len(pixels), *SHAPE]
    if value["shape"] != shape:
        words = _("images of shape {shape}, not {expected}")
        return words.format(shape=tuple(value["shape"]), expected=tuple(shape))
    sent = [pixel / 255 for each in pixels for pixel in each]
    if any(abs(one - other) > 1e-5 for one, other in zip(value["images"], sent, strict=True)):
        return _("other values in the images")
    if value["boxes"] != boxes:
        return _("other boxes")
    return ""


def kept(evidence: dict[str, Any]) -> str:
    """Return what did not arrive in one of the cases; "" where all did."""
    return next(filter(None, (lacking(case, evidence[case]) for case in SAMPLES)), "")


def fewer_bytes(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("bytes sent: {count}")
    for case in SAMPLES:
        most = LESS * wanted_bytes(case) // 100
        expected = words.format(count=f"≤ {number(most)}")
        if why := kept(evidence):
            yield Miss(expected, why, hint=expect.FOLLOWS)
        elif (found := evidence[case]["value"]["bytes"]) > most:
            yield Miss(expected, words.format(count=number(found)))


def fewer_copies(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("copies: {count}")
    for case in SAMPLES:
        expected = words.format(count=f"≤ {COPIES}")
        if why := kept(evidence):
            yield Miss(expected, why, hint=expect.FOLLOWS)
        elif (found := evidence[case]["value"]["copies"]) > COPIES:
            yield Miss(expected, words.format(count=found))


def same_samples(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("images from 0 to 1 and all boxes, as `float32`, on the device")
    if why := kept(evidence):
        yield Miss(expected, why)
    for case in SAMPLES:
        value = evidence[case].get("value") or {"copies": 0, "bytes": 0}
        as_many = 1 + len(SAMPLES[case][0])
        if value["copies"] >= as_many and value["bytes"] >= 0.9 * wanted_bytes(case):
            yield Miss(expected, _("as many bytes and copies as with `as_floats`"), hint=expect.FOLLOWS)


DELIVER = Exercise(
    name="deliver",
    difficulty=1,
    minutes=8,
    run=probes.probe_deliver,
    imports=("torch",),
    criteria=(
        Criterion(
            says="At most 30% of the bytes of `as_floats` are sent",
            look=fewer_bytes,
            hint="Send the images as bytes, and convert them on the device: `.to(device)` first, then `/ 255`. Unless it is `non_blocking`, `.to(device, torch.float32)` converts first and sends floats.",
            points=2,
        ),
        Criterion(
            says="At most two copies are made, however many samples there are",
            look=fewer_copies,
            hint="`torch.cat` makes one tensor of all boxes. On the device, `split` with a list of lengths cuts it again, without a copy.",
        ),
        Criterion(
            says="The same images and boxes arrive",
            look=same_samples,
            hint="An image without boxes has a tensor of shape (0, 4). All that you return must lie on the device.",
        ),
    ),
)

# ---------------------------------------------------------------- PinnableBatch


# Made now: a judge is timed, and should not have to import torch then. Without torch no answer comes to be judged.
SENT: dict[str, Any] = {}
with suppress(ModuleNotFoundError):
    SENT |= {name: probes.described(batch, lambda _tensor: True) for name, batch in probes.contents().items()}


def tensors(content: Any) -> list[dict[str, Any]]:
    """All tensors in a described batch, in order."""
    if "tensor" in content:
        return [content]
    if "dict" in content:
        return [t for _key, item in content["dict"] for t in tensors(item)]
    return [t for kind in ("list", "tuple") for item in content.get(kind, ()) for t in tensors(item)]


def outline(content: Any) -> Any:
    """Return a described batch without regard to what is pinned."""
    if "tensor" in content:
        return {"tensor": content["tensor"]}
    if "dict" in content:
        return {"dict": [[key, outline(item)] for key, item in content["dict"]]}
    for kind in ("list", "tuple"):
        if kind in content:
            return {kind: [outline(item) for item in content[kind]]}
    return content


def handed_on(evidence: dict[str, Any], name: str) -> Any:
    """Describe the pin thread's result; empty where that is no `PinnableBatch`."""
    return (evidence[name].get("value") or {}).get("content") or {}


def pinned(evidence: dict[str, Any], name: str) -> int:
    return sum(tensor["pinned"] for tensor in tensors(handed_on(evidence, name)))


def exception(evidence: dict[str, Any], names: Sequence[str]) -> str:
    """Return the first that these batches raised; "" where they raised none."""
    return next(filter(None, (expect.raised(evidence[name]) for name in names)), "")


def unpinned(evidence: dict[str, Any], names: Sequence[str]) -> str:
    """Why these batches cannot show what is kept: an exception, or nothing was pinned; "" where they can."""
    # An answer that does nothing keeps everything, too.
    idle = not any(pinned(evidence, name) for name in evidence)
    return exception(evidence, names) or (_("nothing was pinned") if idle else "")


def changed(evidence: dict[str, Any], names: Sequence[str]) -> list[str]:
    return [
        name
        for name in names
        if unpinned(evidence, [name]) or outline(handed_on(evidence, name)) != outline(SENT[name])
    ]


def pinnable_batch(evidence: dict[str, Any]) -> Iterator[Miss]:
    kind = (evidence["flat"].get("value") or {}).get("kind")
    if kind != "PinnableBatch":
        yield Miss("`PinnableBatch`", exception(evidence, ["flat"]) or f"`{kind}`")


def every_tensor(names: Sequence[str], evidence: dict[str, Any]) -> Iterator[Miss]:
    have = sum(pinned(evidence, name) for name in names)
    want = sum(len(tensors(SENT[name])) for name in names)
    if have != want:
        words = _("pinned tensors: {have} of {want}")
        came = exception(evidence, names) or words.format(have=have, want=want)
        yield Miss(words.format(have=want, want=want), came)


def same_structure(evidence: dict[str, Any]) -> Iterator[Miss]:
    names = changed(evidence, ["flat", "nested", "tuple"])
    if names:
        other = _("another structure for the batches: {names}").format(names=", ".join(names))
        yield Miss(_("the same structure as before pinning"), unpinned(evidence, names) or other)


def others_kept(evidence: dict[str, Any]) -> Iterator[Miss]:
    if changed(evidence, ["others"]):
        yield Miss(
            _("strings, numbers, `None` and empty containers unchanged"),
            unpinned(evidence, ["others"]) or _("they were changed or lost"),
        )


PINNABLE_BATCH = Exercise(
    name="PinnableBatch",
    difficulty=2,
    minutes=7,
    run=probes.probe_pinnable,
    kind="class",
    parts=("pin_memory",),
    changes=True,
    criteria=(
        Criterion(
            says="The pin thread hands on a `PinnableBatch`",
            look=pinnable_batch,
            hint="The loader goes on with what `pin_memory` returns: end with `return self`, or return a new batch.",
        ),
        Criterion(
            says="Every tensor of the dictionary is pinned",
            look=lambda e: every_tensor(["flat"], e),
            hint="`tensor.pin_memory()` returns the pinned copy and changes nothing: put the copy in its place.",
        ),
        Criterion(
            says="Tensors in nested lists, tuples and dictionaries are pinned at any depth",
            look=lambda e: every_tensor(["nested", "tuple"], e),
            hint="Write a function that calls itself for each item of a dictionary, a list or a tuple.",
            points=2,
        ),
        Criterion(
            says="Structure and values stay the same: a list stays a list, a tuple a tuple",
            look=same_structure,
            hint="For a list or a tuple, `type(value)(…)` builds the same kind; a namedtuple would want `type(value)(*…)`.",
        ),
        Criterion(
            says="What is neither a tensor nor a container stays as it is",
            look=others_kept,
            hint="Return everything else unchanged; a string is not a container here.",
        ),
    ),
)

# ---------------------------------------------------------------- DevicePrefetcher

# The batches that the loop must get, in each of these situations.
WANTED = {
    "all": (mark("five batches"), list(range(BATCHES))),
    "one": (mark("one batch"), [0]),
    "none": (mark("an empty loader"), []),
    "again": (mark("a second pass after a `break`"), [0, 1, 2]),
}


class Order:
    """The operations of one pass, and what may be asked about them."""

    def __init__(self, outcome: Mapping[str, Any]) -> None:
        value = outcome.get("value") or {"operations": [], "blocking": [], "records": []}
        self.raised = expect.raised(outcome)
        self.operations, self.blocking = value["operations"], value["blocking"]
        self.records = {tuple(record) for record in value["records"]}
        self.steps = {op["batch"]: i for i, op in enumerate(self.operations) if op["kind"] == "step"}
        self.copies: dict[int, list[int]] = {}
        for i, op in enumerate(self.operations):
            if op["kind"] == "copy":
                self.copies.setdefault(op["batch"], []).append(i)

    @property
    def complete(self) -> bool:
        return self.steps.keys() == set(range(BATCHES)) and all(
            len(self.copies.get(b, ())) == 2 for b in range(BATCHES)
        )

    def waits(self, later: int, earlier: int) -> bool:
        return earlier in self.operations[later]["after"]

    def own_stream(self) -> bool:
        copying = {self.operations[i]["stream"] for copies in self.copies.values() for i in copies}
        computing = {self.operations[i]["stream"] for i in self.steps.values()}
        return self.complete and not copying & computing

    def not_ahead(self) -> list[int]:
        """Batches whose copy was not issued between the step before last and the step before it."""
        if not self.complete:
            return list(range(1, BATCHES))
        return [
            b
            for b in range(1, BATCHES)
            if not all(self.steps.get(b - 2, -1) < c < self.steps[b - 1] for c in self.copies[b])
        ]

    def unready(self) -> list[int]:
        """Return the steps that need not wait for their own copy."""
        if not self.complete:
            return list(range(BATCHES))
        return [b for b in range(BATCHES) if not all(self.waits(self.steps[b], c) for c in self.copies[b])]

    def held_up(self) -> list[int]:
        """Return the steps that must wait for the copy of the next batch, or that this copy must wait for."""
        if not self.complete:
            return list(range(BATCHES - 1))
        pairs = {b: [(self.steps[b], c) for c in self.copies[b + 1]] for b in range(BATCHES - 1)}
        return [b for b in pairs if any(self.waits(max(pair), min(pair)) for pair in pairs[b])]

    def reusable(self) -> list[int]:
        """Batches whose memory may be given to a later copy while their step still runs."""
        if not self.complete:
            return list(range(BATCHES))
        recorded = {
            b
            for b, step in self.steps.items()
            if all((b, field, self.operations[step]["stream"]) in self.records for field in (0, 1))
        }
        later = {
            b: [c for other in range(b + 2, BATCHES) for c in self.copies[other]] for b in range(BATCHES)
        }
        ordered = {b for b in range(BATCHES) if all(self.waits(c, self.steps[b]) for c in later[b])}
        return [b for b in range(BATCHES) if b not in recorded | ordered]


def orders(evidence: dict[str, Any]) -> list[Order]:
    """Both passes; first one that raised, because nothing says more than its exception."""
    found = [Order(evidence[name]) for name in ("default", "own")]
    return sorted(found, key=lambda order: not order.raised)


def copies_apart(expected: str, evidence: dict[str, Any]) -> Iterator[Miss]:
    """Return the copies on another stream than the steps, without which some criteria cannot be met."""
    for order in orders(evidence):
        if not order.own_stream():
            yield Miss(expected, order.raised or _("copies on the stream of the steps, or none"))


def no_batch(
    ask: Callable[[Order], list[int]], expected: str, words: str, evidence: dict[str, Any]
) -> Iterator[Miss]:
    """Return a pass in which ``ask`` finds no batch; ``words``, translated, have the place ``{batches}``."""
    for order in orders(evidence):
        batches = ask(order)
        if batches:
            yield Miss(expected, order.raised or words.format(batches=", ".join(map(str, batches))))


def each_on_its_stream(expected: str, evidence: dict[str, Any]) -> Iterator[Miss]:
    """Return a pass in which the loop computes on two streams in turn; what else is asked of a pass is not asked here."""
    order = Order(evidence["in_turn"])
    if unready := order.unready():
        words = _("the loop changes its stream from batch to batch, and these steps do not wait: {batches}")
        yield Miss(expected, order.raised or words.format(batches=", ".join(map(str, unready))))


def handed_out(what: str, outcome: Mapping[str, Any]) -> str:
    """Tell the learner the batches that the loop got."""
    if "raised" in outcome:
        return f"{what}: {expect.raised(outcome)}"
    value = outcome.get("value") or {"numbers": [], "on_device": True}
    if not value["on_device"]:
        return _("{what}: not the tensors of a batch in their order, or not on the device").format(what=what)
    return _("{what}: batches {numbers}").format(what=what, numbers=value["numbers"])


def every_batch_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    for name, (what, numbers) in WANTED.items():
        wanted = {"numbers": numbers, "on_device": True}
        if evidence[name].get("value") != wanted:
            yield Miss(handed_out(_(what), {"value": wanted}), handed_out(_(what), evidence[name]))


def own_stream(evidence: dict[str, Any]) -> Iterator[Miss]:
    yield from copies_apart(_("copies on another stream than the steps"), evidence)


def host_never_waits(evidence: dict[str, Any]) -> Iterator[Miss]:
    found = orders(evidence)
    blocking = dict.fromkeys(f"`{what}`" for order in found for what in order.blocking)
    if blocking or not all(order.complete for order in found):
        yield Miss(
            _("`non_blocking=True`, and no synchronisation of the host"),
            found[0].raised or ", ".join(blocking) or _("no complete pass"),
        )


def one_ahead(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("copy {next}, then step {this}").format(next=1, this=0)
    yield from no_batch(Order.not_ahead, expected, _("sent too early or too late: {batches}"), evidence)


def step_waits(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("each step waits for its copy, also if the loop computes on a stream of its own")
    yield from copies_apart(expected, evidence)
    yield from no_batch(Order.unready, expected, _("steps that do not wait: {batches}"), evidence)
    yield from each_on_its_stream(expected, evidence)


def not_for_the_next(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("step and next copy can run at the same time")
    words = _("steps that wait for the next copy, or for which that copy waits: {batches}")
    yield from no_batch(Order.held_up, expected, words, evidence)


def memory_protected(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("`record_stream` for every tensor, or copies that wait for the steps before")
    yield from copies_apart(expected, evidence)
    yield from no_batch(Order.reusable, expected, _("batches not protected: {batches}"), evidence)


DEVICE_PREFETCHER = Exercise(
    name="DevicePrefetcher",
    difficulty=3,
    minutes=20,
    run=probes.probe_prefetcher,
    kind="class",
    parts=("__iter__",),
    criteria=(
        Criterion(
            says="Every batch comes once, in order, on the device; also with one batch, with none, and in a second pass",
            look=every_batch_once,
            hint="Do not forget the last batch, which no other follows, and start anew in every `__iter__`.",
            points=2,
        ),
        Criterion(
            says="The copies have a stream of their own",
            look=own_stream,
            hint="Put `with torch.cuda.stream(self.stream):` around the `.to(…)` only, with no `yield` inside: else the loop computes on that stream.",
        ),
        Criterion(
            says="Nothing makes the host wait",
            look=host_never_waits,
            hint="Streams can wait for each other without the host: call `wait_stream` or `wait_event` instead of `synchronize`.",
        ),
        Criterion(
            says="Before each step the next batch is sent, and no further one",
            look=one_ahead,
            hint="Send the next batch before you `yield` this one, and be one batch ahead, not more.",
        ),
        Criterion(
            says="A step waits for the copy of its own batch",
            look=step_waits,
            hint="When the batch is handed out, `torch.cuda.current_stream()` must wait for the copy: call this function at that moment, not in `__init__`. If you use an event, record it after the copies, on their stream.",
            points=2,
        ),
        Criterion(
            says="A step does not wait for the copy of the next batch",
            look=not_for_the_next,
            hint="`wait_stream` waits for all that the other stream has been given so far. Call it before you issue the next copy, or wait for an event.",
        ),
        Criterion(
            says="Memory is not reused while a step may still read it",
            look=memory_protected,
            hint="The batch was allocated on the copy stream: tell the allocator which stream uses it, with `tensor.record_stream(torch.cuda.current_stream())`.",
        ),
    ),
)

# ---------------------------------------------------------------- all of them

EXERCISES = (
    STEP_TIME,
    DELIVER,
    PINNABLE_BATCH,
    DEVICE_PREFETCHER,
)
