"""The decision: from the evidence to findings, the one that matters most first. It measures nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..words import translate as _
from .clock import Taken
from .evidence import Evidence
from .finding import Cost, Finding, Kind, Rate, Row, code
from .kinds import failure, slowness
from .parts import MANY_TENSORS
from .throughput import PartSeconds, WorkerSetting, computing, period, starting

# How much is enough to say something. In brackets stand cases of `tests/helpers/zoo/evidence.py` that get another answer where
# the figure is ten times as large, or a tenth (with "!": twice, or half). Where none stands, none of them does: it is a choice.
GAIN = 1.15  # a change that is predicted to bring less is not worth the edit [most!]
HINT = 1.05  # worth it where the loop waits, and nothing that was measured brings more
ENOUGH = 0.95  # as many workers as reach this share of what the best number would [too_few_workers!]
CHANGES = 3  # that are advised at once
LONG = 8  # batches ahead for each worker, enough to even out what few take [short_queue]
FAR = 2.0  # times what the parts explain: something else takes the time [step_limit!]
WAITED = 0.25  # share of the loop's time: from here on its step may not be what limits it
WAKING = 0.001  # seconds a batch that processes may need to wake each other, which is in none of the parts
QUIET = 0.75  # of the machine, left by others [too_noisy, not_measured!]
LEAST = 0.2  # of the machine; where others leave less, each part has mostly waited for them
MOST_WORKERS = 32  # that are advised [rare_slow_samples]
LEAST_CORES = 0.25  # that the model plays with, however little others leave [step_limit]
BUSY = 0.5  # of the time given: so long a first batch that did not come had a core or waited for one, so it may have come
MIB = 2**20
LARGE = 16 * MIB  # growth below this is what any worker needs to get going [growing_memory]
SAYS_MUCH = 64 * MIB  # of late growth: from here on it is taken to go on through the epoch
MAKING = 3  # batches, of which each worker holds the memory at a time, more or less
# Of the growth, in the second half of the batches: less is buffers that fill up, and then stay as they are.
GOING_ON = 1 / 3  # [growing_memory!]
DANGER = 0.5  # of the free memory, or of the free shared memory, that what grows or is under way would take [shm_filled]
SMALL_SHM = 64 * MIB  # what is under way may take so much in any case
INFLATED = 1.6  # times the CPU of one thread: less is what more threads cost anywhere [fighting_threads]
# CPU seconds of a batch, to be compared; and times them, which two threads of a core may take.
LEAST_SHARED, MOST_SHARED = (0.002, 2.0)
SAME_TIME = 0.9  # of the time with one thread: threads that bring more than the rest do their work
SHORT_EPOCH = 200  # batches: where workers are advised, they had better stay from one such epoch to the next
COLLATING = 0.4  # of the loading: from here on the collate function is worth an edit [slow_collate!]
LARGEST = 0.5  # of the loading: what takes more is what loading consists of [waiting_storage!]
LEFT, LEFT_AT_MOST = 0.1, 0.5  # of a part, by an edit: likely, and at worst [slow_collate, slow_sampler]
FEW, MUCH = 0.05, 0.3  # few samples, that take much of the time [rare_slow_samples]
TRIED = 50  # samples, before one in twenty can be told from chance [rare_slow_samples]
WATCHED = 0.15  # share of waiting of what is no DataLoader: less, and its step is the limit [batches]
STEPPING = 0.75  # of the time of a batch: a step that takes more is the limit [computing!]
# Of the time of a batch, in which the workers take all cores: so much may keep the loop from one.
MOST_CORES = 0.4
NO_REACH = 1.1  # times the rate, with all waiting gone: less, and the step is the limit [computing]
CROWDED = 0.9  # of the time of a batch, in which all cores compute: then nothing waits for a disk
# More than so many times the workers that would do, and so many more, are too many.
MANY_TIMES, MANY_MORE = 3, 4  # [too_many_workers]
SPREAD, MOST_SPREAD = 0.2, 0.3  # of a prediction; and what the spread of the epochs adds at most
# Times a cost: what costs less than so much more stays in the order in which the model found it.
NEARLY = 1.25
MOST_REACH = 100.0  # times the rate: more than that is a step of which nothing was seen
ENDS = 48.0  # hours: memory that ends later ends in no training
DANGEROUS = (slowness.shm_filled, slowness.copied_objects, slowness.growing_memory)
GROWING = (slowness.copied_objects, slowness.growing_memory)
WASTEFUL = (slowness.too_many_workers, slowness.pinned_for_nothing)
IDLE = 0.5  # of the workers: so many that gave nothing are said, others had only less
LARGE_BATCH = 8 * MIB
OF_FLOATS = 0.8  # of the bytes of a batch
MOVING = 0.4  # of the time for a batch: so much of it is making, stacking and sending what could be a quarter as large
OF_BYTES = 0.25  # of the size, in uint8
PADDED = 0.3  # of the columns: less is what batches of unlike samples need
OF_THE_LOOP = (
    slowness.step_limit,
    slowness.uneven_steps,
    slowness.batches,
    slowness.only_in_workers,
    slowness.computing,
)
UNEVEN = 0.3  # of the time of the steps, that few of them take
OF_WORKERS = {"persistent_workers", "prefetch_factor", "in_order", "multiprocessing_context"}


@dataclass(frozen=True)
class Candidate:
    """A change, and the seconds a batch that the model says would be left."""

    kind: Kind[Evidence]
    period: float
    changes: tuple[tuple[str, Any], ...] = ()
    best: float | None = None  # where the model knows bounds only: with nothing left of it
    worst: float | None = None
    of_step: bool = False  # it makes the step shorter, too, so it may bring more than the waiting


def decide(evidence: Evidence) -> list[Finding]:
    """Return findings in the order in which they matter; never empty. At most three of them advise a change."""
    if evidence.troubles:
        first = evidence.troubles[0]
        # What hangs wants no core. What computes, or waits for a core, might have come.
        busy = first.outcome.wanted > BUSY * first.seconds and not first.outcome.dead
        if first.outcome.how == "late" and busy and evidence.share < BUSY:
            return [slowness.too_noisy(evidence)]
        return [failure.said(first, evidence)]
    count, kept, told = 0, [], {""}
    found = _in_order([_priced(finding, evidence) for finding in _findings(evidence)])
    if any(finding.kind is slowness.too_noisy for finding in found):
        # What others take decides, and will be another share tomorrow: neither a range nor a cost would hold.
        found = [
            replace(finding, predicted=None, cost=Cost(hours=finding.cost.hours))
            if finding.predicted
            else finding
            for finding in found
        ]
    for finding in found:
        count += bool(finding.change)
        if not finding.change or count <= CHANGES:
            kept.append(replace(finding, advice="") if finding.advice in told else finding)
            told.add(finding.advice)
    return kept


def _priced(finding: Finding, evidence: Evidence) -> Finding:
    """Return the finding with what it costs: what its change gains, or what there were to gain if the loading took no time."""
    kind = finding.kind
    if kind in DANGEROUS:
        return replace(finding, cost=Cost(0.0, hours_left(evidence) if kind in GROWING else None))
    if kind in WASTEFUL and finding.predicted in (None, slowness.same(evidence)):
        return replace(finding, cost=Cost(0.0))
    if finding.predicted:
        return replace(finding, cost=Cost(max(0.0, finding.predicted.rate - expected_rate(evidence))))
    if kind is slowness.step_limit:
        return replace(finding, cost=Cost(0.0))
    if kind is slowness.uneven_steps:
        share, time, _seconds = evidence.slow_steps
        return replace(finding, cost=Cost(expected_rate(evidence) * ((1 - share) / (1 - time) - 1)))
    if kind is slowness.too_noisy or not evidence.has_step or not evidence.rate:
        return replace(finding, cost=finding.cost)
    rate = expected_rate(evidence)
    return replace(finding, cost=Cost(max(0.0, rate * min(reach(evidence), MOST_REACH) - rate)))


def _in_order(findings: list[Finding]) -> list[Finding]:
    """Return the findings by what they cost; those that bring nearly the same stay as they are, what ends memory stands before them.

    What costs nothing is not said beside what costs something: it would hide it.
    """
    first = [one for one in findings if one.kind in DANGEROUS]
    timed = [one for one in findings if one.kind not in DANGEROUS]
    if all(one.kind in (*OF_THE_LOOP, *WASTEFUL) for one in timed):
        # Where nothing else can be changed, what is taken for nothing is said before the limit.
        return first + sorted(timed, key=lambda one: one.kind not in WASTEFUL)
    advised = any(one.cost.samples for one in timed if one.kind is not slowness.not_measured)
    if advised:
        timed = [one for one in timed if one.cost.samples is None or one.cost.samples > 0]
    return first + sorted(timed, key=lambda one: _rank(one.cost))


def _rank(cost: Cost) -> float:
    """Return a number that rises as the cost falls, by steps of `NEARLY`; what cannot say its cost comes first."""
    return -math.inf if cost.samples is None else -math.floor(math.log(max(cost.samples, 1e-3), NEARLY))


def hours_left(evidence: Evidence) -> float | None:
    """Return the hours until the free memory is taken, if the workers go on as in the second half of what was watched."""
    late, batches = evidence.growth_late, evidence.growth_batches / 2
    if not late or not batches or not evidence.rate or evidence.memory_free is None:
        return None
    seconds = batches * evidence.costs.batch_size / evidence.rate
    return evidence.memory_free / (late / seconds) / 3600


def _findings(evidence: Evidence) -> Iterator[Finding]:
    left = max(LEAST_CORES, evidence.cores * evidence.share)
    slow: list[Finding] = []
    if strange := unexplained(evidence):
        unknown = strange.kind is slowness.not_measured
        if unknown and idle(evidence):
            yield slowness.idle_workers(evidence)
        elif unknown and sends_most(evidence):
            yield slowness.slow_sending(evidence)
        else:
            yield _crowd(evidence) if unknown and crowded(evidence) else strange
    else:
        slow = _slows(evidence, evidence.cores)
        # The same on a machine of which others leave less: where that would give another answer, there is none.
        if evidence.share < QUIET and evidence.cores > left and slow[0].kind is not slowness.too_noisy:
            other = _slows(evidence, left)[0]
            if other.kind is not slow[0].kind:
                yield slowness.too_noisy(evidence, slow[0], other)
            elif evidence.share < LEAST:
                yield slowness.too_noisy(evidence, slow[0])
    # What cannot be explained cannot be predicted either, not even that it stays.
    unpredicted: dict[str, Any] = {"predicted": None} if strange else {}
    if (
        evidence.shm_free is not None
        and evidence.workers
        and evidence.in_flight > max(DANGER * evidence.shm_free, SMALL_SHM)
    ):
        yield replace(slowness.shm_filled(evidence), **unpredicted)
    dangers = list(_memory(evidence))
    yield from (finding for finding, danger in dangers if danger)
    yield from (finding for finding in slow if finding.predicted)
    yield from (finding for finding, danger in dangers if not danger)
    told = {key for finding in slow for key, _value in finding.changes}
    yield from (replace(finding, **unpredicted) for finding in _wastes(evidence, told))
    yield from (finding for finding in slow if not finding.predicted)


def crowded(evidence: Evidence) -> bool:
    """Return whether threads fight: as measured, or as counted where there was no time to measure what the workers compute."""
    uncounted = evidence.workers > 0 and evidence.threads > 1 and evidence.worker_cpu is None
    return bool(fighting(evidence)) or (uncounted and evidence.threads * evidence.workers > evidence.cores)


def _crowd(evidence: Evidence) -> Finding:
    """Return the finding on threads, where the parts do not explain the loop: nothing is predicted of it."""
    said = slowness.fighting_threads(evidence)
    rows = slowness.beside_its_parts(evidence, *explaining(evidence))
    known = {row.label for row in said.evidence}
    rows = (*said.evidence, *(row for row in rows if row.label not in known))
    return replace(said, evidence=rows, changes=(("torch_threads", 1),) if evidence.workers else ())


def unexplained(evidence: Evidence) -> Finding | None:
    """Return the finding that the loop takes far longer than its parts explain: no part may be named, and nothing predicted."""
    if not evidence.is_loader or not evidence.alone or not evidence.rate:
        return None
    explained, measured = explaining(evidence)
    waking = WAKING if evidence.workers else 0.0
    if measured < (FAR * explained + waking) / max(LEAST_CORES, evidence.share):
        return None
    return _not_measured(evidence)


def _not_measured(evidence: Evidence) -> Finding:
    """Return the finding that other programs may be why: nothing is said of the loader."""
    both = explaining(evidence)
    if evidence.share < QUIET:
        return slowness.too_noisy(evidence, unexplained=both)
    return slowness.not_measured(evidence, *both)


def explaining(evidence: Evidence) -> tuple[float, float]:
    """Return the seconds of a batch in the loop: as the parts explain it, and as measured."""
    costs = as_it_is(evidence)
    running = evidence.setting
    if evidence.rates:  # measured from each epoch's first batch on
        running, costs = replace(running, persistent=True), replace(costs, begin=0.0)
    return period(costs, running), costs.batch_size / evidence.rate


def idle(evidence: Evidence) -> bool:
    """Return whether most workers of an iterable dataset gave nothing while the others worked, and the loop waited."""
    return evidence.ended_workers >= IDLE * evidence.workers > 0 and evidence.wait > WATCHED


def _slows(evidence: Evidence, cores: float) -> list[Finding]:
    """Return what slows the loader down: the changes that are worth it, or the limit where there is none."""
    setting = replace(evidence.setting, cores=cores)
    if not evidence.is_loader or not evidence.alone:
        return [_limiting(evidence, setting)]
    if idle(evidence):
        return [slowness.idle_workers(evidence)]
    if found := _worth(evidence, setting, GAIN):
        return found
    limit = _limiting(evidence, setting)
    if limit.kind is not slowness.step_limit:
        return [limit]
    more = waits_for_more(evidence)
    # It is not the step, then: the parts, each alone, took less than they take when all work at once.
    if more and (found := _worth(evidence, setting, HINT)):
        return found
    if _crowded_out(evidence, as_it_is(evidence), setting):
        return [_said_of_limit(evidence, _loading_kind(evidence, setting))]
    return [_not_measured(evidence)] if more else [limit]


def _worth(evidence: Evidence, setting: WorkerSetting, least: float) -> list[Finding]:
    """Return the changes that are predicted to bring so many times the rate, and can be done together."""
    costs = as_it_is(evidence)
    now = period(costs, setting)
    found: list[Finding] = []
    told: dict[str, Any] = {}
    for one in candidates(evidence, costs, setting):
        gain = min(now / one.period, _most(evidence, one))
        if gain >= least and not _contradicts(dict(one.changes), told):
            told |= dict(one.changes)
            found.append(_advised(evidence, one, _rate(evidence, now, one)))
    return found


def _advised(evidence: Evidence, one: Candidate, predicted: Rate) -> Finding:
    """Return a bottleneck with the change that is predicted to bring that rate."""
    said, changes = one.kind(evidence), _allowed(evidence, one.changes)
    by_arguments = changes and one.kind is not slowness.fighting_threads
    return replace(
        said, change=code(changes) if by_arguments else said.change, predicted=predicted, changes=changes
    )


def _allowed(evidence: Evidence, changes: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, Any], ...]:
    """Return the changes as a DataLoader takes them."""
    return evidence.without_workers if dict(changes).get("num_workers") == 0 else changes


def waits_for_more(evidence: Evidence) -> bool:
    """Return whether the loop waits for much, and for more than its parts explain."""
    if evidence.wait < WAITED or not evidence.is_loader or not evidence.alone:
        return False
    explained, measured = explaining(evidence)
    return measured > GAIN * explained


def _contradicts(changes: dict[str, Any], told: dict[str, Any]) -> bool:
    """Return whether both cannot be done: other values, or something for workers where there are to be none."""
    both = told | changes
    without = both.get("num_workers") == 0 and not OF_WORKERS.isdisjoint(both)
    return without or any(changes[key] != told[key] for key in changes.keys() & told.keys())


def _most(evidence: Evidence, one: Candidate) -> float:
    """Return the most that a change can bring."""
    return math.inf if one.of_step else reach(evidence)


def reach(evidence: Evidence) -> float:
    """Return the most that a change of the loading can bring: all the waiting that was measured, and all starting, gone."""
    step = least_step(evidence)
    return evidence.costs.batch_size / expected_rate(evidence) / step if step else float("inf")


def least_step(evidence: Evidence) -> float:
    """Return the seconds of a step: as it took in the loop, or alone, where that is less, as workers beside it may slow it down."""
    looped = (1 - evidence.wait) * evidence.batch_seconds
    return min(looped, evidence.costs.step.all or looped)


def as_it_is(evidence: Evidence) -> PartSeconds:
    """Return the costs with what the workers really take: where their threads fight for cores, and where they share more than cores."""
    costs, inflated = evidence.costs, fighting(evidence) or beside_each_other(evidence)
    if inflated is None or not evidence.workers:
        return costs
    return replace(
        costs,
        samples=tuple(Taken(s.cpu * inflated, s.wait) for s in costs.samples),
        collate=Taken(costs.collate.cpu * inflated, costs.collate.wait),
    )


def beside_each_other(evidence: Evidence) -> float | None:
    """Return how many times the CPU a batch takes that it takes alone, where all workers work at once; None where it is no more.

    Cores share memory and caches, and two of them are often one.
    """
    alone = evidence.costs.load.cpu + evidence.costs.send
    if evidence.workers < 2 or not evidence.worker_cpu or alone < LEAST_SHARED:
        return None
    factor = evidence.worker_cpu / alone
    return min(factor, MOST_SHARED) if factor > 1 else None


def fighting(evidence: Evidence) -> float | None:
    """Return how many times the CPU of one thread is taken where more threads than cores share the work; else None."""
    costs = evidence.costs
    if evidence.workers:
        alone = costs.load.cpu + costs.send
        if evidence.worker_cpu and evidence.threads * evidence.workers > evidence.cores:
            factor = evidence.worker_cpu / max(alone, 1e-4)
            return factor if evidence.threads > 1 and factor > INFLATED else None
    elif (
        (one := evidence.one_thread)
        and costs.load.cpu > max(INFLATED * one.cpu, 1e-3)
        and costs.load.all > SAME_TIME * one.all
    ):
        return costs.load.cpu / max(one.cpu, 1e-6)
    return None


def candidates(evidence: Evidence, costs: PartSeconds, setting: WorkerSetting) -> list[Candidate]:
    """Return the possible changes, the most promising first."""
    found = [
        *_workers(costs, setting, evidence),
        *_arguments(costs, setting),
        *_edits(evidence, costs, setting),
    ]
    # What takes no process comes before workers that bring hardly more.
    return sorted(found, key=lambda one: one.period * (ENOUGH if one.kind is slowness.short_queue else 1))


def _workers(costs: PartSeconds, setting: WorkerSetting, evidence: Evidence) -> Iterator[Candidate]:
    most = min(MOST_WORKERS, max(4 * max(1, setting.workers), 2 * int(evidence.cores) + 2))
    periods = {n: period(costs, replace(setting, workers=n)) for n in range(most + 1)}
    least = min(periods.values())
    number = min(n for n, seconds in periods.items() if seconds * ENOUGH <= least)
    if number == setting.workers:
        return
    changes: tuple[tuple[str, Any], ...] = (("num_workers", number),)
    if number > setting.workers:
        why = _why_loading(costs, slowness.too_few_workers)
        if not setting.workers and costs.epoch is not None and costs.epoch < SHORT_EPOCH:
            changes += (("persistent_workers", True),)
    else:
        sending = costs.send + costs.receive > costs.load.all
        why = slowness.workers_for_nothing if number == 0 and sending else slowness.too_many_workers
    after = replace(setting, workers=number, persistent=setting.persistent or len(changes) > 1)
    # Where as much is gained by workers that stay, it is how they start that takes the time.
    staying = period(costs, replace(setting, persistent=True))
    if number < setting.workers and not setting.persistent and staying * ENOUGH <= period(costs, after):
        return
    # And where as much is gained by another form of what is sent, it is the form.
    sent = _as_tensors(evidence, costs)
    if number == 0 and sent is not None and period(sent, setting) * ENOUGH <= period(costs, after):
        return
    yield Candidate(why, period(costs, after), changes)


def _arguments(costs: PartSeconds, setting: WorkerSetting) -> Iterator[Candidate]:
    if setting.workers and not setting.persistent:
        after = replace(setting, persistent=True)
        yield Candidate(slowness.restarted_workers, period(costs, after), (("persistent_workers", True),))
    if setting.workers and setting.prefetch < LONG:
        after = replace(setting, prefetch=LONG)
        why = slowness.rare_slow_samples if rare(costs) else slowness.short_queue
        yield Candidate(why, period(costs, after), (("prefetch_factor", LONG),))
    if setting.workers > 1 and setting.in_order and rare(costs):
        after = replace(setting, in_order=False)
        yield Candidate(slowness.rare_slow_samples, period(costs, after), (("in_order", False),))


def _edits(evidence: Evidence, costs: PartSeconds, setting: WorkerSetting) -> Iterator[Candidate]:
    def left(name: str, share: float) -> PartSeconds:
        value = getattr(costs, name)
        less: Any = {name: value.times(share) if isinstance(value, Taken) else value * share}
        return replace(costs, **less)

    def edited(kind: Kind[Evidence], part: str) -> Candidate:
        least, most = (period(left(part, share), setting) for share in (0.0, LEFT_AT_MOST))
        return Candidate(kind, period(left(part, LEFT), setting), (), least, most)

    if evidence.own_collate and costs.collate.all > COLLATING * costs.load.all:
        yield edited(slowness.slow_collate, "collate")
    if large_floats(evidence):
        less = replace(
            costs,
            collate=costs.collate.times(OF_BYTES),
            send=costs.send * OF_BYTES,
            receive=costs.receive * OF_BYTES,
        )
        none = replace(less, samples=tuple(one.times(OF_BYTES) for one in costs.samples))
        yield Candidate(slowness.large_floats, period(less, setting), (), period(none, setting))
    if evidence.has_step and (wasted := evidence.contents.padded) >= PADDED:
        less = replace(
            costs,
            step=costs.step.times(1 - wasted),
            collate=costs.collate.times(1 - wasted),
            send=costs.send * (1 - wasted),
            receive=costs.receive * (1 - wasted),
        )
        # At worst, the step takes as long for a short batch.
        yield Candidate(
            slowness.padding, period(less, setting), (), None, period(costs, setting), of_step=True
        )
    if costs.begin and costs.epoch:
        begun = (
            period(replace(costs, begin=share * costs.begin), setting) for share in (LEFT, 0.0, LEFT_AT_MOST)
        )
        likely, least, most = begun
        yield Candidate(slowness.slow_epoch_start, likely, (), least, most)
    yield edited(slowness.slow_sampler, "sampler")
    if (sent := _as_tensors(evidence, costs)) is not None:
        # What is made as one tensor is mostly made faster, too.
        faster = replace(sent, samples=tuple(one.times(LEFT_AT_MOST) for one in sent.samples))
        yield Candidate(slowness.slow_sending, period(sent, setting), (), period(faster, setting))
    if fighting(evidence):
        alone = evidence.one_thread
        one = _with_load(costs, alone) if alone and not evidence.workers else evidence.costs
        yield Candidate(slowness.fighting_threads, period(one, setting), (("torch_threads", 1),))


def _as_tensors(evidence: Evidence, costs: PartSeconds) -> PartSeconds | None:
    """Return the costs if all that is sent were one tensor; None where it nearly is, or where nothing is sent."""
    contents = evidence.contents
    if not evidence.workers or (
        contents.other_bytes <= contents.tensor_bytes and contents.tensors <= MANY_TENSORS
    ):
        return None
    send, receive = evidence.receive_tensor
    return replace(costs, send=min(send, costs.send), receive=min(receive, costs.receive))


def sends_most(evidence: Evidence) -> bool:
    """Return whether sending is the most of what the parts explain, and in a form that takes longer when all send at once."""
    costs = evidence.costs
    return (
        _as_tensors(evidence, costs) is not None
        and costs.receive + costs.send / evidence.workers > LARGEST * explaining(evidence)[0]
    )


def large_floats(evidence: Evidence) -> bool:
    """Return whether the batches are large and of floats, and stacking and sending them takes much of the time for one."""
    contents, costs = evidence.contents, evidence.costs
    moving = costs.collate.all + costs.send + costs.receive
    return (
        contents.float_bytes >= max(LARGE_BATCH, OF_FLOATS * contents.tensor_bytes)
        and moving > MOVING * (costs.load.all + costs.send + costs.receive)
        and not evidence.own_collate
    )


def _with_load(costs: PartSeconds, load: Taken) -> PartSeconds:
    return replace(costs, samples=(load.times(1 / costs.batch_size),), collate=Taken())


def rare(costs: PartSeconds) -> bool:
    """Return whether few samples, far slower than the others, take much of the time."""
    times = sorted(s.all for s in costs.samples)
    if len(times) < TRIED:
        return False
    middle = times[len(times) // 2]
    slow = [t for t in times if t > slowness.OUTLIER * middle]
    return len(slow) <= FEW * len(times) and sum(slow) > MUCH * sum(times)


def _why_loading(costs: PartSeconds, otherwise: Kind[Evidence]) -> Kind[Evidence]:
    """Return the kind of slowness of loading; ``otherwise`` where it computes."""
    if rare(costs):
        return slowness.rare_slow_samples
    if costs.collate.all > LARGEST * costs.load.all:
        return slowness.slow_collate
    return slowness.waiting_storage if costs.load.wait > LARGEST * costs.load.all else otherwise


def _limiting(evidence: Evidence, setting: WorkerSetting) -> Finding:
    """Return the limit, where nothing is to be changed."""
    return _said_of_limit(evidence, _limit(evidence, setting))


def _said_of_limit(evidence: Evidence, kind: Kind[Evidence]) -> Finding:
    said = kind(evidence)
    if kind in OF_THE_LOOP:
        return said
    return replace(said, evidence=(*slowness.of_loop(evidence), *said.evidence), change=None)


def _limit(evidence: Evidence, setting: WorkerSetting) -> Kind[Evidence]:
    """Return the kind of what the loader as it is comes up against."""
    costs = as_it_is(evidence)
    if not evidence.is_loader or not evidence.alone:
        watched = slowness.batches if not evidence.is_loader else slowness.only_in_workers
        return slowness.step_limit if evidence.has_step and evidence.wait < WATCHED else watched
    now = period(costs, replace(setting, persistent=True))
    if evidence.has_step and (costs.step.all > STEPPING * now or reach(evidence) < NO_REACH):
        return slowness.uneven_steps if evidence.slow_steps[1] > UNEVEN else slowness.step_limit
    return _loading_kind(evidence, setting)


def _loading_kind(evidence: Evidence, setting: WorkerSetting) -> Kind[Evidence]:
    """Return the kind of what takes the time of loading."""
    costs = as_it_is(evidence)
    kind = _why_loading(costs, slowness.computing)
    # Where all cores compute, nothing waits for the storage.
    now = period(costs, replace(setting, persistent=True))
    crowded = kind is slowness.waiting_storage and computing(costs, setting) > CROWDED * now
    return slowness.computing if crowded else kind


def _crowded_out(evidence: Evidence, costs: PartSeconds, setting: WorkerSetting) -> bool:
    """Return whether the loop waits though the workers would be quick enough: they take the cores that it needs, too."""
    measured = costs.batch_size / evidence.rate if evidence.rate else math.inf
    loading = (costs.load.cpu + costs.send) / setting.cores
    busy = evidence.workers > 0 and loading > MOST_CORES * measured
    return busy and evidence.share >= QUIET and reach(evidence) >= GAIN


def _memory(evidence: Evidence) -> Iterator[tuple[Finding, bool]]:
    """Growth of the workers, each with whether it is a danger: it would not fit if it went on through an epoch."""
    if evidence.growth < LARGE or not evidence.growth_batches:
        return
    if not evidence.objects and evidence.growth_late < max(LARGE, evidence.growth * GOING_ON):
        return  # buffers that fill up, and then stay as they are
    batches, growth = float(evidence.growth_batches), evidence.growth
    if not evidence.objects:  # as it went on: what is taken at first is taken once
        batches, growth = batches / 2, evidence.growth_late
    whole = growth / batches * (evidence.costs.epoch or evidence.growth_batches)
    danger = evidence.memory_free is not None and whole > DANGER * evidence.memory_free
    # A few MiB say little about an epoch of a million batches.
    # And so much is in the batches that each worker is making, and has just sent.
    made = MAKING * evidence.workers * evidence.contents.tensor_bytes
    if not evidence.objects and (growth < max(SAYS_MUCH, made) or not _ends_soon(evidence)):
        return
    yield (slowness.copied_objects if evidence.objects else slowness.growing_memory)(evidence), danger


def _ends_soon(evidence: Evidence) -> bool:
    """Return whether memory would end in a training: not where workers that start in each epoch give it back before."""
    hours = hours_left(evidence)
    epoch = evidence.costs.epoch
    if hours is None:
        return False
    if evidence.persistent or not epoch:
        return hours < ENDS
    return hours * 3600 * evidence.rate < epoch * evidence.costs.batch_size


def _wastes(evidence: Evidence, told: set[str]) -> Iterator[Finding]:
    """Yield the arguments that do no good, though they cost no time; ``told`` are those of which something else was said."""
    if not evidence.is_loader:
        return
    costs, setting = as_it_is(evidence), evidence.setting
    now = period(costs, setting)
    needed = next(
        n for n in range(setting.workers + 1) if period(costs, replace(setting, workers=n)) * ENOUGH <= now
    )
    if setting.workers >= max(MANY_TIMES * needed, needed + MANY_MORE) and OF_WORKERS.isdisjoint(told):
        gain = now / period(costs, replace(setting, workers=needed))
        if gain < GAIN:  # else it was said as a gain
            yield _spared(evidence, needed)
    if evidence.pinned and not evidence.accelerator:
        yield slowness.pinned_for_nothing(evidence)


def _spared(evidence: Evidence, needed: int) -> Finding:
    """More workers than help, where fewer gain no time: so many would do."""
    said, changes = slowness.too_many_workers(evidence), _allowed(evidence, (("num_workers", needed),))
    rows = (*said.evidence, Row(_("as many would do"), needed))
    return replace(
        said, evidence=rows, change=code(changes), predicted=slowness.same(evidence), changes=changes
    )


def _rate(evidence: Evidence, now: float, one: Candidate) -> Rate:
    """Return as many times the measured rate of whole epochs as the model says.

    Without workers it is what the parts take: what is left unexplained with workers is how processes wait for each other.
    """
    rate, most = expected_rate(evidence), _most(evidence, one)
    spread = SPREAD
    if len(evidence.rates) > 1:
        spread += min(MOST_SPREAD, (max(evidence.rates) - min(evidence.rates)) / (2 * evidence.rate or 1))
    alone = ("num_workers", 0) in one.changes
    likely, worst, best = (
        min(evidence.costs.batch_size / each if alone else rate * now / each, rate * most)
        for each in (one.period, one.worst or one.period, one.best or one.period)
    )
    return Rate(likely, worst * (1 - spread), best * (1 + spread))


def expected_rate(evidence: Evidence) -> float:
    """Return samples a second of whole epochs, the start of their workers included."""
    costs = evidence.costs
    if evidence.whole and (costs.epoch or not evidence.rates):
        return evidence.whole
    if not evidence.rate or not evidence.workers or not costs.epoch:
        return evidence.rate
    batches = costs.epoch * costs.batch_size
    return batches / (batches / evidence.rate + starting(costs, evidence.setting))
