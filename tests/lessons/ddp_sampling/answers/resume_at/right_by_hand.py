import torch


def resume_at(steps, length, batch_size, ranks, rank, seed=0):
    each = -(-length // ranks)
    batches = -(-each // batch_size)
    epoch, done = steps // batches, steps % batches
    order = torch.randperm(length, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    order = (order + order)[: each * ranks]
    mine = order[rank::ranks]
    return [epoch, [mine[i : i + batch_size] for i in range(done * batch_size, each, batch_size)]]
