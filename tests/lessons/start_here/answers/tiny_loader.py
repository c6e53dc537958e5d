# %% given
# What some of the answers to this exercise share.
from itertools import islice


def fetch(dataset, indices):
    if hasattr(dataset, "__getitems__"):
        return dataset.__getitems__(indices)
    return [dataset[i] for i in indices]


def batches(sampler, batch_size):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        yield indices

# %% right: batch sampler of torch
from torch.utils.data import BatchSampler


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in BatchSampler(sampler, batch_size, drop_last=False):
        if hasattr(dataset, "__getitems__"):
            yield collate_fn(dataset.__getitems__(indices))
        else:
            yield collate_fn([dataset[index] for index in indices])

# %% right: by hand
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    def load(indices):
        if getattr(dataset, "__getitems__", None):
            return collate_fn(dataset.__getitems__(indices))
        return collate_fn([dataset[i] for i in indices])

    indices = []
    for index in sampler:
        indices.append(index)
        if len(indices) == batch_size:
            yield load(indices)
            indices = []
    if indices:
        yield load(indices)

# %% right: generator expression
from itertools import chain, islice


def chunks(sampler, size):
    it = iter(sampler)
    for first in it:
        yield [*chain([first], islice(it, size - 1))]


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    whole = hasattr(dataset, "__getitems__")
    return (
        collate_fn(dataset.__getitems__(c) if whole else [dataset[i] for i in c])
        for c in chunks(sampler, batch_size)
    )

# %% right: iter with a sentinel
from itertools import islice


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    fetch = getattr(dataset, "__getitems__", lambda indices: [dataset[i] for i in indices])
    batches = iter(lambda: list(islice(rest, batch_size)), [])
    return map(collate_fn, map(fetch, batches))

# %% right: iterator class
import itertools


class Batches:
    def __init__(self, dataset, sampler, batch_size, collate_fn):
        self.dataset, self.batch_size, self.collate_fn = dataset, batch_size, collate_fn
        self.indices = iter(sampler)

    def __iter__(self):
        return self

    def __next__(self):
        batch = list(itertools.islice(self.indices, self.batch_size))
        if not batch:
            raise StopIteration
        return self.collate_fn(self.samples(batch))

    def samples(self, batch):
        try:
            together = self.dataset.__getitems__
        except AttributeError:
            return list(map(self.dataset.__getitem__, batch))
        return together(batch)


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    return Batches(dataset, sampler, batch_size, collate_fn)

# %% right: next until it stops
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    it, more = iter(sampler), True
    while more:
        ix = []
        while more and len(ix) < batch_size:
            try:
                ix += [next(it)]
            except StopIteration:
                more = False
        if ix and hasattr(type(dataset), "__getitems__"):
            yield collate_fn(dataset.__getitems__(ix))
        elif ix:
            yield collate_fn([dataset[i] for i in ix])

# %% wrong: a call for each index · fails 2
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        yield collate_fn([fetch(dataset, [index])[0] for index in indices])

# %% wrong: a list of batches · fails 1
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    return [collate_fn(fetch(dataset, indices)) for indices in batches(sampler, batch_size)]

# %% wrong: a list of the sampler · fails 1
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(list(sampler), batch_size):
        yield collate_fn(fetch(dataset, indices))

# %% wrong: always getitems · fails 0, 1, 3
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        yield collate_fn(dataset.__getitems__(indices))

# %% wrong: an empty batch at the end · fails 0
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    indices = []
    for index in sampler:
        indices.append(index)
        if len(indices) == batch_size:
            yield collate_fn(fetch(dataset, indices))
            indices = []
    yield collate_fn(fetch(dataset, indices))

# %% wrong: both ways · fails 2
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        samples = [dataset[index] for index in indices]
        if hasattr(dataset, "__getitems__"):
            samples = dataset.__getitems__(indices)
        yield collate_fn(samples)

# %% wrong: drops the last · fails 0
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        if len(indices) == batch_size:
            yield collate_fn(fetch(dataset, indices))

# %% wrong: empties a list that it gave away · fails 0
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    samples = []
    for indices in batches(sampler, batch_size):
        samples[:] = fetch(dataset, indices)
        yield collate_fn(samples)

# %% wrong: joins a generator · fails 3
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        if hasattr(dataset, "__getitems__"):
            yield collate_fn(dataset.__getitems__(indices))
        else:
            yield collate_fn(dataset[index] for index in indices)

# %% wrong: not joined · fails 3
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        yield fetch(dataset, indices)

# %% wrong: one batch ahead · fails 1
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = batches(sampler, batch_size)
    indices = next(rest, None)
    while indices:
        batch = collate_fn(fetch(dataset, indices))
        indices = next(rest, None)  # to know whether it is the last one
        yield batch

# %% wrong: one by one · fails 2
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        yield collate_fn([dataset[index] for index in indices])

# %% wrong: pytorchs own · fails 0, 1, 2, 3
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    return iter(DataLoader(dataset, batch_size, sampler=sampler, collate_fn=collate_fn))

# %% wrong: samples for indices · fails 0, 1, 2
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for samples in batches(dataset, batch_size):
        yield collate_fn(samples)

# %% wrong: without the sampler · fails 0, 1
def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(range(len(dataset)), batch_size):
        yield collate_fn(fetch(dataset, indices))

# %% wrong: tensors of the samples · fails 0, 1, 2, 3
import torch


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    for indices in batches(sampler, batch_size):
        yield collate_fn([torch.tensor(sample) for sample in fetch(dataset, indices)])

# %% wrong: takes its first indices when it is made · fails 1
from itertools import chain


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = batches(sampler, batch_size)
    first = list(islice(rest, 1))
    return (collate_fn(fetch(dataset, indices)) for indices in chain(first, rest))
