"""The peers in turns: each is checked and looked at for memory, and then timed, an epoch in each round.

The limit of each is measured before and after it; where it moved meanwhile, that turn is measured again. A round in which turns
of the same work have limits too far apart is thrown away as a whole.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.measuring.others import Others
from loaderlab.measuring.soundness import BUSY
from loaderlab.peers import KNOWN, PEERS, TITLES
from loaderlab.peers.job import Job
from loaderlab.peers.material import Material
from loaderlab.peers.peer_process import PeerError, ask, checked

MOVED = 0.15  # by so much the limit may move within a turn, and within a round
TRIES = 3  # for each round that is wanted
TURNS = 8  # for each turn of a round: what makes a machine busy comes and goes
LEAST = 3  # rounds that a recording has of everything
STORED = 256
# The parts, each with its heading.
HEADS = {
    "standard": mark("RandomResizedCrop and a flip, each loader as in its documentation"),
    "same": mark("A window and a flip, the same decoder for all: {decoder}"),
    "stored": mark("Images stored at 256 px ({decoder})"),
}
PARTS = tuple(HEADS)
# They ask for torchvision, with which pip may replace torch by another build.
_WITHOUT_DEPENDENCIES = ("litdata", "mosaicml-streaming")


def head(configuration: str, decoder: str) -> str:
    """Return the heading of a group."""
    return _(HEADS[configuration]).format(decoder={"pillow": "Pillow"}.get(decoder, decoder))


@dataclass(frozen=True)
class Group:
    """Peers of one part, with one decoder."""

    configuration: str
    decoder: str
    peers: tuple[str, ...]

    def work(self, peer: str) -> str:
        """Return whose work a peer's limit does: its own; where all decode alike, the recipe's."""
        return KNOWN[peer].work if self.decoder == "own" else "recipe"


def groups(peers: Sequence[str], decoders: Sequence[str], parts: Sequence[str]) -> list[Group]:
    """Return the groups to measure: of each part one, of ``same`` one for each decoder; none without a peer."""
    with_decoders = {"same": tuple(decoders), "stored": decoders[-1:]}
    found = [
        Group(part, decoder, tuple(peer for peer in peers if part in KNOWN[peer].parts))
        for part in PARTS
        if part in parts
        for decoder in with_decoders.get(part, ("own",))
    ]
    return [group for group in found if group.peers]


@dataclass(frozen=True)
class Plan:
    """Conditions that all groups share. ``tolerance``: the share by which the limit may move within a turn or a round that is kept."""

    material: Material
    place: Path  # where the peers write their own formats
    workers: int
    rounds: int = 5
    tolerance: float = MOVED
    say: Callable[[str], None] = print

    def job(self, group: Group, name: str, of: str = "", seed: int = 0) -> Job:
        """Return the job of a peer of this group, or of the ``limit`` that does the work ``of`` one; each round has a seed of its own."""
        cuttable, shorter = group.configuration != "same", STORED if group.configuration == "stored" else None
        store = "-".join([of or name, str(shorter or "all"), *([] if cuttable else ["whole"])])
        return Job(
            name,
            str(self.material.folder),
            str(self.place / store),
            group.decoder,
            workers=self.workers,
            factor=self.material.factor,
            shorter=shorter,
            seed=seed,
            of=of,
            cuttable=cuttable,
        )


@dataclass
class Outcome:
    """Rows of the measurement; who was not measured, and why; the versions of the packages; rounds kept, thrown away, turns repeated."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[tuple[str, str, str]] = field(default_factory=list)  # peer, decoder, reason
    versions: dict[str, str] = field(default_factory=dict)
    kept: dict[tuple[str, str], int] = field(default_factory=dict)  # by configuration and decoder
    thrown: dict[tuple[str, str], int] = field(default_factory=dict)
    again: int = 0
    failed: set[str] = field(default_factory=set)  # those left out that are installed


def measure(
    plan: Plan,
    peers: Sequence[str] = PEERS,
    decoders: Sequence[str] = ("pillow",),
    parts: Sequence[str] = PARTS,
) -> Outcome:
    """Measure all that is there; a peer that is missing or fails is in ``left_out``, with the reason."""
    outcome, there = Outcome(), []
    for peer in peers:
        found = _installed(KNOWN[peer].packages)
        if found is None:
            outcome.left_out.append((peer, "", _absent(KNOWN[peer].packages[0])))
        else:
            there.append(peer)
            outcome.versions[found[0]] = found[1]
    transforms = _installed(["torchvision"])  # the standard work of those that have none of their own
    outcome.versions |= [transforms] if transforms else []
    prepared: set[str] = set()
    for group in groups(there, decoders, parts):
        plan.say("")
        plan.say(head(group.configuration, group.decoder))
        memory: dict[str, float] = {}
        for peer in group.peers:
            if group.configuration == "standard" and KNOWN[peer].work == "plain" and not transforms:
                outcome.left_out.append((peer, group.configuration, _absent("torchvision")))
                continue
            try:
                for name in dict.fromkeys((peer, group.work(peer))):
                    _prepare(plan.job(group, name), prepared)
                memory[peer] = checked(plan.job(group, peer), plan.material.count)
            except PeerError as error:
                _fail(plan, outcome, peer, group.decoder, error)
            else:
                text = _("{peer}: checked, {mib} MiB")
                plan.say(text.format(peer=TITLES[peer], mib=number(memory[peer])))
        _rounds(plan, group, memory, outcome)
    return outcome


def _installed(packages: Sequence[str]) -> tuple[str, str] | None:
    """Return the first of these packages that is installed here, and its version; None where there is none."""
    for package in packages:
        try:
            return package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return None


def _absent(package: str) -> str:
    words = f"--no-deps {package}" if package in _WITHOUT_DEPENDENCIES else package
    return _("not installed (`pip install {package}`)").format(package=words)


def _fail(plan: Plan, outcome: Outcome, peer: str, decoder: str, error: PeerError) -> None:
    """Leave out a peer that is there."""
    outcome.failed.add(peer)
    outcome.left_out.append((peer, decoder, str(error)))
    plan.say(_("{peer}: not measured: {why}").format(peer=TITLES[peer], why=error))


def _prepare(job: Job, prepared: set[str]) -> None:
    """Prepare the data once."""
    if KNOWN[job.peer].writes and job.store not in prepared:
        Path(job.store).mkdir(parents=True, exist_ok=True)
        ask("prepare", job)
        prepared.add(job.store)


def _rounds(plan: Plan, group: Group, memory: dict[str, float], outcome: Outcome) -> None:
    """Add the rows of the rounds that are kept, and how many these are and how many are not."""
    here = (group.configuration, group.decoder)
    outcome.kept[here] = outcome.thrown[here] = 0
    names = list(memory)
    for attempt in range(TRIES * plan.rounds):
        if not names or outcome.kept[here] == plan.rounds:
            break
        # Each round begins with another one, so that none always comes after the same.
        first = attempt % len(names)
        rows, gone, reason = _round(plan, group, [*names[first:], *names[:first]], attempt, outcome)
        names = [name for name in names if name not in gone]
        outcome.rows = [
            row
            for row in outcome.rows
            if row["peer"] not in gone or (row["configuration"], row["decoder"]) != here
        ]
        place = outcome.kept[here] + 1
        said = " · ".join(f"{TITLES[row['peer']]} {number(row['images_per_s'])}" for row in rows)
        plan.say(_("round {turn} of {rounds}: {rates}").format(turn=place, rounds=plan.rounds, rates=said))
        if reason:
            outcome.thrown[here] += 1
            plan.say(_("This round is thrown away. {reasons}").format(reasons=reason))
        elif rows:
            outcome.kept[here] = place
            outcome.rows += [row | {"round": place, "mib": round(memory[row["peer"]], 1)} for row in rows]


def _round(
    plan: Plan, group: Group, names: Sequence[str], attempt: int, outcome: Outcome
) -> tuple[list[dict[str, Any]], set[str], str]:
    """Return the rows of a round, those that failed in it and are left out, and the reason to throw it away, if there is one.

    Peers with the same limit follow one another.
    """

    def timed(name: str, of: str = "") -> tuple[float, float]:
        answer = ask("time", plan.job(group, name, of, seed=attempt))
        return answer["images"] / answer["seconds"], answer["first"]

    rows: list[dict[str, Any]] = []
    gone: set[str] = set()
    for work in dict.fromkeys(group.work(name) for name in names):
        before = 0.0
        for name in (name for name in names if group.work(name) == work):
            reason = ""
            try:
                for _turn in range(TURNS):
                    others = Others()
                    before = before or timed("limit", work)[0]
                    rate, first = timed(name)
                    limits, before = (before, after := timed("limit", work)[0]), after
                    reason = fault(limits, others.cores(), plan.tolerance)
                    if not reason:
                        break
                    outcome.again += 1
                    plan.say(_("{peer}: measured again. {why}").format(peer=TITLES[name], why=reason))
                else:
                    return rows, gone, reason
            except PeerError as error:
                _fail(plan, outcome, name, group.decoder, error)
                gone.add(name)
            else:
                rows.append(_row(plan, group, name, rate, first, sum(limits) / 2))
        reason = fault([row["limit"] for row in rows if row["limit_of"] == work], 0.0, plan.tolerance)
        if reason:
            return rows, gone, reason
    return rows, gone, ""


def _row(plan: Plan, group: Group, peer: str, rate: float, first: float, limit: float) -> dict[str, Any]:
    """Return a row without round and memory; ``limit``: images a second; ``limit_of``: whose work that is.

    ``decodes``: ``crop`` where no more is decoded than the crop needs. Only JPEGs that were made for it let that be done, as the
    recipe's. Of an ordinary one all before the crop has to be read; what DALI leaves out is the transform of the blocks beside
    it, and the rows below.
    """
    from loaderlab.peers import recipe

    cut = peer == "recipe" and recipe.crop_only(plan.job(group, peer))
    return {
        "configuration": group.configuration,
        "decoder": group.decoder,
        "peer": peer,
        "images_per_s": round(rate, 2),
        "first_ms": round(1000 * first, 1),
        "decodes": "crop" if cut else "image",
        "limit_of": group.work(peer),
        "limit": round(limit, 2),
        "ratio": round(rate / limit, 4),
    }


def fault(limits: Sequence[float], others: float, tolerance: float = MOVED) -> str:
    """Return the reason not to keep what was measured with these limits; empty where it is kept.

    ``others``: the cores that other programs used meanwhile. What of that is tolerated grows with the tolerance for the limit.
    """
    moved = max(limits, default=1.0) / min(limits, default=1.0) - 1
    if moved > tolerance:
        return _("The limit moved by {percent}%.").format(percent=number(100 * moved))
    if others > BUSY * tolerance / MOVED * machine.usable_cores():
        return _("Cores that other programs used meanwhile: {cores}.").format(cores=number(others, 1))
    return ""
