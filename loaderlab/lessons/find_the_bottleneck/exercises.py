"""The exercises of lesson 8: what bounds a loop, nine repairs, how near the limit."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import combinations
from random import Random
from typing import Any

from loaderlab.exercises import expect
from loaderlab.exercises.criterion import Criterion, Look, Miss
from loaderlab.exercises.exercise import Exercise
from loaderlab.exercises.table import Table
from loaderlab.exercises.written import solution
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.lessons.find_the_bottleneck import probes
from loaderlab.lessons.find_the_bottleneck.model import Profile

# ---------------------------------------------------------------- which_repairs


Repairs = dict[str, dict[str, Any]]


def loop(target: float, repairs: Repairs, **numbers: Any) -> tuple[Profile, Repairs, float]:
    """Return a profile, the usual one but for these numbers, what can be repaired, and the samples/s to reach."""
    usual = {"read_ms": 0.25, "decode_ms": 0.5, "transport_ms": 2.0, "step_ms": 8.0}
    return Profile(**usual | {"batch": 32, "workers": 4, "cores": 4} | numbers), repairs, target


DECODER, STEP = {"decode_ms": 0.25}, {"step_ms": 4.0}
MORE = {"workers": 16}


def repaired(profile: Profile, repairs: Repairs, names: Iterable[str]) -> Profile:
    for name in names:
        profile = replace(profile, **repairs[name])
    return profile


def slow_loop(random: Random) -> tuple[Profile, Repairs, float]:
    """Draw a loop, repairs of it, some of which change two numbers, and a rate for which the fewest are unique."""
    profile = Profile(
        **{
            name: round(random.uniform(0.2, 9), 2)
            for name in ("read_ms", "decode_ms", "transport_ms", "step_ms")
        },
        batch=32,
        workers=random.randint(0, 8),
        cores=random.randint(1, 8),
        persistent=random.random() < 0.5,
    )
    offered: Repairs = {
        "decoder": {"decode_ms": 0.3},
        "storage": {"transport_ms": 1.0, "read_ms": 0.2},
        "workers": {"persistent": True, "workers": 16},
        "machine": {"cores": 16, "step_ms": 2.0},
    }
    repairs = {name: offered[name] for name in random.sample(sorted(offered), random.randint(0, 4))}
    while True:
        names = random.sample(sorted(repairs), random.randint(0, len(repairs)))
        target = repaired(profile, repairs, names).rate * random.choice((0.99, 0.99, 1.01))
        enough = [
            [
                names
                for names in combinations(repairs, count)
                if repaired(profile, repairs, names).rate >= target
            ]
            for count in range(len(repairs) + 1)
        ]
        if len(next(filter(None, enough), [()])) == 1:
            return profile, repairs, target


def setting(profile: Profile, repairs: Repairs, target: float) -> str:
    """Say what a loop needs, the samples/s to reach, and those after each single repair."""
    needs = ", ".join(f"`{name}` {number(ms, 1)} ms" for name, ms in profile.needs().items())
    each = ", ".join(
        f"`{name}` {number(replace(profile, **change).rate)}" for name, change in repairs.items()
    )
    words = _("{needs}; samples/s: {rate}, to be reached: {target}, with one repair: {each}")
    return words.format(needs=needs, rate=number(profile.rate), target=number(target), each=each or "–")


WHICH_REPAIRS = Exercise(
    name="which_repairs",
    difficulty=2,
    minutes=8,
    table=Table(
        {
            "storage": loop(3000, {"decoder": DECODER, "workers": MORE, "step": STEP}, read_ms=2.0),
            "step": loop(
                1500, {"workers": MORE, "decoder": DECODER, "step": {"step_ms": 16.0}}, step_ms=64.0
            ),
            "cores": loop(
                3000, {"workers": MORE, "step": STEP, "cores": {"cores": 8}}, decode_ms=1.5, workers=8
            ),
            "no_workers": loop(
                2500, {"decoder": DECODER, "step": STEP, "workers": {"workers": 4}}, workers=0
            ),
            "starts": loop(
                3000,
                {"step": {"step_ms": 7.0}, "decoder": DECODER, "kept": {"persistent": True}},
                workers=16,
                persistent=False,
            ),
            "two_alike": loop(
                3200,
                {"decoder": {"decode_ms": 0.4}, "transport": {"transport_ms": 1.0}, "step": STEP},
                decode_ms=1.0,
                step_ms=16.0,
                cores=2,
                workers=8,
            ),
            "three_alike": loop(
                3500,
                {
                    "step": STEP,
                    "cores": {"cores": 8},
                    "transport": {"transport_ms": 1.5},
                    "workers": {"workers": 8},
                },
                read_ms=1.0,
                decode_ms=1.0,
                step_ms=16.0,
                cores=2,
            ),
            "best_first": loop(
                3150,
                {"workers": {"workers": 8}, "cores": {"cores": 8}, "decoder": {"decode_ms": 1.25}},
                read_ms=0.5,
                decode_ms=2.0,
            ),
            "harmful": loop(4000, {"workers": MORE, "step": STEP}, persistent=False),
            "exact": loop(4000, {"decoder": DECODER, "step": {"step_ms": 7.0}}, step_ms=16.0),
            "enough": loop(3000, {"decoder": DECODER, "step": STEP}),
            "nothing_offered": loop(3000, {}),
            "out_of_reach": loop(9000, {"decoder": DECODER, "workers": MORE, "step": STEP}),
            "no_repairs": loop(9000, {}),
        },
        right=solution(__file__, "which_repairs"),
        call=setting,
    ),
    criteria=(
        Criterion(
            says="Where one repair is enough, the list has one",
            cases=("storage", "step", "cores", "no_workers", "starts"),
            hint="`replace(profile, **repairs[name]).rate` are the samples/s with one repair; it counts the starting of workers, too.",
        ),
        Criterion(
            says="Where no single repair is enough, the list has several",
            cases=("two_alike", "three_alike"),
            drawn=slow_loop,
            hint="Where two resources take equally long, a repair of one alone gains nothing. Look at the rate that several repairs reach together.",
        ),
        Criterion(
            says="The list has no more repairs than needed",
            cases=("best_first", "harmful"),
            hint="The repair that gains most at first need not be in the shortest list. Try all pairs before you try lists of three.",
        ),
        Criterion(
            says="The answer is `[]` where no repair is needed, and `None` where no choice is enough",
            cases=("exact", "enough", "nothing_offered", "out_of_reach", "no_repairs"),
            hint="Begin with no repair at all: `combinations(repairs, 0)` yields one combination, the empty one. A rate equal to `target` is enough.",
        ),
    ),
)


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
                hint="Nothing could be counted, since your file did not run to its end. Mend this first, then check again.",
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
                _(
                    "{rate} samples/s, by a clock that the check sets (samples that arrived: {count}; seconds: {seconds})"
                ).format(rate=number(true, 1), count=samples, seconds=number(seconds, 2)),
                _("{rate} samples/s (samples in that time: {count})").format(
                    rate=number(said, 1), count=number(said * seconds)
                ),
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
        _(
            "no two batches with the same sequence of draws, and most photos drawn differently in the next epoch"
        ),
        _(
            "repeated sequences: {repeated} of {batches}; photos drawn as before: {same} of {both}; different draws: {kinds}"
        ).format(repeated=repeated, batches=len(batches), same=same, both=len(both), kinds=kinds),
    )
    if evidence["drew"] is None:
        return
    lefts, tops, mirrored = map(set, zip(*evidence["drew"], strict=True))
    # Of 256 right draws none has a certain offset once in 10^13 tries.
    if not lefts == tops == set(range(9)) or len(mirrored) < 2:
        words = _("offsets from the left: {left}; from the top: {top}; orientations: {count}")
        yield Miss(
            words.format(left="0–8", top="0–8", count=2),
            words.format(left=listed(lefts), top=listed(tops), count=len(mirrored)),
            hint="`torch.randint(9, ())` gives a number from 0 to 8: the end of its range is left out. Draw three times: twice for the offsets, and once for the mirroring.",
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


# One for each fault, in the order of the statement.
TRAINING = Exercise(
    name="training",
    difficulty=3,
    minutes=30,
    run=probes.counts,
    kind="file",
    seconds=120.0,
    imports=probes.IMPORTS,
    parts=("Photos", "Training"),
    criteria=(
        Criterion(
            says="The clock: the rate that is claimed is the true one",
            look=claimed_rate,
            hint="Start the clock before the loop asks for its first batch, stop it after the last step, and divide the samples that arrived by this time.",
        ),
        Criterion(
            says="Workers and their threads fit the cores",
            look=workers_and_threads,
            hint="Let `workers` return as many workers as `int(lab.machine.usable_cores())` says, but at least one, and no `worker_init_fn`: PyTorch gives each worker one thread.",
        ),
        Criterion(
            says="Few tensors cross the pipe",
            look=tensors_in_a_batch,
            hint="Stack images and labels in `collate`, so that a batch is two tensors; then `prepare` has nothing to stack.",
        ),
        Criterion(
            says="The workers stay for the next epoch",
            look=starts,
            hint="Set `persistent_workers=True` in `lifetime`.",
        ),
        Criterion(
            says="Each worker opens a few files, and not some for each sample",
            look=opens,
            hint="Override `read`: open the packed file once in each worker, at the first read, and slice it.",
        ),
        Criterion(
            says="Bytes cross the pipe, and the step gets floats from 0 to 1",
            look=bytes_and_floats,
            hint="`finish` returns `torch.from_numpy(pixels)`; `prepare` sends it to the device, and only then calls `.float() / 255`.",
        ),
        Criterion(
            says="The Dataset holds arrays, and not a Python object for each photo",
            look=objects_of_the_dataset,
            hint="Keep names, offsets and labels in arrays of fixed width (a NumPy array of dtype object holds objects, too).",
        ),
        Criterion(
            says="The augmentation differs between workers and between epochs",
            look=draws,
            hint="Do not store a generator that every worker copies. `torch.randint` draws from the one that PyTorch seeds in each worker.",
        ),
        Criterion(
            says="Each epoch has a new order and new photos of this rank",
            look=photos_of_the_rank,
            hint="Call `self.sampler.set_epoch(epoch)` in `begin`, and keep the `DistributedSampler`.",
        ),
    ),
    prevented=expect.starved,
)

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
            hint=mark("`fast.py` imports your `training.py`: run the cell of exercise 2, then check again.")
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
    elif evidence.get("shared"):
        words = _("batches that two ranks have in common: {count}")
        yield Miss(words.format(count=0), words.format(count=evidence["shared"]))


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
            hint="This was not judged. Check again when other programs have ended.",
            judged=False,
        )
        return
    measured = words.format(percent=number(100 * best)) if epochs else _("not measured")
    found = expect.stopped(evidence) or measured
    yield Miss(expected, found, hint="" if complete else expect.FOLLOWS)


FAST = Exercise(
    follows="training",
    name="fast",
    difficulty=2,
    minutes=5,
    run=probes.nearness,
    kind="file",
    seconds=120.0,
    imports=probes.IMPORTS,
    serial=True,
    glance=probes.glance,
    parts=("Training",),
    criteria=(
        Criterion(
            says="The script still trains on every photo of its rank",
            look=photos_in_an_epoch,
            hint="A loader that drops batches is fast, but then the training sees fewer photos. Keep sampler, batch size and `drop_last`.",
        ),
        Criterion(
            says="The best of some epochs reaches at least half of the limit",
            look=share_of_the_limit,
            hint="Repair first what costs most: the start of the workers, the tensors, the opens, the threads. If all nine faults are gone, look what else runs on this machine.",
            points=2,
        ),
    ),
    prevented=expect.starved,
)

EXERCISES = (
    WHICH_REPAIRS,
    TRAINING,
    FAST,
)
