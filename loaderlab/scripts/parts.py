"""Parts of a packed file, each written by itself: by any process that sees the folder and the place of the parts.

A part is a packed file of some of the pictures. It is told everything that it needs, so it can be made anywhere, by whatever
engine runs functions elsewhere; and it appears only when it is complete, so one that is there is done.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from .images import Found, ImageError, LeaveOut, Problem, fingerprint, stored
from .machine import deaf
from .packed_file import Pack, PackWriter
from .words import translate as _

Job = TypeVar("Job")


def folder_of(target: str | Path) -> Path:
    """Return the folder of the parts of what is to become ``target``."""
    return Path(f"{target}.parts")


def cleared(target: str | Path) -> None:
    """Remove the parts, and what was begun of them."""
    shutil.rmtree(folder_of(target), ignore_errors=True)


@dataclass(frozen=True)
class Part:
    """A part of what is to become ``target``: its ``images``, each with its path in ``folder`` and the number of its class."""

    folder: str
    target: str
    number: int
    count: int
    images: tuple[tuple[str, int], ...]
    shorter: int | None
    cuts: bool
    strict: bool

    @property
    def path(self) -> Path:
        return folder_of(self.target) / f"{self.number:06d}-of-{self.count:06d}.pack"

    @property
    def mark(self) -> str:
        """A digest that changes with each picture's path, class, size and time of change, and with how they are stored."""
        images = [(Path(self.folder, name), label) for name, label in self.images]
        return f"{fingerprint(Found(images), Path(self.folder), self.shorter)} {self.cuts}"

    def make(self) -> None:
        """Write the part, unless it is there. Raises ImageError with ``strict``, where a picture cannot be read."""
        mark = self.mark
        if self._is_there(mark):
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        leave_out = LeaveOut(self.strict)
        with PackWriter(self.path) as out:
            for name, label in self.images:
                path = Path(self.folder, name)
                try:
                    image = stored(path, self.shorter, self.cuts)
                except ImageError as error:
                    leave_out(Problem(path, str(error)))
                else:
                    out.add(image, label, name)
            problems = [(str(problem.path), problem.why) for problem in leave_out.problems]
            out.finish({"mark": mark, "problems": problems}, ())

    def _is_there(self, mark: str) -> bool:
        try:
            return bool(Pack(self.path).about()["mark"] == mark)
        except ImageError:
            return False


@contextmanager
def engine(executor: Any = None, processes: int = 1) -> Iterator[Callable[..., Any]]:
    """Yield the function that has a call done elsewhere, and returns its future: the executor's, or that of so many processes."""
    if executor is not None:
        yield executor.submit
        return
    if processes < 2:
        yield _here
        return
    pool = ProcessPoolExecutor(processes)
    try:
        yield pool.submit
    finally:
        pool.shutdown(cancel_futures=True)


def _here(function: Callable[..., Any], *given: Any) -> Future[Any]:
    future: Future[Any] = Future()
    future.set_result(function(*given))
    return future


def ran(
    submit: Callable[..., Any], function: Callable[[Job], Any], jobs: Sequence[Job]
) -> Iterator[tuple[Job, Any]]:
    """Have ``function`` called with each job, and yield job and result, in order.

    Raises ImageError where an executor fails: what is done stays, and is not done again.
    """
    with deaf():
        futures = [submit(function, job) for job in jobs]
    try:
        for number, (job, future) in enumerate(zip(jobs, futures, strict=True), 1):
            try:
                result = future.result()
            except ImageError:
                raise
            except Exception as error:
                text = _(
                    "Part {number} of {count} was not made ({error}). Run it again: what is done already is kept."
                )
                why = f"{type(error).__name__}: {error}".removesuffix(": ")
                raise ImageError(text.format(number=number, count=len(jobs), error=why)) from error
            yield job, result
    finally:
        for future in futures:
            future.cancel()
