"""One round: an epoch of each peer, each between two epochs of the limit; and what speaks against believing it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from loaderlab.measuring.soundness import BUSY
from loaderlab.peers import KNOWN, TITLES
from loaderlab.words.language import number
from loaderlab.words.language import translate as _

MOVED = 0.15  # by so much the limit may move within a round
ABOVE = MOVED / 3  # so far a peer may lie above its limit
TRIES = 3  # for each round that is wanted
LEAST = 3  # rounds that a recording has of everything


@dataclass(frozen=True)
class Turn:
    """Images a second of a peer, and of the limit right before and after it."""

    peer: str
    rate: float
    before: float
    after: float

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
    def limits(self) -> list[float]:
        """Every measurement of the limit in this round, images a second."""
        return [rate for turn in self.turns for rate in (turn.before, turn.after)]

    def faults(self, tolerance: float = MOVED) -> Iterator[str]:
        """Why it is thrown away, a sentence each; nothing where it is kept.

        ``tolerance``: by which share the limit may move; what else is tolerated grows and shrinks with it.
        """
        slack = tolerance / MOVED
        moved = max(self.limits, default=1.0) / min(self.limits, default=1.0) - 1
        if moved > tolerance:
            yield _("The limit moved by {percent}%.").format(percent=number(100 * moved))
        for turn in self.turns:
            above = turn.rate / turn.limit - 1
            if above > ABOVE * slack and not KNOWN[turn.peer].crop_only:
                yield _("{peer} beat the limit by {percent}%.").format(
                    peer=TITLES[turn.peer], percent=number(100 * above)
                )
        if self.others > BUSY * slack * self.cores:
            yield _("Cores that other programs used meanwhile: {cores}.").format(cores=number(self.others, 1))
