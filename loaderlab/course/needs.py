"""The needs of lessons: of a machine and its packages, and the cure for each that is lacking."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loaderlab.course import Lesson
from loaderlab.i18n.language import mark, number
from loaderlab.i18n.language import translate as _

if TYPE_CHECKING:
    from loaderlab.measuring.machine import Machine  # and with it psutil

MIB, GIB = 1024**2, 1024**3


@dataclass(frozen=True)
class Need:
    """A need of a lesson, held against the machine: how much there is (None: no such thing here), and the cure."""

    thing: str
    have: Callable[[Machine], float | None]
    label: str
    cure: str


@dataclass(frozen=True)
class Lack:
    """Something that is missing: the thing itself, how much of it there is and should be, and the cure."""

    thing: str
    what: str
    cure: str


NEEDS = {
    "cores": Need(mark("cores"), lambda m: m.cores,
        mark("Cores: {have}, needed: {need}"),
        mark("Close other programs; in a container raise --cpus; on a cluster ask for more CPUs per task.")),
    "ram_gib": Need(mark("RAM"), lambda m: m.ram / GIB,
        mark("RAM: {have} GiB, needed: {need} GiB"),
        mark("Close other programs, or use a machine with more memory.")),
    "shm_mib": Need(mark("shared memory"), lambda m: None if m.shm is None else m.shm / MIB,
        mark("Shared memory (/dev/shm): {have} MiB, needed: {need} MiB"),
        mark("Start the container with --shm-size=1g, or remount: mount -o remount,size=1g /dev/shm.")),
    "temporary_mib": Need(mark("room in the temporary folder"), lambda m: m.temporary / MIB,
        mark("Room in the temporary folder: {have} MiB, needed: {need} MiB"),
        mark("Make room there, or start Jupyter with TMPDIR (Windows: TEMP) set to another folder.")),
    "open_files": Need(mark("the limit on open files"), lambda m: m.open_files,
        mark("Open files allowed: {have}, needed: {need}"),
        mark("Raise the limit in the shell that starts Jupyter: ulimit -n 4096.")),
}  # fmt: skip

# Scripts, their outputs, sockets; a lesson that writes more says so.
EVERY_LESSON = {"temporary_mib": 32.0}

# (distribution, oldest version that works, cure)
PACKAGES = (
    ("torch", (2, 7), mark("Install PyTorch 2.7 or later: see pytorch.org.")),
    (
        "jupyterlab",
        (4, 0),
        mark("Install it: pip install jupyterlab. In Colab and VS Code it is not needed."),
    ),
    ("ipywidgets", (7, 7), mark("Install it: pip install ipywidgets. Without it the explorers do not move.")),
)

# Without it a notebook can still be opened, in another program.
OPTIONAL = ("jupyterlab",)


def problems(lesson: Lesson, machine: Machine) -> list[str]:
    """Return the needs of a lesson that the machine does not meet, one line each with its cure; empty when it meets all."""
    return [f"{lack.what}. {lack.cure}" for lack in lacks(lesson, machine)]


def lacks(lesson: Lesson, machine: Machine) -> list[Lack]:
    """Return the needs of a lesson that the machine does not meet; empty when it meets all."""
    found = []
    for name, amount in (EVERY_LESSON | lesson.needs).items():
        need = NEEDS[name]
        have = need.have(machine)
        if have is not None and have < amount:
            what = _(need.label).format(have=number(have, 1 if have < 10 else 0), need=number(amount))
            found.append(Lack(_(need.thing), what, _(need.cure)))
    return found


def installed() -> dict[str, str]:
    """Return the version of each package that the notebooks need, of those that are there."""
    versions = {}
    for name, _oldest, _cure in PACKAGES:
        try:
            versions[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return versions


def packages_lacking(versions: Mapping[str, str]) -> list[Lack]:
    """Return the packages that are missing among these, or too old."""
    found = []
    for name, oldest, cure in PACKAGES:
        version = versions.get(name, "")
        if tuple(int(part) for part in re.findall(r"\d{1,6}", version)[:2]) < oldest:
            found.append(Lack(name, f"{name} {version}".strip(), _(cure)))
    return found
