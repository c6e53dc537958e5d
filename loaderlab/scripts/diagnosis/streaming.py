"""The samples of an iterable dataset, worker by worker and epoch by epoch, known by their digests."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch.utils.data import DataLoader

from ..words import translate as _
from .calls import Work, most_time, repeated, thrown_away, work
from .clone import told
from .finding import Finding, Row
from .isolated import forks
from .kinds import fault
from .lines import Place, call_of, files_of, line_of, place_of
from .randomness import apart, within
from .samples import digest, few_classes, label, on_its_side

MOST = 20_000  # samples of an epoch that are looked at
COMPARED = 8  # samples that are the same in two epochs, at least, until an order is called the same
# Of the samples: so many less are no matter of what a worker could not fill up, or of chance.
DROPPED, FEWER = 0.05, 0.1
MORE_CPU = 1.4  # times the CPU of a sample that one worker takes: from here on it is looked at what for


@dataclass(frozen=True)
class Came:
    """A batch, its samples by digest and label; ``cpu``: seconds of its worker until then; ``end``: none, the epoch was seen to its end."""

    epoch: int
    worker: int = 0
    samples: tuple[bytes, ...] = ()
    labels: tuple[int | None, ...] = ()
    cpu: float = 0.0
    lists: tuple[str, int] | None = None  # the field of which a tensor was made for each number
    end: bool = False


def _looked_at(collate: Any, samples: list[Any]) -> tuple[Any, ...]:
    lists = on_its_side(samples[0], collate) if collate else None
    return tuple(map(digest, samples)), tuple(map(label, samples)), time.process_time(), lists


def stream(
    loader: DataLoader, workers: int, epochs: int, call: bool = False, **changes: Any
) -> Iterator[Came]:
    """Go through a copy of the loader with so many workers; an epoch is left after `MOST` samples. ``call``: `set_epoch` before each."""

    collate = loader.collate_fn if loader.batch_sampler is not None else None
    made = told(loader, partial(_looked_at, collate), num_workers=workers, **changes)
    vars(made)["drop_last"] = False  # what it would drop is counted
    for epoch in range(epochs):
        if call:
            loader.dataset.set_epoch(epoch)
        count = 0
        for worker, came in DataLoader.__iter__(made):
            yield Came(epoch, worker, *came)
            count += len(came[0])
            if count >= MOST:
                break
        else:
            yield Came(epoch, end=True)


def shuffles(dataset: Any) -> bool:
    """Return whether something in the dataset is called a shuffle, and is on: a stage, a class, an option."""
    for _path, value in within(dataset, ""):
        called = f"{type(value).__name__} {getattr(value, '__name__', '')}"
        options = getattr(value, "__dict__", {}).items()
        on = any("shuffl" in name.lower() and one and not callable(one) for name, one in options)
        if on or ("shuffl" in called.lower() and "NoShuff" not in called):
            return True
    return False


class Streams:
    """The experiments with an iterable dataset, in a copy of this process, and what follows from them."""

    def __init__(self, loader: DataLoader, end: float, cared_for: bool, trains: bool | None) -> None:
        """``cared_for``: somebody calls `set_epoch`; ``trains``: None where that is not known."""
        self.loader, self.cared_for, self.trains = loader, cared_for, trains
        self.workers, self._end = loader.num_workers, end

    def _look(self, share: float, workers: int, epochs: int, **changes: Any) -> list[Came]:
        return apart(lambda: stream(self.loader, workers, epochs, **changes), self._end, share)

    def _line(self, pattern: str) -> Place | None:
        return line_of(type(self.loader.dataset), pattern)

    def findings(self) -> list[Finding]:
        if not self.workers and not forks():
            return []  # in this process it would be consumed
        said = self._look(0.4, self.workers, 2)
        alone = self._look(0.3, 1, 1) if self.workers > 1 else []
        split = self._of_each_worker(said, alone) if alone else []
        found = split + self._dropped(said) + self._wasted(said, alone)
        if lists := next((each.lists for each in said if each.lists), None):
            at = self._line(r"\.tolist\(|list\(")
            found.append(fault.batch_on_its_side(place=at, field=lists[0], length=lists[1]))
        return found if split else found + self._another_epoch(said) + self._of_classes(said)

    def _of_each_worker(self, said: list[Came], alone: list[Came]) -> list[Finding]:
        """Find samples that come from several workers, or from none."""
        at = self._line("num_workers") or self._line("get_worker_info|def __iter__")
        first, second = (_samples(said, 0, worker) for worker in (0, 1))
        common = min(len(first), len(second))
        if common > 1 and first[:common] == second[:common] and len(set(first[:common])) > 1:
            too = _("of these, samples that worker {worker} gives, too").format(worker=1)
            given = Row(_("samples of worker {worker}").format(worker=0), len(first))
            return [fault.workers_repeat(given, Row(too, len(set(first) & set(second))), place=at)]
        if not _ended(said, 0) or not _ended(alone, 0):
            return []
        every, one = Counter(_samples(said, 0)), Counter(_samples(alone, 0))
        count, wanted = every.total(), one.total()
        label = _("samples of an epoch (workers: {workers})")
        rows = [Row(label.format(workers=n), total) for n, total in ((1, wanted), (self.workers, count))]
        if wanted > 1 and count == self.workers * wanted:
            return [fault.workers_repeat(*rows, place=at)]
        never, twice = wanted - count, 0
        if len(one) == wanted and every.keys() <= one.keys():  # each is known by its content
            twice, never = sum(times > 1 for times in every.values()), len(one.keys() - every.keys())
        elif (
            never <= FEWER * wanted
            or not _ended(said, 1)
            or abs(count - len(_samples(said, 1))) >= FEWER * never
        ):
            never = 0
        found = [fault.workers_repeat(*rows, place=at, other=True, twice=twice)] if twice else []
        found += [fault.workers_leave_out(*rows, place=at, never=never, length=wanted)] if never else []
        return found

    def _dropped(self, said: list[Came]) -> list[Finding]:
        """Find samples that do not fill a batch in their worker, where those of all workers together would."""
        size = self.loader.batch_size or 1
        sizes = [len(each.samples) for each in said if each.epoch == 0]
        count, rest = sum(sizes), sum(n for n in sizes if n < size)
        if not self.loader.drop_last or not _ended(said, 0) or rest <= max(DROPPED * count, count % size):
            return []
        at = call_of("DataLoader", files_of(self.loader.dataset), "drop_last")
        return [fault.workers_drop(place=at, dropped=rest, length=count, workers=self.workers)]

    def _wasted(self, said: list[Came], alone: list[Came]) -> list[Finding]:
        """Find work for samples that do not come: of other workers, or thrown away."""

        def look(workers: int) -> list[Work]:
            return apart(lambda: work(self.loader, workers), self._end, 0.4)

        several, one, another = look(self.workers or 1), _cpu(alone), _cpu(said)
        if one and another > MORE_CPU * one and (waste := repeated(several, look(1))):
            values = {"times": waste[0], "cpu": another / one, "workers": self.workers}
            return [fault.made_in_each_worker(place=place_of(*waste[1]), **values)]
        if thrown := thrown_away(several):
            times, share, line = thrown
            made = place_of(*hot) if (hot := most_time(several)) else None
            values = {"times": times, "share": round(100 * share), "refuses": str(place_of(*line))}
            return [fault.thrown_away(place=made, **values)]
        return []

    def _another_epoch(self, said: list[Came]) -> list[Finding]:
        first, second = len(_samples(said, 0, 0)), len(_samples(said, 1, 0))
        if _ended(said, 1) and second < first:
            text = _("samples of epoch {epoch}, worker {worker}")
            rows = [Row(text.format(epoch=e, worker=0), n) for e, n in ((1, first), (2, second))]
            return [fault.later_epoch_short(*rows, first=first, second=second)]
        if not (common := _same(said)):
            return []
        if not hasattr(self.loader.dataset, "set_epoch"):
            change = "rng = random.Random()  # made once, not in `__iter__`"
            said_so = [fault.same_order(other=True, change=change, compared=common)]
            return said_so if shuffles(self.loader.dataset) else []
        if not _same(self._look(0.5, self.workers, 2, call=True)):
            compared = Row(_(fault.SAME), common)
            return [] if self.cared_for else [fault.set_epoch_missing("dataset", compared)]
        if self.loader.persistent_workers and not _same(
            self._look(0.8, self.workers, 2, call=True, persistent_workers=False)
        ):
            return [fault.epoch_unheard(place=self._line("def set_epoch"), compared=common)]
        return []

    def _of_classes(self, said: list[Came]) -> list[Finding]:
        few = few_classes(each.labels for each in said if each.epoch == 0)
        if few and shuffles(self.loader.dataset):
            return [fault.shuffle_too_small(**few)]
        if not few or self.trains is None:
            return []
        at, trains = self._line("def __iter__"), self.trains
        return [fault.sorted_by_class(place=at, certain=trains, other=not trains, **few)]


def _samples(said: list[Came], epoch: int, worker: int | None = None) -> list[bytes]:
    wanted = (each for each in said if each.epoch == epoch and worker in (None, each.worker))
    return [sample for each in wanted for sample in each.samples]


def _same(said: list[Came]) -> int:
    """Return how many samples of two epochs are the same, one after another; 0 where some are not."""
    first, second = _samples(said, 0, 0), _samples(said, 1, 0)
    common = min(len(first), len(second))
    alike = first[:common] == second[:common] and len(set(first)) >= COMPARED
    return common if common >= COMPARED and alike else 0


def _ended(said: list[Came], epoch: int) -> bool:
    return any(each.end and each.epoch == epoch for each in said)


def _cpu(said: list[Came]) -> float:
    """Return the CPU seconds of a sample; what the workers took for their first batch is left out. 0 where there is no more."""
    seconds, samples = 0.0, 0
    for worker in {each.worker for each in said}:
        mine = [each for each in said if each.worker == worker and each.epoch == 0 and each.samples]
        samples += sum(len(each.samples) for each in mine[1:])
        seconds += mine[-1].cpu - mine[0].cpu if mine else 0.0
    return seconds / samples if samples else 0.0
