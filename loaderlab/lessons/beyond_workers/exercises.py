"""The exercises of lesson 9: what is expected of the evidence that the probes return."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.expect import raised, shown
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.beyond_workers import probes
from loaderlab.lessons.beyond_workers.probes import (
    AHEAD,
    BATCH,
    BROKEN,
    FEW,
    IMAGES,
    MEETINGS,
    SLOTS,
)

# ---------------------------------------------------------------- best_place

APART = 1.02  # times: two places that are closer are a border


def batch(random: Random) -> tuple[float, ...]:
    """Draw the times of a batch, of which no rounding decides where it is decoded."""
    while True:
        step, core, crop, device, jpeg = (round(random.uniform(0.2, top), 1) for top in (20, 90, 12, 15, 12))
        cores = random.randint(1, 16)
        places = sorted((max(core / cores, crop, step), max(jpeg, device + step)))
        if places[1] > APART * places[0]:
            return step, cores, core, crop, device, jpeg


def placed(value: Any) -> str:
    place, ms = value
    return _('`"{place}"`, {ms} ms').format(place=place, ms=number(ms, 2))


BEST_PLACE = Exercise(
    name="best_place",
    difficulty=1,
    minutes=5,
    table=Table(
        {
            "cores": (3, 4, 40, 1, 60, 1),
            "link": (3, 16, 40, 8, 60, 1),
            "step": (20, 16, 40, 8, 60, 1),
            "device": (3, 2, 40, 1, 3.5, 1),
            "long_step": (10, 2, 40, 1, 3, 1),
            "jpeg": (3, 2, 40, 1, 2.5, 9),
            "nearly": (6, 5, 40, 1, 2.5, 1),
            "tie": (6, 1, 9, 1, 3, 1),
        },
        right=solution(__file__, "best_place"),
        rel=1e-6,
    ),
    criteria=(
        Criterion(
            says="On the cores, the slowest of three sets the pace: decoding, transfer, step",
            cases=("cores", "link", "step"),
            hint="Cores, link and device work at the same time, so take the longest of their times. Together, the cores bring a batch every `core_ms / cores` milliseconds.",
            show=placed,
        ),
        Criterion(
            says="On the device, decoding and step take turns",
            cases=("device", "long_step"),
            hint="The device does one thing at a time, so add both times: `device_ms + step_ms`.",
            show=placed,
        ),
        Criterion(
            says="The JPEGs have to cross the link, too",
            cases=("jpeg",),
            hint="While the device works on one batch, the JPEGs of another one cross the link: take the longer of the two times.",
            show=placed,
        ),
        Criterion(
            says="The place with the shorter time wins, and the cores win where both are equal",
            cases=("nearly", "tie"),
            drawn=batch,
            hint="Compare the two times with `<=`, and return the place and its time.",
            show=placed,
        ),
    ),
)

# ---------------------------------------------------------------- flip_each

LEAST, MOST = 0.4, 0.6  # of all images, mirrored


def kept_form(outcome: Mapping[str, Any]) -> str:
    """Return what of the batch is not as it was, apart from the order of columns; "" where all is."""
    value = outcome.get("value")
    if value is None:
        return shown(outcome)
    if "kind" in value:
        return _("an object of type {kind}").format(kind=value["kind"])
    if value["dtype"] != value["asked"]:
        return _("the type {name}, and {asked} was given").format(name=value["dtype"], asked=value["asked"])
    if not value["flips"]:
        return _("the shape {shape}").format(shape=tuple(value["shape"]))
    if -1 in value["flips"]:
        return _("image {number} is neither as it was nor mirrored left to right").format(
            number=value["flips"].index(-1)
        )
    return ""


def itself_or_mirrored(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("each image as it was or mirrored, in its place, of the same shape and type")
    for outcome in (*evidence["seeds"], evidence["floats"]):
        if why := kept_form(outcome):
            yield Miss(expected, why)


def broken(evidence: dict[str, Any]) -> str:
    """Return why the images do not tell which of them were mirrored; "" where they do."""
    return next(filter(None, map(kept_form, evidence["seeds"])), "")


def each_its_own(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("mirrored, of {images} images: {count}").format(
        images=IMAGES, count=_("about half, and not the same number each time")
    )
    if why := broken(evidence):
        yield Miss(expected, why, expect.FOLLOWS)
        return
    counts = [sum(outcome["value"]["flips"]) for outcome in evidence["seeds"]]
    share = sum(counts) / IMAGES / len(counts)
    if {*counts} <= {0, IMAGES} or len({*counts}) == 1 or not LEAST <= share <= MOST:
        shown_counts = ", ".join(map(str, counts[:6]))
        yield Miss(expected, _("with six seeds: {counts}").format(counts=shown_counts))


def from_the_generator(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("the same images for the same seed, others for another; the global generator as it was")
    if why := broken(evidence):
        yield Miss(expected, why, expect.FOLLOWS)
        return
    drawn = [outcome["value"]["flips"] for outcome in evidence["seeds"]]
    if evidence["again"].get("value", {}).get("flips") != drawn[0]:
        yield Miss(expected, _("other images with the same seed"))
    if evidence["moved"]:
        yield Miss(expected, _("draws from the global generator"))
    if all(flips == drawn[0] for flips in drawn):
        yield Miss(expected, _("the same images with each seed"))


def no_loop(evidence: dict[str, Any]) -> Iterator[Miss]:
    few, many = (evidence["operations"][str(count)] for count in (FEW, IMAGES))
    words = _("operations for {few} and for {many} images: {count}")
    expected = words.format(few=FEW, many=IMAGES, count=_("the same number"))
    if why := raised(few) or raised(many):
        yield Miss(expected, why, expect.FOLLOWS)
    elif many["value"] > few["value"] + FEW:
        found = f"{few['value']}, {many['value']}"
        yield Miss(expected, words.format(few=FEW, many=IMAGES, count=found))


FLIP_EACH = Exercise(
    name="flip_each",
    difficulty=1,
    minutes=6,
    run=probes.probe_flips,
    imports=("torch",),
    criteria=(
        Criterion(
            says="Each image comes back as it was or mirrored, of the same type",
            look=itself_or_mirrored,
            hint="`images.flip(-1)` mirrors all images, left to right, and keeps the type. Take each image from this result or from `images`; a product or a sum of both would change the type.",
        ),
        Criterion(
            says="Each image has a draw of its own",
            look=each_its_own,
            hint="A single draw mirrors the whole batch or none of it. Draw `len(images)` numbers, and let each decide on its image.",
            points=2,
        ),
        Criterion(
            says="All draws come from the generator",
            look=from_the_generator,
            hint="Draw with `torch.rand(len(images), generator=generator)`. Without `generator=`, it uses the global generator.",
        ),
        Criterion(
            says="There is no loop over the images",
            look=no_loop,
            hint="A mask of the shape [B, 1, 1, 1] applies to all channels, rows and columns of an image: `torch.where(mask, images.flip(-1), images)`.",
        ),
    ),
)

# ---------------------------------------------------------------- SlotPool


def nothing_overwritten(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = mark("batches that arrived with other values: {count}")
    for outcome in evidence["written"]:
        if "value" not in outcome:
            yield Miss(_(words).format(count=0), shown(outcome))
        yield from expect.count(words, outcome["value"], 0)


def all_used(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("slots given out before the first wait: {count}")
    value = evidence["full"].get("value")
    if value is None:
        yield Miss(words.format(count=SLOTS), shown(evidence["full"]))
        return
    used = next((n for n, waited in enumerate(value["waited"]) if waited), SLOTS + 1)
    different = len({*value["taken"][: min(used, SLOTS)]})
    if different != SLOTS:
        yield Miss(words.format(count=SLOTS), words.format(count=different))


def at_once(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("slot {slot}, waited for: {waited}")
    for name, place in (("later", 1), ("half", 2)):
        value = evidence[name].get("value")
        if value is None:
            yield Miss(words.format(slot=place, waited=_("none")), shown(evidence[name]))
            continue
        expected = words.format(slot=value["given"][place], waited=_("none"))
        if value["taken"] != value["given"][place] or value["waited"]:
            yield Miss(expected, words.format(slot=value["taken"], waited=slots(value["waited"])))


def slots(waited: list[int]) -> str:
    """Return the slots whose events the host waited for, in words."""
    if -1 in waited:
        return _("all work submitted to the device")
    return ", ".join(map(str, waited)) or _("none")


def the_oldest(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("slot {slot}, waited for: {waited}")
    value = evidence["full"].get("value")
    if value is None:
        yield Miss(words.format(slot=0, waited=0), shown(evidence["full"]), expect.FOLLOWS)
        return
    first, last, waited = value["taken"][0], value["taken"][-1], value["waited"][-1]
    if (last, waited) != (first, [first]):
        yield Miss(
            words.format(slot=first, waited=first),
            words.format(slot=last, waited=slots(waited)),
        )


def no_more_than_there_are(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("two slots, then `RuntimeError`, then the slot that was given back")
    value = evidence["too_many"].get("value")
    if value is None or sorted(map(str, value[:2])) != ["0", "1"] or value[2:] != ["RuntimeError", value[1]]:
        got = shown(evidence["too_many"]) if value is None else ", ".join(map(str, value))
        yield Miss(expected, got)


SLOT_POOL = Exercise(
    name="SlotPool",
    difficulty=2,
    minutes=10,
    run=probes.probe_pool,
    kind="class",
    imports=("torch", "loaderlab.measuring.racing"),
    parts=("take", "give_back"),
    criteria=(
        Criterion(
            says="No slot is written while a device still reads it",
            look=nothing_overwritten,
            hint="A slot may be written when **all** of its events have passed, those of both devices.",
            points=2,
        ),
        Criterion(
            says="All slots are given out before `take` waits",
            look=all_used,
            hint="At the beginning nobody has a slot, and no device reads one: give out all slots before you wait.",
        ),
        Criterion(
            says="A slot that has been read comes at once, whatever was given back before it",
            look=at_once,
            hint="Go through all slots that were given back, and call `event.query()` for each event: this call does not wait.",
            points=2,
        ),
        Criterion(
            says="Otherwise `take` waits for the slot that was given back first, and for no other",
            look=the_oldest,
            hint="Call `event.synchronize()` for the events of one slot: `torch.cuda.synchronize()` waits for all work submitted to the device.",
        ),
        Criterion(
            says="No slot is given out twice, and `RuntimeError` is raised where all are taken",
            look=no_more_than_there_are,
            hint="Remove a slot from your list when it is taken. Where the list is empty, nobody will ever give one back while `take` waits.",
        ),
    ),
)

# ---------------------------------------------------------------- ThreadLoader


def wanted(length: int) -> list[list[int]]:
    return [[*range(start, min(start + BATCH, length))] for start in range(0, length, BATCH)]


def in_order(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("samples: {length}; batches in two passes: {batches}")
    for length, outcome in evidence["batches"].items():
        right = [wanted(int(length))] * 2
        if outcome.get("value") != right:
            got = (
                words.format(length=length, batches=outcome["value"])
                if "value" in outcome
                else shown(outcome)
            )
            yield Miss(words.format(length=length, batches=right), got)


def meet(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _(
        "threads: {threads}; samples of a batch: {size}; batches ahead: {ahead}; samples at once: {count}"
    )
    for threads, size, ahead in MEETINGS:
        outcome = evidence["at_once"][f"{threads} {size} {ahead}"]
        told = {"threads": threads, "size": size, "ahead": ahead}
        if outcome.get("value") != threads:
            got = words.format(**told, count=outcome["value"]) if "value" in outcome else shown(outcome)
            yield Miss(words.format(**told, count=threads), got)


def not_too_far(evidence: dict[str, Any]) -> Iterator[Miss]:
    words = _("batches that are being loaded or ready while the loop works: {count}")
    outcome = evidence["ahead"]
    expected = words.format(count=f"1 … {AHEAD}" if AHEAD > 1 else AHEAD)
    if not outcome.get("value"):
        yield Miss(expected, raised(outcome) or words.format(count=0))
    for count in outcome.get("value") or ():
        if not 1 <= count <= AHEAD:
            yield Miss(expected, words.format(count=count))


def error_told(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _("`Broken` with the index {index}, after {count} batches").format(
        index=BROKEN, count=BROKEN // BATCH
    )
    value = evidence["error"].get("value")
    if value is None:
        yield Miss(expected, shown(evidence["error"]))
    elif not value["said"]:
        yield Miss(expected, _("no exception"))
    elif value["said"][0]["kind"] != "Broken":
        kind = value["said"][0]
        yield Miss(expected, expect.exception(f"{kind['kind']}: {kind['text'][0]}"))
    elif len(value["batches"]) != BROKEN // BATCH:
        yield Miss(expected, _("batches before the error: {batches}").format(batches=value["batches"]))
    elif str(BROKEN) not in " ".join(value["said"][0]["text"]):
        yield Miss(expected, _("`Broken` without the index"))


def none_left(evidence: dict[str, Any]) -> Iterator[Miss]:
    ways = {
        "end": mark("after the end, threads that are left: {count}"),
        "break": mark("after `break`, threads that are left: {count}"),
        "error": mark("after an error, threads that are left: {count}"),
    }
    for way, words in ways.items():
        outcome = evidence["left"][way]
        if "value" not in outcome:
            yield Miss(_(words).format(count=0), shown(outcome))
        yield from expect.count(words, outcome["value"], 0)


THREAD_LOADER = Exercise(
    name="ThreadLoader",
    difficulty=3,
    minutes=15,
    run=probes.probe_threads,
    kind="class",
    seconds=30.0,
    imports=("torch",),
    parts=("__iter__",),
    criteria=(
        Criterion(
            says="Each pass yields the batches of the dataset, in order",
            look=in_order,
            hint="Wait for the futures in the order in which you asked for the samples, whichever is ready first. The samples that are left at the end make a smaller batch.",
        ),
        Criterion(
            says="As many samples are loaded at the same time as there are threads",
            look=meet,
            hint="Give the pool a task for each sample. A task for each batch leaves threads idle where few batches are ahead.",
            points=2,
        ),
        Criterion(
            says="Some batches are loaded ahead, and not too many",
            look=not_too_far,
            hint="Ask for the samples of a batch when there is room for it: `pool.map` over the whole dataset asks for all at once. And ask before you `yield`, or nothing is loaded while the loop works.",
            points=2,
        ),
        Criterion(
            says="An error reaches the loop with the index of its sample, after the earlier batches",
            look=error_told,
            hint="`result()` raises in the loop what the thread raised. Catch the error in the thread, call `error.add_note(…)`, and `raise` it again.",
        ),
        Criterion(
            says="No thread is left behind",
            look=none_left,
            hint="A pool that is made in `__init__` lives as long as the loader. In a generator, `with ThreadPoolExecutor(…)` ends the pool, whatever ends the loop.",
        ),
    ),
)

# ---------------------------------------------------------------- all of them

EXERCISES = (
    BEST_PLACE,
    FLIP_EACH,
    SLOT_POOL,
    THREAD_LOADER,
)
