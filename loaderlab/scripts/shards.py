"""Pictures in tar files ("shards") that webdataset reads, and beside them `index.json`, which says what is in each."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .images import ImageError, Problem, find, fingerprint
from .packing import Pack, pack
from .storage import Storage, is_address
from .unfinished import unfinished
from .words import translate as _

INDEX = "index.json"
SHARDS = 64  # enough for eight ranks with eight workers each


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
    """Return a path as webdataset wants it. On Windows it would take the letter of the drive for a protocol."""
    return f"file:{path.as_posix()}" if sys.platform == "win32" else str(path)


def write(
    folder: str | Path,
    out: str | Path,
    shards: int | None = None,
    *,
    classes: Sequence[str] | None = None,
    shorter: int | None = None,
    seed: int = 0,
    strict: bool = False,
    report: Callable[[Problem], None] | None = None,
    processes: int = 1,
) -> list[Problem]:
    """Write the pictures below ``folder`` as so many shards into the new folder ``out``; returns what was left out.

    Every worker of every rank reads shards of its own, so there should be a multiple of ranks × workers of them. If not given:
    SHARDS, or one for each picture where there are fewer.

    ``classes`` are those of the training, as in `packing.pack`. The pictures are shuffled once, here, because a reader mixes only neighbours. Numbers of samples differ by at most one. Every
    picture is decoded once, to its last pixel. ``out`` appears only when it is complete; a run that was ended is not continued,
    but begins anew.

    Who cannot be read is known only when all have been read. So they are packed first, and one shard after another is
    written from that: for a while this takes twice the room, and never more than one open tar.
    """
    wds = library()
    if is_address(out):
        text = _("{folder}: shards are written into a folder. Copy it there, index.json last.")
        raise ImageError(text.format(folder=out))
    out = Path(out)
    if out.exists():
        raise ImageError(_("{folder}: is there already; give the name of a new folder.").format(folder=out))
    part = unfinished(out)
    part.mkdir(parents=True)
    try:
        spool = part / "images.pack"
        problems = pack(
            folder, spool, classes=classes, shorter=shorter, strict=strict, report=report, processes=processes
        )
        packed = Pack(spool)
        shards = min(SHARDS, len(packed)) if shards is None else shards
        if len(packed) < shards:
            raise ImageError(
                _("{folder}: images: {n}, fewer than shards. Ask for fewer shards.").format(
                    folder=folder, n=len(packed)
                )
            )
        about = packed.about()
        order = np.random.default_rng(seed).permutation(len(packed))
        entries = []
        for shard in range(shards):
            path = part / f"shard-{shard:06d}.tar"
            numbers = range(shard, len(packed), shards)
            with wds.TarWriter(str(path), mtime=0) as tar:  # without mtime, a larger head each
                for number in numbers:
                    place = int(order[number])
                    record = packed.index[place]
                    tar.write(
                        _sample(number, packed.bytes_of(record).tobytes(), record, about["names"][place])
                    )
            entries.append({"name": path.name, "samples": len(numbers), "bytes": path.stat().st_size})
        packed.close()
        spool.unlink()
        index = {"shards": entries} | {key: about[key] for key in ("classes", "mark", "left_out")}
        (part / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")
        os.replace(part, out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return problems


def _sample(number: int, data: bytes, record: Any, name: str) -> dict[str, Any]:
    about = {"path": name} | {key: int(record[key]) for key in ("width", "height", "orientation", "frame")}
    return {
        "__key__": f"{number:09d}",
        "jpg": data,
        "cls": str(record["label"]).encode(),
        "json": json.dumps(about).encode(),
    }


@dataclass(frozen=True)
class Shards:
    """The shards of a folder, or of an address with fsspec's ``options`` for it, as `write` made them."""

    folder: str | Path
    names: list[str]
    samples: list[int]
    sizes: list[int]  # bytes
    classes: list[str]
    options: Mapping[str, Any] = field(default_factory=dict)

    def numbers(self, shard: int) -> np.ndarray:
        """Return the numbers of a shard's samples, in their order: `write` deals them out one by one."""
        return np.arange(shard, sum(self.samples), len(self.names))

    def opened(self, which: Sequence[int], storage: Storage) -> Iterator[dict[str, Any]]:
        """Yield these shards one after the other, each open while it is read, as webdataset's `tar_file_expander` takes them."""
        for k in which:
            with storage.open(self.names[k], self.sizes[k]) as stream:
                yield {"url": f"{storage.place}/{self.names[k]}", "stream": stream}
                # tarfile stops before the end, where it shows whether the size is right.
                while stream.read(1 << 16):
                    pass

    def dealt(self, seed: int, epoch: int, ranks: int, shuffle: bool = True) -> list[list[int]]:
        """Return the shards of each rank in an epoch: the same plan on every rank, another one in every epoch."""
        order = np.arange(len(self.names))
        if shuffle:
            order = np.random.default_rng([seed, epoch]).permutation(len(self.names))
        return [order[rank::ranks].tolist() for rank in range(ranks)]

    def due(self, plan: list[list[int]], rank: int, uneven: str) -> int:
        """Return samples that a rank gives: all ranks as many ("pad", "drop"), or each what it has ("once").

        This depends on the shards alone, not on the workers: the ranks of unlike hosts stay in step.
        """
        counts = [sum(self.samples[k] for k in mine) for mine in plan]
        return {"pad": max(counts), "drop": min(counts), "once": counts[rank]}[uneven]


def look(folder: str | Path, options: Mapping[str, Any] | None = None) -> Shards:
    """Return the shards that the index of a folder or an address names. Raises ImageError where there is none, or where a shard of a folder
    is missing or has not the size that it had. The shards of an address are not asked for before they are read.
    """
    index = _index(folder, options)
    entries = index["shards"]
    for entry in [] if is_address(folder) else entries:
        path = Path(folder) / entry["name"]
        size = path.stat().st_size if path.is_file() else 0
        if size != entry["bytes"]:
            text = _("{file}: the file has {found} bytes instead of {due}.")
            raise ImageError(f"{text.format(file=path, found=size, due=entry['bytes'])} {_again(folder)}")
    names, samples, sizes = ([entry[key] for entry in entries] for key in ("name", "samples", "bytes"))
    return Shards(folder, names, samples, sizes, index["classes"], options or {})


def _index(folder: str | Path, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    try:
        index: dict[str, Any] = json.loads(Storage(folder, options).read(INDEX))
        index["shards"], index["classes"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = _("{folder}: no shards written by this program ({error}).").format(folder=folder, error=error)
        raise ImageError(f"{text} {_again(folder)}") from None
    return index


def _again(folder: str | Path) -> str:
    return _("Delete {folder}, and write the shards again.").format(folder=folder)


def check_folder(
    shards: str | Path,
    folder: str | Path,
    shorter: int | None,
    classes: Sequence[str] | None = None,
) -> None:
    """Raise ImageError where the pictures are not as they were when the shards were written, or have not these classes."""
    look(shards)
    index = _index(shards)
    same = fingerprint(find(folder), Path(folder), shorter) == index["mark"]
    if not same or list(classes or index["classes"]) != index["classes"]:
        text = _("{file}: made of another state of {folder}, or with another stored size or other classes.")
        raise ImageError(f"{text.format(file=shards, folder=folder)} {_again(shards)}")
