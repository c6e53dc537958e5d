"""Numbers as a learner types them, and as they are shown: in the language's own writing, with a unit or without."""

from __future__ import annotations

import math
import re

from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number, spoken
from loaderlab.i18n.language import translate as _

_BINARY, _DECIMAL = 1024, 1000
# What can be turned into one another, and how much of the first unit each is.
_TIMES = {"ns": 1e-9, "µs": 1e-6, "μs": 1e-6, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
_SIZES = {"b": 1.0, "o": 1.0, "byte": 1.0, "bytes": 1.0, "octet": 1.0, "octets": 1.0, "bajt": 1.0, "bajty": 1.0, "bajtów": 1.0} | {
    f"{prefix}{infix}{letter}": float(base ** (at + 1))
    for at, prefix in enumerate("kmg")
    for infix, base in (("i", _BINARY), ("", _DECIMAL))
    for letter in "bo"
}  # fmt: skip
_SHARES = {"%": 1.0}
_KINDS = (_TIMES, _SIZES, _SHARES)


def read(text: str, unit: str | None = None) -> float:
    """Return the number that a learner typed, as their language or Python writes it, with or without a unit behind it.

    With ``unit``, that of the field, another one of the same kind is turned into it: 0.3 s are 300 ms. Raises
    :class:`LabError` where there is no number, more than one, or a unit of another kind.
    """
    plain = re.sub(r"(?<=\d)[\s\u00a0\u202f](?=\d{3}(?!\d))", "", text.strip()).replace("\N{MINUS SIGN}", "-")
    plain = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", plain) if spoken().decimal == "." else plain
    found = re.match(r"[-+]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eE][-+]?\d+)?", plain)
    example = number(0.5, 1)
    if found is None:
        raise LabError(
            _("{text!r} is no number. Type one, such as 16 or {example}.").format(text=text, example=example)
        )
    behind = plain[found.end() :].strip()
    if behind[:1] in ("/", "-", "–", "—", "^", "*", "±") or re.search(r"\d", behind):
        raise LabError(
            _(
                "{text!r} is more than one number. Expected: one, such as 16 or {example}; no fraction such as 1/2, and no range."
            ).format(text=text, example=example)
        )
    value = float(found[0].replace(",", ".")) * (1 if unit is None else _factor(text, behind, unit))
    if not math.isfinite(value):
        raise LabError(
            _("{text!r} is no number. Type one, such as 16 or {example}.").format(text=text, example=example)
        )
    value = float(f"{value:.12g}")
    return int(value) if value.is_integer() and abs(value) < 1e15 else value


def _factor(text: str, behind: str, unit: str) -> float:
    """Return by what a number with the unit ``behind`` is to be multiplied in a field with ``unit``."""
    typed, wanted = behind.casefold(), unit.casefold()
    kind = next((kind for kind in _KINDS if typed in kind), None)
    if kind is None or typed == wanted:  # a word, such as batches, or ×
        return 1
    if wanted not in kind:
        raise LabError(
            _("{text!r} has another unit than this field. Expected: {unit}.").format(
                text=text, unit=unit or _("a number without a unit")
            )
        )
    return kind[typed] / kind[wanted]


def digits(value: float) -> str:
    """Return a number with the digits that count, three at most, and all before the point."""
    places = max(0, 2 - math.floor(math.log10(abs(value)))) if value and math.isfinite(value) else 0
    fewest = next(count for count in range(places + 1) if round(value, count) == round(value, places))
    return number(value, fewest)
