# fails: 4
import torch


def to_text(value):
    if isinstance(value, dict):
        return {key: to_text(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(to_text(item) for item in value)
    return value.pin_memory() if isinstance(value, torch.Tensor) else str(value)


PinnableBatch = with_fields(to_text)
