# fails: 2


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        samples = [dataset[index] for index in indices]
        if hasattr(dataset, "__getitems__"):
            samples = dataset.__getitems__(indices)
        yield collate_fn(samples)
