"""What Linux offers to set a process apart, for which Python has no function before 3.12."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

NEW_MOUNTS, NEW_NAMES, NEW_IPC = 0x00020000, 0x04000000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000

READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_MOUNT_SETATTR = 442  # the same number on every architecture
_CAPABILITIES_3 = 0x20080522

_libc = ctypes.CDLL(None, use_errno=True)


def unshare(spaces: int) -> None:
    """Leave the namespaces that ``spaces`` (an or of ``NEW_…``) names, for new ones. Raises ``OSError``."""
    _checked(_libc.unshare(ctypes.c_int(spaces)), "unshare")


def mount(source: str, target: Path, kind: str = "", flags: int = 0, options: str = "") -> None:
    """mount(2). Raises ``OSError``."""
    words = (source.encode(), os.fsencode(target), kind.encode(), ctypes.c_ulong(flags), options.encode())
    _checked(_libc.mount(*words), f"mount {target}")


def show(path: Path, at: Path) -> None:
    """Mount ``path``, and all that is mounted below it, at ``at``, so that nothing can be written there."""
    mount(str(path), at, flags=BIND | RECURSIVE)
    attributes = struct.pack("QQQQ", READ_ONLY | NO_SUID, 0, 0, 0)
    arguments = (-100, os.fsencode(at), 0x8000, attributes, len(attributes))  # AT_FDCWD, AT_RECURSIVE
    _checked(_libc.syscall(ctypes.c_long(_MOUNT_SETATTR), *arguments), f"mount_setattr {at}")


def enter(root: Path) -> None:
    """Make ``root``, a mount, the root of this process's file system; what was outside is gone."""
    os.chdir(root)
    _checked(_libc.pivot_root(b".", b"."), "pivot_root")  # the old root now lies on top of the new one
    _checked(_libc.umount2(b".", _DETACH), "umount2")
    os.chdir("/")


def drop_capabilities() -> None:
    """Give up every right that is more than an ordinary user's."""
    header = struct.pack("Ii", _CAPABILITIES_3, 0)
    _checked(_libc.capset(header, bytes(24)), "capset")


def die_with_parent() -> None:
    """When the parent ends, however it ends, this process is killed."""
    _prctl(1, 9)


def gain_nothing_by_exec() -> None:
    """No program that is started from here on has more rights than this process (set-user-ID and the like)."""
    _prctl(38, 1)


def stay_readable() -> None:
    """A process that changed its user may again look at itself in /proc, as psutil does."""
    _prctl(4, 1)


def adopt_orphans() -> None:
    """Descendants whose parent ended become children of this process, and so can be found and ended."""
    _prctl(36, 1)


def loopback_up() -> None:
    """Switch on 127.0.0.1 in a new network namespace; there is no other network in it."""
    request = struct.pack("16sH", b"lo", 1 | 64)  # IFF_UP | IFF_RUNNING
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, 0x8914, request)  # SIOCSIFFLAGS


def _prctl(option: int, value: int) -> None:
    _checked(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0), "prctl")


def _checked(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
