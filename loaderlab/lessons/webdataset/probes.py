"""The probes of lesson 6: what each answer is made to do, and the evidence of it."""

from __future__ import annotations

import hashlib
import operator
import random
import re
import tarfile
import tempfile
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

from loaderlab.exercises.probing import attempt, told
from loaderlab.lessons.webdataset import store
from loaderlab.lessons.webdataset.library import Missing

# ---------------------------------------------------------------- write_shards

# Samples and shards. With 103 in 4 a remainder is left; 10 in 4 and 9 in 4 show who rounds up.
WRITTEN = ((103, 4), (10, 4), (9, 4))


def named_samples(count: int) -> list[tuple[str, bytes, int]]:
    """Names with dots and in Polish, some of them twice, also as neighbours; images of several sizes, one of them a whole block."""
    rng = random.Random(count)
    names = [f"photos.{i // 3 % 5}/cat.{i // 2}" if i % 4 else "żółw" for i in range(count)]
    sizes = [(700, 512, 1, 1500)[i % 4] for i in range(count)]
    return [
        (name, rng.randbytes(size), i % 13) for i, (name, size) in enumerate(zip(names, sizes, strict=True))
    ]


def digest(image: bytes) -> str:
    return hashlib.sha256(image).hexdigest()[:16]


def member_sizes(path: Path) -> list[int]:
    """How many bytes each file in the archive has."""
    with tarfile.open(path) as archive:
        return [member.size for member in archive if member.isreg()]


def is_compressed(path: Path) -> bool:
    """Return whether it is an archive only for who decompresses it first."""
    return tarfile.is_tarfile(path) and path.read_bytes()[257:262] != b"ustar"


def grouped(path: Path) -> list[dict[str, Any]]:
    """Return the samples of a tar file by webdataset's rule: neighbours with the same name up to the first dot."""
    samples: list[dict[str, Any]] = []
    with tarfile.open(path) as archive:
        for member in archive:
            match = re.match(r"^((?:.*/|)[^.]+)[.]([^/]*)$", member.name)
            stream = archive.extractfile(member)
            if not match or stream is None:
                continue
            key, field = match[1], match[2].lower()
            if not samples or samples[-1]["key"] != key:
                samples.append({"key": key, "fields": {}})
            if field in samples[-1]["fields"]:
                raise ValueError(f"duplicate file name in tar file: {member.name}")
            content = stream.read()
            text = content.decode("utf-8", "replace")
            samples[-1]["fields"][field] = text if field in ("cls", "txt") else digest(content)
    return samples


def probe_write(answer: Callable[..., Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for count, shards in WRITTEN:
        with tempfile.TemporaryDirectory(prefix="loaderlab-") as name:
            folder = Path(name)
            try:
                answer(named_samples(count), folder, shards)
            except Missing:
                return [{"missing": True}]
            except Exception as error:  # noqa: BLE001 (whatever an answer raises)
                found.append({"raised": told(error)[:300], "files": []})
                continue
            files = []
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    entry: dict[str, Any] = {
                        "name": path.relative_to(folder).as_posix(),
                        "size": path.stat().st_size,
                    }
                    if is_compressed(path):
                        entry["compressed"] = True
                    try:
                        entry["members"] = member_sizes(path)
                        entry["samples"] = grouped(path)
                    except (tarfile.TarError, ValueError, OSError) as error:
                        entry |= {"samples": [], "unreadable": f"{type(error).__name__}: {error}"[:200]}
                    files.append(entry)
            found.append({"files": files})
    return found


# ---------------------------------------------------------------- once_each

# Samples of each shard, batch size, ranks, workers of each rank.
DEALT: dict[str, tuple[list[int], int, int, int]] = {
    "even": ([40] * 8, 10, 4, 2),
    "ten_shards": ([20] * 10, 10, 4, 2),
    "uneven": ([17, 3, 29, 8, 41, 5], 8, 3, 2),
    "one_shard": ([101], 10, 2, 3),
    "four_workers": ([101], 10, 2, 4),
    "one_rank": ([9, 14, 7], 7, 1, 1),
    "prime": ([97, 1, 2], 33, 3, 1),
    "nothing_to_do": ([5], 2, 1, 5),
}


def probe_once(answer: Callable[..., Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, (counts, batch_size, world, workers) in DEALT.items():
        found[name] = [
            attempt(answer, list(counts), batch_size, rank, world, worker, workers)
            for rank in range(world)
            for worker in range(workers)
        ]
    return found


# ---------------------------------------------------------------- read_better


def whole(label: Any) -> int:
    """Return a class that is a whole number of whatever type; -1 for what is none, such as the bytes of a digit."""
    try:
        return operator.index(label)
    except TypeError:
        return -1


def probe_read(answer: Callable[..., Any]) -> dict[str, Any]:
    """Return the requests of an epoch with each of two seeds, the images that came with their classes, and how far it read ahead."""
    index_of = {image: index for index, (image, _label) in enumerate(store.samples())}
    image_bytes = store.shard_bytes() / store.IMAGES

    def epoch(seed: int) -> Any:
        far, ahead = store.Store(), 0.0
        came: list[tuple[int, int]] = []
        for image, label in islice(answer(far, seed), 2 * store.IMAGES):
            ahead = max(ahead, far.nbytes / image_bytes - len(came))
            came.append((index_of.get(bytes(image), -1), whole(label)))
        return {"requests": far.requests, "came": came, "ahead": round(ahead)}

    return {f"seed {seed}": attempt(epoch, seed) for seed in (0, 1)}
