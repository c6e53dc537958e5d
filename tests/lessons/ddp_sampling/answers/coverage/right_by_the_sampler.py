def coverage(length, ranks, batch_size, sampler_drops, loader_drops):
    arrived = []
    for rank in range(ranks):
        sampler = DistributedSampler(range(length), ranks, rank, shuffle=False, drop_last=sampler_drops)
        for batch in DataLoader(range(length), batch_size, sampler=sampler, drop_last=loader_drops):
            arrived += batch.tolist()
    return len(arrived) - len(set(arrived)), length - len(set(arrived))
