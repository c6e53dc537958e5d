"""The count of epochs, for whatever deals out samples: it moves on when an epoch was seen to its end, and only then."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from .words import translate as _

T = TypeVar("T")


class Epochs:
    """The epoch that comes next. One that is broken off begins again: a look at one batch, on one rank, changes nothing.

    `set_epoch` says which one is next. A loop that breaks off every epoch has to call it, and is warned if it does not.
    """

    _resumed = False  # the next epoch begins where it was stopped

    def __init__(self, differ: bool = True) -> None:
        self.differ = differ  # whether the epochs do: where they do not, none needs to follow another
        self._go_to(0)

    def set_epoch(self, epoch: int) -> None:
        """Make this the next epoch: from its beginning, or from where it was resumed. Loops call this before each epoch.

        Lightning calls it between `iter` and the first batch, whose loop goes on then, and counts.
        """
        if epoch != self.epoch or (self.handed and not self._resumed):
            self._go_to(epoch)
        self._begun = 0

    def _go_to(self, epoch: int) -> None:
        """Make this the next epoch, from its beginning."""
        self.epoch = epoch
        self.handed = 0  # items of it that the latest loop has handed out
        self._turn, self._begun, self._resumed = object(), 0, False
        # Who loads a state counts the epoch from its beginning (Lightning does), so its length is then that of the whole.
        self._loaded = False

    def begin(self) -> object:
        """Begin an epoch; return the turn, which is to be given to `advance` and `finish`."""
        self._begun, self.handed = self._begun + 1, 0
        if self.differ and self._begun == 3:
            text = _(
                "Epoch {epoch} was broken off twice, and begins again with the same samples in the same order. "
                "Call `set_epoch` before each epoch."
            )
            warnings.warn(text.format(epoch=self.epoch), stacklevel=3)
        return self._turn

    def advance(self, turn: object, handed: int) -> None:
        """Note that so many items of the epoch that began with ``turn`` are handed out."""
        if turn is self._turn:
            self.handed = handed

    def finish(self, turn: object) -> None:
        """Note that the epoch that began with ``turn`` was seen to its end: the next follows, unless another was set meanwhile."""
        if turn is self._turn:
            self._go_to(self.epoch + 1)


class EpochIterator(Iterator[T]):
    """One loop over an epoch of a sampler, which is finished when the last item is handed out: not everyone asks for one more.

    The sampler's state says where the *next* loop goes on. That of this iterator says whether this one is over: a
    StatefulDataLoader saves both, and so gives nothing in what is left of an epoch that was stopped at its last batch.
    """

    def __init__(self, epochs: Epochs, items: Callable[[], list[T]]) -> None:
        self._epochs, self._make = epochs, items
        self._items: list[T] | None = None  # made at the first step: until then, `set_epoch` counts
        self._handed = 0

    def __next__(self) -> T:
        if self._items is None:
            self._turn, self._items = self._epochs.begin(), self._make()
        self._handed += 1
        if self._handed >= len(self._items):
            self._epochs.finish(self._turn)
        else:
            self._epochs.advance(self._turn, self._handed)
        if self._handed > len(self._items):
            raise StopIteration
        return self._items[self._handed - 1]

    def state_dict(self) -> dict[str, Any]:
        return {"over": self._items is not None and self._handed >= len(self._items)}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if state["over"]:
            self._turn, self._items = object(), []


def compare(state: dict[str, Any], **own: Any) -> None:
    """Raise ValueError where a saved state is of other data or options than these: it would go on with other samples."""
    for name, value in own.items():
        if state.get(name) != value:
            text = _(
                "The saved state does not fit: `{name}` was {saved}, and here it is {own}. Give the same data and the same options as then."
            )
            raise ValueError(text.format(name=name, saved=state.get(name), own=value))


def expect(steps: int, there: int, ranks: int, size: int) -> None:
    """Raise ValueError where an epoch, or its rest, has fewer steps than are said to be made; ``size``: samples in a batch."""
    if steps > there:
        text = _(
            "Steps of this epoch: {there} (ranks: {ranks}, batch size: {size}); steps made already, as you gave them: {steps}. "
            "If the batch size was another one, give it, too: (steps, ranks, batch size)."
        )
        raise ValueError(text.format(there=there, ranks=ranks, size=size, steps=steps))
