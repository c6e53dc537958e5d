"""Rows of plain values that a script or a loop measured, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loaderlab.measuring import machine
from loaderlab.notebook.recordings import Result


class Rows(list[dict[str, Any]]):
    """Rows of a measurement; none, and a sentence that says why, where it could not be made."""

    def __init__(self, rows: Iterable[Mapping[str, Any]] = (), why: str = "") -> None:
        super().__init__(dict(row) for row in rows)
        self.why = why

    def column(self, name: str, **where: Any) -> list[Any]:
        """Return the values of a column, in the rows in which the other columns have these values."""
        return [row[name] for row in self if all(row.get(k) == v for k, v in where.items())]

    def __add__(self, other: list[dict[str, Any]]) -> Rows:  # type: ignore[override]
        """Return the rows of both; one reason is enough."""
        return Rows([*self, *other], self.why or getattr(other, "why", ""))

    __iadd__ = __add__  # type: ignore[assignment]

    @property
    def result(self) -> Result:
        """The rows as the result of a benchmark that ran here, for ``lab.curves``."""
        device = machine.device_name("cpu")
        return Result("apart", list(self), device=device, note=self.why if not self else "")

    def __repr__(self) -> str:
        from loaderlab.notebook.figures import table

        return "\n".join(filter(None, [str(table(self)) if self else "", self.why]))
