# %% right: a class with iter
class Batches:
    def __init__(self, features, labels, batch_size):
        self.features, self.labels, self.batch_size = features, labels, batch_size

    def __len__(self):
        return -(-len(self.labels) // self.batch_size)

    def __iter__(self):
        order = torch.randperm(len(self.labels))
        for start in range(0, len(order), self.batch_size):
            rows = order[start : start + self.batch_size]
            yield self.features[rows], self.labels[rows]


def tensor_loader(features, labels, batch_size):
    return Batches(features, labels, batch_size)

# %% right: getitems
class Table(torch.utils.data.Dataset):
    def __init__(self, features, labels):
        self.features, self.labels = features, labels

    def __len__(self):
        return len(self.labels)

    def __getitems__(self, indices):
        return self.features[indices], self.labels[indices]


def tensor_loader(features, labels, batch_size):
    return DataLoader(Table(features, labels), batch_size, shuffle=True, collate_fn=lambda batch: batch)

# %% right: shuffled copies are cut
def tensor_loader(features, labels, batch_size):
    class Epochs:
        def __iter__(self):
            order = torch.randperm(len(labels))
            yield from zip(features[order].split(batch_size), labels[order].split(batch_size))

    return Epochs()

# %% right: numpy draws the order
import numpy as np


class Loader:
    def __init__(self, *tensors, size):
        self.tensors, self.size = tensors, size

    def __iter__(self):
        order = np.random.permutation(len(self.tensors[0]))
        for i in range(0, len(order), self.size):
            yield [tensor[order[i : i + self.size]] for tensor in self.tensors]


def tensor_loader(features, labels, batch_size):
    return Loader(features, labels, size=batch_size)

# %% wrong: the given one · fails 0, 1, 2, 3
def tensor_loader(features, labels, batch_size):
    return DataLoader(
        TensorDataset(features, labels), batch_size, shuffle=True, num_workers=2, persistent_workers=True
    )

# %% wrong: more workers · fails 0, 1, 2, 3
def tensor_loader(features, labels, batch_size):
    return DataLoader(
        TensorDataset(features, labels), batch_size, shuffle=True, num_workers=8, prefetch_factor=4, pin_memory=True
    )

# %% wrong: only without workers · fails 0
def tensor_loader(features, labels, batch_size):
    return DataLoader(TensorDataset(features, labels), batch_size, shuffle=True)

# %% wrong: getitems row by row · fails 0
class Table(TensorDataset):
    def __getitems__(self, indices):
        return [self[i] for i in indices]


def tensor_loader(features, labels, batch_size):
    return DataLoader(Table(features, labels), batch_size, shuffle=True)

# %% wrong: a list of samples · fails 0
def tensor_loader(features, labels, batch_size):
    return DataLoader(list(zip(features, labels)), batch_size, shuffle=True)

# %% wrong: whole batches in workers · fails 1
from torch.utils.data import BatchSampler, RandomSampler


def tensor_loader(features, labels, batch_size):
    rows = TensorDataset(features, labels)
    sampler = BatchSampler(RandomSampler(rows), batch_size, drop_last=False)
    return DataLoader(rows, sampler=sampler, batch_size=None, num_workers=2, persistent_workers=True)

# %% wrong: drops the last batch · fails 2
def tensor_loader(features, labels, batch_size):
    class Epochs:
        def __iter__(self):
            order = torch.randperm(len(labels))
            for i in range(len(labels) // batch_size):
                rows = order[i * batch_size : (i + 1) * batch_size]
                yield features[rows], labels[rows]

    return Epochs()

# %% wrong: a generator · fails 2, 3
def tensor_loader(features, labels, batch_size):
    for rows in torch.randperm(len(labels)).split(batch_size):
        yield features[rows], labels[rows]

# %% wrong: two orders · fails 2
def tensor_loader(features, labels, batch_size):
    class Epochs:
        def __iter__(self):
            rows, half = torch.randperm(len(labels)), len(labels) // 2
            others = torch.cat([rows[torch.randperm(half)], rows[half:]])
            return zip(features[rows].split(batch_size), labels[others].split(batch_size))

    return Epochs()

# %% wrong: shuffled once · fails 3
def tensor_loader(features, labels, batch_size):
    order = torch.randperm(len(labels))
    return list(zip(features[order].split(batch_size), labels[order].split(batch_size)))

# %% wrong: batches in random order · fails 3
import random


def tensor_loader(features, labels, batch_size):
    class Epochs:
        def __iter__(self):
            pairs = list(zip(features.split(batch_size), labels.split(batch_size)))
            last = pairs.pop()
            random.shuffle(pairs)
            return iter([*pairs, last])

    return Epochs()

# %% wrong: nothing comes · fails 0, 1, 2, 3
def tensor_loader(features, labels, batch_size):
    return []

# %% right: the collate function indexes
def tensor_loader(features, labels, batch_size):
    def take(rows):
        return features[rows], labels[rows]

    return DataLoader(range(len(labels)), batch_size, shuffle=True, collate_fn=take)

# %% right: an iterable dataset
class Shuffled(torch.utils.data.IterableDataset):
    def __init__(self, features, labels, batch_size):
        self.features, self.labels, self.batch_size = features, labels, batch_size

    def __iter__(self):
        for rows in torch.randperm(len(self.labels)).split(self.batch_size):
            yield self.features.index_select(0, rows), self.labels.index_select(0, rows)


def tensor_loader(features, labels, batch_size):
    return DataLoader(Shuffled(features, labels, batch_size), batch_size=None)

# %% right: a loader of its own kind
import random


class Quick(DataLoader):
    def __iter__(self):
        features, labels = self.dataset.tensors
        order = random.sample(range(len(labels)), len(labels))
        for start in range(0, len(order), self.batch_size):
            rows = torch.tensor(order[start : start + self.batch_size])
            yield features[rows], labels[rows]


def tensor_loader(features, labels, batch_size):
    return Quick(TensorDataset(features, labels), batch_size=batch_size)

# %% wrong: the collate function stacks rows · fails 0
def tensor_loader(features, labels, batch_size):
    def take(rows):
        return torch.stack([features[i] for i in rows]), torch.stack([labels[i] for i in rows])

    return DataLoader(range(len(labels)), batch_size, shuffle=True, collate_fn=take)

# %% wrong: rows of arrays · fails 0
class Arrays(torch.utils.data.Dataset):
    def __init__(self, features, labels):
        self.features, self.labels = features.numpy(), labels.numpy()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]


def tensor_loader(features, labels, batch_size):
    return DataLoader(Arrays(features, labels), batch_size, shuffle=True)

# %% wrong: with replacement · fails 2
class Drawn:
    def __init__(self, features, labels, batch_size):
        self.given = features, labels, batch_size

    def __iter__(self):
        features, labels, size = self.given
        for rows in torch.randint(len(labels), (len(labels),)).split(size):
            yield features[rows], labels[rows]


def tensor_loader(features, labels, batch_size):
    return Drawn(features, labels, batch_size)

# %% wrong: without labels · fails 0, 1, 2, 3
class Rows:
    def __init__(self, features, size):
        self.features, self.size = features, size

    def __iter__(self):
        return iter(self.features[torch.randperm(len(self.features))].split(self.size))


def tensor_loader(features, labels, batch_size):
    return Rows(features, batch_size)

# %% wrong: a batch is a batch size of one · fails 0, 2
def tensor_loader(features, labels, batch_size):
    return DataLoader(TensorDataset(features, labels), shuffle=True)

# %% wrong: not shuffled · fails 3
from torch.utils.data import BatchSampler


def tensor_loader(features, labels, batch_size):
    sampler = BatchSampler(range(len(labels)), batch_size, False)
    return DataLoader(TensorDataset(features, labels), sampler=sampler, batch_size=None)
