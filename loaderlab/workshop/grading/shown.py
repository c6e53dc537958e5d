"""Text that others wrote, as it may be shown to the instructor: one line, nothing invisible, not endless."""

from __future__ import annotations

import unicodedata


def clean(text: str) -> str:
    """``text`` on one line, without control characters, marks of direction and other invisible characters.

    What is no character at all (half of a pair, a byte of a file name that is not UTF-8) becomes "�".
    """
    return " ".join("".join(map(_visible, unicodedata.normalize("NFC", text))).split())


def code(source: str) -> str:
    """``source`` with its lines, where what is invisible stands as an escape, such as ``\\u202e``, and hides nothing."""
    return "".join(c if c in "\n\t" or _visible(c) == c else _escape(c) for c in source.replace("\r\n", "\n"))


def cut(text: str, length: int) -> str:
    """The first characters of ``text``: at most ``length``, with an ellipsis where there were more."""
    return text if len(text) <= length else text[: length - 1] + "…"


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else f"\\U{ord(character):08x}"


def _visible(character: str) -> str:
    kind = unicodedata.category(character)
    if kind == "Cs":
        return "\ufffd"
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    return "" if kind in ("Cf", "Co", "Cn") else character
