# fails: 1


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    indices = list(islice(rest, batch_size))
    while indices:
        batch = collate_fn(fetch(dataset, indices))
        indices = list(islice(rest, batch_size))  # to know whether it is the last one
        yield batch
