# %% given
# What the answers to this exercise share.
import torch
from torch.utils.data import default_collate


def shared(parts, dim=0):
    """The parts, stacked in shared memory."""
    private = torch.stack(parts, dim)
    return torch.stack(parts, dim, out=torch.empty(private.shape, dtype=private.dtype).share_memory_())


class Rows:
    """What the notebook's solution does."""

    @staticmethod
    def pack(samples):
        shapes = {name: field.shape for name, field in samples[0].items()}
        return shared([torch.cat([field.reshape(-1) for field in one.values()]) for one in samples]), shapes

    @staticmethod
    def unpack(packed):
        batch, shapes = packed
        columns = batch.split([shape.numel() for shape in shapes.values()], dim=1)
        return {n: c.reshape(len(batch), *s) for (n, s), c in zip(shapes.items(), columns)}


def packing(pack=Rows.pack, unpack=Rows.unpack):
    return type("Answer", (), {"pack": staticmethod(pack), "unpack": staticmethod(unpack)})

# %% right: a stack for each shape
class PackedFields:
    @staticmethod
    def pack(samples):
        groups = {}
        for name, field in samples[0].items():
            groups.setdefault(tuple(field.shape), []).append(name)
        stacks = []
        for names in groups.values():
            parts = [torch.stack([sample[name] for sample in samples]) for name in names]
            stack = torch.empty((len(names), *parts[0].shape)).share_memory_()
            for place, part in zip(stack, parts):
                place.copy_(part)
            stacks.append((names, stack))
        return list(samples[0]), stacks

    @staticmethod
    def unpack(packed):
        order, stacks = packed
        batch = {name: column for names, stack in stacks for name, column in zip(names, stack)}
        return {name: batch[name] for name in order}

# %% right: column after column, all in one
import math


class PackedFields:
    @staticmethod
    def pack(samples):
        batch = default_collate(samples)
        flat = torch.cat([column.flatten() for column in batch.values()]).share_memory_()
        return {"flat": flat, "header": [(name, tuple(column.shape)) for name, column in batch.items()]}

    @staticmethod
    def unpack(packed):
        start, batch = 0, {}
        for name, shape in packed["header"]:
            end = start + math.prod(shape)
            batch[name] = packed["flat"][start:end].view(shape)
            start = end
        return batch

# %% right: written place by place
class PackedFields:
    @staticmethod
    def pack(samples):
        first = samples[0]
        width = sum(field.numel() for field in first.values())
        rows = torch.zeros(len(samples), width)
        rows.share_memory_()
        for row, sample in zip(rows, samples):
            start = 0
            for field in sample.values():
                row[start : start + field.numel()] = field.flatten()
                start += field.numel()
        return [rows, [(name, list(field.shape)) for name, field in first.items()]]

    @staticmethod
    def unpack(packed):
        rows, header = packed
        batch = {}
        for name, shape in header:
            count = 1
            for side in shape:
                count *= side
            batch[name], rows = rows[:, :count].reshape(-1, *shape), rows[:, count:]
        return batch

# %% right: views of the one tensor are sent
class PackedFields:
    @staticmethod
    def pack(samples):
        batch = Rows.unpack(Rows.pack(samples))
        names = list(batch)
        return names, Rows.pack(samples)

    @staticmethod
    def unpack(packed):
        names, rows = packed
        return {name: Rows.unpack(rows)[name].clone() for name in names}

# %% wrong: does nothing · fails 0, 1, 2
PackedFields = packing(default_collate, lambda batch: batch)

# %% wrong: the columns, each in shared memory · fails 0, 1, 2
PackedFields = packing(lambda s: {n: c.share_memory_() for n, c in default_collate(s).items()}, dict)

# %% wrong: half of it · fails 0
def half(samples):
    """Packs the scalars, and leaves the others as they are."""
    scalars = [n for n, f in samples[0].items() if not f.shape]
    others = {n: shared([s[n] for s in samples]) for n in samples[0] if n not in scalars}
    return list(samples[0]), scalars, shared([torch.stack([s[n] for n in scalars]) for s in samples]), others


def whole(packed):
    order, scalars, rows, others = packed
    batch = others | dict(zip(scalars, rows.unbind(1)))
    return {n: batch[n] for n in order}


PackedFields = packing(half, whole)

# %% wrong: numpy arrays · fails 0, 2
PackedFields = packing(
    lambda samples: {n: c.numpy() for n, c in default_collate(samples).items()},
    lambda packed: {n: torch.from_numpy(np.array(a)) for n, a in packed.items()},
)

# %% wrong: an array of rows · fails 0, 2
PackedFields = packing(
    lambda samples: (Rows.pack(samples)[0].numpy(), Rows.pack(samples)[1]),
    lambda packed: Rows.unpack((torch.from_numpy(packed[0].copy()), packed[1])),
)

# %% wrong: lists · fails 0, 2
PackedFields = packing(
    lambda samples: {n: c.tolist() for n, c in default_collate(samples).items()},
    lambda packed: {n: torch.tensor(v) for n, v in packed.items()},
)

# %% wrong: rows in private memory · fails 2
def private(samples):
    packed, shapes = Rows.pack(samples)
    return packed.clone(), shapes


PackedFields = packing(private)

# %% wrong: sixteen samples in each batch · fails 1
PackedFields = packing(
    unpack=lambda packed: {n: c[:16].reshape(16, *c.shape[1:]) for n, c in Rows.unpack(packed).items()}
)

# %% wrong: a single sample loses its dimension · fails 1
PackedFields = packing(unpack=lambda packed: {n: c.squeeze(0) for n, c in Rows.unpack(packed).items()})

# %% wrong: flat · fails 1
PackedFields = packing(unpack=lambda p: {n: c.reshape(len(c), -1) for n, c in Rows.unpack(p).items()})

# %% wrong: header in a class attribute · fails 1
class PackedFields(Rows):
    @staticmethod
    def pack(samples):
        rows, PackedFields.shapes = Rows.pack(samples)
        return rows

    @staticmethod
    def unpack(packed):
        return Rows.unpack((packed, PackedFields.shapes))

# %% wrong: the shapes of the usual records · fails 1
class PackedFields(Rows):
    @staticmethod
    def unpack(packed):
        shapes = {f"column_{i}": torch.Size(((), (3,), (2, 2))[i % 3]) for i in range(100)}
        return Rows.unpack((packed[0], shapes))

# %% wrong: sorted by name · fails 1
PackedFields = packing(unpack=lambda packed: dict(sorted(Rows.unpack(packed).items())))

# %% wrong: a list comes back · fails 1
PackedFields = packing(unpack=lambda packed: list(Rows.unpack(packed).values()))

# %% wrong: as half · fails 1
PackedFields = packing(
    lambda s: (Rows.pack(s)[0].half().share_memory_(), Rows.pack(s)[1]),
    lambda p: Rows.unpack((p[0].float(), p[1])),
)

# %% wrong: the samples emptied · fails 1
def popping(samples):
    packed = Rows.pack(samples)
    for sample in samples:
        sample.clear()
    return packed


PackedFields = packing(popping)

# %% wrong: cannot be pickled · fails 0, 1, 2
PackedFields = packing(pack=lambda samples: lambda: samples)

# %% wrong: pack open · fails 0, 1, 2
class PackedFields(Rows):
    @staticmethod
    def pack(samples):
        raise NotImplementedError

# %% wrong: unpack open · fails 1
class PackedFields(Rows):
    @staticmethod
    def unpack(packed):
        raise NotImplementedError

# %% right: one array, shared afterwards
class PackedFields:
    @staticmethod
    def pack(samples):
        rows = np.stack([np.concatenate([np.ravel(f) for f in s.values()]) for s in samples])
        return torch.from_numpy(rows).share_memory_(), {n: tuple(f.shape) for n, f in samples[0].items()}

    @staticmethod
    def unpack(packed):
        rows, shapes = packed
        ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
        parts = torch.tensor_split(rows, ends[:-1].tolist(), dim=1)
        return {n: p.unflatten(1, s) if s else p[:, 0] for p, (n, s) in zip(parts, shapes.items())}

# %% right: filled up to the largest column
class PackedFields:
    @staticmethod
    def pack(samples):
        most = max(field.numel() for field in samples[0].values())
        batch = torch.zeros(len(samples), len(samples[0]), most).share_memory_()
        for i, sample in enumerate(samples):
            for j, field in enumerate(sample.values()):
                batch[i, j, : field.numel()] = field.ravel()
        return {"values": batch, "names": list(samples[0]), "shapes": [f.shape for f in samples[0].values()]}

    @staticmethod
    def unpack(packed):
        values, batch = packed["values"], {}
        for j, (name, shape) in enumerate(zip(packed["names"], packed["shapes"])):
            batch[name] = values[:, j, : shape.numel()].reshape(-1, *shape)
        return batch

# %% right: columns beside each other
import json
import math


class PackedFields:
    @staticmethod
    def pack(samples):
        columns = [torch.stack([s[n] for s in samples]).reshape(len(samples), -1) for n in samples[0]]
        out = torch.empty(len(samples), sum(c.shape[1] for c in columns)).share_memory_()
        return torch.cat(columns, 1, out=out), json.dumps({n: list(f.shape) for n, f in samples[0].items()})

    @staticmethod
    def unpack(packed):
        rows, shapes = packed[0], json.loads(packed[1])
        parts = rows.split([math.prod(shape) for shape in shapes.values()], 1)
        return {n: part.reshape([len(rows), *shapes[n]]) for n, part in zip(shapes, parts)}

# %% wrong: a tensor for each sample · fails 0
PackedFields = packing(
    lambda samples: ([shared([Rows.pack([s])[0][0]])[0] for s in samples], Rows.pack(samples)[1]),
    lambda packed: Rows.unpack((torch.stack(packed[0]), packed[1])),
)

# %% wrong: bytes · fails 0, 2
PackedFields = packing(
    lambda samples: (Rows.pack(samples)[0].numpy().tobytes(), len(samples), Rows.pack(samples)[1]),
    lambda p: Rows.unpack((torch.frombuffer(bytearray(p[0]), dtype=torch.float32).view(p[1], -1), p[2])),
)

# %% wrong: scalars get a dimension · fails 1
PackedFields = packing(unpack=lambda p: {n: c if c.dim() > 1 else c[:, None] for n, c in Rows.unpack(p).items()})

# %% wrong: everything but the last column · fails 1
PackedFields = packing(unpack=lambda p: dict(list(Rows.unpack(p).items())[:-1]))

# %% wrong: the batch itself beside the rows · fails 0, 1, 2
PackedFields = packing(lambda s: (*Rows.pack(s), default_collate(s)), lambda packed: packed[2])

# %% wrong: one shape for all · fails 1
PackedFields = packing(
    lambda samples: Rows.pack(samples),
    lambda p: {n: p[0][:, i] for i, n in enumerate(p[1])},
)
