# fails: 3
import torch


def as_floats(batch):
    joined = torch.cat([field.reshape(-1).float() for field in batch.values()])
    return joined, [(name, field.dtype, field.shape) for name, field in batch.items()]


def from_floats(packed):
    joined, header = packed
    parts = joined.split([shape.numel() for _name, _dtype, shape in header])
    return {name: p.to(dtype).view(shape) for p, (name, dtype, shape) in zip(parts, header, strict=True)}


PackedFields = packing(as_floats, from_floats)
