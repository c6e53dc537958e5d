"""The mark of a text that is a message: catalogs have it, and it is translated where it is said."""

from __future__ import annotations


def mark(message: str) -> str:
    """Return ``message`` itself: tells the catalogs that this text, translated later, is a message."""
    return message
