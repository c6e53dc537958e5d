# %% given
# What some of the wrong answers to this exercise share.
import random


def cut(order, size):
    return [order[first : first + size] for first in range(0, len(order), size)]


def by_length(lengths):
    return sorted(range(len(lengths)), key=lambda row: lengths[row])

# %% right: numpy
import numpy as np


def text_batches(lengths, batch_size):
    order = np.argsort(lengths)
    batches = np.array_split(order, range(batch_size, len(order), batch_size))
    np.random.shuffle(batches) if isinstance(batches, np.ndarray) else random.shuffle(batches)
    return batches

# %% right: large pools
import torch


def text_batches(lengths, batch_size):
    order = torch.randperm(len(lengths)).tolist()
    pool = 20 * batch_size
    batches = []
    for first in range(0, len(order), pool):
        batches += cut(sorted(order[first : first + pool], key=lengths.__getitem__), batch_size)
    random.shuffle(batches)
    return batches

# %% right: a generator, tensors
import torch


def text_batches(lengths, batch_size):
    parts = torch.tensor(lengths).argsort().split(batch_size)
    for number in torch.randperm(len(parts)):
        yield parts[number]

# %% right: equal lengths in random order
def text_batches(lengths, batch_size):
    order = sorted(range(len(lengths)), key=lambda row: (lengths[row], random.random()))
    batches = cut(order, batch_size)
    return random.sample(batches, len(batches))

# %% wrong: nothing changed · fails 0, 1, 2
import torch


def text_batches(lengths, batch_size):
    return cut(torch.randperm(len(lengths)).tolist(), batch_size)

# %% wrong: batches not shuffled · fails 2
def text_batches(lengths, batch_size):
    return cut(by_length(lengths), batch_size)

# %% wrong: longest first · fails 2
def text_batches(lengths, batch_size):
    return cut(by_length(lengths)[::-1], batch_size)

# %% wrong: the same order in every epoch · fails 2
def text_batches(lengths, batch_size):
    batches = cut(by_length(lengths), batch_size)
    random.Random(0).shuffle(batches)
    return batches

# %% wrong: the last batch lost · fails 0, 1, 2
def text_batches(lengths, batch_size):
    order = by_length(lengths)
    batches = [order[k : k + batch_size] for k in range(0, len(order) - batch_size + 1, batch_size)]
    random.shuffle(batches)
    return batches

# %% wrong: sorted in each batch · fails 0, 1, 2
def text_batches(lengths, batch_size):
    batches = cut(random.sample(range(len(lengths)), len(lengths)), batch_size)
    return [sorted(batch, key=lambda row: lengths[row]) for batch in batches]

# %% wrong: small pools · fails 0
def text_batches(lengths, batch_size):
    order = random.sample(range(len(lengths)), len(lengths))
    batches = []
    for pool in cut(order, 4 * batch_size):
        batches += cut(sorted(pool, key=lambda row: lengths[row]), batch_size)
    random.shuffle(batches)
    return batches

# %% wrong: lengths instead of indices · fails 0, 1, 2
def text_batches(lengths, batch_size):
    batches = cut(sorted(lengths), batch_size)
    random.shuffle(batches)
    return batches

# %% wrong: one text a batch · fails 1
def text_batches(lengths, batch_size):
    return [[row] for row in random.sample(range(len(lengths)), len(lengths))]

# %% wrong: the longest left out · fails 0, 1, 2
def text_batches(lengths, batch_size):
    short = [row for row in by_length(lengths) if lengths[row] <= 100]
    batches = cut(short, batch_size)
    random.shuffle(batches)
    return batches
