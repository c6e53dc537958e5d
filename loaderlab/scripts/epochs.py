"""Which epoch comes next, for whatever deals out samples: it moves on when an epoch was seen to its end, and only then."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TypeVar

from .words import translate as _

T = TypeVar("T")


class Epochs:
    """The epoch that comes next. One that is broken off begins again: a look at one batch, on one rank, changes nothing.

    `set_epoch` says which one is next. A loop that breaks off every epoch has to call it, and is warned if it does not.
    """

    def __init__(self, differ: bool = True) -> None:
        self.differ = differ  # whether the epochs do: where they do not, none needs to follow another
        self.set_epoch(0)

    def set_epoch(self, epoch: int) -> None:
        """The next epoch is this one, from its beginning."""
        self.epoch = epoch
        self._turn, self._begun = object(), 0

    def begin(self) -> object:
        """An epoch begins; what comes back is to be given to `finish`."""
        self._begun += 1
        if self.differ and self._begun == 3:
            text = _(
                "Epoch {epoch} was broken off twice, and begins again with the same samples in the same order. "
                "Call `set_epoch` before each epoch."
            )
            warnings.warn(text.format(epoch=self.epoch), stacklevel=3)
        return self._turn

    def finish(self, turn: object) -> None:
        """The epoch that began with this was seen to its end: the next one follows, unless another was set meanwhile."""
        if turn is self._turn:
            self.set_epoch(self.epoch + 1)

    def through(self, items: list[T]) -> Iterator[T]:
        """The items of an epoch, which is finished when the last one is handed out: not everyone asks for one more."""
        turn = self.begin()
        yield from items[:-1]
        self.finish(turn)
        yield from items[-1:]
