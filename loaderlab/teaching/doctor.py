"""The doctor: what this machine has, what that means for each lesson, and how to cure what is missing."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from importlib import metadata
from pathlib import Path

from loaderlab.course import lessons
from loaderlab.course.needs import OPTIONAL, PACKAGES, installed, packages_lacking, problems
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine, temporary
from loaderlab.measuring.machine import MIB, Machine
from loaderlab.publish.checkout import with_notebooks
from loaderlab.teaching import entry
from loaderlab.teaching.consultation import collected, consult
from loaderlab.teaching.plain_text import brief


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab doctor`."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--class", dest="line", action="store_true",
        help="one line of JSON about this machine, to be collected")  # fmt: skip
    what.add_argument("--merge", nargs="+", metavar="FILE",
        help="read such lines (-: standard input): who will have trouble where")  # fmt: skip
    parser.add_argument(
        "--name", default="", help="with --class: what to call this machine (default: nothing)"
    )


def run(options: argparse.Namespace) -> int:
    """Print what is asked for; the exit status says whether every lesson can be held, here or on every machine."""
    if options.name and not options.line:
        raise LabError(_("--name goes into the line of --class. Add --class, or leave out --name."))
    if options.line:
        print(entry.line(_look(), installed(), brief(options.name, 40)))
        return 0
    if options.merge:
        machines, faults = collected(options.merge)
        text, fine = consult(machines) if machines else (_("Machines: {n}").format(n=0), False)
        print("\n".join([text, "", *(f"✗ {fault}" for fault in faults)]).rstrip())
        return 0 if fine and not faults else 1
    text, fine = report()
    print(text)
    return 0 if fine else 1


def packages() -> list[str]:
    """Return one line for each package the notebooks need: its version, or what to do."""
    versions = installed()
    lacking = {lack.thing: lack for lack in packages_lacking(versions)}
    return [
        _("✗ {package}: {cure}")
        .format(package=lacking[name].what, cure=lacking[name].cure)
        .replace("✗", "•" if name in OPTIONAL else "✗", 1)
        if name in lacking
        else f"✓ {name} {versions[name]}"
        for name, _oldest, _cure in PACKAGES
    ]


def hints() -> list[str]:
    """Return remarks on settings that a lesson changes for itself, and that are faults in a program of one's own."""
    found = []
    with suppress(OSError):  # no temporary folder at all: a lack, and no hint
        if (used := temporary.place()) != tempfile.gettempdir():
            found.append(
                _(
                    "The name of the temporary folder is too long for the sockets of workers: a DataLoader of yours "
                    "would hang. Lessons use {folder}; set TMPDIR to it, too."
                ).format(folder=used)
            )
    limit = machine.open_files_limit()
    if limit != machine.attainable_open_files():
        found.append(
            _(
                "A process may have {limit} open files here. Lessons raise this limit; for your own programs, run: "
                "ulimit -n 4096."
            ).format(limit=number(limit or 0))
        )
    return found


def remarks(here: Machine) -> list[str]:
    """Return remarks: no faults, but good to know on this machine."""
    cores = _("This process may use {cores} of {logical} cores: os.cpu_count() would mislead.")
    starts = _("Workers start by {method} here: each start can take seconds, not milliseconds.")
    libuv = _(
        "PyTorch was built without libuv here, so torchrun fails. Lesson 7 starts its ranks without libuv; for your own "
        "ranks, set USE_LIBUV=0, RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in each process."
    )
    grading = _(
        "For instructors: `loaderlab grade` runs answers in bubblewrap, which is not here (`apt install bubblewrap`)."
    )
    said = {
        cores.format(cores=machine.counted(here.cores), logical=here.logical_cores): here.cores
        < here.logical_cores,
        _("This system has no /dev/shm: cells that count bytes in it show 0."): here.shm is None,
        starts.format(method=here.start_method): here.start_method != "fork",
        libuv: here.libuv is False,
        grading: os.name == "posix" and not shutil.which("bwrap"),
        _(
            "No GPU: GPU benchmarks show recordings, where there are any; everything else runs."
        ): not here.gpus,
    }
    return [remark for remark, is_so in said.items() if is_so]


def _look() -> Machine:
    """Return all that can be known of this machine."""
    return replace(machine.look(), libuv=machine.has_libuv())


def report(here: Machine | None = None) -> tuple[str, bool]:
    """Return the doctor's report, and whether every lesson can be held on this machine."""
    here = here or _look()
    installed = packages()
    lines = [f"{here.system}", here.card(), ""]
    limit = _("unlimited or unknown") if here.open_files is None else number(here.open_files)
    lines += [_("Open files: {limit}").format(limit=limit)]
    free = number(here.temporary / MIB)
    lines += [_("Room in the temporary folder: {mib} MiB").format(mib=free)]
    lines += [_("Start methods: {methods}").format(methods=", ".join(here.start_methods)), "", *installed, ""]
    lines += [f"• {line}" for line in [*remarks(here), *hints()]] + [""]
    fine = not any(line.startswith("✗") for line in installed)
    lacking = {lesson.file: problems(lesson, here) for lesson in lessons()}
    there = with_notebooks() or any(Path(f"{lesson}.ipynb").exists() for lesson in lacking)  # where we are
    for lesson, lacks in lacking.items():
        if lacks or there:  # no tick for what is not there
            lines.append(f"{'✗' if lacks else '✓'} {lesson}")
            lines += [f"    {line}" for line in lacks]
    if not there:
        lines.append(f"• {_without_notebooks(sum(map(bool, lacking.values())), len(lacking))}")
    return "\n".join(lines), fine and not any(lacking.values())


def _without_notebooks(lacking: int, lessons: int) -> str:
    """Say that there are none, what this machine could do with them, and where to get them."""
    addresses: list[str] = []
    with suppress(metadata.PackageNotFoundError):  # copied, and not installed
        addresses = metadata.metadata("loaderlab").get_all("Project-URL") or []
    found = _(
        "The notebooks of the lessons are not installed; this machine can run {n} of the {lessons}. To get them, clone the "
        "repository and call `make lab` in it, or open them in Colab from its README."
    ).format(n=lessons - lacking, lessons=lessons)
    return " ".join([found, *(f"{address.replace(', ', ': ', 1)}." for address in addresses)])
