# fails: 1
import torch


def with_lists(batch):
    return {name: (field.tolist(), field.dtype, field.shape) for name, field in batch.items()}


PackedFields = packing(
    with_lists,
    lambda packed: {n: torch.tensor(v, dtype=d).reshape(s) for n, (v, d, s) in packed.items()},
)
