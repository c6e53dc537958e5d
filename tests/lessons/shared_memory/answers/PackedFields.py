# %% given
# What the answers to this exercise share.
import torch


def shared(fields):
    """The fields, joined in shared memory."""
    count = sum(field.numel() for field in fields)
    return torch.cat(fields, out=torch.empty(count, dtype=fields[0].dtype).share_memory_())


class ByDtype:
    """What the notebook's solution does."""

    @staticmethod
    def pack(batch):
        by_dtype = {}
        for field in batch.values():
            by_dtype.setdefault(field.dtype, []).append(field.reshape(-1))
        joined = {dtype: shared(fields) for dtype, fields in by_dtype.items()}
        return joined, [(name, field.dtype, field.shape) for name, field in batch.items()]

    @staticmethod
    def unpack(packed):
        joined, header = packed
        used, batch = dict.fromkeys(joined, 0), {}
        for name, dtype, shape in header:
            start = used[dtype]
            used[dtype] = start + shape.numel()
            batch[name] = joined[dtype][start : used[dtype]].view(shape)
        return batch


def packing(pack=ByDtype.pack, unpack=ByDtype.unpack):
    return type("Answer", (), {"pack": staticmethod(pack), "unpack": staticmethod(unpack)})

# %% right: bydtype
PackedFields = ByDtype

# %% right: packing as bytes from bytes
def as_bytes(batch):
    flat = [field.contiguous().reshape(-1).view(torch.uint8) for field in batch.values()]
    return torch.cat(flat).share_memory_(), [(name, field.dtype, field.shape) for name, field in batch.items()]


def from_bytes(packed):
    joined, header = packed
    batch, start = {}, 0
    for name, dtype, shape in header:
        end = start + shape.numel() * dtype.itemsize
        batch[name] = joined[start:end].clone().view(dtype).view(shape)
        start = end
    return batch


PackedFields = packing(as_bytes, from_bytes)

# %% right: split and iterators
from collections import defaultdict


class PackedFields:
    @staticmethod
    def pack(batch):
        fields, flat = [], defaultdict(list)
        for name, tensor in batch.items():
            fields.append((name, tensor.dtype, tuple(tensor.shape), tensor.numel()))
            flat[tensor.dtype].append(tensor.flatten())
        joined = {}
        for dtype, parts in flat.items():
            joined[dtype] = torch.empty(sum(map(len, parts)), dtype=dtype).share_memory_()
            torch.cat(parts, out=joined[dtype])
        return [fields, joined]

    @staticmethod
    def unpack(packed):
        fields, joined = packed
        parts = {
            dtype: iter(flat.split([count for _n, d, _s, count in fields if d == dtype])) for dtype, flat in joined.items()
        }
        return {name: next(parts[dtype]).reshape(shape) for name, dtype, shape, _count in fields}

# %% wrong: a list comes back · fails 3, 4, 5, 6
PackedFields = packing(unpack=lambda p: list(ByDtype.unpack(p).values()))

# %% wrong: a list of tensors · fails 0, 1, 2, 3, 4, 5, 6
PackedFields = packing(lambda b: (list(b), list(b.values())), lambda p: dict(zip(*p, strict=True)))

# %% wrong: all as float32 · fails 4
def as_floats(batch):
    return ByDtype.pack({name: field.float() for name, field in batch.items()})[0], ByDtype.pack(batch)[1]


def from_floats(packed):
    joined, header = packed
    parts = joined[torch.float32].split([shape.numel() for _name, _dtype, shape in header])
    return {name: p.to(dtype).view(shape) for p, (name, dtype, shape) in zip(parts, header, strict=True)}


PackedFields = packing(as_floats, from_floats)

# %% wrong: batch emptied · fails 3
def popping(batch):
    packed = ByDtype.pack(batch)
    batch.clear()
    return packed


PackedFields = packing(popping)

# %% wrong: cannot be pickled · fails 0, 1, 2, 3, 4, 5, 6
PackedFields = packing(pack=lambda b: lambda: b)

# %% wrong: dtype by dtype · fails 3
def by_groups(packed):
    """The fields come back dtype by dtype."""
    batch = ByDtype.unpack(packed)
    return dict(sorted(batch.items(), key=lambda item: str(item[1].dtype)))


PackedFields = packing(unpack=by_groups)

# %% wrong: empty fields dropped · fails 5
PackedFields = packing(pack=lambda b: ByDtype.pack({n: f for n, f in b.items() if f.numel()}))

# %% wrong: flat · fails 3, 5, 6
PackedFields = packing(unpack=lambda p: {n: f.reshape(-1) for n, f in ByDtype.unpack(p).items()})

# %% wrong: header in a class attribute · fails 3, 4, 5
class PackedFields(ByDtype):
    header = None

    @staticmethod
    def pack(batch):
        joined, PackedFields.header = ByDtype.pack(batch)
        return joined

    @staticmethod
    def unpack(packed):
        return ByDtype.unpack((packed, PackedFields.header))

# %% wrong: numbers in lists · fails 1, 2
def with_lists(batch):
    return {name: (field.tolist(), field.dtype, field.shape) for name, field in batch.items()}


PackedFields = packing(
    with_lists,
    lambda packed: {n: torch.tensor(v, dtype=d).reshape(s) for n, (v, d, s) in packed.items()},
)

# %% wrong: numpy arrays · fails 0, 1, 2, 4
PackedFields = packing(
    lambda batch: {n: f.contiguous().numpy() for n, f in batch.items()},
    lambda packed: {n: torch.from_numpy(np.array(a)) for n, a in packed.items()},
)

# %% wrong: pack open · fails 0, 1, 2, 3, 4, 5, 6
class PackedFields(ByDtype):
    @staticmethod
    def pack(batch):
        raise NotImplementedError

# %% wrong: scalars get a dimension · fails 5
PackedFields = packing(unpack=lambda p: {n: torch.atleast_1d(f) for n, f in ByDtype.unpack(p).items()})

# %% wrong: sorted by name · fails 3
PackedFields = packing(unpack=lambda p: dict(sorted(ByDtype.unpack(p).items())))

# %% wrong: storages · fails 6
def from_storages(batch):
    """Takes what lies in memory, whatever the strides say."""
    whole = {
        name: torch.tensor([], dtype=field.dtype).set_(field.untyped_storage())[: field.numel()]
        for name, field in batch.items()
    }
    return ByDtype.pack(whole)[0], ByDtype.pack(batch)[1]


PackedFields = packing(pack=from_storages)

# %% wrong: through numpy · fails 0, 2, 4
class PackedFields(ByDtype):
    @staticmethod
    def pack(batch):
        by_dtype = {}
        for field in batch.values():
            by_dtype.setdefault(str(field.dtype), []).append(field.numpy().ravel())
        joined = {dtype: torch.from_numpy(np.concatenate(parts)) for dtype, parts in by_dtype.items()}
        return joined, [(name, str(field.dtype), field.shape) for name, field in batch.items()]

# %% wrong: joined in private memory · fails 2
def private(batch):
    by_dtype = {}
    for field in batch.values():
        by_dtype.setdefault(field.dtype, []).append(field.reshape(-1))
    return {dtype: torch.cat(fields) for dtype, fields in by_dtype.items()}, ByDtype.pack(batch)[1]


PackedFields = packing(private)

# %% wrong: only the floats are shared · fails 2
def floats_shared(batch):
    joined, header = ByDtype.pack(batch)
    return {dtype: t if dtype.is_floating_point else t.clone() for dtype, t in joined.items()}, header


PackedFields = packing(floats_shared)

# %% wrong: unpack open · fails 3, 4, 5, 6
class PackedFields(ByDtype):
    @staticmethod
    def unpack(packed):
        raise NotImplementedError

# %% wrong: view 1 · fails 6
def flattening_with_view(batch):
    for field in batch.values():
        field.view(-1)
    return ByDtype.pack(batch)


PackedFields = packing(pack=flattening_with_view)
