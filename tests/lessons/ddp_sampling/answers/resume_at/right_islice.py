import math
from itertools import islice


def resume_at(steps, length, batch_size, ranks, rank, seed=0):
    per_epoch = math.ceil(math.ceil(length / ranks) / batch_size)
    epoch = steps // per_epoch
    sampler = DistributedSampler(list(range(length)), num_replicas=ranks, rank=rank, seed=seed)
    sampler.set_epoch(epoch)
    batches = BatchSampler(sampler, batch_size=batch_size, drop_last=False)
    return epoch, list(islice(batches, steps - epoch * per_epoch, None))
