# %% given
# What the answers to this exercise share.
import torch


class Batch:
    def __init__(self, fields):
        self.fields = fields


def walking(tensor=lambda value: value.pin_memory(), other=lambda value: value, into=(list, tuple), made=type):
    """What makes a copy of fields that go their own way in one point."""

    def walk(value):
        if isinstance(value, torch.Tensor):
            return tensor(value)
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return made(value)(map(walk, value)) if isinstance(value, into) else other(value)

    return walk


pinned = walking()


def batch(pin_memory):
    return type("PinnableBatch", (Batch,), {"pin_memory": pin_memory})


def with_fields(change):
    """An answer that replaces the fields by what ``change`` makes of them, and returns itself."""

    def pin_memory(self):
        self.fields = change(self.fields)
        return self

    return batch(pin_memory)

# %% right: a new one
PinnableBatch = batch(lambda self: type(self)(pinned(self.fields)))

# %% right: dispatched
from functools import singledispatch


@singledispatch
def pin(value):
    return value


@pin.register
def _(value: torch.Tensor):
    return value.pin_memory()


@pin.register
def _(value: dict):
    return dict(zip(value, map(pin, value.values())))


@pin.register(list)
@pin.register(tuple)
def _(value):
    return type(value)(map(pin, value))


class PinnableBatch:
    def __init__(self, fields):
        self.fields = fields

    def pin_memory(self):
        return PinnableBatch(pin(self.fields))

# %% right: in place
class PinnableBatch:
    def __init__(self, fields):
        self.fields = fields

    def pin_memory(self):
        def walk(value):
            if torch.is_tensor(value):
                return value.pin_memory()
            if isinstance(value, dict):
                for key in value:
                    value[key] = walk(value[key])
            elif isinstance(value, list):
                for i, item in enumerate(value):
                    value[i] = walk(item)
            elif isinstance(value, tuple):
                return tuple(walk(item) for item in value)
            return value

        walk(self.fields)
        return self

# %% right: itself
PinnableBatch = with_fields(pinned)

# %% right: tree map
from dataclasses import dataclass, replace

from torch.utils._pytree import tree_map


@dataclass
class PinnableBatch:
    fields: dict

    def pin_memory(self):
        return replace(
            self,
            fields=tree_map(lambda leaf: leaf.pin_memory() if isinstance(leaf, torch.Tensor) else leaf, self.fields),
        )

# %% wrong: does nothing · fails 1, 2, 3, 4
PinnableBatch = batch(lambda self: self)

# %% wrong: drops the copies · fails 1, 2, 3, 4
def not_kept(tensor):
    tensor.pin_memory()
    return tensor


PinnableBatch = with_fields(walking(tensor=not_kept))

# %% wrong: drops the others · fails 4
def drops_others(value):
    if isinstance(value, dict):
        kept = {key: item for key, item in value.items() if isinstance(item, torch.Tensor | dict | list | tuple)}
        return {key: drops_others(item) for key, item in kept.items()}
    return pinned(value)


PinnableBatch = with_fields(drops_others)

# %% wrong: forgets return · fails 0, 1, 2, 3, 4
def forgets_return(self):
    self.fields = pinned(self.fields)


PinnableBatch = batch(forgets_return)

# %% wrong: makes text of the others · fails 4
PinnableBatch = with_fields(walking(other=str))

# %% wrong: no check for tensors · fails 2, 3, 4
PinnableBatch = with_fields(lambda fields: {key: item.pin_memory() for key, item in fields.items()})

# %% wrong: no method · fails 1, 2, 3, 4
PinnableBatch = Batch

# %% wrong: not into tuples · fails 2
PinnableBatch = with_fields(walking(into=list))

# %% wrong: only the top level · fails 2
def top_level(value):
    return {k: v.pin_memory() if isinstance(v, torch.Tensor) else v for k, v in value.items()}


PinnableBatch = with_fields(top_level)

# %% wrong: returns the dictionary · fails 0, 1, 2, 3, 4
PinnableBatch = batch(lambda self: pinned(self.fields))

# %% wrong: tuples become lists · fails 3
PinnableBatch = with_fields(walking(made=lambda value: list))
