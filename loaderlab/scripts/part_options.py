"""The options of scripts that write in parts, as the jobs of a batch system."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .images import ImageError
from .packing import pack_part
from .shell import positive
from .words import translate as _


def add_parts(parser: argparse.ArgumentParser) -> None:
    """Add the options of what is written in parts, by the jobs of a batch system."""
    add = parser.add_argument
    add(
        "--part",
        type=part,
        metavar="K/N",
        help=_("write part K of N (the first is 1) and no more, as one of N jobs of a batch system"),
    )
    add(
        "--parts",
        type=positive,
        metavar="N",
        help=_("put the N parts together; those that are not there are written first"),
    )


def part(text: str) -> tuple[int, int]:
    """Return K and N of the option K/N; raises argparse's error for something else."""
    number, _slash, count = text.partition("/")
    if not (number.isdecimal() and count.isdecimal() and 1 <= int(number) <= int(count)):
        words = _("{given!r} is no part: give its number, from 1 on, and their number, as `3/16`")
        raise argparse.ArgumentTypeError(words.format(given=text))
    return int(number), int(count)


def write_part(
    options: argparse.Namespace, target: str | None, option: str, classes: Sequence[str] | None
) -> None:
    """Write the part that `--part` names, and say where it is. Raises ImageError where jobs would not share folder and target."""
    if not options.folder or not target:
        text = _(
            "Jobs that write parts have to share the images and the place of the parts: give `--folder` and `{option}`."
        )
        raise ImageError(text.format(option=option))
    number, count = options.part
    print(
        pack_part(
            options.folder,
            target,
            number,
            count,
            classes=classes,
            shorter=options.store_size,
            strict=options.strict,
        )
    )
