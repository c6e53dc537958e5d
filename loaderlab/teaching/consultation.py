"""The machines of a class together: who will have which trouble in which lesson, and what cures it."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from loaderlab.course import lessons
from loaderlab.course.needs import OPTIONAL, Lack, lacks, packages_lacking
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring.machine import GIB, counted
from loaderlab.teaching.entry import Entry, entries
from loaderlab.teaching.plain_text import brief, columns

LARGEST = 20 * 1024**2  # bytes of a file of lines
MOST_MACHINES = 5000


def collected(files: Iterable[str]) -> tuple[list[Entry], list[str]]:
    """Return the entries of the files ("-": standard input), each machine once; and what could not be read."""
    found: dict[tuple[str, str], Entry] = {}
    faults: list[str] = []
    for file in files:
        each = list(entries(_text(file), file))
        for entry in each:
            if isinstance(entry, str):
                faults.append(entry)
            else:
                found[entry.id, entry.name] = entry
        if not each:
            faults.append(_("{file}: no line of `loaderlab doctor --class` in it.").format(file=brief(file)))
    if len(found) > MOST_MACHINES:
        raise LabError(
            _("There are {n} machines, but a table takes at most {most}. Merge fewer files at once.").format(
                n=len(found), most=MOST_MACHINES
            )
        )
    return list(found.values()), list(dict.fromkeys(faults))


def _text(file: str) -> str:
    try:
        if file == "-":
            content = sys.stdin.buffer.read(LARGEST + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(LARGEST + 1)
    except OSError as error:
        raise LabError(
            _("{file} cannot be read ({error}). Give the files in which you collected the lines.").format(
                file=brief(file), error=error.strerror
            )
        ) from error
    if len(content) > LARGEST:
        raise LabError(
            _("{file} is larger than {mib} MiB. Give only the lines of `loaderlab doctor --class`.").format(
                file=brief(file), mib=LARGEST // 1024**2
            )
        )
    # PowerShell's `>` writes UTF-16.
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    return content.decode(encoding, errors="replace")


def consult(machines: Sequence[Entry]) -> tuple[str, bool]:
    """Return a table of machine × lesson, what each lesson will meet, remarks and each cure once; and whether all is well."""
    course = lessons()
    table = [[_("machine"), _("cores"), *(str(lesson.number) for lesson in course), _("trouble")]]
    short: Counter[tuple[int, str]] = Counter()
    packages: Counter[str] = Counter()
    troubles: list[Lack] = []
    for name, entry in sorted(_named(machines).items(), key=lambda item: item[0].casefold()):
        missing = packages_lacking(entry.packages)
        by_lesson = [lacks(lesson, entry.machine) for lesson in course]
        mine = [*missing, *(lack for found in by_lesson for lack in found)]
        packages.update(lack.thing for lack in missing)
        short.update(
            (n.number, lack.thing) for n, found in zip(course, by_lesson, strict=True) for lack in found
        )
        troubles += mine
        whats = [_("{package}: missing or too old").format(package=lack.what) for lack in missing]
        whats += [lack.what for found in by_lesson for lack in found]
        marks = ("✗" if found or _serious(missing) else "✓" for found in by_lesson)
        trouble = " · ".join(dict.fromkeys(whats)) or "–"
        table.append([name, counted(entry.machine.cores), *marks, trouble])
    count = len(machines)
    said = [_("Machines: {n}").format(n=count)]
    for things, numbers in _alike(short, count).items():
        what = _("There is not enough for lesson {lessons}: {things}.")
        said.append(what.format(lessons=", ".join(map(str, numbers)), things=things))
    for package, n in sorted(packages.items()):
        what = _("{package}: missing or too old on {n} of {count} machines.")
        said.append(what.format(package=package, n=n, count=count))
    parts = [columns(table), "", *said, "", *(f"• {line}" for line in _remarks(machines))]
    cures = dict.fromkeys(f"• {lack.thing} – {lack.cure}" for lack in troubles)
    if cures:
        parts += ["", _("What to do:"), *cures]
    return "\n".join(parts), not _serious(troubles)


def _serious(lacking: Iterable[Lack]) -> list[Lack]:
    return [lack for lack in lacking if lack.thing not in OPTIONAL]


def _alike(short: Mapping[tuple[int, str], int], count: int) -> dict[str, list[int]]:
    """Return the shortages, the number of machines that have each, and the lessons that it concerns."""
    by_lesson: dict[int, list[str]] = {}
    for (lesson, thing), n in sorted(short.items()):
        what = _("{thing} ({n} of {count} machines)").format(thing=thing, n=n, count=count)
        by_lesson.setdefault(lesson, []).append(what)
    alike: dict[str, list[int]] = {}
    for lesson, whats in by_lesson.items():
        alike.setdefault(", ".join(whats), []).append(lesson)
    return alike


def _named(machines: Sequence[Entry]) -> dict[str, Entry]:
    """Return each machine by its name, or else by system and memory; numbered where that would be the same."""
    named: dict[str, Entry] = {}
    for entry in machines:
        gib = _("{gib} GiB").format(gib=number(entry.machine.ram / GIB))
        name = entry.name or f"{entry.machine.system}, {gib}"
        unique, n = name, 2
        while unique in named:
            unique, n = f"{name} ({n})", n + 1
        named[unique] = entry
    return named


def _remarks(machines: Sequence[Entry]) -> list[str]:
    """Return remarks: no faults, but good to know before the class."""
    facts = [entry.machine for entry in machines]
    counted = (
        (_("Machines without a GPU: {n} of {count}. There, GPU benchmarks show recordings, if there are any."),
         [m for m in facts if not m.gpus]),
        (_("Machines whose workers do not start by fork: {n} of {count}. There, each start can take seconds."),
         [m for m in facts if m.start_method != "fork"]),
        (_("Machines whose PyTorch has no libuv: {n} of {count}. There, torchrun fails outside the lessons."),
         [m for m in facts if not m.libuv]),
        (_("Machines without /dev/shm: {n} of {count}. There, cells that count bytes in it show 0."),
         [m for m in facts if m.shm is None]),
        (_("Machines with fewer cores than os.cpu_count() says: {n} of {count}."),
         [m for m in facts if m.cores < m.logical_cores]),
        (_("Machines with two cores or fewer: {n} of {count}. There, decoding gains nothing from more than two workers."),
         [m for m in facts if m.cores <= 2]),
    )  # fmt: skip
    return [words.format(n=len(some), count=len(facts)) for words, some in counted if some]
