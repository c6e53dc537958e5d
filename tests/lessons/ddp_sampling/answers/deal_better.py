# %% right: each rank sorts its own, all in the same order
import random

from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    batches = list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))
    random.Random(epoch).shuffle(batches)
    return batches

# %% right: whole steps from pools
import torch


def deal_better(lengths, batch_size, ranks, rank, epoch):
    generator = torch.Generator().manual_seed(epoch)
    order = torch.randperm(len(lengths), generator=generator).tolist()
    step, steps = batch_size * ranks, []
    for start in range(0, len(order), 20 * step):
        pool = sorted(order[start : start + 20 * step], key=lambda text: lengths[text])
        steps += [pool[at : at + step] for at in range(0, len(pool), step)]
    mine = slice(rank * batch_size, (rank + 1) * batch_size)
    return [steps[at][mine] for at in torch.randperm(len(steps), generator=generator).tolist()]

# %% right: sorted by a length that is a little off
import random


def deal_better(lengths, batch_size, ranks, rank, epoch):
    draw = random.Random(epoch)
    order = sorted(range(len(lengths)), key=lambda text: lengths[text] * draw.uniform(0.9, 1.1))
    step = batch_size * ranks
    steps = [order[at : at + step] for at in range(0, len(order), step)]
    draw.shuffle(steps)
    return [each[rank::ranks] for each in steps]

# %% right: numpy, tensors as batches
import numpy as np
import torch


def deal_better(lengths, batch_size, ranks, rank, epoch):
    draw, sizes = np.random.default_rng(epoch), np.asarray(lengths)
    mine = draw.permutation(len(sizes))[rank::ranks]
    batches = mine[np.argsort(sizes[mine])].reshape(-1, batch_size)
    return [torch.from_numpy(batch) for batch in batches[draw.permutation(len(batches))]]

# %% right: a global seed, which is the same on all ranks
import random


def deal_better(lengths, batch_size, ranks, rank, epoch):
    random.seed(epoch)
    order = list(range(len(lengths)))
    random.shuffle(order)
    mine = sorted(order[rank::ranks], key=lambda text: -lengths[text])
    batches = [mine[i : i + batch_size] for i in range(0, len(mine), batch_size)]
    random.shuffle(batches)
    return batches

# %% wrong: as before · fails 0, 1, 2, 3
from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    return list(BatchSampler(sampler, batch_size, drop_last=False))

# %% wrong: sorted and not shuffled · fails 2
from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    return list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))

# %% wrong: each rank in an order of its own · fails 0
import random

from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    batches = list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))
    random.shuffle(batches)
    return batches

# %% wrong: forgets the epoch · fails 3
import random

from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    batches = list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))
    random.Random(epoch).shuffle(batches)
    return batches

# %% wrong: all texts sorted · fails 3
import random


def deal_better(lengths, batch_size, ranks, rank, epoch):
    order = sorted(range(len(lengths)), key=lambda text: lengths[text])
    step = batch_size * ranks
    steps = [order[at : at + step] for at in range(0, len(order), step)]
    random.Random(epoch).shuffle(steps)
    return [each[rank * batch_size : (rank + 1) * batch_size] for each in steps]

# %% wrong: loses the longest batch · fails 0, 1
import random

from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    batches = list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))[:-1]
    random.Random(epoch).shuffle(batches)
    return batches

# %% wrong: all texts on each rank · fails 0, 1, 2, 3
import random


def deal_better(lengths, batch_size, ranks, rank, epoch):
    order = sorted(random.Random(epoch).sample(range(len(lengths)), len(lengths)), key=lengths.__getitem__)
    batches = [order[at : at + batch_size] for at in range(0, len(order), batch_size)]
    random.Random(epoch).shuffle(batches)
    return batches

# %% wrong: pools that are too small · fails 0
import random

from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    order, pool = list(sampler), 4 * batch_size
    order = [i for at in range(0, len(order), pool) for i in sorted(order[at : at + pool], key=lengths.__getitem__)]
    batches = list(BatchSampler(order, batch_size, drop_last=False))
    random.Random(epoch).shuffle(batches)
    return batches

# %% wrong: one list of texts · fails 0, 1, 2, 3
from torch.utils.data import DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    return sorted(sampler, key=lengths.__getitem__)

# %% wrong: short to long, and back · fails 2
from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    batches = list(BatchSampler(sorted(sampler, key=lengths.__getitem__), batch_size, drop_last=False))
    return batches[::2] + batches[1::2][::-1]

# %% wrong: leaves out what is long · fails 0, 1
from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    return list(BatchSampler([text for text in sampler if lengths[text] < 1e5], batch_size, drop_last=True))

# %% wrong: sorted in each batch · fails 0, 1, 2, 3
from torch.utils.data import BatchSampler, DistributedSampler


def deal_better(lengths, batch_size, ranks, rank, epoch):
    sampler = DistributedSampler(lengths, ranks, rank)
    sampler.set_epoch(epoch)
    return [sorted(batch, key=lengths.__getitem__) for batch in BatchSampler(sampler, batch_size, drop_last=False)]

# %% wrong: nothing · fails 0, 1, 2, 3
def deal_better(lengths, batch_size, ranks, rank, epoch):
    return []

# %% wrong: the shortest texts on rank 0, the longest on the last · fails 0, 3
import random


def deal_better(lengths, batch_size, ranks, rank, epoch):
    each = len(lengths) // ranks
    mine = sorted(range(len(lengths)), key=lengths.__getitem__)[rank * each : (rank + 1) * each]
    batches = [mine[at : at + batch_size] for at in range(0, each, batch_size)]
    random.Random(epoch).shuffle(batches)
    return batches
