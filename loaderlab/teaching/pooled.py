"""The class's curves of one benchmark together: their picture, and the sentences that say what it shows."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loaderlab import course, drawing
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.teaching.learner_curve import Curve, Kind

MOST_ROWS = 6  # kinds of machines with a row of their own; the others share the last one
MOST_GROUPS = 4
RARE = 3  # a group that fewer learners have than one in so many of the commonest is theirs, not the class's


@dataclass(frozen=True)
class Measurement:
    """One notebook's curves of the subject, one for each group; ``learner``: who handed it in, as shown."""

    file: str
    curves: tuple[Curve, ...]
    learner: str = ""

    @property
    def disturbed(self) -> bool:
        """True if other programs used cores while one of its curves was measured."""
        return any(curve.disturbed for curve in self.curves)

    @property
    def drawn(self) -> str:
        """The time at which the last of its curves was drawn."""
        return max(curve.drawn for curve in self.curves)


def named(curve: Curve) -> str:
    """Return the name of a group in the instructor's language."""
    names = course.lesson(curve.lesson).names()
    return _(names[curve.group]) if curve.group in names else curve.group


def median(curves: Sequence[Curve]) -> dict[int, float]:
    """Return the median share, in %, at each number of workers that at least half of the learners measured."""
    workers = sorted({x for curve in curves for x in curve.points})
    shares = {x: [curve.shares[x] for curve in curves if x in curve.points] for x in workers}
    return {x: statistics.median(found) for x, found in shares.items() if 2 * len(found) >= len(curves)}


def groups(entries: Sequence[Measurement]) -> dict[str, list[Curve]]:
    """Return the curves of each group, by its name; the groups that most learners have, in the order of the lesson."""
    found: dict[str, list[Curve]] = {}
    for entry in entries:
        for curve in entry.curves:
            found.setdefault(named(curve), []).append(curve)
    kept = sorted(found, key=lambda name: -len(found[name]))[:MOST_GROUPS]
    kept = [name for name in kept if RARE * len(found[name]) >= len(found[kept[0]])]
    return {name: found[name] for name in found if name in kept}


def sentences(entries: Sequence[Measurement]) -> list[str]:
    """Return for each group which number of workers was best for how many, and the median gain."""
    said = []
    for name, curves in groups(entries).items():
        bests = Counter(curve.best for curve in curves)
        counted = ", ".join(f"{workers} (× {count})" for workers, count in sorted(bests.items()))
        sentence = _("Best num_workers: {counted}.").format(counted=counted)
        gains = [curve.gain for curve in curves if curve.gain is not None]
        if gains:
            gain = number(statistics.median(gains), 1)
            sentence += " " + _("Median gain over 0 workers: × {gain}.").format(gain=gain)
        said.append(f"{name} · {sentence}" if name else sentence)
    return said


def picture(entries: Sequence[Measurement]) -> drawing.Picture:
    """Everybody's curves: a row of panels for each kind of machine, in it a panel for each group."""
    by_group = groups(entries)
    medians = {name: median(curves) for name, curves in by_group.items()}
    counted = Counter(kind for entry in entries for kind in [entry.curves[0].kind])
    common: list[Kind] = [kind for kind, _count in counted.most_common(MOST_ROWS)]
    if len(counted) > MOST_ROWS:
        common.pop()  # its row is that of all others
    rows: dict[str, Mapping[str, drawing.Crowd]] = {}
    marks: dict[str, float] = {}
    for kind in [*sorted(common, key=lambda kind: (kind.cores, kind.processor)), None]:
        mine = {
            name: [c.shares for c in curves if (c.kind == kind if kind else c.kind not in common)]
            for name, curves in by_group.items()
        }
        learners = max(map(len, mine.values()))
        if learners:
            what = str(kind) if kind else _("other machines")
            title = _("{machine} · learners: {n}").format(machine=what, n=learners)
            rows[title] = {name: drawing.Crowd(found, medians[name]) for name, found in mine.items()}
            if kind:
                marks[title] = kind.cores
    return drawing.crowds(
        rows,
        marks,
        x_label=_("Number of workers"),
        y_label=_("Throughput (% of the learner's best)"),
        mark_label=_("usable cores"),
        text=" ".join([_("Learners: {n}.").format(n=len(entries)), *sentences(entries)]),
    )
