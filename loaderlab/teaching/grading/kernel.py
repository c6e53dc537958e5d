"""System calls of Linux that set a process apart, for which Python has no function before 3.12."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
import sys
from pathlib import Path

NEW_MOUNTS, NEW_IPC = 0x00020000, 0x08000000
NEW_USERS, NEW_PROCESSES, NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000

READ_ONLY, NO_SUID, NO_DEVICES, REMOUNT, BIND, RECURSIVE, PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_MOUNT_SETATTR = 442  # the same number on every architecture
_CAPABILITIES_3 = 0x20080522

# What no answer needs: new user namespaces (all rights in them: tmpfs without limits), memory that is not counted
# because it is in no process, keys of whoever grades, and a look into other processes. By machine: the name of the architecture in a filter; the
# number of clone; those of clone3 (its flags cannot be seen; clone is tried next), unshare, setns, memfd_create, shmget,
# msgget, semget, add_key, request_key, keyctl, memfd_secret, ptrace, process_vm_readv, process_vm_writev, pidfd_getfd.
_CALLS = {
    "x86_64": (0xC000003E, 56, (435, 272, 308, 319, 29, 68, 64, 248, 249, 250, 447, 101, 310, 311, 438)),
    "aarch64": (0xC00000B7, 220, (435, 97, 268, 279, 194, 186, 190, 217, 218, 219, 447, 117, 270, 271, 438)),
}

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


def forbid() -> None:
    """Forbid the system calls that no answer needs, from here on. Do nothing where we do not know their numbers."""
    if platform.machine() not in _CALLS or sys.maxsize < 2**32:
        return
    machine, clone, calls = _CALLS[platform.machine()]
    load, equal, from_up, any_bit, say = 0x20, 0x15, 0x35, 0x45, 0x06  # of the language of filters
    rest = len(calls) + 3  # instructions from the first of the calls to the last line, "no"
    program = [
        (load, 0, 0, 4),  # the architecture: another one has other numbers
        (equal, 0, rest + 3, machine),
        (load, 0, 0, 0),  # the number of the call
        (from_up, rest + 1, 0, 1 << 30),  # x32
        *((equal, rest - n, 0, call) for n, call in enumerate(calls)),
        (equal, 0, 2, clone),
        (load, 0, 0, 16),  # its flags
        (any_bit, 1, 0, NEW_USERS),
        (say, 0, 0, 0x7FFF0000),  # go on
        (say, 0, 0, 0x00050000 | errno.ENOSYS),
    ]
    instructions = b"".join(struct.pack("HBBI", *step) for step in program)
    buffer = ctypes.create_string_buffer(instructions)
    filters = struct.pack("HxxxxxxP", len(program), ctypes.addressof(buffer))
    _checked(_libc.prctl(22, ctypes.c_ulong(2), filters, 0, 0), "seccomp")


def die_with_parent() -> None:
    """Let this process be killed when the parent ends, however it ends."""
    _prctl(1, 9)


def gain_nothing_by_exec() -> None:
    """No program that is started from here on has more rights than this process (set-user-ID and the like)."""
    _prctl(38, 1)


def stay_readable() -> None:
    """Let a process that changed its user look at itself in /proc again, as psutil does."""
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
