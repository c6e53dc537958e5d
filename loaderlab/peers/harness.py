"""The peers in turns: each is started, checked, looked at for memory, and then timed.

Each round has one epoch of each, right after another one of its own: as in a training, where an epoch begins with what was made while the last one ended.

The limit of each is measured before and after it; a round in which one moved, or was beaten, is thrown away and measured again. How
often each peer was the reason stands in its rows.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.others import Others
from loaderlab.peers import KNOWN, PEERS, TITLES, check
from loaderlab.peers.job import Job
from loaderlab.peers.material import LEAST, Material
from loaderlab.peers.peer_process import Guest, PeerError
from loaderlab.peers.rounds import MOVED, TRIES, Round, Turn

MIB = 2**20
# Where the step is the bottleneck, it takes as long as this share of the limit would.
STEP_SHARE = 0.6
UNHURRIED = 60  # ms a batch, in which every loader has made all that it makes ahead
STORED = 256
PARTS = ("standard", "same", "own", "stored", "step")


@dataclass(frozen=True)
class Group:
    """A group of peers that are measured in turns. ``configuration``: see `groups`."""

    configuration: str
    decoder: str
    peers: tuple[str, ...]
    shorter: int | None = None

    @property
    def step(self) -> bool:
        """True if the step is the bottleneck, and so the limit."""
        return self.configuration == "step"

    def work(self, peer: str) -> str:
        """Return the name of the work in a peer's limit: its own; where all decode alike, the recipe's; empty where there is none."""
        if self.step:
            return "step"
        return KNOWN[peer].work if self.decoder == "own" else "recipe"

    def job(self, peer: str, work: Path, material: Material, **sizes: int) -> Job:
        """Return the job of a peer of this group, or (``limit:recipe``, ``step``) of its limit."""
        name, _colon, of = peer.partition(":")
        cuttable = self.configuration != "same"
        store = "-".join([of or name, str(self.shorter or "all"), *([] if cuttable else ["whole"])])
        return Job(
            name,
            str(material.folder),
            str(work / store),
            self.decoder,
            least=LEAST,
            factor=material.factor,
            shorter=self.shorter,
            of=of,
            standard=self.configuration == "standard",
            cuttable=cuttable,
            **sizes,
        )


@dataclass
class Outcome:
    """Rows of the measurement; who was not measured, and why; the versions of the packages; rounds kept and thrown away."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)  # peer, decoder, reason
    versions: dict[str, str] = field(default_factory=dict)
    kept: dict[tuple[str, str], int] = field(default_factory=dict)  # by configuration and decoder
    thrown: dict[tuple[str, str], int] = field(default_factory=dict)
    failed: set[str] = field(default_factory=set)  # those left out that are installed

    def fail(self, peer: str, decoder: str, why: str) -> None:
        """Leave out a peer that is there."""
        self.failed.add(peer)
        self.leave_out(peer, decoder, why)

    def leave_out(self, peer: str, decoder: str, why: str) -> None:
        """Say once that it was not measured, and why."""
        if (peer, decoder, why) not in self.left_out:
            self.left_out.append((peer, decoder, why))


def groups(peers: Sequence[str], decoders: Sequence[str], parts: Sequence[str]) -> list[Group]:
    """Return the groups to measure.

    ``standard``: RandomResizedCrop and a flip, each as its documentation has it. With a window instead, ``same``: all with the
    recipe's decoding function, of whole images; ``own``: each as its documentation has it, the recipe with its fastest decoder.
    ``stored``: the recipe with images stored at 256 px. ``step``: with a step that is the bottleneck.
    """
    fastest = decoders[-1]
    some = {part: tuple(peer for peer in peers if part in KNOWN[peer].parts) for part in parts}
    slow = tuple(peer for peer in ("plain", "recipe") if peer in peers)
    found = {
        "standard": [Group("standard", "own", some.get("standard", ()))],
        "same": [Group("same", decoder, some.get("same", ())) for decoder in decoders],
        "own": [Group("own", "own", some.get("own", ()))],
        "stored": [Group("stored", fastest, tuple({"recipe"} & set(peers)), shorter=STORED)],
        "step": [Group("step", fastest, slow)],
    }
    return [group for part in PARTS if part in parts for group in found[part] if group.peers]


def version(peer: str) -> tuple[str, str] | None:
    """Return the package of a peer that is installed here, and its version; None where there is none."""
    return _installed(KNOWN[peer].packages)


def _installed(packages: Sequence[str]) -> tuple[str, str] | None:
    for package in packages:
        try:
            return package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


# They ask for torchvision, with which pip may replace torch by another build.
_WITHOUT_DEPENDENCIES = ("litdata", "mosaicml-streaming")


def _absent(package: str) -> str:
    words = f"--no-deps {package}" if package in _WITHOUT_DEPENDENCIES else package
    return _("not installed (`pip install {package}`)").format(package=words)


TRANSFORMS = _installed(["torchvision"])  # the standard work of those that have none of their own


def measure(
    material: Material,
    work: Path,
    peers: Sequence[str] = PEERS,
    decoders: Sequence[str] = ("pillow",),
    parts: Sequence[str] = PARTS,
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
    outcome, there = Outcome(versions=dict([TRANSFORMS] if TRANSFORMS else [])), []
    for peer in peers:
        found = version(peer)
        if found is None:
            outcome.leave_out(peer, "", _absent(KNOWN[peer].packages[0]))
        else:
            there.append(peer)
            outcome.versions[found[0]] = found[1]
    prepared: set[str] = set()
    checked: dict[Job, float] = {}
    for group in groups(there, decoders, parts):
        say("")
        say(_title(group))
        sizes = {"workers": workers, "batch": batch}
        step = 0.0
        if group.step:
            limit = group.job(f"limit:{group.peers[0]}", work, material, **sizes)
            step = batch / (STEP_SHARE * _one_limit(limit, timeout, prepared)) * 1000
        with ExitStack() as stack:
            guests: dict[str, tuple[Guest, float | None]] = {}
            for peer in group.peers:
                if group.configuration == "standard" and KNOWN[peer].work == "plain" and not TRANSFORMS:
                    outcome.leave_out(peer, group.configuration, _absent("torchvision"))
                    continue
                names = [name for name in (_limit_name(group, peer), peer) if name and name not in guests]
                try:
                    for name in names:
                        job = group.job(name, work, material, **sizes)
                        guests[name] = _ready(stack, job, material.count, timeout, prepared, checked, say)
                except PeerError as error:
                    outcome.fail(peer, group.decoder, str(error))
                    say(_("{peer}: not measured: {why}").format(peer=TITLES[peer], why=error))
            rows = _rounds(guests, group, rounds, step, tolerance, outcome, say)
        outcome.rows += [row | {"decodes": _decodes(group.job(row["peer"], work, material))} for row in rows]
    return outcome


def _limit_name(group: Group, peer: str) -> str:
    work = group.work(peer)
    return work if work in ("", "step") else f"limit:{work}"


def _decodes(job: Job) -> str:
    """Return ``crop`` where a peer decodes no more than the crop needs, else ``image``.

    Only JPEGs that were made for it let that be done, as the recipe's. Of an ordinary one all before the crop has to be read; what
    DALI leaves out is the transform of the blocks beside it, and the rows below.
    """
    from loaderlab.peers import recipe

    return "crop" if job.peer == "recipe" and recipe.crop_only(job) else "image"


def _title(group: Group) -> str:
    decoder = {"pillow": "Pillow"}.get(group.decoder, group.decoder)
    titles = {
        "standard": _("RandomResizedCrop and a flip, each as its documentation has it"),
        "same": _("A window and a flip, the same decoder for all: {decoder}"),
        "own": _("A window and a flip, each as its documentation has it"),
        "stored": _("Images stored at 256 px, {decoder}"),
        "step": _("With a step that is the bottleneck, {decoder}"),
    }
    return titles[group.configuration].format(decoder=decoder)


def _one_limit(job: Job, timeout: float, prepared: set[str]) -> float:
    """Return the images a second of a limit, once: for the length of the step."""
    _prepare(job, timeout, prepared)
    with Guest(job, timeout) as guest:
        guest.ask(do="epoch", number=0)
        found = guest.ask(do="epoch", number=1)
    return found["images"] / found["seconds"]


def _prepare(job: Job, timeout: float, prepared: set[str]) -> None:
    """Prepare the data in a process of its own: a library may change settings, or keep memory, when it writes."""
    writes = job.of == "recipe" if job.peer == "limit" else job.peer != "step" and KNOWN[job.peer].writes
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
    """Return the peer's process, prepared and checked, and its memory in MiB; what fails is ended at once."""
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
            second = guest.ask(do="epoch", number=1, look=True)
            wrong = check.fault(first, second, count, job.size)
            if wrong:
                raise PeerError(_("the check failed: {what}").format(what=wrong))
            mib = checked[job] = _memory(job, timeout) / MIB
            say(_("{peer}: checked, {mib} MiB").format(peer=TITLES[job.peer], mib=number(mib)))
        stack.push(alone.pop_all())
        return guest, mib


def _memory(job: Job, timeout: float) -> int:
    """Return the most bytes that a peer takes in an epoch that waits for it, and in one for which it waits, full of batches.

    It has a process of its own: the check computes with the pixels, and takes more for that than a loader for its batches.
    """
    with Guest(job, timeout) as guest:
        guest.ask(do="epoch", number=0)
        for number, step in enumerate((0, UNHURRIED), 1):
            guest.ask(do="epoch", number=number, step_ms=step, watch=True)
        return guest.peak


def _rounds(
    guests: dict[str, tuple[Guest, float | None]],
    group: Group,
    rounds: int,
    step: float,
    tolerance: float,
    outcome: Outcome,
    say: Callable[[str], None],
) -> list[dict[str, Any]]:
    """Return the rows of the rounds that are kept; how many these are, and how many are not, goes into ``outcome``."""
    here = (group.configuration, group.decoder)
    outcome.kept[here] = outcome.thrown[here] = 0
    names = [name for name in guests if name in group.peers]
    rows: list[dict[str, Any]] = []
    beaten: Counter[str] = Counter()
    for attempt in range(TRIES * rounds):
        if not names:
            break
        # Each round begins with another one, so that none always comes after the same.
        first = attempt % len(names)
        answers: dict[str, dict[str, Any]] = {}
        try:
            done = _round(
                guests, group, [*names[first:], *names[:first]], attempt, step, answers, outcome, say
            )
        except PeerError as error:  # a limit's
            outcome.fail("step" if group.step else "limit", group.decoder, str(error))
            break
        names = [name for name in names if name in answers]
        if not done.turns:
            break
        turn = outcome.kept[here] + 1
        said = [
            f"{TITLES[found.peer]} {number(found.rate)}"
            + (f" ({TITLES['step' if group.step else 'limit']} {number(found.limit)})" if found.work else "")
            for found in done.turns
        ]
        say(_("round {turn} of {rounds}: {rates}").format(turn=turn, rounds=rounds, rates=" · ".join(said)))
        faults = list(done.faults(tolerance))
        if faults:
            outcome.thrown[here] += 1
            beaten.update(done.beaten(tolerance).keys())
            say(_("This round is thrown away. {reasons}").format(reasons=" ".join(faults)))
            continue
        outcome.kept[here] = turn
        rows += [_row(group, found, turn, guests, answers) for found in done.turns]
        if turn == rounds:
            break
    if not rows and names:
        why = _("no round could be kept; thrown away: {count}").format(count=outcome.thrown[here])
        outcome.fail("step" if group.step else "limit", group.decoder, why)
    return [row | {"thrown_above": beaten[row["peer"]]} for row in rows]


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
    """Run an epoch of each peer, after another one of its own, and of its limit before and after both.

    Those with the same limit follow one another. Their answers go into ``answers``. A peer that fails is left out; a PeerError is that of a limit.
    """

    def rate(name: str, lead: bool = False) -> float:
        answer = guests[name][0].ask(do="epoch", number=2 + attempt, step_ms=step, lead=lead)
        answers[name] = answer
        return float(answer["images"] / answer["seconds"])

    others, turns = Others(), []
    kinds: dict[str, list[str]] = {}
    for name in order:
        kinds.setdefault(_limit_name(group, name), []).append(name)
    for limit, names in kinds.items():
        before = rate(limit) if limit else math.nan
        for name in names:
            try:
                reached = rate(name, lead=True)
            except PeerError as error:
                outcome.fail(name, group.decoder, str(error))
                say(_("{peer}: not measured: {why}").format(peer=TITLES[name], why=error))
                continue
            after = rate(limit) if limit else math.nan
            turns.append(Turn(name, reached, before, after, group.work(name)))
            before = after
    return Round(turns, others.cores(), machine.usable_cores())


def _row(
    group: Group,
    turn: Turn,
    place: int,
    guests: dict[str, tuple[Guest, float | None]],
    answers: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    """Return the row of a peer in a round; ``limit_of``: whose work its limit does."""
    row: dict[str, Any] = {
        "configuration": group.configuration,
        "decoder": group.decoder,
        "peer": turn.peer,
        "round": place,
        "images_per_s": round(turn.rate, 2),
    }
    if turn.work:
        row |= {
            "limit_of": turn.work,
            "limit": round(turn.limit, 2),
            "ratio": round(turn.rate / turn.limit, 4),
        }
    row["mib"] = round(guests[turn.peer][1] or 0.0, 1)
    row["first_ms"] = round(1000 * answers[turn.peer]["first"], 1)
    return row
