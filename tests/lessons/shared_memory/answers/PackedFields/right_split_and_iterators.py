from collections import defaultdict


class PackedFields:
    @staticmethod
    def pack(batch):
        fields, flat = [], defaultdict(list)
        for name, tensor in batch.items():
            fields.append((name, tensor.dtype, tuple(tensor.shape), tensor.numel()))
            flat[tensor.dtype].append(tensor.flatten())
        return [fields, {dtype: torch.cat(parts) for dtype, parts in flat.items()}]

    @staticmethod
    def unpack(packed):
        fields, joined = packed
        parts = {
            dtype: iter(flat.split([count for _n, d, _s, count in fields if d == dtype])) for dtype, flat in joined.items()
        }
        return {name: next(parts[dtype]).reshape(shape) for name, dtype, shape, _count in fields}
