# fails: 0, 3
class PackedFields:
    @staticmethod
    def pack(batch):
        by_dtype = {}
        for field in batch.values():
            by_dtype.setdefault(str(field.dtype), []).append(field.numpy().ravel())
        joined = {dtype: torch.from_numpy(np.concatenate(parts)) for dtype, parts in by_dtype.items()}
        return joined, [(name, str(field.dtype), field.shape) for name, field in batch.items()]

    @staticmethod
    def unpack(packed):
        return ByDtype.unpack(packed)
