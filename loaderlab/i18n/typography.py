"""Spaces, apostrophes and the like, put in by rule: translators type ordinary spaces."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

NARROW, WIDE = "\u202f", "\u00a0"  # spaces at which no line breaks
Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]  # what `re.sub` takes

# What must not change is hidden behind one private character each, so that the rules still see that
# something stands there, and can tell a placeholder (often a number) from the rest.
_OPAQUE, _PLACEHOLDER = 0xF0000, 0x100000
HIDDEN = "\U000f0000-\U0010ffff"  # within [ ] of a rule: whatever is hidden
DIGIT = r"[\d\U00100000-\U0010FFFF]"  # in a rule: a digit, or a placeholder
_KEEP = re.compile(
    r"""
      ^[ ]*(?P<fence>```+|~~~+).*?(?:^[ ]*(?P=fence)|\Z)   # fenced code
    | (?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)           # code span
    | \$\$.*?\$\$ | \$(?!\s)[^$\n]+?(?<!\s)\$(?!\d)        # formula
    | \]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+"[^"]*")?\)   # target of a link
    | https?://[^\s<>)\]]*[^\s<>)\].,;:!?]
    | <!--.*?--> | </?[A-Za-z][^<>]*>
    | &\#?\w+;
    | ^[ ]*>>>[^\n]*
    | (?P<placeholder>\{[^{}\s]*\})
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_THOUSANDS = re.compile(r"(?<![\w.,])\d{2,3}(?: \d{3})+(?!\w)|(?<![\w.,])\d(?: \d{3}){2,}(?!\w)")
_UNITS = r"[kKMGT]?i?[oB](?:/s)?|[KMGT]bit/s|[nµm]s|s|min|h|[kMG]?Hz|W|px"


def apply(rules: Iterable[Rule], text: str) -> str:
    """Return ``text`` after the rules, one after the other.

    Code spans and fences, ``$formulas$``, addresses, link targets, HTML tags, entities, lines of a Python
    prompt and ``{placeholders}`` are left alone.
    """
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        plane = _PLACEHOLDER if match.lastgroup == "placeholder" else _OPAQUE
        return chr(plane + len(kept) - 1)

    text = _KEEP.sub(hide, text)
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return re.sub(f"[{HIDDEN}]", lambda match: kept[ord(match[0]) & 0xFFFF], text)


def numbers(group: str, *things: str) -> tuple[Rule, ...]:
    """Return the rules for numbers: ``group`` between three digits, and no break before a unit.

    ``things``: what is counted by the second, as regular expressions: "images" for "images/s".
    """
    units = "|".join((_UNITS, *(f"(?:{thing})/s" for thing in things)))
    return (
        (_THOUSANDS, lambda match: match[0].replace(" ", group)),
        (re.compile(rf"(?<={DIGIT}) (?=(?:{units})(?!\w))"), WIDE),
    )
