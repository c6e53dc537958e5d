"""The view that an answer has of the file system: Python and the system, read-only; an empty home; and nothing else."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from loaderlab.teaching.grading import kernel

HOME = Path("/tmp/home")
FILES = 20_000  # in /tmp and in /dev/shm each: an empty one takes 1 KB of memory that nobody counts
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/nix", "/sys")
DEVICES = ("null", "zero", "full", "random", "urandom")


@dataclass(frozen=True)
class View:
    """``kit`` is shown, ``hidden`` is not, even where it lies in a folder that is shown.

    ``point`` is an empty folder to mount on; ``room`` the bytes that files may take, in /tmp and in /dev/shm each.
    """

    kit: Path
    hidden: tuple[Path, ...]
    point: Path
    room: int

    def enter(self) -> None:
        """Make this the file system of the calling process, which must be alone in its mount namespace."""
        root = self.point
        kernel.mount("none", Path("/"), flags=kernel.RECURSIVE | kernel.PRIVATE)
        self._empty(root, "mode=755,size=16m")
        for place in ("tmp", "dev/shm"):  # first: what is shown may lie in /tmp
            (root / place).mkdir(parents=True)
            self._empty(root / place, f"mode=1777,size={self.room},nr_inodes={FILES}")
        for path in self._shown():
            target = _below(root, path)
            target.mkdir(parents=True, exist_ok=True)
            kernel.show(path, target)
        for link in filter(os.path.islink, SYSTEM):  # /bin -> usr/bin
            _below(root, link).symlink_to(os.readlink(link))
        for path in self.hidden:
            if _below(root, path).is_dir():
                self._empty(_below(root, path), "mode=755,size=4k", kernel.READ_ONLY)
        for name in DEVICES:
            (root / "dev" / name).touch()
            kernel.mount(f"/dev/{name}", root / "dev" / name, flags=kernel.BIND)
        (root / "dev/fd").symlink_to("/proc/self/fd")
        (root / "proc").mkdir()
        kernel.mount("proc", root / "proc", "proc", kernel.NO_SUID | kernel.NO_DEVICES)
        flags = kernel.REMOUNT | kernel.BIND | kernel.READ_ONLY | kernel.NO_SUID | kernel.NO_DEVICES
        kernel.mount("none", root, flags=flags)
        kernel.enter(root)

    def readable(self) -> list[Path]:
        """Return the paths that an answer reads where it shares our file system."""
        return [*self._shown(), Path("/proc"), Path("/dev")]

    def writable(self) -> list[Path]:
        """Return the paths that an answer writes there beside its home: shared memory, and the devices that swallow everything."""
        return [Path("/dev/shm"), *(Path("/dev") / name for name in DEVICES)]

    def _empty(self, place: Path, options: str, flags: int = 0) -> None:
        kernel.mount("tmpfs", place, "tmpfs", flags | kernel.NO_SUID | kernel.NO_DEVICES, options)

    def _shown(self) -> list[Path]:
        """Folders that the answer needs, without those that lie in another one of them."""
        wanted = sorted(set(self._wanted()), key=lambda path: len(path.parts))
        found: list[Path] = []
        for path in wanted:
            if path.is_dir() and not any(path.is_relative_to(other) for other in found):
                found.append(path)
        return found

    def _wanted(self) -> Iterator[Path]:
        yield from (Path(path) for path in SYSTEM if not os.path.islink(path))
        hidden = {path.parent for path in self.hidden}
        places = (sys.prefix, sys.base_prefix, *filter(None, sys.path))
        for path in (*map(Path, places), self.kit):
            if path.is_dir() and path not in hidden:
                yield path
                yield path.resolve()


def _below(root: Path, path: str | Path) -> Path:
    return root / str(path).lstrip("/")
