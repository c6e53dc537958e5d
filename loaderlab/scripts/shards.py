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

from .arguments import whole
from .images import ImageError, LeaveOut, Problem, find, fingerprint, nothing_left
from .packed_file import Pack
from .packing import Originals
from .parts import cleared, engine, folder_of, ran
from .storage import Storage, is_address
from .unfinished import unfinished
from .words import translate as _

INDEX = "index.json"
SHARDS = 64  # enough for eight ranks with eight workers each
OPEN = 16  # packed files at once


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
    executor: Any = None,
    parts: int | None = None,
) -> list[Problem]:
    """Write the pictures below ``folder`` as so many shards into the new folder ``out``; returns what was left out.

    Every worker of every rank reads shards of its own, so there should be a multiple of ranks × workers of them. If not given:
    SHARDS, or one for each picture where there are fewer.

    ``classes`` are those of the training, as in `packing.pack`. The pictures are shuffled once, here, because a reader mixes only neighbours. Numbers of samples differ by at most one. Every
    picture is decoded once, to its last pixel. ``out`` appears only when it is complete; a run that was ended is not continued,
    but begins anew.

    Who cannot be read is known only when all have been read. So they are packed first, and one shard after another is
    written from that: for a while this takes twice the room, and never more than one open tar.

    With ``executor`` or ``parts``, they are packed in parts, as by `packing.pack`, and the shards are written by the executor, too: the
    same bytes. Parts and shards that are there already, in the folder OUT.parts, are not made again.
    """
    whole(or_none=True, shards=shards, shorter=shorter, parts=parts)
    library()
    out = _new(out)
    in_parts = executor is not None or parts is not None
    work = folder_of(out) if in_parts else unfinished(out)
    work.mkdir(parents=True, exist_ok=in_parts)
    originals = Originals.of(folder, classes, shorter, leave_out=LeaveOut(strict, report))
    try:
        if in_parts:
            packs = originals.packs(out, parts, executor, processes)
        else:
            originals.write(work / "images.pack", processes)
            packs = iter([Pack(work / "images.pack")])
        tars = _tars(work, [(str(pack.file), len(pack)) for pack in packs], shards, seed, originals)
        with engine(executor, processes if in_parts else 1) as submit:
            entries = [entry for _tar, entry in ran(submit, write_tar, tars)]
        index = {"shards": entries, "classes": originals.found.classes}
        index |= {"mark": originals.about["mark"], "left_out": originals.left_out}
        written = Path(tars[0].path).parent
        (written / INDEX).write_text(json.dumps(index, indent=1), encoding="utf-8")
        os.replace(written, out)
    finally:
        if not in_parts:
            shutil.rmtree(work, ignore_errors=True)
    cleared(out)
    return originals.leave_out.problems


def _new(out: str | Path) -> Path:
    """Return the folder to be written. Raises ImageError where it is there, or is none."""
    if is_address(out):
        text = _(
            "{folder}: shards are written into a folder. Copy that folder to this address afterwards, index.json last."
        )
        raise ImageError(text.format(folder=out))
    if Path(out).exists():
        raise ImageError(_("{folder}: is there already; give the name of a new folder.").format(folder=out))
    return Path(os.path.abspath(out))


@dataclass(frozen=True)
class Tar:
    """A shard to be written: number ``shard`` of ``shards``, from the packed files that the file ``sources`` names."""

    path: str
    sources: str
    shard: int
    shards: int
    seed: int


def _tars(
    work: Path, sources: list[tuple[str, int]], shards: int | None, seed: int, originals: Originals
) -> list[Tar]:
    """Return the shards to be written, and make their folder, whose name says what is in it."""
    total = sum(count for _file, count in sources)
    if not total:
        raise nothing_left(originals.folder, originals.leave_out.problems)
    shards = min(SHARDS, total) if shards is None else shards
    if total < shards:
        text = _("{folder}: images: {n}, fewer than shards. Ask for fewer shards.")
        raise ImageError(text.format(folder=originals.folder, n=total))
    folder = work / f"shards-{originals.about['mark'][:16]}-{total}-{shards}-{seed}"
    folder.mkdir(exist_ok=True)
    listed = work / f"{folder.name}.json"
    listed.write_text(json.dumps(sources), encoding="utf-8")
    return [Tar(str(folder / f"shard-{k:06d}.tar"), str(listed), k, shards, seed) for k in range(shards)]


def write_tar(tar: Tar) -> dict[str, Any]:
    """Write a shard, unless it is there; return its entry in the index."""
    path, sources = Path(tar.path), Sources(json.loads(Path(tar.sources).read_text("utf-8")))
    numbers = range(tar.shard, sources.total, tar.shards)
    if not path.exists():
        order = np.random.default_rng(tar.seed).permutation(sources.total)
        part = unfinished(path)
        try:
            with library().TarWriter(str(part), mtime=0) as out:  # without mtime, a larger head each
                for number in numbers:
                    out.write(sources.sample(number, int(order[number])))
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
            sources.close()
    return {"name": path.name, "samples": len(numbers), "bytes": path.stat().st_size}


class Sources:
    """The pictures of several packed files, one after the other; of these, few are open at once."""

    def __init__(self, files: Sequence[tuple[str, int]]) -> None:
        self.files = [file for file, _count in files]
        self.ends = np.cumsum([count for _file, count in files])
        self.total = int(self.ends[-1])
        self._open: dict[int, Pack] = {}

    def sample(self, number: int, place: int) -> dict[str, Any]:
        """Return the picture in this place as the sample with this number."""
        k = int(np.searchsorted(self.ends, place, side="right"))
        if k not in self._open:
            if len(self._open) == OPEN:
                self._open.pop(next(iter(self._open))).close()
            self._open[k] = Pack(self.files[k])
        pack = self._open[k]
        inside = place - int(self.ends[k]) + len(pack)
        record = pack.index[inside]
        return _sample(number, pack.bytes_of(record).tobytes(), record, pack.name(inside))

    def close(self) -> None:
        while self._open:
            self._open.popitem()[1].close()


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

    def opened(self, which: Sequence[int], storage: Storage | None = None) -> Iterator[dict[str, Any]]:
        """Yield these shards one after the other, each open while it is read, as webdataset's `tar_file_expander` takes them.

        Who opens them again and again gives the ``storage``, to connect once.
        """
        storage = storage or Storage(self.folder, self.options)
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
            raise ImageError(f"{text.format(file=path, found=size, due=entry['bytes'])} {_again()}")
    names, samples, sizes = ([entry[key] for entry in entries] for key in ("name", "samples", "bytes"))
    return Shards(folder, names, samples, sizes, index["classes"], options or {})


def _index(folder: str | Path, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    try:
        index: dict[str, Any] = json.loads(Storage(folder, options).read(INDEX))
        for entry in index["shards"]:
            entry["name"], entry["samples"], entry["bytes"]
        index["classes"], index["mark"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        text = _(
            "{folder}: these are no shards of this program ({error}). Give the folder into which it wrote some, or an address to "
            "which that was copied, with its index.json."
        )
        raise ImageError(text.format(folder=folder, error=error)) from None
    return index


def _again() -> str:
    # Nobody is told to delete anything: what lies there may be more than shards, and the only copy.
    return _("Write the shards again, into a new folder.")


def check_folder(
    shards: str | Path, folder: str | Path, shorter: int | None, classes: Sequence[str] | None = None
) -> None:
    """Raise ImageError where the pictures are not as they were when the shards were written, or have not these classes."""
    look(shards)
    index = _index(shards)
    same = fingerprint(find(folder), Path(folder), shorter) == index["mark"]
    if not same or list(classes or index["classes"]) != index["classes"]:
        text = _("{file}: made of another state of {folder}, or with another stored size or other classes.")
        raise ImageError(f"{text.format(file=shards, folder=folder)} {_again()}")
