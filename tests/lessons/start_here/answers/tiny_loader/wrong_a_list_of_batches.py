# fails: 1


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    batches, rest = [], iter(sampler)
    while indices := list(islice(rest, batch_size)):
        batches.append(collate_fn(fetch(dataset, indices)))
    return batches
