# fails: 0, 1, 2, 3


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    return iter(DataLoader(dataset, batch_size, sampler=sampler, collate_fn=collate_fn))
