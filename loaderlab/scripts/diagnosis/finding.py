"""A finding: one thing that a loader suffers from, what shows it, and what to change; and the kinds that there are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec

from ..words import translate as _

P = ParamSpec("P")
ARGUMENTS = "DataLoader(..., {arguments})"  # a cure: other values of arguments, which the decision finds


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
class Cost:
    """The cost of a finding: samples a second that are lost, at most; or the hours until the memory ends, if it goes on.

    Both are None where it is no matter of time or memory, but of what is learned; or where no step says what else takes time.
    """

    samples: float | None = None
    hours: float | None = None


@dataclass(frozen=True)
class Words:
    """The words that the function of a kind returns: all of a finding but its kind. None where the kind's own hold.

    ``change`` is "" where the kind's own would raise for this loader. ``advice``: what else to do, of which nothing is predicted.
    """

    sentence: str
    evidence: tuple[Row, ...] = ()
    change: str | None = None
    predicted: Rate | None = None
    changes: tuple[tuple[str, Any], ...] = ()
    certain: bool | None = None
    advice: str = ""


@dataclass(frozen=True)
class Finding:
    """``name`` is the same in every language ("waiting_storage"), ``sentence`` is in the one that is spoken.

    Where it is not ``certain``, the sentence says what cannot be seen from the loader, and the reader knows.
    ``change`` is code to be pasted, ``changes`` the same as arguments of a DataLoader, where it needs no edit. ``predicted`` is of
    that, and not of ``advice``, a sentence on what else to do.
    """

    kind: Kind[...]
    sentence: str
    evidence: tuple[Row, ...] = ()
    change: str | None = None
    predicted: Rate | None = None
    changes: tuple[tuple[str, Any], ...] = ()
    certain: bool = True
    cost: Cost = Cost()
    advice: str = ""

    @property
    def name(self) -> str:
        """The kind's name, for a program."""
        return self.kind.name


class Kind(Generic[P]):
    """A kind of finding. Called with what its wording needs, it gives the finding.

    ``about``: a line for the documentation. ``cure``: the code that is advised, `ARGUMENTS` where it is other arguments of
    the DataLoader, None where the reader has to find the code. ``certain``: False where only the program of the training
    shows whether it is so.
    """

    def __init__(self, words: Callable[P, Words], about: str, cure: str | None, certain: bool) -> None:
        self.words, self.about, self.cure, self.certain = words, about, cure, certain
        self.name = words.__name__

    def __call__(self, *args: P.args, **options: P.kwargs) -> Finding:
        """Return the finding, in the language that is spoken now."""
        said = self.words(*args, **options)
        cure = None if self.cure is ARGUMENTS else self.cure
        return Finding(
            self,
            said.sentence,
            said.evidence,
            cure if said.change is None else said.change or None,
            said.predicted,
            said.changes,
            self.certain if said.certain is None else said.certain,
            advice=said.advice,
        )

    def __repr__(self) -> str:
        return f"<kind {self.name}>"


def kind(
    about: str, cure: str | None = None, *, certain: bool = True
) -> Callable[[Callable[P, Words]], Kind[P]]:
    """Make a kind of finding of the function that words it; the function's name is the name of the kind."""
    return lambda words: Kind(words, about, cure, certain)


def after_own(code: str, own: str | None) -> str:
    """Return the code of a `worker_init_fn` with a call of ``own``, the one that the loader has, before all else."""
    if not own:
        return code
    first, _line, rest = code.partition("\n")
    note = _("the loader's own, as before")
    code = f"{first}\n    {own}(worker)  # {note}\n{rest}"
    made = first.removeprefix("def ").partition("(")[0]
    if made == own:  # it would call itself
        code = code.replace(f"def {made}(", f"def {made}_too(")
        code = code.replace(f"worker_init_fn={made})", f"worker_init_fn={made}_too)")
    return code


def name_of(function: Callable[..., Any] | None) -> str | None:
    """Return the name by which code calls a function; where it has none, as a lambda, one for the reader to fill in."""
    if function is None:
        return None
    name = getattr(function, "__name__", "")
    return name if name.isidentifier() else "your_worker_init_fn"


def code(changes: tuple[tuple[str, Any], ...]) -> str:
    """Return the call of a DataLoader with these arguments."""
    return ARGUMENTS.format(arguments=", ".join(f"{name}={value!r}" for name, value in changes))
