"""The peers in turns: each is started, checked, looked at for memory, and then timed, one epoch of each in every round.

The limit is measured between them; a round in which it moved, or was beaten, is thrown away and measured again.
"""

from __future__ import annotations

import importlib.metadata
import statistics
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loaderlab.measuring import machine
from loaderlab.measuring.others import Others
from loaderlab.peers import KNOWN, PEERS, TITLES, check
from loaderlab.peers.guest import Guest, PeerError
from loaderlab.peers.job import Job
from loaderlab.peers.material import LEAST, Material
from loaderlab.peers.rounds import MOVED, TRIES, Round, Turn
from loaderlab.words.language import number
from loaderlab.words.language import translate as _

MIB = 2**20
# Where the step is the bottleneck, it takes as long as this share of the limit would.
STEP_SHARE = 0.6
STORED = 256


@dataclass(frozen=True)
class Group:
    """What is measured in turns, and which of it is the limit of the others. ``configuration``: see `groups`."""

    configuration: str
    decoder: str
    peers: tuple[str, ...]
    limit: str = "limit"
    shorter: int | None = None
    step: bool = False


@dataclass
class Outcome:
    """Rows of the measurement; who was not measured, and why; the versions of the packages; rounds kept and thrown away."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)  # peer, decoder, reason
    versions: dict[str, str] = field(default_factory=dict)
    kept: dict[tuple[str, str], int] = field(default_factory=dict)  # by configuration and decoder
    thrown: dict[tuple[str, str], int] = field(default_factory=dict)

    def leave_out(self, peer: str, decoder: str, why: str) -> None:
        if (peer, decoder, why) not in self.left_out:
            self.left_out.append((peer, decoder, why))


def groups(peers: Sequence[str], decoders: Sequence[str], parts: Sequence[str]) -> list[Group]:
    """What there is to measure.

    ``same``: all with the recipe's decoding function. ``own``: each as its documentation has it, the recipe with its
    fastest decoder. ``stored``: the recipe with images stored at 256 px. ``step``: with a step that is the bottleneck.
    """
    same = tuple(peer for peer in peers if not KNOWN[peer].own_only)
    fastest = decoders[-1]
    found = [Group("same", decoder, same) for decoder in decoders if same and "same" in parts]
    if "own" in parts:
        found.append(Group("own", "own", tuple(peers)))
    if "recipe" in peers and "stored" in parts:
        found.append(Group("stored", fastest, ("recipe",), shorter=STORED))
    slow = tuple(peer for peer in ("plain", "recipe") if peer in peers)
    if slow and "step" in parts:
        found.append(Group("step", fastest, slow, limit="step", step=True))
    return found


def version(peer: str) -> tuple[str, str] | None:
    """The package of a peer that is installed here, and its version; None where there is none."""
    for package in KNOWN[peer].packages:
        try:
            return package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def measure(
    material: Material,
    work: Path,
    peers: Sequence[str] = PEERS,
    decoders: Sequence[str] = ("pillow",),
    parts: Sequence[str] = ("same", "own", "stored", "step"),
    *,
    workers: int,
    rounds: int = 5,
    batch: int = 64,
    timeout: float = 600.0,
    tolerance: float = MOVED,
    say: Callable[[str], None] = print,
) -> Outcome:
    """Measure all that is there; a peer that is missing or fails is in ``left_out``, with the reason.

    ``tolerance``: the share by which the limit may move within a round that is kept. A round that is thrown away is
    measured again, until ``TRIES`` times ``rounds`` were measured.
    """
    outcome, there = Outcome(), []
    for peer in peers:
        found = version(peer)
        if found is None:
            package = KNOWN[peer].packages[0]
            outcome.leave_out(peer, "", _("not installed (`pip install {package}`)").format(package=package))
        else:
            there.append(peer)
            outcome.versions[found[0]] = found[1]
    prepared: set[str] = set()
    checked: dict[Job, float] = {}
    rates: dict[str, float] = {}
    for group in groups(there, decoders, parts):
        say("")
        say(_title(group))
        base = {"workers": workers, "batch": batch, "least": LEAST, "factor": material.factor}
        jobs = {
            peer: Job(
                peer,
                str(material.folder),
                str(work / f"{'recipe' if peer == 'limit' else peer}-{group.shorter or 'all'}"),
                group.decoder,
                shorter=group.shorter,
                **base,
            )
            for peer in (group.limit, *group.peers)
        }
        step = 0.0
        if group.step:
            if not rates.get(group.decoder):
                rates[group.decoder] = _one_limit(
                    jobs["recipe" if "recipe" in jobs else "plain"], timeout, prepared
                )
            step = batch / (STEP_SHARE * rates[group.decoder]) * 1000
        with ExitStack() as stack:
            guests: dict[str, tuple[Guest, float | None]] = {}
            for peer, job in jobs.items():
                try:
                    guests[peer] = _ready(stack, job, material.count, timeout, prepared, checked, say)
                except PeerError as error:
                    outcome.leave_out(peer, group.decoder, str(error))
                    say(_("{peer}: not measured: {why}").format(peer=TITLES[peer], why=error))
            if group.limit not in guests:
                continue
            rows = _rounds(guests, group, rounds, step, tolerance, outcome, say)
        outcome.rows += rows
        if group.limit == "limit" and not group.shorter:
            limits = [row["limit"] for row in rows if "limit" in row]
            rates[group.decoder] = statistics.median(limits) if limits else 0.0
    return outcome


def _title(group: Group) -> str:
    decoder = {"pillow": "Pillow"}.get(group.decoder, group.decoder)
    titles = {
        "same": _("The same decoder for all: {decoder}"),
        "own": _("Each as its documentation has it"),
        "stored": _("Images stored at 256 px, {decoder}"),
        "step": _("With a step that is the bottleneck, {decoder}"),
    }
    return titles[group.configuration].format(decoder=decoder)


def _one_limit(job: Job, timeout: float, prepared: set[str]) -> float:
    """Images a second of the limit, once: for the length of the step."""
    store = str(Path(job.store).parent / "recipe-all")
    job = Job(**{**job.__dict__, "peer": "limit", "store": store})
    _prepare(job, timeout, prepared)
    with Guest(job, timeout) as guest:
        guest.ask(do="epoch", number=0)
        found = guest.ask(do="epoch", number=1)
    return found["images"] / found["seconds"]


def _prepare(job: Job, timeout: float, prepared: set[str]) -> None:
    """In a process that ends with it: a library may change settings, or keep memory, when it writes."""
    writes = job.peer == "limit" or (job.peer in KNOWN and KNOWN[job.peer].writes)
    if writes and job.store not in prepared:
        Path(job.store).mkdir(parents=True, exist_ok=True)
        with Guest(job, timeout) as guest:
            guest.ask(do="prepare")
        prepared.add(job.store)


def _ready(
    stack: ExitStack,
    job: Job,
    count: int,
    timeout: float,
    prepared: set[str],
    checked: dict[Job, float],
    say: Callable[[str], None],
) -> tuple[Guest, float | None]:
    """The peer's process, prepared and checked, and its memory in MiB; what fails is ended at once."""
    _prepare(job, timeout, prepared)
    with ExitStack() as alone:
        guest = alone.enter_context(Guest(job, timeout))
        if job.peer in ("limit", "step"):
            guest.ask(do="epoch", number=0)
            mib = None
        elif job in checked:  # for the step: the same as before
            mib = checked[job]
            guest.ask(do="epoch", number=0)
        else:
            first = guest.ask(do="epoch", number=0, look=True)
            second = guest.ask(do="epoch", number=1, look=True, watch=True)
            wrong = check.fault(first, second, count, job.size)
            if wrong:
                raise PeerError(_("the check failed: {what}").format(what=wrong))
            mib = checked[job] = guest.peak / MIB
            say(_("{peer}: checked, {mib} MiB").format(peer=TITLES[job.peer], mib=number(mib)))
        stack.push(alone.pop_all())
        return guest, mib


def _rounds(
    guests: dict[str, tuple[Guest, float | None]],
    group: Group,
    rounds: int,
    step: float,
    tolerance: float,
    outcome: Outcome,
    say: Callable[[str], None],
) -> list[dict[str, Any]]:
    """The rows of the rounds that are kept; how many these are, and how many are not, goes into ``outcome``."""
    here = (group.configuration, group.decoder)
    outcome.kept[here] = outcome.thrown[here] = 0
    names = [name for name in guests if name != group.limit]
    rows: list[dict[str, Any]] = []
    for attempt in range(TRIES * rounds):
        # Each round begins with another one, so that none always comes after the same.
        first = attempt % max(1, len(names))
        answers: dict[str, dict[str, Any]] = {}
        try:
            done = _round(
                guests, group, [*names[first:], *names[:first]], attempt, step, answers, outcome, say
            )
        except PeerError as error:  # the limit's
            outcome.leave_out(group.limit, group.decoder, str(error))
            break
        names = [name for name in names if name in answers]
        if not done.turns:
            break
        turn = outcome.kept[here] + 1
        limits = f"{number(min(done.limits))}–{number(max(done.limits))}"
        measured = " · ".join(f"{TITLES[found.peer]} {number(found.rate)}" for found in done.turns)
        say(
            _("round {turn} of {rounds}: {rates}").format(
                turn=turn, rounds=rounds, rates=f"{TITLES[group.limit]} {limits} · {measured}"
            )
        )
        faults = list(done.faults(tolerance))
        if faults:
            outcome.thrown[here] += 1
            say(_("This round is thrown away. {reasons}").format(reasons=" ".join(faults)))
            continue
        outcome.kept[here] = turn
        rows += [_row(group, found, turn, guests, answers) for found in done.turns]
        if turn == rounds:
            break
    if not rows and names:
        why = _("no round could be kept; thrown away: {count}").format(count=outcome.thrown[here])
        outcome.leave_out(group.limit, group.decoder, why)
    return rows


def _round(
    guests: dict[str, tuple[Guest, float | None]],
    group: Group,
    order: Sequence[str],
    attempt: int,
    step: float,
    answers: dict[str, dict[str, Any]],
    outcome: Outcome,
    say: Callable[[str], None],
) -> Round:
    """An epoch of each peer in this order, and of the limit before, between and after them.

    Their answers go into ``answers``. A peer that fails is left out; a PeerError is that of the limit.
    """

    def rate(name: str) -> float:
        answer = guests[name][0].ask(do="epoch", number=2 + attempt, step_ms=step)
        answers[name] = answer
        return float(answer["images"] / answer["seconds"])

    others, turns = Others(), []
    before = rate(group.limit)
    for name in order:
        try:
            reached = rate(name)
        except PeerError as error:
            outcome.leave_out(name, group.decoder, str(error))
            say(_("{peer}: not measured: {why}").format(peer=TITLES[name], why=error))
            continue
        after = rate(group.limit)
        turns.append(Turn(name, reached, before, after))
        before = after
    return Round(turns, others.cores(), machine.usable_cores())


def _row(
    group: Group,
    turn: Turn,
    place: int,
    guests: dict[str, tuple[Guest, float | None]],
    answers: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """A peer in a round; one that decodes only the crop has no limit here, since that of the others is not its own."""
    crop_only = KNOWN[turn.peer].crop_only
    row: dict[str, Any] = {
        "configuration": group.configuration,
        "decoder": group.decoder,
        "peer": turn.peer,
        "decodes": "crop" if crop_only else "image",
        "round": place,
        "images_per_s": round(turn.rate, 2),
    }
    if not crop_only:
        row |= {"limit": round(turn.limit, 2), "ratio": round(turn.rate / turn.limit, 4)}
    row["mib"] = round(guests[turn.peer][1] or 0.0, 1)
    row["first_ms"] = round(1000 * answers[turn.peer]["first"], 1)
    return row
