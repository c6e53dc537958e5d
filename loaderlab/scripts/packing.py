"""Pictures of a folder, packed into one file: by this process, by several, or in parts by any executor or batch system."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from .arguments import whole
from .images import Found, ImageError, LeaveOut, Problem, Stored, find, fingerprint, nothing_left, stored
from .machine import deaf
from .packed_file import Pack, PackWriter
from .parts import Part, cleared, engine, ran
from .words import translate as _

__all__ = ["Originals", "Pack", "pack", "pack_part"]

PART = 1024  # pictures of a part, where their number is not given


@dataclass
class Originals:
    """The pictures of a folder as they are to be packed, and what was left out so far."""

    folder: Path
    found: Found
    shorter: int | None
    cuts: bool
    leave_out: LeaveOut
    about: dict[str, Any]

    @classmethod
    def of(
        cls,
        folder: str | Path,
        classes: Sequence[str] | None = None,
        shorter: int | None = None,
        cuts: bool = True,
        leave_out: LeaveOut | None = None,
    ) -> Originals:
        """Find the pictures, and give them the numbers of these classes. Its path is said in full, as machines share it."""
        folder, leave_out = Path(os.path.abspath(folder)), leave_out or LeaveOut()
        found = find(folder)
        for problem in found.problems:
            leave_out(problem)
        mark = fingerprint(found, folder, shorter)
        found = found if classes is None else found.mapped(classes)
        about = {"folder": str(folder.resolve()), "classes": found.classes, "shorter": shorter, "mark": mark}
        return cls(folder, found, shorter, cuts, leave_out, about)

    @property
    def left_out(self) -> list[str]:
        return [str(problem) for problem in self.leave_out.problems]

    def write(self, file: Path, processes: int = 1) -> None:
        """Write them into a packed file, read by so many processes."""
        with PackWriter(file) as out:
            results = _stored(self.found, self.shorter, self.cuts, processes)
            for (path, label), result in zip(self.found.images, results, strict=True):
                if isinstance(result, str):
                    self.leave_out(Problem(path, result))
                else:
                    out.add(result, label, str(path.relative_to(self.folder)))
            self.finish(out)

    def finish(self, out: PackWriter) -> None:
        """Finish a packed file. Raises ImageError where there is nothing in it."""
        if not out.names:
            raise nothing_left(self.folder, self.leave_out.problems)
        out.finish(self.about, self.left_out)

    def parts(self, target: Path, count: int | None = None) -> list[Part]:
        """Return the parts of what is to become ``target``: so many, or as many as it takes with PART pictures in each."""
        images = self.found.images
        count = -(-len(images) // PART) if count is None else count
        if not images:
            raise nothing_left(self.folder, self.leave_out.problems)
        bounds = [len(images) * k // count for k in range(count + 1)]
        return [
            Part(
                str(self.folder),
                str(target),
                k + 1,
                count,
                tuple((str(path.relative_to(self.folder)), label) for path, label in images[first:last]),
                self.shorter,
                self.cuts,
                self.leave_out.strict,
            )
            for k, (first, last) in enumerate(pairwise(bounds))
        ]

    def packs(self, target: Path, count: int | None, executor: Any, processes: int) -> Iterator[Pack]:
        """Yield the parts one after the other, when they are done; what was left out of them is noted."""
        with engine(executor, processes) as submit:
            for part, _nothing in ran(submit, Part.make, self.parts(target, count)):
                pack = Pack(part.path)
                for path, why in pack.about()["problems"]:
                    self.leave_out(Problem(Path(path), why))
                yield pack
                pack.close()


def pack(
    folder: str | Path,
    file: str | Path,
    *,
    classes: Sequence[str] | None = None,
    shorter: int | None = None,
    strict: bool = False,
    report: Callable[[Problem], None] | None = None,
    processes: int = 1,
    cuts: bool = True,
    executor: Any = None,
    parts: int | None = None,
) -> list[Problem]:
    """Write the pictures below ``folder`` into ``file``; returns what was left out, each with its path and the reason.

    The names of the sub-folders, sorted, are the classes; what is not for training gets those of the training
    (``classes=Pack(training).classes``), so that a number means the same class in both.

    Every picture is decoded once, to its last pixel. With ``shorter``, larger ones are stored with that shorter side, in pixels.
    Without ``cuts``, JPEGs stay as they are, and are decoded as a whole.
    With ``strict``, the first problem raises ImageError. ``file`` appears only when it is complete; a run that was ended is
    not continued, but begins anew.

    With ``executor`` (`submit` as in `concurrent.futures`, on machines that share the disk) or ``parts``, parts are written beside ``file``,
    into the folder FILE.parts, and then put together: the same bytes. So many parts, or one for each PART pictures. One that is
    there already, of the same pictures, is not made again, so a run that was ended is continued.
    """
    whole(or_none=True, shorter=shorter, parts=parts)
    file = Path(file)
    originals = Originals.of(folder, classes, shorter, cuts, LeaveOut(strict, report))
    if executor is None and parts is None:
        originals.write(file, processes)
        return originals.leave_out.problems
    with PackWriter(file) as out:
        for part in originals.packs(file, parts, executor, processes):
            out.append(part, part.about())
        originals.finish(out)
    cleared(file)
    return originals.leave_out.problems


def pack_part(
    folder: str | Path,
    target: str | Path,
    number: int,
    count: int,
    *,
    classes: Sequence[str] | None = None,
    shorter: int | None = None,
    strict: bool = False,
    cuts: bool = True,
) -> Path:
    """Write part ``number`` (from 1 on) of ``count`` of what `pack` or `shards.write` makes of ``folder`` with ``parts=count``.

    For the jobs of a batch system, each of which makes one. Returns the part's path. One that is there, of the same pictures,
    is not made again. Raises ImageError where there is no such part, and with ``strict`` where a picture cannot be read.
    """
    if not 1 <= number <= count:
        raise ImageError(
            _("Part {number} of {count}: there is none. The first is 1.").format(number=number, count=count)
        )
    originals = Originals.of(folder, classes, shorter, cuts, LeaveOut(strict))
    part = originals.parts(Path(target), count)[number - 1]
    part.make()
    return part.path


def _stored(found: Found, shorter: int | None, cuts: bool, processes: int) -> Any:
    """Return the stored pictures in order, or for each that cannot be read the reason."""
    jobs = [(str(path), shorter, cuts) for path, _label in found.images]
    if processes < 2 or len(jobs) < 64:
        return map(_one, jobs)
    return _in_processes(jobs, processes)


def _in_processes(jobs: list[tuple[str, int | None, bool]], processes: int) -> Any:
    pool = ProcessPoolExecutor(processes)
    try:
        for first in range(0, len(jobs), 256):  # what is ready and not yet written stays small
            with deaf():
                some = pool.map(_one, jobs[first : first + 256], chunksize=8)
            yield from some
    except BrokenProcessPool:
        raise ImageError(
            _("A process that reads images was ended from outside. Is there too little memory for so many?")
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _one(job: tuple[str, int | None, bool]) -> Stored | str:
    try:
        return stored(*job)
    except ImageError as error:
        return str(error)
