"""What this machine has, what that means for each lesson, and how to cure what is missing."""

from __future__ import annotations

import argparse
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass

from loaderlab import machine
from loaderlab.course import Lesson, lessons
from loaderlab.language import mark, number
from loaderlab.language import translate as _
from loaderlab.machine import GIB, MIB, Machine


@dataclass(frozen=True)
class Need:
    """How a lesson's need is held against the machine: what there is (None: no such thing here), and the cure."""

    have: Callable[[Machine], float | None]
    label: str
    cure: str


NEEDS = {
    "cores": Need(
        lambda m: m.cores,
        mark("Cores: {have}, needed: {need}"),
        mark("Close other programs; in a container raise --cpus; on a cluster ask for more CPUs per task."),
    ),
    "ram_gib": Need(
        lambda m: m.ram / GIB,
        mark("RAM: {have} GiB, needed: {need} GiB"),
        mark("Close other programs, or use a machine with more memory."),
    ),
    "shm_mib": Need(
        lambda m: None if m.shm is None else m.shm / MIB,
        mark("Shared memory (/dev/shm): {have} MiB, needed: {need} MiB"),
        mark("Start the container with --shm-size=1g, or remount: mount -o remount,size=1g /dev/shm."),
    ),
    "open_files": Need(
        lambda m: m.open_files,
        mark("Open files: {have}, needed: {need}"),
        mark("Raise the limit in the shell that starts Jupyter: ulimit -n 4096."),
    ),
}

# (distribution, oldest version that works, cure)
PACKAGES = (
    ("torch", (2, 6), mark("Install PyTorch 2.6 or later: see pytorch.org.")),
    (
        "jupyterlab",
        (4, 0),
        mark("Install it: pip install jupyterlab. In Colab and VS Code it is not needed."),
    ),
    ("ipywidgets", (7, 7), mark("Install it: pip install ipywidgets. Without it the explorers do not move.")),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `loaderlab doctor --help` shows."""


def run(_options: argparse.Namespace) -> int:
    """Print the report; the exit status says whether every lesson can be held here."""
    text, fine = report()
    print(text)
    return 0 if fine else 1


def problems(lesson: Lesson, here: Machine) -> list[str]:
    """What this machine lacks for a lesson, one line each with its cure; empty when nothing is lacking."""
    found = []
    for name, amount in lesson.needs.items():
        need = NEEDS[name]
        have = need.have(here)
        if have is not None and have < amount:
            line = _(need.label).format(have=number(have, 1 if have < 10 else 0), need=number(amount))
            found.append(f"{line}. {_(need.cure)}")
    return found


def packages() -> list[str]:
    """One line for each package the notebooks need: its version, or what to do."""
    lines = []
    for name, oldest, cure in PACKAGES:
        try:
            version = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            lines.append(_("✗ {package}: {cure}").format(package=name, cure=_(cure)))
            continue
        new_enough = tuple(int(part) for part in version.split(".")[:2] if part.isdigit()) >= oldest
        found = f"{name} {version}"
        lines.append(
            f"✓ {found}" if new_enough else _("✗ {package}: {cure}").format(package=found, cure=_(cure))
        )
    return lines


def remarks(here: Machine) -> list[str]:
    """What is no fault, but good to know on this machine."""
    found = []
    if here.cores < here.logical_cores:
        found.append(
            _("This process may use {cores} of {logical} cores: os.cpu_count() would mislead.").format(
                cores=number(here.cores, 0 if here.cores == int(here.cores) else 1),
                logical=here.logical_cores,
            )
        )
    if here.shm is None:
        found.append(_("This system has no /dev/shm: cells that count bytes in it show 0."))
    if "fork" not in here.start_methods or here.start_method != "fork":
        found.append(
            _("Workers start by {method} here: each start can take seconds, not milliseconds.").format(
                method=here.start_method
            )
        )
    if not here.gpus:
        found.append(_("No GPU: GPU benchmarks show recordings, where there are any; everything else runs."))
    return found


def report(here: Machine | None = None) -> tuple[str, bool]:
    """The doctor's report, and whether every lesson can be held on this machine."""
    here = here or machine.look()
    installed = packages()
    lines = [f"{here.system}", here.card(), ""]
    limit = _("unlimited or unknown") if here.open_files is None else number(here.open_files)
    lines += [_("Open files: {limit}").format(limit=limit)]
    lines += [_("Start methods: {methods}").format(methods=", ".join(here.start_methods)), "", *installed, ""]
    lines += [f"• {line}" for line in remarks(here)] + [""]
    fine = not any(line.startswith("✗") for line in installed)
    for lesson in lessons():
        lacking = problems(lesson, here)
        fine = fine and not lacking
        lines.append(f"{'✗' if lacking else '✓'} {lesson.file}")
        lines += [f"    {line}" for line in lacking]
    return "\n".join(lines), fine
