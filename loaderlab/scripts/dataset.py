"""The images of a packed file as a Dataset of PyTorch, which makes a whole batch at once, decoded where it will stay."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset, get_worker_info

from . import decoders
from .augmentation import Augmentation
from .crops import Part
from .decoders import View, fill, upright
from .images import ImageError
from .packed_file import Pack
from .ring import Batch, Parcel, Request, Ring, shared


class PackedImages(Dataset):
    """Map-style: a crop of each image in a packed file (``seen`` says which), and its class. Asked for many at once, it makes the whole batch.

    An image that has been damaged since it was packed is named and left out; ``replace`` puts another one of the batch in
    its place, so that all ranks have batches of one size. With ``strict``, it raises ImageError, and so does a batch
    without any readable image where it is to be filled.
    """

    def __init__(
        self,
        file: str | Path,
        seen: Augmentation,
        *,
        decoder: str = "auto",
        strict: bool = False,
        replace: bool = True,
    ) -> None:
        self.pack, self.seen = Pack(file), seen
        self.strict, self.replace, self.decoder = strict, replace, decoders.choose(decoder)
        self.ring: Ring | None = None

    def __len__(self) -> int:
        return len(self.pack)

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        images, labels = self.__getitems__([index])
        return images[0], int(labels[0])

    def __getitems__(self, asked: Sequence[int] | Request) -> Any:
        """uint8 [B, 3, size, size] (in memory the colours of a pixel are neighbours: channels_last), int64 [B]."""
        request = asked if isinstance(asked, Request) else Request(0, list(asked))
        records = self.pack.index[np.array(request.indices, dtype=np.int64)]
        worker = get_worker_info()
        ring = self.ring if worker and request is asked else None
        slot = ring.take(worker.id) if ring else -1
        if ring and slot >= 0:
            kept, problems = self._decode(ring.memory[slot].numpy(), records, request)
            return Parcel(ring.number, slot, records["label"][kept].astype(np.int64), problems)
        images = empty(len(records), self.seen.size, self.seen.size, 3)
        kept, problems = self._decode(images.numpy(), records, request)
        labels = torch.from_numpy(records["label"][kept].astype(np.int64))
        batch = Batch(images[: len(kept)].permute(0, 3, 1, 2), labels, problems)
        return batch if request is asked else batch.opened()

    def _decode(
        self, places: np.ndarray, records: np.ndarray, request: Request
    ) -> tuple[list[int], list[str]]:
        """Fill the places from the first on; says for each filled one which record it is, and what was left out."""
        kept: list[int] = []
        problems: list[str] = []
        views = self.seen.views(request.epoch, request.indices, map(upright, records))
        for k, (record, view) in enumerate(zip(records, views, strict=True)):
            why = self._fill(places[len(kept)], record, view)
            if why:
                problems.append(f"{self.pack.file}: {self.pack.name(request.indices[k])}: {why}")
                if self.strict:
                    raise ImageError(problems[0])
                continue
            kept.append(k)
        self.seen.change(places[: len(kept)], request.epoch, [request.indices[k] for k in kept])
        if problems and self.replace:
            if not kept:
                raise ImageError(problems[0])
            good = len(kept)
            for place in range(good, len(records)):
                places[place] = places[place - good]
                kept.append(kept[place - good])
        return kept, problems

    def _fill(self, place: np.ndarray, record: Any, view: View | Part) -> str | None:
        """Read an image and decode it into its place; says why where that cannot be done."""
        try:
            data = self.pack.bytes_of(record)
        except OSError as error:
            return error.strerror or str(error)
        try:
            fill(place, data, record, view, self.decoder)
        except ImageError as error:
            return str(error)
        return None


def empty(*shape: int) -> torch.Tensor:
    """Return a uint8 tensor for a batch; in a worker it lies in shared memory, where the main process finds it without a copy."""
    return torch.empty(shape, dtype=torch.uint8) if get_worker_info() is None else shared(*shape)
