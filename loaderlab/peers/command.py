"""`loaderlab peers`: measure, print, and with ``--record`` keep what was measured."""

from __future__ import annotations

import argparse
import math
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loaderlab.course import syllabus
from loaderlab.i18n.errors import LabError
from loaderlab.i18n.language import number
from loaderlab.i18n.language import translate as _
from loaderlab.measuring import machine
from loaderlab.notebook import recordings
from loaderlab.peers import PEERS, harness, material, picture, report
from loaderlab.peers.harness import PARTS
from loaderlab.peers.job import Job
from loaderlab.peers.rounds import LEAST, MOVED
from loaderlab.scripts import decoders


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `loaderlab peers`."""
    add = parser.add_argument
    add(
        "--images",
        type=_count,
        default=6000,
        help="how many images, rounded up to as many batches for each worker (default: 6000)",
    )
    add(
        "--kilobytes",
        type=_size,
        default=material.KILOBYTES,
        help="size of an image made here (default: 115)",
    )
    add("--folder", type=Path, help="use the images in this folder instead of making some")
    add("--rounds", type=_count, default=5, help="rounds, each with one epoch of every peer (default: 5)")
    add(
        "--tolerance",
        type=_size,
        default=100 * MOVED,
        metavar="PERCENT",
        help="a round in which the limit moves by more is thrown away, and measured again (default: 15)",
    )
    add("--quick", action="store_true", help="1000 images and 3 rounds: a first look, in a few minutes")
    add("--peers", nargs="+", choices=PEERS, default=PEERS, metavar="NAME", help=f"of: {', '.join(PEERS)}")
    add("--decoder", nargs="+", choices=("pillow", "simplejpeg"), help="default: all that are there")
    add("--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure (default: all of it)")
    add("--workers", type=_count, help="processes or threads of a loader (default: the cores there are)")
    add("--timeout", type=_size, default=600.0, help="seconds for an epoch before a peer counts as failed")
    add(
        "--work",
        type=Path,
        help="where the images go meanwhile: some 6 times their size (default: temporary)",
    )
    add(
        "--record",
        action="store_true",
        help="keep the result in the recordings of lesson find_the_bottleneck",
    )


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(_("at least 1"))
    return value


def _size(text: str) -> float:
    value = float(text)
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(_("more than 0"))
    return value


def run(options: argparse.Namespace) -> int:
    """Do what the command line asks; returns the exit status."""
    chosen = _decoders(options.decoder)
    if options.record:
        _expect_recordable(options)
    rounds = 3 if options.quick else options.rounds
    workers = options.workers or max(1, round(machine.usable_cores()))
    images = _whole(1000 if options.quick else options.images, workers)
    with _terminated_like_interrupted(), _folder(options.work) as work:
        found = _material(options, work, images, workers)
        device = machine.device_name("cpu")
        _say(
            _("{count} images of {kilobytes} kB on average · {device}, workers: {workers}").format(
                count=number(found.count), kilobytes=number(found.kilobytes), device=device, workers=workers
            )
        )
        outcome = harness.measure(
            found,
            work,
            options.peers,
            chosen,
            options.parts,
            workers=workers,
            rounds=rounds,
            timeout=options.timeout,
            tolerance=options.tolerance / 100,
            say=_say,
        )
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
        }
        print(_record(arguments, device, outcome))
    # A peer that is not installed is no failure; the recipe and the plain loader always can.
    return 1 if outcome.failed & {"plain", "recipe", "limit", "step"} or few else 0


def _decoders(named: Sequence[str] | None) -> list[str]:
    """Return those to measure with: the named ones, else all that are here. Raises :class:`LabError` where one is not."""
    known = decoders.available()
    chosen = [name for name in ("pillow", "simplejpeg") if name in (named or known)]
    for name in chosen:
        if name not in known:
            raise LabError(
                _("The decoder {name} is not installed. Run `pip install {name}`, or leave it out.").format(
                    name=name
                )
            )
    return chosen


def _expect_recordable(options: argparse.Namespace) -> None:
    if not (syllabus.FOLDER / picture.LESSON / "lesson.md").is_file():
        raise LabError(_("There is no lesson {name!r} here to record for.").format(name=picture.LESSON))
    if options.tolerance > 100 * MOVED:
        raise LabError(
            _("A recording needs quiet rounds: leave out `--tolerance`, or give at most {percent}.").format(
                percent=number(100 * MOVED)
            )
        )


def _material(options: argparse.Namespace, work: Path, images: int, workers: int) -> material.Material:
    """Return so many images of the user's folder, or made ones."""
    if options.folder:
        _say(_("Reading the images of {folder} …").format(folder=options.folder))
        return material.take(work, options.folder, images, _say)
    _say(_("Making {count} images …").format(count=number(images)))
    _room(work, images * options.kilobytes * 1000)
    return material.make(work, images, options.kilobytes, workers)


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


def _room(folder: Path, size: float) -> None:
    free, due = shutil.disk_usage(folder).free, 6 * size
    if free < due:
        raise LabError(
            _(
                "{folder} has {free} MB free, and this needs about {due} MB. Give another one with `--work`, or fewer `--images`."
            ).format(folder=folder, free=number(free / 1e6), due=number(due / 1e6))
        )


@contextmanager
def _folder(parent: Path | None) -> Iterator[Path]:
    if parent:
        parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix="loaderlab-peers-", dir=parent, ignore_cleanup_errors=True
    ) as name:
        yield Path(name)


def _whole(images: int, workers: int) -> int:
    """Return the number of images, rounded up so that each worker has as many whole batches.

    Of 1000 images, one of two workers has 512 in each epoch. No loader that gives whole batches to workers can then
    reach more than 0.98 of the limit, whose processes share out single images.
    """
    round_of_batches = Job.batch * workers
    return images if images < round_of_batches else -(-images // round_of_batches) * round_of_batches


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """Let a request to end (SIGTERM) end the peers and remove the files, as Ctrl-C does."""

    def end(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line, for tests and scripts."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return parser.parse_args(words)
