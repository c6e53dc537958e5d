"""The images of shards as an IterableDataset of PyTorch, whose workers decode whole batches where they will stay."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch.utils.data import IterableDataset, get_worker_info

from . import decoders
from .augmentation import Augmentation
from .dataset import empty
from .decoders import fill, upright
from .images import ImageError
from .shard_plan import Numbered, Pieces, Plan, Setting
from .shards import Shards, library
from .storage import Storage

Sample = dict[str, Any]


class ShardImages(IterableDataset):
    """Batches of this rank's shards; each worker's last one may be incomplete.

    An image that was damaged since it was written is named. Another one of its batch comes in its place, so that the ranks
    stay in step; in an evaluation (``uneven`` is "once") none does, and with ``strict`` it raises ImageError.
    """

    def __init__(
        self,
        shards: Shards,
        setting: Setting,
        seen: Augmentation,
        rank: int,
        *,
        shuffle: bool,
        uneven: str,
        drop_last: bool,
        decoder: str,
        strict: bool,
    ) -> None:
        self.shards, self.setting, self.seen, self.rank = shards, setting, seen, rank
        self.shuffle, self.uneven, self.drop_last = shuffle, uneven, drop_last
        self.decoder, self.strict = decoders.choose(decoder), strict
        self.resumed: Plan | None = None  # of the rest of an epoch
        # Persistent workers are told by shared memory: the epoch, whether it is its rest, and how many samples at the
        # beginning of each worker's stream the training has had already.
        self.told = torch.zeros(2 + setting.workers[rank], dtype=torch.int64).share_memory_()

    @property
    def ranks(self) -> int:
        return len(self.setting.workers)

    def plan(self, epoch: int) -> Plan:
        """Return the plan of a whole epoch."""
        return Plan(self.shards, self.seen.seed, epoch, self.shuffle, self.uneven, self.drop_last)

    def tell(self, plan: Plan, had: list[int]) -> None:
        """Tell the workers what they are to read next."""
        self.told[2:] = torch.tensor(had) if had else 0
        self.told[0], self.told[1] = plan.epoch, plan.left is not None

    def __iter__(self) -> Iterator[Numbered]:
        info = get_worker_info()
        worker = info.id if info else 0
        epoch, rest, *had = self.told.tolist()
        plan = self.resumed if rest and self.resumed else self.plan(epoch)
        pieces = plan.pieces(self.setting, self.rank)[worker]
        numbers = (number for _k, part in pieces for number in part.tolist())
        done = set(
            islice(plan.mixed(numbers, worker, self.setting.buffer), had[worker]) if had[worker] else ()
        )
        samples = plan.mixed(self._samples(pieces, done), worker, self.setting.buffer)
        while group := list(islice(samples, self.setting.batch_size)):
            keys = [int(sample["__key__"]) for sample in group]
            yield self._hollow(keys) if keys[0] in done else self._decoded(group, keys, epoch)

    def _samples(self, pieces: Pieces, done: set[int]) -> Iterator[Sample]:
        """Yield the samples of these pieces; a shard of which the training has had all is not read."""
        reading, storage = library().tariterators, Storage(self.shards.folder, self.shards.options)
        for shard, numbers in pieces:
            wanted = set(numbers.tolist())
            if wanted <= done:
                yield from ({"__key__": number} for number in numbers.tolist())
                continue
            files = reading.tar_file_expander(self.shards.opened([shard], storage))
            for sample in reading.group_by_keys(files):
                if int(sample["__key__"]) in wanted:
                    yield sample

    def _hollow(self, keys: list[int]) -> Numbered:
        """Return a batch that stands for one that the training has had: it keeps the turns of the workers, and is dropped."""
        shape = (len(keys), 3, self.seen.size, self.seen.size)
        images = torch.zeros(1, 1, 1, 1, dtype=torch.uint8).expand(shape)
        return Numbered(images, torch.zeros(len(keys), dtype=torch.int64), [], np.array(keys))

    def _decoded(self, group: list[Sample], keys: list[int], epoch: int) -> Numbered:
        images = empty(len(group), self.seen.size, self.seen.size, 3)
        places = images.numpy()
        kept: list[int] = []
        problems: list[str] = []
        abouts = [json.loads(sample["json"]) for sample in group]
        views = self.seen.views(epoch, keys, map(upright, abouts))
        for k, (sample, about, view) in enumerate(zip(group, abouts, views, strict=True)):
            place = places[len(kept)]
            try:
                fill(place, bytearray(sample["jpg"]), about, view, self.decoder)
            except ImageError as error:
                problems.append(f"{sample['__url__']}: {sample['__key__']}: {about['path']}: {error}")
                if self.strict:
                    raise ImageError(problems[0]) from error
            else:
                kept.append(k)
        good = len(kept)
        self.seen.change(places[:good], epoch, [keys[k] for k in kept])
        for place in range(good, len(group) if good and self.uneven != "once" else good):
            places[place] = places[place - good]
            kept.append(kept[place - good])
        labels = torch.tensor([int(group[k]["cls"]) for k in kept], dtype=torch.int64)
        numbers = np.array(keys)[kept]
        return Numbered(images[: len(kept)].permute(0, 3, 1, 2), labels, problems, numbers)
