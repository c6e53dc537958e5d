"""What this machine has, what that means for each lesson, and how to cure what is missing."""

from __future__ import annotations

import argparse

from loaderlab import machine
from loaderlab.course import Lesson, lessons
from loaderlab.language import number
from loaderlab.language import translate as _
from loaderlab.machine import Machine
from loaderlab.workshop import entry
from loaderlab.workshop.consultation import collected, consult
from loaderlab.workshop.needs import PACKAGES, installed, lacks, packages_lacking
from loaderlab.workshop.plain_text import clean


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `loaderlab doctor --help` shows."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--class",
        dest="line",
        action="store_true",
        help="one line of JSON about this machine, to be collected",
    )
    what.add_argument(
        "--merge",
        nargs="+",
        metavar="FILE",
        help="read such lines (-: standard input): who will have trouble where",
    )
    parser.add_argument(
        "--name", default="", help="with --class: what to call this machine (default: nothing)"
    )


def run(options: argparse.Namespace) -> int:
    """Print what is asked for; the exit status says whether every lesson can be held, here or on every machine."""
    if options.line:
        print(entry.line(machine.look(), installed(), clean(options.name, 40)))
        return 0
    if options.merge:
        machines, faults = collected(options.merge)
        text, fine = consult(machines) if machines else (_("Machines: {n}").format(n=0), False)
        print("\n".join([text, "", *(f"✗ {fault}" for fault in faults)]).rstrip())
        return 0 if fine and not faults else 1
    text, fine = report()
    print(text)
    return 0 if fine else 1


def problems(lesson: Lesson, here: Machine) -> list[str]:
    """What this machine lacks for a lesson, one line each with its cure; empty when nothing is lacking."""
    return [f"{lack.what}. {lack.cure}" for lack in lacks(lesson, here)]


def packages() -> list[str]:
    """One line for each package the notebooks need: its version, or what to do."""
    versions = installed()
    lacking = {lack.thing: lack for lack in packages_lacking(versions)}
    return [
        _("✗ {package}: {cure}").format(package=lacking[name].what, cure=lacking[name].cure)
        if name in lacking
        else f"✓ {name} {versions[name]}"
        for name, _oldest, _cure in PACKAGES
    ]


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
