"""The options of the two loaders' scripts: which images, how large, in which order and how often; and in which parts they are written."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from .images import ImageError
from .packing import pack_part
from .shell import called, positive
from .words import translate as _


def parser(package: str | None, file: str, description: str) -> argparse.ArgumentParser:
    """Return a parser with the options that both have, for the script that is this file of this package."""
    made = argparse.ArgumentParser(
        prog=f"python {called(package, file)}",
        description=description,
        epilog=_("Without --folder it makes images of its own, in a temporary folder."),
    )
    add = made.add_argument
    add("--folder", help=_("folder with images; each sub-folder is a class"))
    add(
        "--classes",
        metavar="TRAINING",
        help=_(
            "for an evaluation: the packed file or the folder of shards that this script made for the training, from which the numbers of the classes are taken"
        ),
    )
    add(
        "--store-size",
        type=positive,
        metavar="PIXELS",
        help=_(
            "shrink larger images before they are stored, so that their shorter side has this length, for instance 256"
        ),
    )
    add(
        "--strict",
        action="store_true",
        help=_("stop at the first file that cannot be used, instead of leaving it out"),
    )
    add("--size", type=positive, default=224, help=_("side of the crop (default: %(default)s)"))
    add(
        "--scale",
        type=float,
        nargs=2,
        metavar=("LEAST", "MOST"),
        help=_(
            "crops as by RandomResizedCrop, with a share of the image between these two, for instance `0.08 1`"
        ),
    )
    add("--batch-size", type=positive, default=64, help=_("images in a batch (default: %(default)s)"))
    add(
        "--decoder",
        default="auto",
        choices=("auto", "pillow", "simplejpeg"),
        help=_("default: the fastest that is installed"),
    )
    add("--epochs", type=int, default=2, help=_("epochs to measure (default: %(default)s)"))
    add("--seed", type=int, default=0, help=_("seed of order, crops and mirroring (default: %(default)s)"))
    add(
        "--device",
        default="cpu",
        help=_(
            "measure with `to_float` onto this device; with `cpu` (default): without `to_float`, the bytes as they come"
        ),
    )
    add("--samples", type=positive, default=1024, help=_("synthetic images (default: %(default)s)"))
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
    return made


def scale(options: argparse.Namespace) -> tuple[float, float] | None:
    """Return the areas of `--scale`, if they are given. Raises ImageError where they are no shares of an image."""
    if options.scale is None:
        return None
    least, most = options.scale
    if not 0 < least <= most <= 1:
        raise ImageError(
            _(
                "`--scale {least} {most}`: give two shares of an image, the smaller first, above 0 and not above 1."
            ).format(least=f"{least:g}", most=f"{most:g}")
        )
    return least, most


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
