"""The exercises of lesson 8: what bounds a loop, nine repairs, how near the limit, how busy a device is."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from loaderlab.cases import Cases
from loaderlab.exercise import Exercise, Finding
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.lessons.find_the_bottleneck import probes
from loaderlab.lessons.find_the_bottleneck.evidence import NEAR_RANKS
from loaderlab.lessons.find_the_bottleneck.model import Profile

# ---------------------------------------------------------------- where_is_time


def where(profile: Mapping[str, Any]) -> tuple[str, float]:
    return Profile(**profile).bound


WHERE = Cases(probes.WHERE, right=where)


def judge_where(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str) -> Finding:
        return WHERE.finding(evidence, names, criterion, hint)

    return [
        finding(
            ("slow_storage", "one_worker", "small_batch"),
            _("Workers: they wait and compute, side by side"),
            _("A batch costs a worker the reading and the decoding of all its samples, and half the transport. Divide by the workers."),
        ),
        finding(
            ("few_cores", "cores_and_transport"),
            _("Cores: what computes shares them, what waits does not need them"),
            _("Leave the reading out; add the decoding of all samples and the whole transport; divide by the cores."),
        ),
        finding(
            ("slow_step", "large_message"),
            _("Loop: the step, and its half of the transport"),
            _("The loop receives each batch before its step: `step_ms + transport_ms / 2`."),
        ),
        finding(
            ("alone", "alone_with_message"),
            _("Without workers the loop does everything, one after the other"),
            _("With `workers=0` nothing is sent: reading, decoding and the step add up, and the only resource is the loop."),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- training

MOST_TENSORS = 4
OPENS = 4  # for each worker that was started
BATCH = 32
PIXELS = 3 * 64 * 64


def stop(evidence: dict[str, Any]) -> str:
    """Why there is nothing to count; "" where there is."""
    stopped = evidence.get("stopped", "")
    return _("the time limit was reached") if stopped is None else stopped


def judge_training(evidence: dict[str, Any]) -> list[Finding]:
    """Nine findings, one for each fault, in the order in which the lesson repairs them."""
    stopped = stop(evidence)

    def finding(
        criterion: str, look: Callable[[dict[str, Any]], tuple[bool, str, str]], hint: str
    ) -> Finding:
        if stopped:
            return Finding(False, 1, criterion, _("two epochs without an exception"), stopped, hint)
        passed, expected, got = look(evidence)
        return Finding(passed, 1, criterion, expected, got, hint)

    return [
        finding(
            _("The clock: the rate that is claimed is the true one"), clock,
            _("Start before the loop asks for its first batch, stop after the last step, and divide what arrived by that."),
        ),
        finding(
            _("Workers and their threads fit the cores"), workers,
            _("Give `workers` as many workers as `int(lab.machine.usable_cores())` says, but at least one, and no `worker_init_fn`: PyTorch gives each worker one thread."),
        ),
        finding(
            _("Few tensors cross the pipe"), few_tensors,
            _("Stack in `collate`, so that a batch is two tensors; then `prepare` has nothing to stack."),
        ),
        finding(
            _("The workers stay for the next epoch"), lifetime,
            _("`persistent_workers=True`, in `lifetime`."),
        ),
        finding(
            _("Each worker opens a few files, and not some for each sample"), opens,
            _("Override `read`: open the packed file once in each worker, at the first read, and slice it."),
        ),
        finding(
            _("Bytes cross the pipe, and the step gets floats from 0 to 1"), floats,
            _("`finish` returns `torch.from_numpy(pixels)`; `prepare` sends it to the device, and only then calls `.float() / 255`."),
        ),
        finding(
            _("The Dataset holds arrays, and not an object for each photo"), index,
            _("Keep names, offsets and labels in arrays of fixed width (a NumPy array of dtype object holds objects, too)."),
        ),
        finding(
            _("The augmentation differs between workers and between epochs"), draws,
            _("Do not store a generator that every worker copies. `torch.randint` draws from the one that PyTorch seeds in each worker."),
        ),
        finding(
            _("Each epoch has a new order and new photos of this rank"), order,
            _("Call `self.sampler.set_epoch(epoch)` in `begin`, and keep the `DistributedSampler`."),
        ),
    ]  # fmt: skip


def clock(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    claims = [(said, samples / seconds if seconds else 0.0) for said, samples, seconds in evidence["claims"]]
    wrong = [
        (said, true)
        for said, true in claims
        if isinstance(said, str) or not math.isclose(said, true, rel_tol=1e-6)
    ]
    said, true = (wrong or claims)[0]
    got = said if isinstance(said, str) else _("{rate} samples/s").format(rate=number(said, 1))
    return not wrong, _("{rate} samples/s, by a clock that we turn").format(rate=number(true, 1)), got


def workers(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    count, room = evidence["num_workers"], max(2, int(evidence["cores"]))
    threads = max((threads for _pid, threads in evidence["workers"]), default=0)
    return (
        count >= 1 and count * threads <= room,
        _("at least 1 worker, and workers × threads at most {room}").format(room=room),
        _("workers: {workers}, threads in each: {threads}").format(workers=count, threads=threads),
    )


def few_tensors(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    most = max(epoch["tensors"] for epoch in evidence["epochs"])
    return (
        1 <= most <= MOST_TENSORS,
        _("at most {most} tensors in a batch").format(most=MOST_TENSORS),
        _("tensors in a batch: {count}").format(count=most),
    )


def lifetime(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    count, started = evidence["num_workers"], len(evidence["workers"])
    return (
        1 <= count == started,
        _("in two epochs each worker is started once"),
        _("workers: {workers}, started in two epochs: {started}").format(workers=count, started=started),
    )


def opens(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    started = max(1, len(evidence["workers"]))
    return (
        evidence["opens"] <= OPENS * started,
        _("opens in all workers: at most {most}").format(most=OPENS * started),
        _("opens: {opens}").format(opens=evidence["opens"]),
    )


def floats(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    expected = _(
        "uint8 in the batch, at most {most} bytes; float32 from 0 to 1 in the step, of the same pixels"
    )
    expected = expected.format(most=number(BATCH * (PIXELS + 8)))
    problem = ""
    for epoch in evidence["epochs"]:
        if epoch["dtypes"] != ["torch.uint8"] or epoch["bytes"] > BATCH * (PIXELS + 8):
            problem = _("{dtype} in the batch, {size} bytes").format(
                dtype=", ".join(epoch["dtypes"]).replace("torch.", ""), size=number(epoch["bytes"])
            )
            break
        steps = epoch["steps"]
        if len(steps) != len(epoch["draws"]):
            problem = _("batches: {batches}, steps: {steps}").format(
                batches=len(epoch["draws"]), steps=len(steps)
            )
            break
        for step, batch in zip(steps, epoch["draws"], strict=True):
            right = step["dtype"] == "torch.float32" and 0 < step["highest"] <= 1
            if not right or step["draws"] != batch[:2]:
                problem = _("in the step: {dtype}, highest value {highest}").format(
                    dtype=step["dtype"].replace("torch.", ""), highest=number(step["highest"], 3)
                )
                break
        if problem:
            break
    return not problem, expected, problem


def index(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    most = evidence["photos"] // 2
    return (
        evidence["objects"] <= most,
        _("for {photos} photos at most {most} objects").format(photos=evidence["photos"], most=most),
        _("objects: {count}").format(count=evidence["objects"]),
    )


LEAST_DRAWS = 50  # of 162 possible ones; 128 right draws show about 88


def draws(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    epochs = evidence["epochs"]
    batches = [tuple(batch) for epoch in epochs for batch in epoch["draws"]]
    kinds = min(len({draw for batch in epoch["draws"] for draw in batch}) for epoch in epochs)
    seen = [
        dict(zip(epoch["labels"], [draw for batch in epoch["draws"] for draw in batch], strict=False))
        for epoch in epochs
    ]
    both = seen[0].keys() & seen[1].keys()
    same = sum(seen[0][label] == seen[1][label] for label in both)
    repeated = len(batches) - len(set(batches))
    return (
        repeated == 0 and kinds >= LEAST_DRAWS and same <= len(both) / 2,
        _("no two batches with the same sequence of draws, and most photos drawn differently in the next epoch"),
        _("repeated sequences: {repeated} of {batches}; photos drawn as before: {same} of {both}; different draws: {kinds}").format(
            repeated=repeated, batches=len(batches), same=same, both=len(both), kinds=kinds
        ),
    )  # fmt: skip


def order(evidence: dict[str, Any]) -> tuple[bool, str, str]:
    first, second = (epoch["labels"] for epoch in evidence["epochs"])
    share = evidence["photos"] // 2
    whole = all(len(epoch) == len(set(epoch)) == share for epoch in (first, second))
    apart = not set(first) & set(evidence["other_rank"])
    return (
        whole and apart and set(first) != set(second),
        _("{share} photos in each epoch, others in the second, and none that the other rank has").format(
            share=share
        ),
        _(
            "photos: {first} and {second}; in both epochs: {both}; shared with the other rank: {shared}"
        ).format(
            first=len(set(first)),
            second=len(set(second)),
            both=len(set(first) & set(second)),
            shared=len(set(first) & set(evidence["other_rank"])),
        ),
    )


# ---------------------------------------------------------------- fast

NEAR = 0.5


def judge_near(evidence: dict[str, Any]) -> list[Finding]:
    stopped = stop(evidence)
    ratio = evidence.get("ratio", 0.0)
    whole = not stopped and evidence["samples"] == evidence["photos"] // NEAR_RANKS
    return [
        Finding(
            whole,
            1,
            _("It still trains on every photo of its rank"),
            _("as many samples in an epoch as the rank has"),
            stopped or _("samples: {count}").format(count=evidence["samples"]),
            _("A loader that drops batches is fast, and trains on less. Keep sampler, batch size and `drop_last`."),
        ),
        Finding(
            whole and ratio >= NEAR,
            2,
            _("The best of some epochs runs at half of the limit or better"),
            _("at least {percent}% of the limit").format(percent=number(100 * NEAR)),
            stopped or _("{percent}% of the limit").format(percent=number(100 * ratio)),
            _("Repair first what costs most: workers and threads, tensors, opens. If all nine are gone, look what else runs on this machine."),
        ),
    ]  # fmt: skip


# ---------------------------------------------------------------- busy_share


def busy(kernels: list[list[float]], start: float, end: float) -> float:
    covered, reached = 0.0, start
    for begin, stop in sorted(kernels):
        begin, stop = max(begin, reached), min(stop, end)
        if stop > begin:
            covered += stop - begin
            reached = stop
    return covered / (end - start)


BUSY = Cases(probes.BUSY, right=busy, rel=1e-9)


def judge_busy(evidence: dict[str, Any]) -> list[Finding]:
    def finding(names: tuple[str, ...], criterion: str, hint: str) -> Finding:
        return BUSY.finding(evidence, names, criterion, hint)

    return [
        finding(
            ("typical", "full", "idle"),
            _("The time with a kernel, divided by the whole time"),
            _("Add `end - start` of the kernels, and divide by the length of the window, not by the number of kernels."),
        ),
        finding(
            ("overlap", "inside", "twice"),
            _("Kernels at the same time count once"),
            _("Keep how far you have got; of each kernel only what is beyond that counts. One may lie wholly inside another."),
        ),
        finding(
            ("unsorted",),
            _("In any order"),
            _("Kernels of several streams come unsorted: sort them by their start."),
        ),
        finding(
            ("cut", "later", "before"),
            _("Only what is inside the window counts"),
            _("Cut each kernel: `max(begin, start)` and `min(end, stop)`; what is left may be nothing."),
        ),
    ]  # fmt: skip


PROBES = {probe.name: probe for probe in probes.PROBES}

EXERCISES = (
    Exercise(
        PROBES["where_is_time"],
        points=4,
        difficulty=1,
        minutes=8,
        hints=(
            mark("Compute three times for a batch, one for each resource, and return the largest with its name."),
            mark("A worker reads and decodes a whole batch by itself; as many batches are under way as there are workers."),
            mark("`needs = {…}`, then `name = max(needs, key=needs.get)`."),
        ),
        judge=judge_where,
    ),
    Exercise(
        PROBES["training"],
        points=9,
        difficulty=3,
        minutes=30,
        hints=(
            mark("Begin with one method, for instance `lifetime`, and check: each repair counts by itself."),
            mark("A method that you override can call `super()`; one that is a decision, such as `workers`, only returns another."),
            mark("In `read`: `if self.packed is None:` load offsets, labels and a memmap, then `self.packed[start:end].tobytes()`."),
            mark("`collate` and `prepare` belong together, and so do `finish` and `prepare`: what the one leaves out the other does."),
        ),
        judge=judge_training,
    ),
    Exercise(
        PROBES["fast"],
        points=3,
        difficulty=2,
        minutes=5,
        hints=(
            mark("Look at the chart of section 4: which of the repairs made the largest step?"),
            mark("With `lab.measure.epoch(training.loader)` you see what the loader delivers without any step."),
        ),
        judge=judge_near,
    ),
    Exercise(
        PROBES["busy_share"],
        points=4,
        difficulty=2,
        minutes=8,
        hints=(
            mark("Sort the kernels by their start, and go through them once."),
            mark("Remember in `reached` the latest end so far; a kernel from `begin` to `stop` adds `max(0, stop - max(begin, reached))`."),
        ),
        judge=judge_busy,
    ),
)  # fmt: skip
