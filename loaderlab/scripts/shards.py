"""Pictures in tar files ("shards") that webdataset reads, and beside them `index.json`, which says what is in each."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .images import ImageError, LeaveOut, Problem, Stored, find, fingerprint, nothing_left, stored
from .words import translate as _

INDEX = "index.json"


def library() -> Any:
    """webdataset, or an ImageError that says how to install it."""
    try:
        import webdataset
    except ImportError:
        raise ImageError(
            _("This needs webdataset. Run `{command}`.").format(command="pip install webdataset")
        ) from None
    return webdataset


def address(path: Path) -> str:
    """A path as webdataset wants it. On Windows it would take the letter of the drive for a protocol."""
    return f"file:{path.as_posix()}" if sys.platform == "win32" else str(path)


def write(
    folder: str | Path,
    out: str | Path,
    shards: int = 8,
    *,
    shorter: int | None = None,
    seed: int = 0,
    strict: bool = False,
    report: Callable[[Problem], None] | None = None,
) -> list[Problem]:
    """Write the pictures below ``folder`` as so many shards into the new folder ``out``; returns what was left out.

    They are shuffled once, here, because a reader mixes only neighbours. Numbers of samples differ by at most one. Every
    picture is decoded once, to its last pixel. ``out`` appears only when it is complete.
    """
    wds, folder, out = library(), Path(folder), Path(out)
    if out.exists():
        raise ImageError(_("{folder}: is there already; give the name of a new folder.").format(folder=out))
    found = find(folder)
    leave_out = LeaveOut(strict, report)
    for problem in found.problems:
        leave_out(problem)
    mark = fingerprint(found, folder, shorter)
    order = np.random.default_rng(seed).permutation(len(found.images)).tolist()
    part = out.with_name(f"{out.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    try:
        # Whoever cannot be read is known only when it has been read: the samples go in turn into all shards.
        names = [f"shard-{k:06d}.tar" for k in range(shards)]
        counts, number = [0] * shards, 0
        writers = [
            wds.TarWriter(str(part / name), mtime=0) for name in names
        ]  # without mtime, a larger head each
        try:
            for place in order:
                path, label = found.images[place]
                try:
                    image = stored(path, shorter)
                except ImageError as error:
                    leave_out(Problem(path, str(error)))
                    continue
                writers[number % shards].write(_sample(number, image, label, str(path.relative_to(folder))))
                counts[number % shards] += 1
                number += 1
        finally:
            for writer in writers:
                writer.close()
        if not number:
            raise nothing_left(folder, leave_out.problems)
        if number < shards:
            raise ImageError(
                _("{folder}: images: {n}, fewer than shards. Ask for fewer shards.").format(
                    folder=folder, n=number
                )
            )
        entries = [
            {"name": name, "samples": count, "bytes": (part / name).stat().st_size}
            for name, count in zip(names, counts, strict=True)
        ]
        index = {
            "shards": entries,
            "classes": found.classes,
            "mark": mark,
            "left_out": [str(problem) for problem in leave_out.problems],
        }
        (part / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")
        os.replace(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return leave_out.problems


def _sample(number: int, image: Stored, label: int, name: str) -> dict[str, Any]:
    about = {
        "path": name,
        "width": image.width,
        "height": image.height,
        "orientation": image.orientation,
        "frame": image.frame,
    }
    return {
        "__key__": f"{number:09d}",
        "jpg": image.data,
        "cls": str(label).encode(),
        "json": json.dumps(about).encode(),
    }


@dataclass(frozen=True)
class Shards:
    """The shards of a folder, as `write` made them."""

    folder: Path
    names: list[str]
    samples: list[int]
    classes: list[str]

    @property
    def addresses(self) -> list[str]:
        return [address(self.folder / name) for name in self.names]

    def dealt(self, seed: int, epoch: int, ranks: int) -> list[list[int]]:
        """The shards of each rank in an epoch: the same plan on every rank, another one in every epoch."""
        order = np.random.default_rng([seed, epoch]).permutation(len(self.names)).tolist()
        return [order[rank::ranks] for rank in range(ranks)]

    def steps(self, seed: int, epoch: int, ranks: int, workers: int, batch_size: int) -> int:
        """Batches of the rank that has most of them; each worker makes its own, and its last one may be incomplete."""
        most = 0
        for mine in self.dealt(seed, epoch, ranks):
            parts = [mine[worker :: max(1, workers)] for worker in range(max(1, workers))]
            most = max(most, sum(-(-sum(self.samples[k] for k in part) // batch_size) for part in parts))
        return most


def look(folder: str | Path) -> Shards:
    """What is in a folder of shards. Raises ImageError where one is missing or has not the size that it had."""
    folder = Path(folder)
    again = _("Write the shards again.")
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        entries = index["shards"]
    except (OSError, ValueError, KeyError) as error:
        text = _("{folder}: no shards written by this program ({error}).").format(folder=folder, error=error)
        raise ImageError(f"{text} {again}") from None
    for entry in entries:
        path = folder / entry["name"]
        size = path.stat().st_size if path.is_file() else 0
        if size != entry["bytes"]:
            text = _("{file}: the file has {found} bytes instead of {due}.")
            raise ImageError(f"{text.format(file=path, found=size, due=entry['bytes'])} {again}")
    return Shards(folder, [e["name"] for e in entries], [e["samples"] for e in entries], index["classes"])


def check_folder(shards: str | Path, folder: str | Path, shorter: int | None) -> None:
    """Raise ImageError where the pictures are not as they were when the shards were written."""
    look(shards)
    index = json.loads((Path(shards) / INDEX).read_text(encoding="utf-8"))
    if fingerprint(find(folder), Path(folder), shorter) != index["mark"]:
        text = _("{file}: made of another state of {folder}, or with another stored size.")
        raise ImageError(text.format(file=shards, folder=folder) + " " + _("Write the shards again."))
