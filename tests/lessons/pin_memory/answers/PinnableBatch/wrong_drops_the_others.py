# fails: 4
import torch


def drops_others(value):
    if isinstance(value, torch.Tensor):
        return value.pin_memory()
    if isinstance(value, dict):
        return {
            k: drops_others(v) for k, v in value.items() if isinstance(v, torch.Tensor | dict | list | tuple)
        }
    return type(value)(drops_others(v) for v in value) if isinstance(value, list | tuple) else value


PinnableBatch = with_fields(drops_others)
