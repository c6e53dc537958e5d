# %% given
# What the answers to this exercise share.
from torch.utils.data import BatchSampler, DistributedSampler


def resume(
    steps, length, batch_size, ranks, rank, seed=0, *, told=True, own_seed=True, per_epoch=None, shift=0
):
    sampler = DistributedSampler(range(length), ranks, rank, seed=seed if own_seed else 0)
    batches = BatchSampler(sampler, batch_size, drop_last=False)
    epoch, done = divmod(steps, per_epoch(length, batch_size, ranks) if per_epoch else len(batches))
    if told:
        sampler.set_epoch(epoch)
    return epoch, list(batches)[done + shift :]


def variant(**changes):
    return lambda *given: resume(*given, **changes)

# %% right: by hand
import torch


def resume_at(steps, length, batch_size, ranks, rank, seed=0):
    each = -(-length // ranks)
    batches = -(-each // batch_size)
    epoch, done = steps // batches, steps % batches
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    order = (order + order)[: each * ranks]
    mine = order[rank::ranks]
    return [epoch, [mine[i : i + batch_size] for i in range(done * batch_size, each, batch_size)]]

# %% right: in parts
resume_at = resume

# %% right: islice
import math
from itertools import islice


def resume_at(steps, length, batch_size, ranks, rank, seed=0):
    per_epoch = math.ceil(math.ceil(length / ranks) / batch_size)
    epoch = steps // per_epoch
    sampler = DistributedSampler(list(range(length)), num_replicas=ranks, rank=rank, seed=seed)
    sampler.set_epoch(epoch)
    batches = BatchSampler(sampler, batch_size=batch_size, drop_last=False)
    return epoch, list(islice(batches, steps - epoch * per_epoch, None))

# %% wrong: always rank 0 · fails 0, 1, 2, 3
def resume_at(s, n, b, r, k, seed=0):
    return resume(s, n, b, r, 0, seed)

# %% wrong: cut from the end · fails 4
def resume_at(steps, length, batch_size, *rest):
    epoch, left = resume(steps, length, batch_size, *rest)
    indices = [index for batch in left for index in batch]
    first = len(indices) % batch_size or batch_size
    return epoch, [
        indices[max(0, at - batch_size) : at] for at in range(first, len(indices) + 1, batch_size)
    ]

# %% wrong: drops the incomplete batch · fails 1, 3
def resume_at(*given):
    """As with `drop_last=True` in the loader, for what is left."""
    epoch, left = resume(*given)
    return epoch, [batch for batch in left if len(batch) == given[2]]

# %% wrong: epoch with nothing left · fails 2
def resume_at(steps, *rest):
    """At the end of an epoch nothing is left of it."""
    epoch, left = resume(steps, *rest)
    per_epoch = len(resume(0, *rest)[1])
    return (epoch - 1, []) if steps and steps % per_epoch == 0 else (epoch, left)

# %% wrong: forgets set epoch · fails 1, 2
resume_at = variant(told=False)

# %% wrong: forgets the ranks · fails 1, 2
resume_at = variant(per_epoch=lambda n, b, r: -(-n // b))

# %% wrong: ignores the seed · fails 1
resume_at = variant(own_seed=False)

# %% wrong: one list of indices · fails 4
def resume_at(*given):
    epoch, left = resume(*given)
    return epoch, [index for batch in left for index in batch]

# %% wrong: one too few left · fails 0, 1, 2, 3
resume_at = variant(shift=1)

# %% wrong: only the batches · fails 0, 1, 2, 3, 4
def resume_at(*given):
    return resume(*given)[1]

# %% wrong: rounds down · fails 1, 3
resume_at = variant(per_epoch=lambda n, b, r: n // (b * r))

# %% wrong: what is done · fails 0, 1, 2, 3
def resume_at(*given):
    return (resume(*given)[0], resume(0, *given[1:])[1][: given[0]])

# %% wrong: without padding · fails 1, 3
def resume_at(s, n, b, r, k, seed=0):
    return resume(s, n // r * r, b, r, k, seed)
