"""`loaderlab peers`: measure, print, and with ``--record`` keep what was measured."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loaderlab.course import syllabus
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine, temporary
from loaderlab.notebook import recordings
from loaderlab.peers import PEERS, harness, material, picture, report
from loaderlab.peers.harness import LEAST, MOVED, PARTS
from loaderlab.peers.job import Job
from loaderlab.scripts import decoders
from loaderlab.scripts.shell import positive

ROOM = 0.7e6  # bytes an image: some 6 times its size


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab peers`."""
    add = parser.add_argument
    add(
        "--images",
        type=positive,
        default=6000,
        help="how many images, rounded up to as many batches for each worker (default: 6000)",
    )
    add("--folder", type=Path, help="use the images in this folder instead of making some")
    add("--rounds", type=positive, default=5, help="rounds, each with one epoch of every peer (default: 5)")
    add(
        "--tolerance",
        type=_size,
        default=100 * MOVED,
        metavar="PERCENT",
        help="a turn or a round in which the limit moves by more is measured again (default: 15)",
    )
    add(
        "--quick",
        action="store_true",
        help="1000 images, 3 rounds and, where nothing else is said, the standard work: a first look, in some minutes",
    )
    add("--peers", nargs="+", choices=PEERS, default=PEERS, metavar="NAME", help=f"of: {', '.join(PEERS)}")
    add("--parts", nargs="+", choices=PARTS, help="what to measure (default: all of it)")
    add("--workers", type=positive, help="processes or threads of a loader (default: the cores there are)")
    add(
        "--record",
        action="store_true",
        help="keep the result in the recordings of lesson find_the_bottleneck",
    )


def _size(text: str) -> float:
    value = float(text)
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(_("the value must be above 0"))
    return value


def run(options: argparse.Namespace) -> int:
    """Do what the command line asks; returns the exit status."""
    if options.record:
        _expect_recordable(options)
    rounds = 3 if options.quick else options.rounds
    # What is recorded has all parts: lesson and documentation show more than one.
    parts = options.parts or (PARTS if options.record or not options.quick else PARTS[:1])
    workers = options.workers or max(1, round(machine.usable_cores()))
    count = _whole(1000 if options.quick else options.images, workers)
    with temporary.ended_gently(), temporary.own("peers-") as place:
        found = _material(options.folder, place / "images", count)
        device = machine.device_name("cpu")
        _say(
            _("{count} images of {kilobytes} kB on average · {device}, workers: {workers}").format(
                count=number(found.count), kilobytes=number(found.kilobytes), device=device, workers=workers
            )
        )
        plan = harness.Plan(found, place, workers, rounds=rounds, tolerance=options.tolerance / 100, say=_say)
        # The fastest decoder last: the recipe has it where nothing else is said.
        outcome = harness.measure(plan, options.peers, decoders.available()[::-1], parts)
    _say("")
    print(report.table(outcome))
    print("", *report.verdicts(outcome.rows), sep="\n")
    few = report.few(outcome, min(LEAST, rounds))
    if few:
        print("", *few, sep="\n")
    elif options.record:
        arguments = {
            "images": found.count,
            "kilobytes": round(found.kilobytes),
            "workers": workers,
            "rounds": rounds,
            "thrown": sum(outcome.thrown.values()),
            "again": outcome.again,
        }
        print(_record(arguments, device, outcome))
    # A peer that is not installed is no failure; the recipe and the plain loader always can.
    return 1 if outcome.failed & {"plain", "recipe"} or few else 0


def _expect_recordable(options: argparse.Namespace) -> None:
    if not (syllabus.FOLDER / picture.LESSON / "lesson.md").is_file():
        raise LabError(
            _("There is no lesson {name!r} here, so nothing can be recorded for it.").format(
                name=picture.LESSON
            )
        )
    if options.tolerance > 100 * MOVED:
        text = _("A recording needs undisturbed rounds: leave out `--tolerance`, or give at most {percent}.")
        raise LabError(text.format(percent=number(100 * MOVED)))


def _whole(images: int, workers: int) -> int:
    """Return the number of images, rounded up so that each worker has as many whole batches.

    Of 1000 images, one of two workers has 512 in each epoch. No loader that gives whole batches to workers can then
    reach more than 0.98 of the limit, whose processes share out single images.
    """
    round_of_batches = Job.batch * workers
    return images if images < round_of_batches else -(-images // round_of_batches) * round_of_batches


def _material(source: Path | None, folder: Path, count: int) -> material.Material:
    """Return so many images of the user's folder, or made ones."""
    if source:
        _say(_("Reading the images of {folder} …").format(folder=source))
        return material.take(folder, source, count, _say)
    if temporary.free() < (due := count * ROOM):
        raise LabError(
            _(
                "{folder} has {free} MB free, and the measurement needs about {due} MB. Set TMPDIR to another folder, or give "
                "fewer `--images`."
            ).format(folder=temporary.place(), free=number(temporary.free() / 1e6), due=number(due / 1e6))
        )
    _say(_("Making {count} images …").format(count=number(count)))
    return material.make(folder, count)


def _record(arguments: Mapping[str, Any], device: str, outcome: harness.Outcome) -> Path:
    """Write the recording; the older ones of this device go."""
    versions = dict(outcome.versions)
    for peer, decoder, why in outcome.left_out:
        versions[f"{peer} {decoder}".strip()] = _("not measured: {why}").format(why=why)
    folder = syllabus.FOLDER / picture.LESSON / "recordings"
    written = recordings.write(
        folder, picture.LESSON, picture.BENCHMARK, arguments, {}, device, outcome.rows, versions=versions
    )
    for path in folder.glob("*.json"):
        old = recordings.read(path)
        if path != written and old["benchmark"] == picture.BENCHMARK and old["device"] == device:
            path.unlink()
    return written


def _say(text: str) -> None:
    """Print progress to standard error, so that the table alone can be kept."""
    print(text, file=sys.stderr, flush=True)
