# fails: 3


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        yield fetch(dataset, indices)
