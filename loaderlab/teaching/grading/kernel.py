"""Requests to Linux that a process makes for itself, and Python has no function for."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> None:
    """Let this process be killed when the parent ends, however it ends."""
    _prctl(1, 9)


def let_look_inside(others: bool) -> None:
    """Let processes of this user look into this one in /proc, and take it over, or let them not; those it forks inherit that."""
    _prctl(4, int(others))


def adopt_orphans() -> None:
    """Descendants whose parent ended become children of this process, and so can be found and ended."""
    _prctl(36, 1)


def _prctl(option: int, value: int) -> None:
    if _libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"prctl: {os.strerror(number)}")
