import torch


def as_bytes(batch):
    flat = [field.contiguous().reshape(-1).view(torch.uint8) for field in batch.values()]
    return torch.cat(flat), [(name, field.dtype, field.shape) for name, field in batch.items()]


def from_bytes(packed):
    joined, header = packed
    batch, start = {}, 0
    for name, dtype, shape in header:
        end = start + shape.numel() * dtype.itemsize
        batch[name] = joined[start:end].clone().view(dtype).view(shape)
        start = end
    return batch


PackedFields = packing(as_bytes, from_bytes)
