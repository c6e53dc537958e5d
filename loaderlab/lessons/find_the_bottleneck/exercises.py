"""The exercises of lesson 8: what bounds a loop, nine repairs, how near the limit, how busy a device is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.cases import Cases
from loaderlab.exercises.criterion import Criterion, Look, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.find_the_bottleneck import probes
from loaderlab.lessons.find_the_bottleneck.model import Profile

# ---------------------------------------------------------------- which_repairs


def which_repairs(profile: Profile, repairs: probes.Repairs, target: float) -> list[str] | None:
    for count in range(len(repairs) + 1):
        for names in combinations(repairs, count):
            if repaired(profile, repairs, names).rate >= target:
                return list(names)
    return None


def repaired(profile: Profile, repairs: probes.Repairs, names: Iterable[str]) -> Profile:
    for name in names:
        profile = replace(profile, **repairs[name])
    return profile


def setting(case: str) -> str:
    """Say what a loop needs in a case, the samples/s to reach, and those after each single repair."""
    profile, repairs, target = probes.REPAIRS.arguments[case]
    needs = ", ".join(f"`{name}` {number(ms, 1)} ms" for name, ms in profile.needs().items())
    each = ", ".join(
        f"`{name}` {number(replace(profile, **change).rate)}" for name, change in repairs.items()
    )
    words = _("{needs}; samples/s {rate}, to be reached {target}, with one repair: {each}")
    return words.format(needs=needs, rate=number(profile.rate), target=number(target), each=each or "–")


REPAIRS = Cases(probes.REPAIRS, right=which_repairs, call=setting)

WHICH_REPAIRS = (
    REPAIRS.criterion(
        mark("One repair, where one is enough"),
        ("storage", "step", "cores", "no_workers", "starts"),
        mark("`replace(profile, **repairs[name]).rate` are the samples/s with one repair; it counts the starting of workers, too."),
    ),
    REPAIRS.criterion(
        mark("Several, where none is enough alone"),
        ("two_alike", "three_alike"),
        mark("Where two resources need equally long, a repair of one alone gains nothing. Look at what several make together."),
    ),
    REPAIRS.criterion(
        mark("No repair more than it takes"),
        ("best_first", "harmful"),
        mark("The repair that gains most at first need not be one of the fewest. Try every pair before you try three."),
    ),
    REPAIRS.criterion(
        mark("`[]` where nothing is to be done, `None` where nothing is enough"),
        ("exact", "enough", "nothing_offered", "out_of_reach", "no_repairs"),
        mark("Begin with no repair at all: `combinations(repairs, 0)` has one, the empty one. `target` itself is enough."),
    ),
)  # fmt: skip


# ---------------------------------------------------------------- training

MOST_TENSORS = 4
OPENS = 4  # for each worker that was started
BATCH = 32
PIXELS = 3 * 64 * 64
MOST_BYTES = BATCH * (PIXELS + 8)  # of each photo one for each value, and eight for its label
LEAST_DRAWS = 50  # of 162 possible ones; 128 right draws show about 88


def after_two_epochs(look: Look) -> Look:
    """Return a look at a script that ran to its end; where it did not, nothing was counted that could be looked at."""

    def looked(evidence: dict[str, Any]) -> Iterator[Miss]:
        stopped = expect.stopped(evidence)
        if stopped:
            yield Miss(
                _("two epochs without an exception"),
                stopped,
                mark(
                    "Nothing could be counted, since your file did not run to its end. Mend this first, then check again."
                ),
            )
        else:
            yield from look(evidence)

    return looked


@after_two_epochs
def claimed_rate(evidence: dict[str, Any]) -> Iterator[Miss]:
    for said, samples, seconds in evidence["claims"]:
        true = samples / seconds if seconds else 0.0
        if isinstance(said, dict):
            kind = _("an object of type {kind}").format(kind=said.get("type"))
            yield Miss(_("a number of samples/s"), expect.raised(said) or kind)
        elif not math.isclose(said, true, rel_tol=1e-6):
            yield Miss(
                _("{rate} samples/s, by a clock that we turn; the last batch is a smaller one").format(
                    rate=number(true, 1)
                ),
                _("{rate} samples/s").format(rate=number(said, 1)),
            )


@after_two_epochs
def workers_and_threads(evidence: dict[str, Any]) -> Iterator[Miss]:
    count, room = evidence["num_workers"], max(2, int(evidence["cores"]))
    threads = max((threads for _pid, threads in evidence["workers"]), default=0)
    return expect.true(
        count >= 1 and count * threads <= room,
        _("at least 1 worker, and workers × threads at most {room}").format(room=room),
        _("workers: {workers}, threads in each: {threads}").format(workers=count, threads=threads),
    )


@after_two_epochs
def tensors_in_a_batch(evidence: dict[str, Any]) -> Iterator[Miss]:
    most = max(epoch["tensors"] for epoch in evidence["epochs"])
    return expect.true(
        1 <= most <= MOST_TENSORS,
        _("at most {most} tensors in a batch").format(most=MOST_TENSORS),
        _("tensors in a batch: {count}").format(count=most),
    )


@after_two_epochs
def starts(evidence: dict[str, Any]) -> Iterator[Miss]:
    count, started = evidence["num_workers"], len(evidence["workers"])
    return expect.true(
        1 <= count == started,
        _("in two epochs each worker is started once"),
        _("workers: {workers}, started in two epochs: {started}").format(workers=count, started=started),
    )


@after_two_epochs
def opens(evidence: dict[str, Any]) -> Iterator[Miss]:
    most = OPENS * max(1, len(evidence["workers"]))
    seen = evidence["workers"] or not evidence["num_workers"]  # else nobody counted
    return expect.true(
        seen and evidence["opens"] <= most,
        _("opens in all workers: at most {most}").format(most=most),
        _("opens: {opens}").format(opens=evidence["opens"]),
    )


def plain_dtype(dtype: str) -> str:
    return dtype.replace("torch.", "")


@after_two_epochs
def bytes_and_floats(evidence: dict[str, Any]) -> Iterator[Miss]:
    expected = _(
        "uint8 in the batch, at most {most} bytes; float32 from 0 to 1 in the step, of the same pixels"
    ).format(most=number(MOST_BYTES))
    for epoch in evidence["epochs"]:
        batches, steps = epoch["draws"], epoch["steps"]
        if epoch["dtypes"] != ["torch.uint8"] or epoch["bytes"] > MOST_BYTES:
            dtype, size = ", ".join(map(plain_dtype, epoch["dtypes"])), number(epoch["bytes"])
            yield Miss(expected, _("{dtype} in the batch, {size} bytes").format(dtype=dtype, size=size))
        if len(steps) != len(batches):
            words = _("batches: {batches}, steps: {steps}")
            yield Miss(expected, words.format(batches=len(batches), steps=len(steps)))
        for step, batch in zip(steps, batches, strict=False):
            right = step["dtype"] == "torch.float32" and 0 < step["highest"] <= 1
            if not right or step["draws"] != batch[:2]:
                dtype, highest = plain_dtype(step["dtype"]), number(step["highest"], 3)
                words = _("in the step: {dtype}, highest value {highest}")
                yield Miss(expected, words.format(dtype=dtype, highest=highest))


@after_two_epochs
def objects_of_the_dataset(evidence: dict[str, Any]) -> Iterator[Miss]:
    most = evidence["photos"] // 2
    return expect.true(
        evidence["objects"] <= most,
        _("for {photos} photos at most {most} Python objects").format(photos=evidence["photos"], most=most),
        _("Python objects: {count}").format(count=evidence["objects"]),
    )


@after_two_epochs
def draws(evidence: dict[str, Any]) -> Iterator[Miss]:
    epochs = evidence["epochs"]
    batches = [tuple(batch) for epoch in epochs for batch in epoch["draws"]]
    repeated = len(batches) - len(set(batches))
    drawn = [[draw for batch in epoch["draws"] for draw in batch] for epoch in epochs]
    kinds = min(len(set(in_epoch)) for in_epoch in drawn)
    first, second = (dict(zip(epoch["labels"], drawn[i], strict=False)) for i, epoch in enumerate(epochs))
    both = first.keys() & second.keys()
    same = sum(first[label] == second[label] for label in both)
    yield from expect.true(
        repeated == 0 and kinds >= LEAST_DRAWS and same <= len(both) / 2,
        _("no two batches with the same sequence of draws, and most photos drawn differently in the next epoch"),
        _("repeated sequences: {repeated} of {batches}; photos drawn as before: {same} of {both}; different draws: {kinds}").format(
            repeated=repeated, batches=len(batches), same=same, both=len(both), kinds=kinds
        ),
    )  # fmt: skip
    if evidence["drew"] is None:
        return
    lefts, tops, mirrored = map(set, zip(*evidence["drew"], strict=True))
    # Of 256 right draws none has a certain offset once in 10^13 tries.
    if not lefts == tops == set(range(9)) or len(mirrored) < 2:
        words = _("offsets from the left: {left}; from the top: {top}; orientations: {count}")
        yield Miss(
            words.format(left="0–8", top="0–8", count=2),
            words.format(left=listed(lefts), top=listed(tops), count=len(mirrored)),
            mark(
                "`torch.randint(9, ())` gives 0 to 8: the end of its range is left out. Draw three times: two offsets, and whether to mirror."
            ),
        )


def listed(numbers: set[int]) -> str:
    return ", ".join(map(str, sorted(numbers)))


@after_two_epochs
def photos_of_the_rank(evidence: dict[str, Any]) -> Iterator[Miss]:
    share, labels = evidence["photos"] // 2, [epoch["labels"] for epoch in evidence["epochs"]]
    whole = all(len(epoch) == len(set(epoch)) == share for epoch in labels)
    first, second = map(set, labels)
    shared = first & set(evidence["other_rank"])
    return expect.true(
        whole and not shared and first != second,
        _("{share} photos in each epoch, others in the second, and none that the other rank has").format(
            share=share
        ),
        _(
            "photos: {first} and {second}; in both epochs: {both}; shared with the other rank: {shared}"
        ).format(first=len(first), second=len(second), both=len(first & second), shared=len(shared)),
    )


# One for each fault, in the order in which the lesson repairs them.
TRAINING = (
    Criterion(
        mark("The clock: the rate that is claimed is the true one"),
        claimed_rate,
        mark("Start before the loop asks for its first batch, stop after the last step, and divide what arrived by that."),
    ),
    Criterion(
        mark("Workers and their threads fit the cores"),
        workers_and_threads,
        mark("Give `workers` as many workers as `int(lab.machine.usable_cores())` says, but at least one, and no `worker_init_fn`: PyTorch gives each worker one thread."),
    ),
    Criterion(
        mark("Few tensors cross the pipe"),
        tensors_in_a_batch,
        mark("Stack in `collate`, so that a batch is two tensors; then `prepare` has nothing to stack."),
    ),
    Criterion(
        mark("The workers stay for the next epoch"),
        starts,
        mark("`persistent_workers=True`, in `lifetime`."),
    ),
    Criterion(
        mark("Each worker opens a few files, and not some for each sample"),
        opens,
        mark("Override `read`: open the packed file once in each worker, at the first read, and slice it."),
    ),
    Criterion(
        mark("Bytes cross the pipe, and the step gets floats from 0 to 1"),
        bytes_and_floats,
        mark("`finish` returns `torch.from_numpy(pixels)`; `prepare` sends it to the device, and only then calls `.float() / 255`."),
    ),
    Criterion(
        mark("The Dataset holds arrays, and not a Python object for each photo"),
        objects_of_the_dataset,
        mark("Keep names, offsets and labels in arrays of fixed width (a NumPy array of dtype object holds objects, too)."),
    ),
    Criterion(
        mark("The augmentation differs between workers and between epochs"),
        draws,
        mark("Do not store a generator that every worker copies. `torch.randint` draws from the one that PyTorch seeds in each worker."),
    ),
    Criterion(
        mark("Each epoch has a new order and new photos of this rank"),
        photos_of_the_rank,
        mark("Call `self.sampler.set_epoch(epoch)` in `begin`, and keep the `DistributedSampler`."),
    ),
)  # fmt: skip

# ---------------------------------------------------------------- fast

QUIET = 0.9  # of the cores were to be had: what is measured with as much is judged
HOPE = 0.4  # of the limit for each core's share: what is slower there is slow anywhere


def photos_in_an_epoch(evidence: dict[str, Any]) -> Iterator[Miss]:
    stopped = expect.stopped(evidence)
    if stopped:
        missing = "No module named 'training'" in stopped
        yield Miss(
            _("as many samples in an epoch as the rank has"),
            stopped,
            mark("`fast.py` imports your `training.py`: run the cell of exercise 2, then check again.")
            if missing
            else mark(
                "Nothing could be counted, since your file did not run to its end. Mend this first, then check again."
            ),
        )
    elif evidence["samples"] != (share := evidence["photos"] // evidence["ranks"]):
        words = _("samples: {count}")
        yield Miss(words.format(count=share), words.format(count=evidence["samples"]))
    elif evidence["again"]:
        words = _("batches of the first epoch that come again in a later one: {count}")
        yield Miss(words.format(count=0), words.format(count=evidence["again"]))


def share_of_the_limit(evidence: dict[str, Any]) -> Iterator[Miss]:
    """Return the best epoch; where other programs took the cores, and nothing else is wrong, nobody can tell."""
    epochs = evidence.get("epochs", ())
    best = max((ratio for ratio, _share in epochs), default=0.0)
    complete = not any(photos_in_an_epoch(evidence))  # else nothing that counts
    if best >= probes.NEAR and complete:
        return
    words = _("{percent}% of the limit")
    expected = _("at least {percent}% of the limit").format(percent=number(100 * probes.NEAR))
    # What it would reach on a quiet machine is at most about the double of what the share makes of it.
    hopeful = [share for ratio, share in epochs if share < QUIET and ratio > HOPE * share]
    if complete and hopeful and max(share for _ratio, share in epochs) < QUIET:
        busy = _("{percent}% of the limit, with {share}% of the cores: the rest was taken by other programs")
        yield Miss(
            expected,
            busy.format(percent=number(100 * best), share=number(100 * max(hopeful))),
            mark("This was not judged. Check again when other programs have ended."),
            judged=False,
        )
        return
    measured = words.format(percent=number(100 * best)) if epochs else _("not measured")
    found = expect.stopped(evidence) or measured
    yield Miss(expected, found, "" if complete else expect.FOLLOWS)


FAST = (
    Criterion(
        mark("It still trains on every photo of its rank"),
        photos_in_an_epoch,
        mark("A loader that drops batches is fast, and trains on less. Keep sampler, batch size and `drop_last`."),
    ),
    Criterion(
        mark("The best of some epochs runs at half of the limit or better"),
        share_of_the_limit,
        mark("Repair first what costs most: workers and threads, tensors, opens. If all nine are gone, look what else runs on this machine."),
        points=2,
    ),
)  # fmt: skip

# ---------------------------------------------------------------- busy_share


def busy(kernels: list[list[float]], start: float, end: float) -> float:
    covered, reached = 0.0, start
    for opened, closed in sorted(kernels):
        begin, stop = max(opened, reached), min(closed, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered / (end - start)


BUSY = Cases(probes.BUSY, right=busy, rel=1e-9)

BUSY_SHARE = (
    BUSY.criterion(
        mark("The time with a kernel, divided by the whole time"),
        ("typical", "full", "idle", "fractions"),
        mark("Add up how long the kernels ran, and divide by `end - start`, the length of the window, not by the number of kernels."),
    ),
    BUSY.criterion(
        mark("Kernels at the same time count once"),
        ("overlap", "inside", "twice"),
        mark("Keep how far you have got; of each kernel only what is beyond that counts. One may lie wholly inside another."),
    ),
    BUSY.criterion(
        mark("In any order"),
        ("unsorted",),
        mark("Kernels of several streams come unsorted: sort them by their start."),
    ),
    BUSY.criterion(
        mark("Only what is inside the window counts"),
        ("cut", "later", "before"),
        mark("Cut each kernel: `max(begin, start)` and `min(end, stop)`; what is left may be nothing."),
    ),
)  # fmt: skip

PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["which_repairs"],
        WHICH_REPAIRS,
        difficulty=2,
        minutes=8,
        hints=(
            mark("What bounds moves with each repair, so what several gain is not the sum of what each of them gains."),
            mark("`itertools.combinations(repairs, 2)` gives all pairs of names, in the order of `repairs`."),
            mark("Two loops: over the number of repairs, from 0 on, and over the combinations of so many. Return the first that reaches `target`."),
        ),
    ),
    Exercise(
        PROBES["training"],
        TRAINING,
        difficulty=3,
        minutes=30,
        hints=(
            mark("Begin with one method, for instance `lifetime`, and check: each repair counts by itself."),
            mark("A method that you override can call `super()`; one that is a decision, such as `workers`, only returns another."),
            mark("In `read`: `if self.packed is None:` load offsets, labels and a memmap, then `self.packed[start:end].tobytes()`."),
            mark("`collate` and `prepare` belong together, and so do `finish` and `prepare`: what the one leaves out the other does."),
        ),
        prevented=expect.starved,
    ),
    Exercise(
        PROBES["fast"],
        FAST,
        difficulty=2,
        minutes=5,
        hints=(
            mark("Look at the board of section 4: which of the repairs made the largest step?"),
            mark("With `lab.measure.epoch(training.loader)` you see what the loader delivers without any step."),
        ),
        prevented=expect.starved,
    ),
    Exercise(
        PROBES["busy_share"],
        BUSY_SHARE,
        difficulty=2,
        minutes=8,
        hints=(
            mark("Sort the kernels by their start, and go through them once."),
            mark("Remember in `reached` the latest end so far; a kernel from `begin` to `stop` adds `max(0, stop - max(begin, reached))`."),
        ),
    ),
)  # fmt: skip
