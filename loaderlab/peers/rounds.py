"""One round: an epoch of each peer, each between two epochs of its limit; and what speaks against believing it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.soundness import BUSY
from loaderlab.peers import TITLES

MOVED = 0.15  # by so much the limit may move within a round
ABOVE = MOVED / 3  # so far a peer may lie above its limit
TRIES = 3  # for each round that is wanted
LEAST = 3  # rounds that a recording has of everything


@dataclass(frozen=True)
class Turn:
    """Images a second of a peer, and of its limit right before and after it: nan where it has none. ``work``: whose work that does."""

    peer: str
    rate: float
    before: float = math.nan
    after: float = math.nan
    work: str = ""

    @property
    def limit(self) -> float:
        """Images a second that were possible while the peer ran."""
        return (self.before + self.after) / 2


@dataclass(frozen=True)
class Round:
    """The turns of a round, and the cores that other programs used meanwhile, of ``cores``."""

    turns: list[Turn] = field(default_factory=list)
    others: float = 0.0
    cores: float = 1.0

    @property
    def limits(self) -> dict[str, list[float]]:
        """Every measurement of each limit in this round, images a second."""
        found: dict[str, list[float]] = {}
        for turn in self.turns:
            if turn.work:
                found.setdefault(turn.work, []).extend((turn.before, turn.after))
        return found

    def beaten(self, tolerance: float = MOVED) -> dict[str, float]:
        """Return the peers that beat their limit by more than is tolerated, and by which share."""
        above = {turn.peer: turn.rate / turn.limit - 1 for turn in self.turns}
        return {peer: share for peer, share in above.items() if share > ABOVE * tolerance / MOVED}

    def faults(self, tolerance: float = MOVED) -> Iterator[str]:
        """Yield the reasons to throw the round away, a sentence each; nothing where it is kept.

        ``tolerance``: by which share the limit may move; what else is tolerated grows and shrinks with it.
        """
        slack = tolerance / MOVED
        moved = max((max(rates) / min(rates) - 1 for rates in self.limits.values()), default=0.0)
        if moved > tolerance:
            yield _("The limit moved by {percent}%.").format(percent=number(100 * moved))
        for peer, share in self.beaten(tolerance).items():
            yield _("{peer} beat the limit by {percent}%.").format(
                peer=TITLES[peer], percent=number(100 * share)
            )
        if self.others > BUSY * slack * self.cores:
            yield _("Cores that other programs used meanwhile: {cores}.").format(cores=number(self.others, 1))
