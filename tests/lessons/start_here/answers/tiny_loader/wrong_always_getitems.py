# fails: 0, 1, 3


def tiny_loader(dataset, sampler, batch_size, collate_fn):
    rest = iter(sampler)
    while indices := list(islice(rest, batch_size)):
        yield collate_fn(dataset.__getitems__(indices))
