"""The states of a case: each choice of its repairs that a rate can tell from the others, and the rates that were measured of it.

The order of the repairs makes no other script, and some repairs change no rate. Everything else is measured, and a state that
was not measured has no rates: none is made from those of others.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import combinations
from typing import Any

from loaderlab.course.case import SHOWS, Case, Rates, named
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import translate as _


def silent(case: Case) -> tuple[str, ...]:
    """Return the names of the repairs that no rate shows, neither the true one nor the claim."""
    return tuple(repair.name for repair in case.repairs if not (repair.speed or repair.claim))


def state(case: Case, made: Iterable[str], without: Iterable[str] = ()) -> str:
    """Return the name of the state with these repairs: their names in the order of the course, ``without`` some of them."""
    kept = set(made) - set(without)
    return " ".join(repair.name for repair in case.repairs if repair.name in kept)


def to_measure(case: Case) -> list[str]:
    """Return the states that have to be measured, and behind them some of those that should have the rates of another one."""
    heard = [repair.name for repair in case.repairs if repair.name not in silent(case)]
    distinct = [state(case, some) for count in range(len(heard) + 1) for some in combinations(heard, count)]
    if not silent(case):
        return distinct
    # As it was found, in the middle, and repaired.
    return distinct + [state(case, [*heard[:count], *silent(case)]) for count in sorted({0, 2, len(heard)})]


class States:
    """The rates of a case's states: medians of what was measured, by the name of the state."""

    def __init__(self, case: Case, rates: Mapping[str, Rates]) -> None:
        self.case, self.rates = case, dict(rates)

    @classmethod
    def of_rows(cls, case: Case, rows: Iterable[Mapping[str, Any]]) -> States:
        """Return those of a recording, whose rows have the ``repairs`` of a state and its three rates in one round."""
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in rows:
            found.setdefault(row["repairs"], []).append(row)
        return cls(
            case,
            {
                name: Rates(
                    **{
                        rate.name: round(statistics.median(row[rate.name] for row in of), 1)
                        for rate in fields(Rates)
                    }
                )
                for name, of in found.items()
            },
        )

    def of(self, made: Sequence[str]) -> Rates:
        """Return the rates with these repairs, in whatever order they were made; raises :class:`LabError` where they were not measured."""
        name = state(self.case, made, silent(self.case))
        if name not in self.rates:
            raise LabError(
                _(
                    "This state of the script was not measured: {repairs}. Choose another repair, or run the lesson: there it is measured."
                ).format(repairs=named(name.split(), self.case) or _("as found"))
            )
        return self.rates[name]

    def apart(self) -> float:
        """Return by what factor the silent repairs changed a true rate at most, where that was measured: 1 says that they are silent."""
        factors = [1.0]
        for name, rates in self.rates.items():
            other = self.rates.get(state(self.case, name.split(), silent(self.case)))
            if other is not None:
                factors += [rates.true / other.true, other.true / rates.true]
        return max(factors)

    @property
    def sound(self) -> bool:
        """True if states that differ in silent repairs only can share their rates."""
        return self.apart() <= SHOWS
