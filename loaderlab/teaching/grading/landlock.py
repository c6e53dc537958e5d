"""Rights that Linux lets any process give up (Landlock): files outside of some folders, and signals to others.

https://docs.kernel.org/userspace-api/landlock.html
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable
from pathlib import Path

# The same numbers on every architecture.
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_FILE = _EXECUTE | _WRITE | _READ | 1 << 14  # what can be asked of a file: truncate it, too
_VERSION_OF_TRUNCATE, _VERSION_OF_SIGNALS = 3, 6

_libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Return the version of Landlock that this system has; 0: none."""
    return max(0, _libc.syscall(ctypes.c_long(_CREATE), None, ctypes.c_size_t(0), ctypes.c_uint(1)))


def keeps_signals_inside() -> bool:
    """Return whether a process that is fenced in cannot stop or end one outside, not even by name."""
    return version() >= _VERSION_OF_SIGNALS


def fence(readable: Iterable[Path], writable: Iterable[Path]) -> None:
    """Let this process, and all that it starts, read and write nothing else from here on.

    Nor can it look into, stop or end a process that is not fenced in with it. Raises ``OSError``.
    """
    has = version()
    if has < _VERSION_OF_TRUNCATE:
        raise OSError("this Landlock lets files be emptied")
    rights = (1 << 15) - 1
    scopes = 3 if has >= _VERSION_OF_SIGNALS else 0  # abstract Unix sockets; signals
    wanted = struct.pack("QQQ", rights, 0, scopes)[: 24 if scopes else 8]
    rules = _checked(
        _libc.syscall(ctypes.c_long(_CREATE), wanted, ctypes.c_size_t(len(wanted)), ctypes.c_uint(0))
    )
    try:
        for paths, allowed in ((readable, _EXECUTE | _READ | _LIST), (writable, rights)):
            for path in filter(os.path.exists, paths):
                _allow(rules, path, allowed if path.is_dir() else allowed & _FILE)
        _checked(_libc.syscall(ctypes.c_long(_RESTRICT), ctypes.c_int(rules), ctypes.c_uint(0)))
    finally:
        os.close(rules)


def _allow(rules: int, path: Path, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = struct.pack("=Qi", rights, place)
        _checked(
            _libc.syscall(ctypes.c_long(_ADD), ctypes.c_int(rules), ctypes.c_int(1), rule, ctypes.c_uint(0))
        )
    finally:
        os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"Landlock: {os.strerror(number)}")
    return result
