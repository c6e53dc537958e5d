"""The loader of shards: batches of the same sizes on every rank, and a state with which a training goes on within an epoch."""

from __future__ import annotations

import itertools
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader

from . import machine
from .efficient_dataloader import accelerator, as_it_is
from .epochs import Epochs, compare
from .images import ImageError, left_out
from .ring import superseded
from .shard_images import ShardImages
from .shard_plan import Numbered, Plan, Setting, evened
from .words import translate as _


class ShardLoader(Epochs):
    """Iterating gives the batches of an epoch: on every rank as many, and of the same sizes.

    Each epoch is the one after the last that was seen to its end, unless `set_epoch` says which. With the same ranks, workers,
    batch size and buffer, `load_state_dict` continues with the very batches that would have come; with others, with the samples
    that nobody has seen, in another order. Shards that are seen are not read again, others from their beginning.
    """

    def __init__(
        self,
        dataset: ShardImages,
        workers: int,
        prefetch: int = 2,
        start_method: str | None = None,
        on_batch: Callable[[torch.Tensor, torch.Tensor], Any] | None = None,
    ) -> None:
        super().__init__(dataset.shuffle)
        self.dataset, self.workers, self.on_batch = dataset, workers, on_batch
        # Samples of the last epoch, or of its rest, that came again, to keep the ranks in step.
        self.repeated = 0
        self.left_out = 0  # images that could not be decoded so far, in all epochs
        self._loops = 0  # that have begun
        self._options = {
            "batch_size": None,  # the batches are made already
            "collate_fn": as_it_is,
            "num_workers": workers,
            "pin_memory": accelerator(),
            "persistent_workers": workers > 0,
            "prefetch_factor": prefetch if workers else None,
            "multiprocessing_context": start_method if workers else None,
            "worker_init_fn": machine.quiet,
        }
        self.loader = DataLoader(dataset, **self._options)

    def _go_to(self, epoch: int) -> None:
        super()._go_to(epoch)
        self._done: list[tuple[int, Setting]] = []  # parts of this epoch with another setting than today's
        self._start = 0  # batches that came, with today's setting, before the next loop
        self._lacking = 0  # images of this epoch that were left out

    @property
    def _plan(self) -> Plan:
        """The plan of the next epoch, or of its rest."""
        return self.dataset.resumed if self._done and self.dataset.resumed else self.dataset.plan(self.epoch)

    def _sizes(self) -> list[int]:
        """Return how many samples each batch of the next epoch, or of its rest, has; with those that came already."""
        return self._plan.sizes(self.dataset.setting, self.dataset.rank)

    def __len__(self) -> int:
        """Return batches of a whole epoch, the next one; with shards of different sizes, epochs may differ by a few."""
        return len(self.dataset.plan(self.epoch).sizes(self.dataset.setting, self.dataset.rank))

    @property
    def left(self) -> int:
        """Batches of this rank that the next loop gives."""
        return len(self._sizes()) - self._start

    def state_dict(self) -> dict[str, Any]:
        """Return where the latest loop stands, by the batches that it gave: plain numbers, the same on all ranks after the same step.

        Raises ValueError within an evaluation that has left out damaged images: they have moved the others to other batches.
        """
        if self.handed and self._lacking and self.dataset.uneven == "once":
            raise ValueError(
                _(
                    "Images of this epoch that were left out: {n}. Where every sample comes once, a missing image moves the "
                    "others to other batches, so there is no state within this epoch. Begin the epoch anew."
                ).format(n=self._lacking)
            )
        done = [*self._done, (self._start + self.handed, self.dataset.setting)]
        parts = [[steps, how.batch_size, how.buffer, list(how.workers)] for steps, how in done if steps]
        return {"epoch": self.epoch, "done": parts, **self._data()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue there, with the setting of today. Raises ValueError for a state of other shards or options."""
        compare(state, **self._data())
        data, epoch = self.dataset, state["epoch"]
        done = [(steps, Setting(size, buffer, tuple(each))) for steps, size, buffer, each in state["done"]]
        start = done.pop()[0] if done and done[-1][1] == data.setting else 0
        plan = data.plan(epoch)
        for steps, setting in done:
            plan = plan.rest(setting, steps)
        plan.check(data.setting, start, data.rank)
        others = (plan.sizes(data.setting, rank) for rank in range(data.ranks))
        over = bool(done or start) and not any(len(sizes) > start for sizes in others)
        self._go_to(epoch + over)
        if not over:
            self._done, self._start, data.resumed = done, start, plan if done else None
            self._resumed = bool(done or start)
        self._loaded = True
        if self._loops:  # workers that have begun have another plan
            self.loader = DataLoader(data, **self._options)

    def _data(self) -> dict[str, Any]:
        """Return what the plan depends on, besides the epoch and the setting; of the shards a checksum."""
        data, shards = self.dataset, self.dataset.shards
        lengths = zlib.crc32(repr((shards.names, shards.samples, shards.sizes)).encode())
        return {
            "shards": lengths,
            "seed": data.seen.seed,
            "shuffle": data.shuffle,
            "uneven": data.uneven,
            "drop_last": data.drop_last,
        }

    def __iter__(self) -> Iterator[Any]:
        plan, sizes, start, turn = self._plan, self._sizes(), self._start, self.begin()
        self._lacking = self.repeated = 0
        seen = np.zeros(sum(self.dataset.shards.samples), dtype=bool)
        for step, batch in enumerate(evened(self._messages(plan, start), sizes), 1):
            new = np.unique(batch.numbers[~seen[batch.numbers]])
            seen[new] = True
            self.repeated += len(batch.numbers) - len(new)
            if step <= start:
                continue
            made = self.on_batch(*batch.opened()) if self.on_batch else batch.opened()
            # What raises in `on_batch` has not come. And before it is handed out: not everyone asks for one more.
            if step == len(sizes):
                self.repeated += int(seen[plan.again(self.dataset.setting, self.dataset.rank)].sum())
                self.finish(turn)
            else:
                self.advance(turn, step - start)
            yield made
        self.finish(turn)

    def _messages(self, plan: Plan, start: int) -> Iterator[Numbered]:
        """Yield the batches of the workers; where every rank gives as much, the shards begin again as often as is needed."""
        self._loops += 1
        loop = self._loops
        ahead = plan.ahead(self.dataset.setting, self.dataset.rank, start)
        for had in itertools.chain(ahead, itertools.repeat([])):
            came = 0
            self.dataset.tell(plan, had)
            with machine.deaf(), machine.frozen():
                batches = iter(self.loader)
            for batch in batches:
                for problem in batch.problems:
                    left_out(problem)
                self.left_out += len(batch.problems)
                self._lacking += len(batch.problems)
                came += len(batch.labels)
                yield batch
                if self.workers and self._loops != loop:  # they have begun again, for the other loop
                    raise superseded()
            if self.dataset.uneven == "once":
                return
            if not came:
                raise ImageError(
                    _("{folder}: no readable image for this rank.").format(folder=self.dataset.shards.folder)
                )
