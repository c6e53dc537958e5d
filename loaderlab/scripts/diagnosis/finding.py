"""A finding: one thing that a loader suffers from, what shows it, and what to change."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """A line of evidence: what was measured or counted (in the language spoken), and how much of which unit (in English)."""

    label: str
    value: float | int | str
    unit: str = ""


@dataclass(frozen=True)
class Rate:
    """Samples a second: the most likely figure, and the range in which it lies."""

    rate: float
    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """``name`` is the same in every language ("waiting_storage"), ``sentence`` is in the one that is spoken.

    Where it is not ``certain``, the sentence says what cannot be seen from the loader, and the reader knows.
    ``change`` is code to be pasted, ``changes`` the same as arguments of a DataLoader, where it needs no edit.
    """

    name: str
    sentence: str
    evidence: tuple[Row, ...] = ()
    change: str | None = None
    predicted: Rate | None = None
    changes: tuple[tuple[str, object], ...] = ()
    certain: bool = True
