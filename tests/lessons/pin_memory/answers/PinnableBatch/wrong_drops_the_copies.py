# fails: 1, 2, 3, 4
import torch


def drops_copies(value):
    if isinstance(value, torch.Tensor):
        value.pin_memory()
    for item in (
        value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    ):
        drops_copies(item)
    return value


PinnableBatch = with_fields(drops_copies)
