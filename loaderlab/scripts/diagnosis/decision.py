"""The decision: from the evidence to findings, the one that matters most first. It measures nothing."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

from ..words import translate as _
from .clock import Taken
from .evidence import LARGE, Evidence
from .finding import Changes, Cost, Finding, Kind, Row, Tried, code
from .kinds import failure, slowness
from .kinds.slowness import evened, slow_samples
from .lines import LOADING
from .parts import MANY_TENSORS
from .throughput import PartSeconds, computing, period

# How much is enough to say something. In brackets stand cases of `tests/helpers/zoo/evidence.py` that get another answer where
# the figure is ten times as large, or a tenth (with "!": twice, or half). Where none stands, none of them does: it is a choice.
GAIN = 1.15  # a change that brings less is not worth the edit [most!]
HINT = 1.05  # worth it where the loop waits, and nothing that was measured brings more
ENOUGH = 0.95  # as many workers as reach this share of what the best number would [too_few_workers!]
CHANGES = 3  # that are advised at once
LONG = 8  # batches ahead for each worker, enough to even out what few take [short_queue]
FAR = 2.0  # times what the parts explain: something else takes the time [step_limit!]
WAITED = 0.25  # share of the loop's time: from here on its step may not be what limits it
WAKING = 0.001  # seconds a batch that processes may need to wake each other, which is in none of the parts
QUIET = 0.75  # of the machine, left by others [too_noisy, not_measured!]
LEAST = 0.2  # of the machine; where others leave less, each part has mostly waited for them
MOST_WORKERS = 32  # that are advised
LEAST_CORES = 0.25  # that the model reckons with, however little others leave [step_limit]
DANGER = 0.5  # of the free memory, or of the free shared memory, that what grows or is under way would take [shm_filled, large_order!]
LARGE_ORDER = 128 * 2**20  # of three million indices, each an object of Python
SMALL_SHM = 64 * 2**20  # what is under way may take so much in any case
SHORT_EPOCH = 200  # batches: where workers are advised, they had better stay from one such epoch to the next
MOST = 0.5  # of the loading, workers, batches or time: then it is said of all [waiting_storage!, kept_batches!, idle_workers!]
COLLATING = 0.4  # of the loading: from here on the collate function is worth an edit
MADE_AS_ONE = 0.5  # of the time for samples whose fields are made as one tensor, at best
OF_LINE = 0.5  # of the time in a line, that an edit of it may leave: of hardly any is it known
LEFT = 0.1  # of a part, by an edit [slow_epoch_start, slow_sampler]
FEW, MUCH = (
    0.05,
    0.3,
)  # few samples or steps, that take much time; columns [rare_slow_samples, uneven_steps, padding]
TRIED = 50  # samples or batches: among so many, one in twenty is no chance [rare_slow_samples, kept_batches]
WATCHED = 0.15  # share of waiting of what is no DataLoader: less, and its step is the limit [batches, locked_threads, only_in_workers, idle_workers]
STEPPING = 0.75  # of the time of a batch, as the parts explain it: a step that takes more hides the loading
MOST_CORES = 0.4  # of the time of a batch, in which workers take all cores: more may keep the loop from one
NO_REACH = 1.1  # times the rate, with all waiting gone: less, and the step is the limit
CROWDED = 0.9  # of the time of a batch, in which all cores compute: then nothing waits for a disk
MANY_TIMES, MANY_MORE = 3, 4  # times the workers that would do, and so many more: too many [too_many_workers]
MOST_REACH = 100.0  # times the rate: more than that is a step of which nothing was seen
ENDS = 48.0  # hours: memory that ends later ends in no training
# Cores that several threads take together, and seconds of each for the interpreter's lock: Python gives it away after 5 ms
# [locked_threads].
ONE_CORE, HELD = (0.75, 1.2), 0.0004

DANGEROUS = (slowness.kept_batches, slowness.shm_filled, slowness.growing_memory)
LARGE_LISTS = (slowness.copied_objects, slowness.large_order)
WASTEFUL = (slowness.too_many_workers, slowness.pinned_for_nothing, *LARGE_LISTS)
OF_THE_LOOP = (
    slowness.step_limit,
    slowness.uneven_steps,
    slowness.batches,
    slowness.locked_threads,
    slowness.only_in_workers,
    slowness.computing,
)
OF_WORKERS = {"persistent_workers", "prefetch_factor", "in_order", "multiprocessing_context"}
BY_ARGUMENT: dict[str, Kind[Evidence]] = {
    "persistent_workers": slowness.restarted_workers,
    "prefetch_factor": slowness.short_queue,
    "in_order": slowness.rare_slow_samples,
    "torch_threads": slowness.fighting_threads,
    "batch_size": slowness.uneven_rounds,
}


@dataclass(frozen=True)
class Candidate:
    """A change, and the seconds a batch that would be left: as it was tried, or else as the model says."""

    kind: Kind[Evidence]
    period: float
    changes: Changes = ()
    best: float | None = None  # of an edit: with nothing left of what it makes less
    tried: Tried | None = None


def decide(e: Evidence) -> list[Finding]:
    """Return findings in the order in which they matter; never empty. At most three of them advise a change."""
    if e.troubles:
        first = e.troubles[0]
        # What hangs wants no core. What computes, or waits for a core, might have come.
        busy = first.outcome.wanted > MOST * first.seconds and not first.outcome.dead
        if first.outcome.how == "late" and busy and not first.spawned and e.share < MOST:
            return [slowness.too_noisy(e)]
        return [_with_trial(failure.said(first, e), e)]
    found = [_with_trial(one, e) for one in _findings(e)]
    found = _in_order([replace(one, cost=_cost(one, e)) for one in found], e)
    if any(one.kind is slowness.too_noisy for one in found):
        # What others take decides, and will be another share tomorrow: no cost would hold that was not measured in turns.
        found = [one if one.tried or not one.cost.samples else replace(one, cost=Cost()) for one in found]
    kept: list[Finding] = []
    for finding in found:
        if not finding.change or sum(bool(one.change) for one in kept) < CHANGES:
            told = any(one.advice == finding.advice for one in kept)
            kept.append(replace(finding, advice="") if told else finding)
    if e.is_loader and e.alone and GAIN * e.explained < e.batch_seconds:
        more = round(100 * (1 - e.explained / e.batch_seconds))
        row = Row(_("not explained by the parts alone"), more, "%")
        kept[0] = replace(kept[0], evidence=(row, *kept[0].evidence))
    return kept


def _with_trial(finding: Finding, e: Evidence) -> Finding:
    """Return the finding with what came of its change, if that was tried; where it made things worse, without the change."""
    tried = next((one for one in e.tried if one.changes == finding.changes), None)
    if tried and tried.gain < ENOUGH and finding.kind is not slowness.shm_filled:
        return replace(finding, change=None, changes=())
    return replace(finding, tried=tried)


def _cost(finding: Finding, e: Evidence) -> Cost:
    """Return what a finding costs: what its change gained, or what there were to gain if the loading took no time."""
    kind, tried = finding.kind, finding.tried
    if kind in DANGEROUS:
        return Cost(0.0, hours_left(e) if kind is slowness.growing_memory else None)
    if tried and tried.gain > 1:
        return Cost(median(tried.after) - median(tried.before))
    if kind in WASTEFUL or kind is slowness.step_limit:
        return Cost(0.0)
    if finding.cost.samples is not None or kind is slowness.too_noisy or not e.has_step or not e.rate:
        return finding.cost
    share, time, _seconds = e.slow_steps
    times = (1 - share) / (1 - time) if kind is slowness.uneven_steps else min(e.reach, MOST_REACH)
    return Cost(e.expected_rate * max(0.0, times - 1))


def _in_order(findings: list[Finding], e: Evidence) -> list[Finding]:
    """Return the findings as they are, by what was tried or the model says, with what ends memory before them.

    What costs nothing is not said beside what costs something: it would hide it.
    """
    copies = sum(size for _name, _count, size in e.objects) * e.workers
    most = math.inf if e.memory_free is None else DANGER * e.memory_free
    sizes = zip(LARGE_LISTS, (copies, e.order), strict=True)
    danger = {*DANGEROUS, *(kind for kind, size in sizes if size >= most)}
    if not e.kept:  # a slope of which nothing is known but that it is there
        danger.discard(slowness.growing_memory)
    first = [one for one in findings if one.kind in danger]
    timed = [one for one in findings if one.kind not in danger]
    if all(one.kind in (*OF_THE_LOOP, *WASTEFUL) for one in timed):
        # Where nothing else can be changed, what is taken for nothing is said before the limit; of copies, before that of the step.
        last = LARGE_LISTS[any(one.kind is slowness.step_limit for one in timed) :]
        return first + sorted(timed, key=lambda one: one.kind not in WASTEFUL or one.kind in last)
    if any(one.cost.samples for one in timed if one.kind is not slowness.not_measured):
        timed = [one for one in timed if one.cost.samples != 0 or one.kind is slowness.copied_objects]
    return first + timed


def hours_left(e: Evidence) -> float | None:
    """Return the hours until the free memory is taken by what goes on growing; None where it does not end in a training.

    Workers that start in each epoch give it back, and what is kept by index has an end.
    """
    sample = e.kept.each if e.kept else e.steady / e.costs.batch_size
    if not sample or not e.rate or e.memory_free is None:
        return None
    if e.kept and e.kept.most is not None and e.kept.most * max(1, e.workers) < DANGER * e.memory_free:
        return None
    hours, most = e.memory_free / sample / e.rate / 3600, ENDS
    if e.workers and not e.persistent and e.costs.epoch:
        most = e.costs.epoch * e.batch_seconds / 3600
    return hours if hours < most else None


def _findings(e: Evidence) -> Iterator[Finding]:
    """Yield what is found: what ends memory or workers, what takes the time, and what does no good, though it costs no time."""
    slow, seen = _slow(e), e.growth_batches
    free = math.inf if e.shm_free is None else e.shm_free
    if e.in_flight > max(DANGER * free, SMALL_SHM):  # 0 without workers
        yield slowness.shm_filled(e)
    if e.workers and seen >= TRIED and e.files_kept > MOST * seen:
        yield slowness.kept_batches(e)
    if hours_left(e) is not None and (e.kept or not e.objects):
        yield slowness.growing_memory(e)
    yield from slow
    if e.workers and e.objects and e.growth >= LARGE:
        yield slowness.copied_objects(e)
    if not e.is_loader:
        return
    periods = _periods(e, e.workers)
    needed = next(number for number, seconds in enumerate(periods) if seconds * ENOUGH <= periods[-1])
    many = e.workers >= max(MANY_TIMES * needed, needed + MANY_MORE)
    # Where fewer gain time, or something else was said of the workers, this is not.
    told = OF_WORKERS & {name for finding in slow for name, _value in finding.changes}
    if many and not told and periods[-1] < GAIN * periods[needed]:
        said = _changing(slowness.too_many_workers(e), _allowed(e, (("num_workers", needed),)))
        yield replace(said, evidence=(*said.evidence, Row(_("workers that are enough"), needed)))
    if e.pinned and not e.accelerator:
        yield slowness.pinned_for_nothing(e)
    if e.order > LARGE_ORDER:
        yield slowness.large_order(e)


def _slow(e: Evidence) -> list[Finding]:
    """Return what slows the loader down, if other programs do not decide that."""
    if unexplained(e):  # what the parts do not explain, a trial may
        return [one for one in _worth(e, GAIN) if one.tried] or [_unknown(e)]
    found = _limits(e)
    # The same on a machine of which others leave less: where that would give another answer, there is none.
    if e.share < QUIET and found[0].kind is not slowness.too_noisy:
        other = _limits(replace(e, cores=max(LEAST_CORES, e.cores * e.share)))[0]
        if other.kind is not found[0].kind:
            return [slowness.too_noisy(e, found[0], other), *found]
        if e.share < LEAST:
            return [slowness.too_noisy(e, found[0]), *found]
    return found


def unexplained(e: Evidence) -> bool:
    """Return whether the loop takes far longer than its parts explain: no part may be named."""
    if not e.is_loader or not e.alone or not e.rate:
        return False
    waking = WAKING if e.workers else 0.0
    return e.batch_seconds >= (FAR * e.explained + waking) / max(LEAST_CORES, e.share)


def _unknown(e: Evidence) -> Finding:
    """Return what is said where the parts do not explain the loop: of other programs, or what is known of the loader."""
    if e.share < QUIET:
        return slowness.too_noisy(e)
    if idle(e):
        return slowness.idle_workers(e)
    # In a form that takes longer when all send at once.
    sending = e.costs.receive + e.costs.send / max(1, e.workers)
    if _as_tensors(e) and sending > MOST * e.explained:
        return slowness.slow_sending(e)
    if crowded(e):
        said = slowness.fighting_threads(e)
        return replace(said, changes=(("torch_threads", 1),) if e.workers else ())
    return slowness.not_measured(e)


def crowded(e: Evidence) -> bool:
    """Return whether threads fight: as measured, or as counted where there was no time to measure what the workers compute."""
    uncounted = e.workers > 0 and e.threads > 1 and e.worker_cpu is None
    return e.fighting or (uncounted and e.threads * e.workers > e.cores)


def idle(e: Evidence) -> bool:
    """Return whether most workers of an iterable dataset gave nothing while the others worked, and the loop waited."""
    return e.ended_workers >= MOST * e.workers > 0 and e.wait > WATCHED


def _limits(e: Evidence) -> list[Finding]:
    """Return the changes that are worth it, or the limit where there is none."""
    if not e.is_loader or not e.alone:
        watched = slowness.only_in_workers if e.is_loader else slowness.batches
        return [_said(e, slowness.step_limit if e.has_step and e.wait < WATCHED else watched)]
    if idle(e):
        return [slowness.idle_workers(e)]
    if found := _worth(e, GAIN):
        return found
    limit = _limit(e)
    if limit is not slowness.step_limit and e.costs.step.all <= STEPPING * e.explained:
        return [_said(e, limit)]
    # Where it waits for more than the parts explain, it is not the step: each took less alone than when all work at once.
    more = e.wait >= WAITED and e.batch_seconds > GAIN * e.explained
    if more and (found := _worth(e, HINT)):
        return found
    # Or the workers are quick enough, and take the cores that the loop needs, too.
    loading = (e.as_run.load.cpu + e.as_run.send) / e.cores
    busy = e.workers > 0 and loading > MOST_CORES * (e.batch_seconds or math.inf)
    if busy and e.share >= QUIET and e.reach >= GAIN:
        return [_said(e, _loading(e))]
    if more:
        return [slowness.too_noisy(e) if e.share < QUIET else slowness.not_measured(e)]
    return [_said(e, limit)]


def _limit(e: Evidence) -> Kind[Evidence]:
    """Return the kind of what the loader as it is comes up against."""
    # Without its waiting, or with nothing but the step, the loop would be hardly faster.
    stepping = e.rate and min(1 / (1 - e.wait + 1e-9), e.reach) < GAIN
    if e.has_step and (stepping or GAIN * e.costs.step.all > e.batch_seconds > 0):
        return slowness.uneven_steps if e.slow_steps[1] > MUCH else slowness.step_limit
    return _loading(e)


def _loading(e: Evidence) -> Kind[Evidence]:
    """Return the kind of what takes the time of loading. Where all cores compute, nothing waits for the storage."""
    kind = _why_loading(e, slowness.computing)
    crowded = computing(e.as_run, e) > CROWDED * e.explained
    return slowness.computing if crowded and kind is slowness.waiting_storage else kind


def _said(e: Evidence, kind: Kind[Evidence]) -> Finding:
    """Return the limit, where nothing is to be changed."""
    threads, cores, wait = e.lock
    locked = threads > 1 and wait > HELD and ONE_CORE[0] < cores < ONE_CORE[1]
    if locked and kind in (slowness.batches, slowness.computing):
        kind = slowness.locked_threads
    said = kind(e)
    if kind in OF_THE_LOOP:
        return said
    return replace(said, evidence=(*slowness.shown(e, "loop"), *said.evidence), change=None)


def _worth(e: Evidence, least: float) -> list[Finding]:
    """Return the changes that bring so many times the rate, and can be done together: as tried, or else by the model."""
    now = period(e.as_run, e)
    found: list[Finding] = []
    told: dict[str, Any] = {}
    for one in candidates(e):
        # A change of the step may bring more than all waiting.
        most = math.inf if one.kind is slowness.padding else e.reach
        gain = one.tried.gain if one.tried else min(now / one.period, most)
        said = any(finding.kind is one.kind for finding in found)
        if gain < least or said or _contradicts(dict(one.changes), told):
            continue
        told |= dict(one.changes)
        finding = replace(_changing(one.kind(e), _allowed(e, one.changes)), tried=one.tried)
        if one.best is not None and e.expected_rate and e.has_step:
            cost = Cost(e.expected_rate * (min(now / one.best, most, MOST_REACH) - 1))
            finding = replace(finding, cost=cost)
        found.append(finding)
    return found


def _changing(finding: Finding, changes: Changes) -> Finding:
    """Return the finding with other arguments as its change."""
    by_arguments = changes and finding.kind is not slowness.fighting_threads
    return replace(finding, changes=changes, change=code(changes) if by_arguments else finding.change)


def _contradicts(changes: dict[str, Any], told: dict[str, Any]) -> bool:
    """Return whether both cannot be done: other values, or something for workers where there are to be none."""
    both = told | changes
    without = both.get("num_workers") == 0 and not OF_WORKERS.isdisjoint(both)
    return without or any(changes[key] != told[key] for key in changes.keys() & told.keys())


def proposals(e: Evidence) -> list[Changes]:
    """Return the changes that are worth a trial, the most promising first: those that the model likes, and those that it cannot know."""
    if e.troubles:
        return [one.changes for one in decide(e) if one.changes]
    if not e.is_loader or (e.has_step and e.rate and e.reach < NO_REACH):
        return []
    found: list[Changes] = []
    if e.alone:
        now = period(e.as_run, e)
        likely = [one for one in candidates(e) if one.changes and now / one.period >= HINT]
        found += [_allowed(e, one.changes) for one in likely]
    if crowded(e):
        found.append((("torch_threads", 1),))
    if e.workers > 1:  # that wait for each other, or do the same work, are no faster than one
        found.append((("num_workers", 1),))
    if e.workers and (not e.alone or unexplained(e)):
        found.append((("num_workers", 2 * e.workers),))
    return list(dict.fromkeys(found))


def _allowed(e: Evidence, changes: Changes) -> Changes:
    """Return the changes as a DataLoader takes them."""
    return e.without_workers if dict(changes).get("num_workers") == 0 else changes


def candidates(e: Evidence) -> list[Candidate]:
    """Return the possible changes, the most promising first; what was tried is as it was tried."""
    known = {one.changes for one in e.tried}
    found = [*_tried(e)]
    found += [one for one in _arguments(e) if _allowed(e, one.changes) not in known]
    found += _edits(e)
    # What takes no process comes before workers that bring hardly more.
    found.sort(key=lambda one: one.period * (ENOUGH if one.kind is slowness.short_queue else 1))
    # An edit is said after that of the line in which more of the time is; what needs none is worth more than its time.
    first = [one for one in _of_line(e) if found and not found[0].changes and one.period < found[0].period]
    return first + found


def _tried(e: Evidence) -> Iterator[Candidate]:
    """Yield the changes that were tried and gained; of several numbers of workers, the least that gains nearly as much as the best."""
    now = period(e.as_run, e)
    gains = {one.changes[0][1]: one.gain for one in e.tried if one.changes[0][0] == "num_workers"}
    enough = [number for number, gain in gains.items() if gain >= ENOUGH * max(gains.values())]
    for one in e.tried:
        number = dict(one.changes).get("num_workers")
        if one.gain > 1 and number in (None, min(enough, default=None)):
            # Without what no workers ask for, besides.
            changes = one.changes[:1] if number == 0 else one.changes
            yield Candidate(_kind_of(e, changes, slowness.fewer_workers), now / one.gain, changes, tried=one)


def _kind_of(e: Evidence, changes: Changes, fewer: Kind[Evidence]) -> Kind[Evidence]:
    """Return what a loader suffers from that is faster with other arguments; ``fewer`` workers, where it is neither what they send nor its form."""
    (name, value), *_others = changes
    if name == "prefetch_factor" and rare(e):
        return slowness.rare_slow_samples
    if name != "num_workers":
        return BY_ARGUMENT[name]
    if value > e.workers:
        return _why_loading(e, slowness.too_few_workers)
    sending, sent = e.costs.send + e.costs.receive, _as_tensors(e)
    if value or sending <= e.as_run.load.all:
        return fewer
    formed = sent is not None and sent.send + sent.receive < MOST * sending
    return slowness.slow_sending if formed else slowness.workers_for_nothing


def _why_loading(e: Evidence, otherwise: Kind[Evidence]) -> Kind[Evidence]:
    """Return the kind of slowness of loading; ``otherwise`` where it computes."""
    load = e.as_run.load
    if e.as_run.collate.all > MOST * load.all:
        return slowness.slow_collate
    if rare(e):
        return slowness.rare_slow_samples
    return slowness.waiting_storage if load.wait > MOST * load.all else otherwise


def rare(e: Evidence) -> bool:
    """Return whether few samples, far slower than the others, take much of the time of loading, and longer than processes need to wake."""
    costs = e.as_run
    if len(costs.samples) < TRIED:
        return False
    few, share, seconds = slow_samples(costs)
    much = share * costs.sample.all > MUCH * costs.load.all / costs.batch_size
    return 0 < few <= FEW and much and seconds > WAKING


def _arguments(e: Evidence) -> Iterator[Candidate]:
    """Yield other arguments, as far as the model knows them."""
    costs = e.as_run

    def with_(*changes: tuple[str, Any]) -> Candidate:
        after = period(costs, e.changed(dict(changes)))
        return Candidate(_kind_of(e, changes, slowness.too_many_workers), after, changes)

    number = with_(*_workers(e)) if _workers(e) else None
    if number and number.kind is not slowness.slow_sending:  # which is an edit, as long as it is not tried
        yield number
    if e.workers and not e.persistent:
        yield with_(("persistent_workers", True))
    if e.workers and e.prefetch < LONG:
        yield with_(("prefetch_factor", LONG))
    if e.workers > 1 and e.in_order and rare(e):
        yield with_(("in_order", False))
    if smaller := evened(e):
        count, size = smaller["count"], smaller["size"]
        less = costs.scaled(size / costs.batch_size, "collate", "send", "receive", "sampler", "step")
        seconds = period(replace(less, batch_size=size, epoch=count), e) * count / (costs.epoch or count)
        yield Candidate(slowness.uneven_rounds, seconds, (("batch_size", size),))
    if e.fighting:
        less = e.costs
        if e.one_thread and not e.workers:
            sample = e.one_thread.times(1 / costs.batch_size)
            less = replace(costs, samples=(sample,), collate=Taken())
        yield Candidate(slowness.fighting_threads, period(less, e), (("torch_threads", 1),))


def _periods(e: Evidence, most: int) -> list[float]:
    """Return the seconds a batch with 0, 1, 2 … workers."""
    return [period(e.as_run, replace(e, workers=number)) for number in range(most + 1)]


def _workers(e: Evidence) -> Changes:
    """Return the least number of workers that is nearly as good as any; () where they are so many, or more would only share out evenly."""
    costs = e.as_run
    periods = _periods(e, min(MOST_WORKERS, max(4 * max(1, e.workers), 2 * int(e.cores) + 2)))
    number = next(n for n, seconds in enumerate(periods) if seconds * ENOUGH <= min(periods))
    more_than_cores = number > e.cores and costs.load.cpu > costs.load.wait
    if number == e.workers or (more_than_cores and evened(e)):
        return ()
    short = not e.workers and costs.epoch is not None and costs.epoch < SHORT_EPOCH
    return (("num_workers", number), *((("persistent_workers", True),) if short else ()))


def _edit(e: Evidence, kind: Kind[Evidence], less: PartSeconds, best: PartSeconds) -> Candidate:
    """Return the edit that makes something less: what would be left, and at best."""
    return Candidate(kind, period(less, e), (), period(best, e))


def _of_line(e: Evidence) -> Iterator[Candidate]:
    """Yield the edit of the line in which samples spend most of the time for loading, if they compute there."""
    line = next((one for one in e.lines if one.phase in LOADING), None)
    if line and line.phase == "sample" and line.share >= slowness.NAMED and not line.waits:
        load, costs = e.as_run.load.all, e.as_run
        share = line.share * load / max(load - costs.collate.all, 1e-9)
        left = (costs.scaled(max(0.0, 1 - part * share), "samples") for part in (OF_LINE, 1))
        yield _edit(e, slowness.computing, *left)


def _edits(e: Evidence) -> Iterator[Candidate]:
    costs, edit = e.as_run, partial(_edit, e)

    for kind, part, worth in (
        (slowness.slow_collate, "collate", e.own_collate and costs.collate.all > COLLATING * costs.load.all),
        (slowness.slow_epoch_start, "begin", costs.begin and costs.epoch),
        (slowness.slow_sampler, "sampler", True),
    ):
        if worth:
            yield edit(kind, costs.scaled(LEFT, part), costs.scaled(0.0, part))
    if e.field and e.field.why != "objects":
        less = costs.scaled(e.field.left, "collate", "send", "receive")
        yield edit(slowness.heavy_field, less, less.scaled(e.field.left, "samples"))
    if e.has_step and (wasted := e.contents.padded) >= MUCH:
        less = costs.scaled(1 - wasted, "collate", "send", "receive", "step")
        yield edit(slowness.padding, less, less)
    if sent := _as_tensors(e):
        # What is made as one tensor is mostly made faster, too.
        yield edit(slowness.slow_sending, sent, sent.scaled(MADE_AS_ONE, "samples"))


def _as_tensors(e: Evidence) -> PartSeconds | None:
    """Return the costs if all that is sent were one tensor; None where it nearly is, or where nothing is sent."""
    costs, contents = e.as_run, e.contents
    pieces = contents.other_bytes > contents.tensor_bytes or contents.tensors > MANY_TENSORS
    if not e.workers or not pieces:
        return None
    send, receive = e.receive_tensor
    return replace(costs, send=min(send, costs.send), receive=min(receive, costs.receive))
