# What the answers to this exercise share.
import torch


class Batch:
    """What the exercise gives; the answers differ in how they pin."""

    def __init__(self, fields):
        self.fields = fields


def pinned(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {key: pinned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(pinned(item) for item in value)
    return value


def batch(pin_memory):
    return type("PinnableBatch", (Batch,), {"pin_memory": pin_memory})


def with_fields(change):
    """An answer that replaces the fields by what ``change`` makes of them, and returns itself."""

    def pin_memory(self):
        self.fields = change(self.fields)
        return self

    return batch(pin_memory)
